"""`ph.contact_modes`, `ph.impact`, `ph.percussion`: what contacts do at an instant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Numbers, Scalar
from polhode.constraints.constraint import Attachment, coordinates_of
from polhode.double import doubled
from polhode.errors import ModelError, NumericalWarning, StateError
from polhode.formulation.contact.collide import Struck, collide
from polhode.formulation.contact.decide import (
    OPEN,
    STATUSES,
    STICKS,
    ContactMotion,
    decided,
    every,
    instant_of,
    is_enumerable,
)
from polhode.formulation.contact.delassus import constrained_response
from polhode.formulation.contact.instant import (
    Seen,
    admit_table,
    laws_of,
    require_apart,
    seen,
)
from polhode.formulation.questions.reactions import impulses_by_balance
from polhode.formulation.recursive.recursive import recursive
from polhode.geometry.admission import admit
from polhode.matter.parameter import NOMINAL, Table
from polhode.supports.any_support import acts_at_points
from polhode.system.checked_argument import state_argument
from polhode.system.contacts import names, strikes
from polhode.system.natural_sizes import natural_sizes
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays
from polhode.system.strands import rope_wrenches
from polhode.tracebacks import warn

ORDERS = ("at once", "in sequence")
GAIN = 1e-9  # of the energy that moves: less is rounding
UNFELT = 1e-9  # of what a unit force moves: less is no motion


@final
@dataclass(frozen=True, eq=False, repr=False)
class ContactMode:
    """One motion that the laws of contact allow.

    status     point -> "open", "slides" or "sticks"
    push       point -> N, N
    friction   point -> (3,) along the world's axes, N
    accelerations   z' (nz,)
    starred    points whose push is not determined: others share the load with them,
               and the least forces are shown
    """

    status: dict[str, str]
    push: dict[str, float]
    friction: dict[str, np.ndarray]
    accelerations: np.ndarray
    starred: tuple[str, ...] = ()

    def __repr__(self) -> str:
        stars = dict.fromkeys(self.starred, "*")
        parts = [
            f"{name} {word}"
            + ("" if word == "open" else f" under {self.push[name]:.6g} N")
            + stars.get(name, "")
            for name, word in self.status.items()
        ]
        return f"ContactMode({'; '.join(parts) or 'nothing touches'})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class ContactModes:
    """All motions that the laws of contact allow at an instant: none, one, several."""

    state: State
    each: tuple[ContactMode, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[ContactMode]:
        return iter(self.each)

    def __getitem__(self, key: int) -> ContactMode:
        return self.each[key]

    @property
    def kind(self) -> str:
        """'unique', 'inconsistent' (no motion) or 'indeterminate' (several)."""
        return {0: "inconsistent", 1: "unique"}.get(len(self.each), "indeterminate")

    def __repr__(self) -> str:
        return "\n".join([f"ContactModes: {self.kind}", *map(repr, self.each)])


@state_argument
def contact_modes(state: State, table: Table = NOMINAL) -> ContactModes:
    """Every motion that the laws of contact allow in a state.

    Contacts that touch open, slide or stick. With friction that couples strongly there
    may be none, or several (Painleve).

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 2.0)
    >>> on = ph.Support(ph.surfaces.point(ball.mass_centre), ph.World().origin,
    ...                 friction=ph.Coulomb(0.5), name="foot")
    >>> system = ph.System([ball], [ph.Weight(9.81)], supports=[on])
    >>> contact_modes(system.state())
    ContactModes: unique
    ContactMode(foot sticks under 19.62 N)
    """
    now = seen(state, admit_table(state, table))
    require_apart(now)
    _refuse_approach(now)
    return ContactModes(state, tuple(_mode(now, motion) for motion in motions_of(now)))


def motions_of(now: Seen) -> list[ContactMotion]:
    """All motions that the laws allow, by trying every combination of few contacts.

    Of more it is the one that is found first.
    """
    at = instant_of(now.problem, now.touching, now.slipping)
    if is_enumerable(at):
        return every(at)
    found = decided(at, np.where(now.touching, STICKS, OPEN))
    if not found:
        raise StateError(
            f"no motion of {now.state.system.name!r} was found in this state.",
            f"{int(np.sum(now.touching))} points touch: too many to try all ways in"
            " which each may open, slide or stick, so there may be one.",
            "Ask with fewer points, or run it by ph.methods.Moreau(step=1e-3).",
        )
    return found


def _mode(now: Seen, motion: ContactMotion) -> ContactMode:
    system = now.state.system
    touching = [k for k in range(len(motion.status)) if now.touching[k]]
    labels = names(system)
    axes = now.problem.rows.axes
    r = motion.force.reshape(-1)
    return ContactMode(
        {labels[k]: STATUSES[motion.status[k]] for k in touching},
        {labels[k]: float(motion.force[k, 0]) for k in touching},
        {labels[k]: axes[k][:, 1:] @ motion.force[k, 1:] for k in touching},
        now.problem.acceleration + now.problem.speeds @ r,
        tuple(labels[k] for k in _undetermined(now, motion)),
    )


def _undetermined(now: Seen, motion: ContactMotion) -> list[int]:
    """Contacts whose push may be others' without any motion feeling it."""
    Y, mu = now.problem.speeds, now.problem.rows.dynamic
    columns: list[np.ndarray] = []
    pushes: list[int] = []
    for k in np.flatnonzero(motion.status != OPEN).tolist():
        pushes.append(len(columns))
        N, first, second = (Y[:, 3 * k + i] for i in range(3))
        if motion.status[k] == STICKS:
            columns += [N, first, second]
        else:
            T = -mu[k] * motion.direction[k]
            columns.append(N + T[0] * first + T[1] * second)
    if not columns:
        return []
    _, sizes, rows = np.linalg.svd(np.stack(columns, axis=1))
    rank = int(np.sum(sizes > UNFELT * max(float(sizes[0]), 1e-300)))
    loose = np.max(np.abs(rows[rank:]), axis=0, initial=0.0)
    closed = np.flatnonzero(motion.status != OPEN).tolist()
    rubs = strikes(now.state.system)  # pads: by their loads
    return [
        k
        for k, place in zip(closed, pushes, strict=True)
        if loose[place] > UNFELT and rubs[k]
    ]


def _refuse_approach(now: Seen) -> None:
    if not np.any(now.approaching):
        return
    k = int(np.argmin(np.where(now.approaching, now.problem.rows.velocity[:, 0], 0)))
    speed = -now.problem.rows.velocity[k, 0]
    raise StateError(
        f"{names(now.state.system)[k]!r} strikes at {speed:.3g} m/s in this state.",
        "Until it has, no acceleration keeps it out of what it touches.",
        "Ask ph.impact(state), and then about its .after.",
    )


@final
@dataclass(frozen=True, eq=False, repr=False)
class Impact:
    """An impact: the state after it, and what every contact, row and joint gave.

    impulses      point -> (3,) along the world's axes, on the body that rests, N s
    push, friction    point -> work of the two parts of its impulse, J
    reactions     constraint row -> its impulsive intensity
    joints        joint -> (6,) [moment; force] impulse on its second body, about its
                  point there, in the axes of its frame
    before, after states
    law, phases   how the impact was computed, and what happened along the path
    """

    before: State
    after: State
    impulses: dict[str, np.ndarray]
    push: dict[str, float]
    friction: dict[str, float]
    reactions: dict[str, float]
    joints: dict[str, np.ndarray]
    law: str
    phases: tuple[str, ...]

    @property
    def energy(self) -> float:
        """The change of kinetic energy, J: what both parts of all impulses do."""
        system, t = self.before.system, self.before.t
        return float(
            system.kinetic_energy(t, self.after.q, self.after.z)
            - system.kinetic_energy(t, self.before.q, self.before.z)
        )

    def __repr__(self) -> str:
        parts = [
            f"{name}: {np.linalg.norm(P):.6g} N s" for name, P in self.impulses.items()
        ]
        return f"Impact({self.law}; {'; '.join(parts)}; {self.energy:.6g} J)"


@state_argument
def impact(state: State, *, order: str = "at once", table: Table = NOMINAL) -> Impact:
    """What happens when the contacts that approach in a state strike.

    One contact alone goes along Routh's path, to the end that its law of restitution
    sets. Several strike "at once" (complementarity of u+ + e u-, the number of each law
    taken as Newton's) or "in sequence", each along its own path. It is a question: the
    state stays as it is.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 2.0)
    >>> on = ph.Support(ph.surfaces.point(ball.mass_centre), ph.World().origin,
    ...                 restitution=ph.contact.Stronge(0.5), name="foot")
    >>> system = ph.System([ball], supports=[on])
    >>> impact(system.state(speeds={"ball": (0, 0, -3)})).after.speed("ball")
    array([0. , 0. , 1.5])
    """
    require_order(order)
    now = seen(state, admit_table(state, table))
    require_apart(now)
    if not np.any(now.approaching):
        raise StateError(
            f"nothing of {state.system.name!r} strikes in this state.",
            f"The least gap is {np.min(now.problem.rows.gap):.3g} m.",
            "Give a state in which a contact touches and approaches; for an impulse of"
            " your own ask ph.percussion.",
        )
    struck, after = strike(now, order)
    return _answer(now, struck, after, order, table)


def require_order(order: str) -> None:
    """Refuse a way of several impacts that has no name."""
    if order not in ORDERS:
        raise ModelError(
            f"contacts cannot strike {order!r}.",
            "Several that touch strike together, or each after the other.",
            'Give "at once" or "in sequence".',
        )


def strike(now: Seen, order: str) -> tuple[Struck, State]:
    """The impact of what approaches, and the state after it; a gain is warned of."""
    rows = now.problem.rows
    touching = now.touching | now.approaching
    struck = collide(now.problem.delassus, rows.velocity, laws_of(now), touching, order)
    z = now.state.z + now.problem.speeds @ struck.impulse.reshape(-1)
    after = State(now.state.system, now.state.t, now.state.q, z)
    _warn_of_gain(now, struck)
    return struck, after


def _warn_of_gain(now: Seen, struck: Struck) -> None:
    gained = float(np.sum(struck.push + struck.friction))
    system, state = now.state.system, now.state
    moving = float(system.kinetic_energy(state.t, state.q, state.z))
    if gained <= GAIN * moving:
        return
    k = int(np.argmax(np.abs(struck.impulse[:, 0])))
    words = gain_sentence(
        names(system)[k], gained, float(state.t), at_once="at once" in struck.phases
    )
    warn(words, NumericalWarning)


def gain_sentence(point: str, gained: float, t: float, *, at_once: bool) -> str:
    """What is told of a law of impact that has given energy, J."""
    said = f"{point!r} gained {gained:.3g} J in an impact at t = {t:.6g} s"
    if at_once:
        return (
            f"{said}: several contacts that strike at once take the number of any law"
            " as Newton's, which with friction can gain (Kane). In sequence"
            " (impacts=\"in sequence\") Stronge's and Poisson's laws do not."
        )
    return (
        f"{said}: Newton's law with friction can (Kane). Stronge's and Poisson's along"
        " Routh's path do not."
    )


def _answer(
    now: Seen, struck: Struck, after: State, order: str, table: Table
) -> Impact:
    system, labels = now.state.system, names(now.state.system)
    hit = [k for k in range(len(labels)) if np.any(struck.impulse[k])]
    axes, P = now.problem.rows.axes, struck.impulse
    external = _external(now, P)
    l = now.problem.reactions @ P.reshape(-1)
    law = ", ".join(
        sorted({repr(s.law) for s in system.supports})
        if len(hit) == 1
        else [f"{len(hit)} contacts {order}"]
    )
    return Impact(
        now.state,
        after,
        {labels[k]: axes[k] @ P[k] for k in hit},
        {labels[k]: float(struck.push[k]) for k in hit},
        {labels[k]: float(struck.friction[k]) for k in hit},
        dict(zip(system.row_names, map(float, l), strict=True)),
        _joint_impulses(now.state, after.z - now.state.z, l, external, table),
        law,
        struck.phases,
    )


def _external(now: Seen, P: np.ndarray) -> np.ndarray:
    """Impulses (n, 6) of contacts on bodies, about their origins in their own axes."""
    system, rows = now.state.system, now.problem.rows
    external = _pulled(now.state, P)
    places = [
        system.places_of(s.bodies) if acts_at_points(s) else None
        for s in system.supports
        for _ in s.candidates.names
    ]
    for k, both in enumerate(places):
        if both is None:
            continue
        first, second = both
        force = rows.axes[k] @ P[k]
        _add(now.state, external, first, rows.point[k], force)
        _add(now.state, external, second, rows.point[k], -force)
    return external


def _pulled(state: State, P: np.ndarray) -> np.ndarray:
    """Impulses (n, 6) of ropes on bodies."""
    system = state.system
    pull = system.remembered(
        "rope impulses",
        lambda: doubled(lambda t, q, r, table: rope_wrenches(system, t, q, r, table)),
    )
    return np.array(pull(state.t, state.q, P, dict(system.values)))


def _add(
    state: State, external: np.ndarray, body: int, at: np.ndarray, force: np.ndarray
) -> None:
    if body < 0:
        return
    poses = state.system.poses(state.t, state.q)
    R, arm = poses.rotations[body], at - poses.origins[body]
    external[body] += np.concatenate([R.T @ np.cross(arm, force), R.T @ force])


def _joint_impulses(
    state: State, dz: Any, intensities: Any, external: np.ndarray, table: Table
) -> dict[str, np.ndarray]:
    system = state.system.without_supports
    key = "joint impulses"
    if key not in system.compiled:
        system.compiled[key] = doubled(
            lambda t, q, z, dz, l, external, table: impulses_by_balance(
                system, StateArrays(t, q, z), (dz, l), external, table
            )
        )
    given = (state.t, state.q, state.z, dz, intensities, external, dict(table))
    each = system.compiled[key](*given)
    return {joint.name: each[k] for k, joint in enumerate(system.joints)}


@state_argument
def percussion(
    state: State,
    point: Attachment,
    impulse: Numbers,
    *,
    order: str = "at once",
    table: Table = NOMINAL,
) -> Impact:
    """What a given impulse at a point of a body does: dQ = I, joints answer.

    `impulse` (3,) N s is along the world's axes. Contacts that touch, and that it
    drives together, strike at once or in sequence.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=3.0, length=1.0))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    >>> hung = ph.System([hinge])
    >>> blow = percussion(hung.state(), rod.point(0, 0, -1 / 6), (1, 0, 0))
    >>> bool(abs(blow.joints["hinge"]).max() < 1e-12)  # the centre of percussion
    True
    """
    require_order(order)
    admit_table(state, table)
    system = state.system
    P = admit(np.asarray(impulse, dtype=float), (3,), "an impulse")
    body = _body_of(system, point)
    poses = system.poses(state.t, state.q, table)
    arm = poses.rotations[body] @ np.asarray(coordinates_of(point, system.table(table)))
    external = np.zeros((len(system.bodies), 6))
    _add(state, external, body, poses.origins[body] + arm, P)
    force = np.einsum("bij,bi->j", system.jacobians(state.t, state.q, table), external)
    dz, l = _response(system, state, force, table)
    after = State(system, state.t, state.q, state.z + dz)
    struck: Impact | None = None
    if system.supports:
        now = seen(after, table)
        require_apart(now)
        if np.any(now.approaching):
            hit, last = strike(now, order)
            struck = _answer(now, hit, last, order, table)
    own = _joint_impulses(state, dz, l, external, table)
    rows = dict(zip(system.row_names, map(float, l), strict=True))
    if struck is None:
        label = {"given": P}
        return Impact(state, after, label, {}, {}, rows, own, "percussion", ())
    return Impact(
        state,
        struck.after,
        {"given": P, **struck.impulses},
        struck.push,
        struck.friction,
        {name: rows[name] + struck.reactions[name] for name in rows},
        {name: own[name] + struck.joints[name] for name in own},
        f"percussion, {struck.law}",
        struck.phases,
    )


def _body_of(system: Any, point: Any) -> int:
    if not isinstance(point, Attachment):
        raise ModelError(
            f"an impulse cannot act at {point!r}.",
            "It acts at a point of a body.",
            "Give a point such as rod.point(0, 0, 0.5) or rod.origin.",
        )
    known = {body.frame: k for k, body in enumerate(system.bodies)}
    if point.frame not in known:
        raise ModelError(
            f"an impulse on {point.frame.name!r} moves nothing of {system.name!r}.",
            "It is not a body of the system, or it is the world.",
            f"Give a point of {', '.join(repr(b.name) for b in system.bodies[:5])}.",
        )
    return known[point.frame]


def _response(system: Any, state: State, force: Array, table: Table) -> tuple[Any, Any]:
    """z+ - z- (nz,) and the intensities (m,) of constraints for an impulse (nz,)."""
    bare = system.without_supports
    key = "impulse response"
    if key not in bare.compiled:

        def response(t: Scalar, q: Array, z: Array, force: Array, table: Table) -> Any:
            terms = recursive(bare).functions.terms(t, q, z, table)
            F, G = force[:, None], jnp.zeros((len(terms.right), 1))
            sizes = natural_sizes(bare)
            return constrained_response(terms.mass_matrix, F, terms.rows, G, sizes)

        bare.compiled[key] = doubled(response)
    moved, held = bare.compiled[key](state.t, state.q, state.z, force, dict(table))
    return moved[:, 0], held[:, 0]
