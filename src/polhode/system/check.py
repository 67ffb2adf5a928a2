"""Whether a system is sound: masses, loose directions, constraints and their rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.errors import ConflictingConstraints, ModelError, SingularMassMatrix
from polhode.geometry.admission import is_traced
from polhode.geometry.vector import shown
from polhode.joints.revolute import Revolute
from polhode.matter.parameter import Table, at
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import allows_unphysical
from polhode.matter.solids import Solid
from polhode.matter.validity import require_mass, require_physical
from polhode.supports.admission import require_contact_numbers
from polhode.system import assemble, kinematics, mass, numeric_constraints, rows
from polhode.system.checked_argument import system_argument
from polhode.system.lengths import natural_length, speed_lengths
from polhode.system.natural_sizes import natural_sizes
from polhode.system.row_rank import DEPENDENT, row_rank
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

SINGULAR = 1e-13  # of a mass matrix scaled to a unit diagonal


@final
@dataclass(frozen=True, eq=False, repr=False)
class Mobility:
    """How many motions a system has, counted, and by the rank of its constraints.

    undetermined   the combinations of rows (k, rows) that no motion feels: reactions
                   along them are not unique
    redundant      the names of the rows that take part in one
    scales         the natural sizes of the rows: combinations are compared by them
    freedoms       the degrees of freedom: in how many ways it can move on

    A linkage stretched in one line may move in more ways there, for an instant, than
    it can go on: `by_rank` counts the first, `freedoms` the second, by the rank at
    places beside. Where there are none, as of taut rods in line, nothing moves.
    """

    speeds: int
    rows: tuple[str, ...]
    rank: int
    undetermined: np.ndarray
    scales: np.ndarray
    freedoms: int

    @property
    def by_count(self) -> int:
        """Speeds less equations, as if all were independent."""
        return self.speeds - len(self.rows)

    @property
    def by_rank(self) -> int:
        """In how many independent ways it can move at that instant."""
        return self.speeds - self.rank

    @property
    def is_singular(self) -> bool:
        """Whether more motions are open for this instant than beside it."""
        return self.freedoms < self.by_rank

    @property
    def redundant(self) -> tuple[str, ...]:
        """The rows whose reactions are not unique."""
        shares = np.abs(self.undetermined * self.scales)
        taking_part = np.any(shares > DEPENDENT, axis=0)
        return tuple(np.array(self.rows, dtype=object)[taking_part])

    def __repr__(self) -> str:
        head = f"Mobility({_count(self.freedoms, 'degree')} of freedom: {self.speeds}"
        head += f" speeds, {len(self.rows)} constraint rows of rank {self.rank}"
        if self.is_singular:
            head += f" at a singular place, with {self.by_rank} for an instant"
        if not len(self.undetermined):
            return head + ")"
        return f"{head}; not unique: {', '.join(self.redundant)})"


@system_argument
def mobility(system: System, state: State | None = None) -> Mobility:
    """Degrees of freedom by count and by rank, at a state or at rest.

    Of a state that misses its constraints a little, as after steps that are not
    projected, at the nearest place that keeps them.
    """
    if not system.constraints:
        return Mobility(
            system.speeds, (), 0, np.zeros((0, 0)), np.zeros(0), system.speeds
        )
    at = state or system.rest()
    found = row_rank(system, float(at.t), np.asarray(at.q), np.asarray(at.z))
    combinations = found.left[:, found.rank :].T / found.rows.scales
    free = 0 if found.beside is None else system.speeds - found.beside
    return Mobility(
        system.speeds,
        system.row_names,
        found.rank,
        combinations,
        found.rows.scales,
        free,
    )


# Bodies above which the mass matrix of the whole is not made to see that it is regular.
MANY = 48


def require_sound(system: System) -> None:
    """Refuse what has no motion, or not one only; silent inside a trace."""
    _require_freedom(system)
    neutral = system.neutral()
    if not system.constraints and not system.values and bodies_resist(system, neutral):
        return
    M = mass.mass_matrix(system, 0.0, neutral)
    with np.errstate(all="ignore"):  # an equation of no value is refused below
        g = rows.positions(system, 0.0, neutral)
    if is_traced(M, g, *system.parameters.values()):
        return
    if system.values:
        _require_physical(system)
        _require_coefficients(system)
        require_contact_numbers(system.supports, system.values)
    if system.constraints:
        _require_mass(system, rest_coordinates(system))
        # Measured now: inside a trace, where equations ask for them, is too late.
        natural_sizes(system)
    elif not is_regular(M):
        _require_mass(system, neutral)


def _require_freedom(system: System) -> None:
    if system.speeds == 0:
        raise ModelError(
            f"{system.name!r} cannot move: it has no freedom.",
            "All its bodies are welded to the world.",
            "Give at least one joint that lets a motion through; ph.PrescribedMotion"
            " can hold it, and its reaction is then known.",
        )


def bodies_resist(system: System, q: np.ndarray) -> bool:
    """Whether in a large tree each body resists all motions of its own joint.

    Then something resists every motion: of the joints that move in it one is nearest to
    the world, and its body moves by it alone. No matrix of the whole is needed.
    """
    if len(system.bodies) <= MANY:
        return False
    for edge in system.tree.edges:
        S = kinematics.subspace(edge, q, system.values)
        own = S.T @ system.bodies[edge.child].spatial_inertia(system.values) @ S
        if is_traced(own) or not (own.size == 0 or is_regular(own)):
            return False
    return True


def is_regular(M: np.ndarray) -> bool:
    """Whether a mass matrix has a factor with sound pivots: quicker than eigh."""
    sizes = np.sqrt(np.maximum(np.diag(M), 0.0))
    if not np.all(sizes > 0):
        return False
    try:
        factor = np.linalg.cholesky(M / np.outer(sizes, sizes))
    except np.linalg.LinAlgError:
        return False
    return bool(np.min(np.diag(factor)) ** 2 > SINGULAR * len(M))


def rest_coordinates(system: System) -> np.ndarray:
    """Coordinates near the neutral ones that keep the constraints; refused if none."""
    return system.remembered("rest", lambda: _rest_coordinates(system))


def _rest_coordinates(system: System) -> np.ndarray:
    neutral = system.neutral()
    if not system.constraints:
        return neutral
    loose = np.ones(system.speeds, dtype=bool)
    q, misses = assemble.find(system, 0.0, neutral, loose)
    if misses:
        _refuse_conflict(system, misses, "position")
    _require_motion(system, q)
    return q


def require_consistent(state: State) -> State:
    """The state itself, refused if it breaks constraints."""
    system, t = state.system, state.t
    if is_traced(t, state.q, state.z) or not system.constraints:
        return state
    misses = assemble.position_misses(system, float(t), state.q)
    if not misses:
        misses = assemble.velocity_misses(system, float(t), state.q, state.z)
    assemble.require_kept(system, misses, float(t))
    return state


def describe(system: System) -> str:
    """System('arm': 7 bodies, 7 joints, 7 degrees of freedom)."""
    free = mobility(system).freedoms
    parts = [
        _count(len(system.bodies), "body"),
        _count(len(system.joints), "joint"),
    ]
    if system.constraints:
        parts.append(_count(len(system.constraints), "constraint"))
    if system.supports:
        parts.append(_count(len(system.supports), "support"))
    parts.append(_count(free, "degree") + " of freedom")
    return f"System({system.name!r}: {', '.join(parts)})"


def _count(count: int, word: str) -> str:
    plural = "bodies" if word == "body" else f"{word}s"
    return f"{count} {word if count == 1 else plural}"


def _require_physical(system: System) -> None:
    for body in system.bodies:
        _require_sizes(body, system.table())
        mass_, _, inertia = body.moments(system.table())
        if isinstance(body, Particle):
            require_mass(mass_, repr(body.name))
        elif not allows_unphysical(body.matter):
            require_physical(mass_, inertia, who=repr(body.name))


def _require_sizes(body: Any, table: Table) -> None:
    matter = None if isinstance(body, Particle) else body.matter
    if isinstance(matter, Solid):
        for word, size in matter.sizes(table).items():
            if not is_traced(size) and np.any(np.asarray(size) < 0):
                raise ModelError(
                    f"the {word} of {body.name!r} cannot be {size:g}.",
                    "It measures an extent of matter, so it is not negative.",
                    "Give a number of more than zero, in SI units.",
                )


def _require_coefficients(system: System) -> None:
    """What doors ask of stiffnesses and dampings, asked of values given later."""
    for action in system.actions:
        for word in ("stiffness", "damping"):
            if getattr(action, "allow_negative", True):
                continue
            given = getattr(action, word, ())
            for value in given if isinstance(given, tuple) else (given,):
                number = at(value, system.table())
                coefficient(action.name, word, number, allow_negative=False)


def _require_motion(system: System, q: np.ndarray) -> None:
    loose, still = np.ones(system.speeds, dtype=bool), np.zeros(system.speeds)
    _, misses = assemble.find_speeds(system, 0.0, q, still, loose)
    if misses:
        _refuse_conflict(system, misses, "velocity")


def _refuse_conflict(system: System, misses: list[Any], what: str) -> None:
    names = ", ".join(f"{m.row} by {m.residual:.3g}" for m in misses[:8])
    raise ConflictingConstraints(
        f"no {what} of {system.name!r} keeps all of its {len(system.row_names)}"
        " constraint equations.",
        f"As near as they can be kept, these still miss: {names}.",
        "Check lengths and places of the joints in these loops, or leave out one of"
        " the equations that contradict each other.",
    )


def _require_mass(system: System, q: np.ndarray) -> None:
    """A direction is loose only if it is so in several configurations."""
    found = _loose_direction(system, q)
    rng, along = (
        np.random.default_rng(1),
        speed_lengths(system, natural_length(system, q)),
    )
    for _ in range(3):
        if found is None:
            return
        near = system.local(q, along * rng.uniform(-1, 1, system.speeds))
        if system.constraints:
            near = assemble.place(system, 0.0, near, np.ones(system.speeds, dtype=bool))
        if _loose_direction(system, near) is None:
            return
    if found is not None:
        _refuse_loose(system, q, *found)


def _loose_direction(system: System, q: np.ndarray) -> tuple[int, np.ndarray] | None:
    """The rank of the mass matrix on allowed motions, and one that costs nothing."""
    M = mass.mass_matrix(system, 0.0, q)
    sizes = np.sqrt(np.maximum(np.diag(M), 0.0))
    if system.constraints:
        return _loose_under_constraints(system, q, M)
    if np.all(sizes > 0):
        values, vectors = np.linalg.eigh(M / np.outer(sizes, sizes))
        if values[0] > SINGULAR * len(values):
            return None
        rank = int(np.sum(values > SINGULAR * len(values)))
        return rank, vectors[:, 0] / sizes
    return int(np.sum(sizes > 0)), np.eye(len(M))[int(np.argmin(sizes))]


def _loose_under_constraints(
    system: System, q: np.ndarray, M: np.ndarray
) -> tuple[int, np.ndarray] | None:
    now = numeric_constraints.scene(system, 0.0, q)
    found = numeric_constraints.velocities(system, now, np.zeros(system.speeds))
    _, ranks, right = np.linalg.svd(found.relative)
    rank = int(np.sum(ranks > DEPENDENT))
    allowed = found.along[:, None] * right[rank:].T
    if not allowed.shape[1]:
        return None
    # By the size that inertia gives each speed, as without constraints: a moment of
    # 500 kg m^2 beside the 1e16 of an arm that is driven is no rounding. A speed that
    # moves no mass has the size of the largest.
    diagonal = np.maximum(np.diag(M), 0.0)
    most = np.sqrt(np.max(diagonal * found.along**2)) / found.along
    sizes = np.where(diagonal > 0, np.sqrt(diagonal), most)
    if not np.all(sizes > 0):
        return 0, allowed[:, 0]
    unit = np.linalg.qr(sizes[:, None] * allowed)[0] / sizes[:, None]
    values, vectors = np.linalg.eigh(unit.T @ M @ unit)
    limit = SINGULAR * len(values)
    if values[0] > limit:
        return None
    return int(np.sum(values > limit)), unit @ vectors[:, 0]


def _refuse_loose(
    system: System, q: np.ndarray, rank: int, direction: np.ndarray
) -> None:
    direction = direction / direction[np.argmax(np.abs(direction))]
    direction = np.where(np.abs(direction) < 1e-9, 0.0, direction)
    largest = int(np.argmax(np.abs(direction)))
    edge = next(e for e in system.tree.edges if e.z.start <= largest < e.z.stop)
    joint, body = edge.joint, system.bodies[edge.child]
    names = ", ".join(system.speed_names)
    raise SingularMassMatrix(
        f"{system.name!r} has no unique acceleration at t = 0 s: its mass matrix has"
        f" rank {rank} of {len(direction)}.",
        f"Nothing resists {system.speed_names[largest]}, a speed of joint"
        f" {joint.name!r} ({type(joint).__name__.lower()}):"
        f" {_lack(system, edge.child, q, direction)}.",
        _resisting(body, joint),
        f"Loose direction in ({names}): ({shown(direction)[1:-1]}).",
    )


def _resisting(body: Any, joint: Any) -> str:
    """The repair: what would resist the loose motion."""
    if isinstance(body, Particle) and isinstance(joint, Revolute):
        return (
            "A point resists no turn about itself. Put the hinge at the end of an arm,"
            f" {body.name}.point(x, y, z), or give a body with moments of inertia."
        )
    return (
        f"Give {body.name!r} mass or a moment of inertia along this motion, or make"
        " the joint fixed."
    )


def _lack(system: System, body: int, q: np.ndarray, direction: np.ndarray) -> str:
    """What the body lacks, in words of its motion along the loose direction."""
    name = repr(system.bodies[body].name)
    V = kinematics.jacobians(system, 0.0, q)[body] @ direction
    w, v = V[:3], V[3:]
    moments = system.bodies[body].moments(system.table())
    v_centre = v + np.cross(w, moments.centre)
    turning = natural_length(system, q) * np.linalg.norm(w)
    if np.linalg.norm(v_centre) > 1e-9 * (np.linalg.norm(v) + turning):
        return f"what it moves, {name} and what it carries, has no mass"
    axis = shown(w / np.linalg.norm(w))
    return f"body {name} has zero moment of inertia about {axis} of its axes"
