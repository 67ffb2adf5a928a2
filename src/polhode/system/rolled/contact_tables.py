r"""Candidates of many supports as rows of one table, and loops over it.

A candidate is a ball about a place of one body, of some radius or none, above a plane
or beside a ball of another body: points, balls, corners of boxes, hulls and capsules.

    c = o_A + R_A centre,     P = c - r n,     u = axes^T (v_A(P) - v_B(P))

One code serves all of them, so that a pile of many is no longer than one of few; gaps,
axes and velocities are those of `system.contacts`, to rounding. Nothing has a row over
all speeds: J has the speeds that move one of the two bodies and not the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.actions.contact.friction_laws import Anisotropic, Stribeck
from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, namespace, scanned
from polhode.constraints.constraint import Attachment, coordinates_of
from polhode.constraints.curved_contact import tangents_about
from polhode.constraints.rolling import BallContact, Contact
from polhode.constraints.surfaces import Track
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table
from polhode.supports.candidates import CornerCandidates, SmoothCandidate
from polhode.supports.support import Support
from polhode.system import kinematics
from polhode.system.loads import still_world, with_world

if TYPE_CHECKING:
    from polhode.system.system import System

# Candidates times speeds from which tables are taken. Ten balls in a funnel have 5100,
# and rows over all speeds did not compile; a humanoid on a floor has 675 and is quicker
# by tables as well. Of a box with 48 rows are quicker.
MANY = 500


class Candidate(NamedTuple):
    """One row of the table; as a table all have an axis (n,) more in front.

    first, second   numbers of the body that rests and of the other; the world is last
    centre          (3,) of the ball, in the first body's axes
    radius          of the ball
    is_plane        whether the other is a plane, else a ball
    ground          (3,) the plane's point or the ball's centre, in the second's axes
    across          radius of the other ball
    axes            (3, 3) columns u, v and n of the plane, in the second's axes
    dynamic, static, restitution
    speeds, sides   (L,) numbers of the speeds that J has, the number of all of them
                    where there are fewer; 1 of those that move the first, else -1
    """

    first: Any
    second: Any
    centre: Any
    radius: Any
    is_plane: Any
    ground: Any
    across: Any
    axes: Any
    dynamic: Any
    static: Any
    restitution: Any
    speeds: Any
    sides: Any


class Touch(NamedTuple):
    """Gap, place P (3,) and axes (3, 3), columns n, t1 and t2, of one candidate."""

    gap: Any
    point: Any
    axes: Any


class Screws(NamedTuple):
    """Of every speed (nz + 1, 3), the last nothing: what it moves beyond its joint.

    A point P goes with linear + angular x (P - origin), in the world.
    """

    angular: Any
    linear: Any
    origin: Any


def serves(system: System) -> bool:
    """Whether the contacts of a system are rows of a table: by its description."""
    if "contact tables" not in system.compiled:
        count = sum(len(s.candidates.names) for s in system.supports)
        plain = all(_is_plain(s) for s in system.supports)
        is_large = count * system.speeds >= MANY
        fit = is_large and not system.constraints and plain
        system.compiled["contact tables"] = fit
    return system.compiled["contact tables"]


def _is_plain(support: Any) -> bool:
    if not isinstance(support, Support) or support.belt is not None:
        return False
    if isinstance(support.friction, Anisotropic | Stribeck):
        return False
    own = support.candidates
    if isinstance(own, CornerCandidates):
        return isinstance(own.on, Attachment)
    if not isinstance(own, SmoothCandidate):
        return False
    contact = own.contact
    if isinstance(contact, Contact):
        is_fixed = isinstance(contact.axes, np.ndarray)
        return is_fixed and contact.surface.radius is not None
    # A track by any distance is a function, and no row of numbers.
    return isinstance(contact, BallContact) and contact.on.shape == "sphere"


def candidate_table(system: System, table: Table) -> Candidate:
    """The table of a system that `serves`; NumPy's where no parameter varies."""
    table = system.table(table)
    feels = feeling(system)
    spans = [_span(system, s, feels) for s in system.supports]
    longest = max(len(s[0]) for s in spans)
    rows: list[Candidate] = []
    for s, (speeds, sides) in zip(system.supports, spans, strict=True):
        own = (
            _filled(speeds, longest, system.speeds),
            _filled(sides, longest, 0.0),
        )
        rows += _rows(system, s, table, own)
    columns = zip(*rows, strict=True)
    return Candidate(*(namespace(*column).stack(column) for column in columns))


def _rows(system: System, s: Support, table: Table, own: Any) -> list[Candidate]:
    """The candidates of one support."""
    first, second = system.places_of(s.bodies)
    candidates, n = s.candidates, len(system.bodies)
    numbers = tuple(1.0 * namespace(x).asarray(x) for x in s.coefficients(table))
    fixed = (np.array(first % (n + 1)), np.array(second % (n + 1)))
    if isinstance(candidates, CornerCandidates):
        radius, arms = candidates.surface.radius, candidates.surface.places
        centre, on = candidates.surface.centre, candidates.on
        axes, across, is_plane = candidates.axes, 0.0, True
    else:
        assert isinstance(candidates, SmoothCandidate)
        contact = candidates.contact
        assert isinstance(contact, Contact | BallContact)
        ball = contact.surface.at(table).radius
        assert ball is not None  # as `_is_plain` asks
        radius, arms = ball, np.zeros((1, 3))
        centre, is_plane = contact.surface.centre, isinstance(contact, Contact)
        on = contact.on if isinstance(contact, Contact) else contact.on.centre
        across = 0.0 if isinstance(contact, Contact) else contact.on.sizes[0][1]
        axes = np.asarray(contact.axes)
    assert not isinstance(on, Track)
    place, ground = coordinates_of(centre, table), coordinates_of(on, table)
    return [
        Candidate(
            *fixed,
            centre=place + arm,
            radius=namespace(radius).asarray(radius, dtype=float),
            is_plane=np.array(is_plane),
            ground=1.0 * namespace(ground).asarray(ground),
            across=namespace(across).asarray(across, dtype=float),
            axes=axes,
            dynamic=numbers[0],
            static=numbers[1],
            restitution=numbers[2],
            speeds=own[0],
            sides=own[1],
        )
        for arm in arms
    ]


def _filled(values: Array, count: int, fill: Any) -> np.ndarray:
    short = count - len(values)
    return np.concatenate([values, np.full(short, fill)]).astype(np.asarray(fill).dtype)


def feeling(system: System) -> list[frozenset[int]]:
    """By body, and of the world the last, the speeds that move it."""
    feels: list[frozenset[int]] = []
    for edge in system.tree.edges:
        above = feels[edge.parent] if edge.parent >= 0 else frozenset()
        feels.append(above | set(range(edge.z.start, edge.z.stop)))
    return [*feels, frozenset()]


def _span(system: System, s: Any, feels: list[frozenset[int]]) -> tuple[Any, Any]:
    """The speeds of a support's rows of J, and their sides."""
    first, second = (feels[body] for body in system.places_of(s.bodies))
    speeds = sorted(first ^ second)
    sides = [1.0 if k in first else -1.0 for k in speeds]
    return np.array(speeds, int), np.array(sides)


def rows_coupled(system: System) -> np.ndarray:
    """(nz, nz) bool: which speeds a candidate couples."""
    feels, nz = feeling(system), system.speeds
    found = np.zeros((nz, nz), dtype=bool)
    for s in system.supports:
        own = _span(system, s, feels)[0]
        found[np.ix_(own, own)] = True
    return found


def placed_bodies(system: System, t: Scalar, q: Array, table: Table) -> Poses:
    """Poses of all bodies, the world's last."""
    return with_world(kinematics.poses(system, t, q, table))


def moving_bodies(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> Twists:
    """Their velocities about origins along the world's axes, the world's last."""
    return still_world(kinematics.twists(system, t, q, z, table))


def screws(system: System, q: Array, poses: Poses, table: Table) -> Screws:
    """Those of all speeds."""
    known = system.table(table)
    parts: list[list[Any]] = [[], [], []]
    for edge in system.tree.edges:
        R_WC, o_C = poses.rotations[edge.child], poses.origins[edge.child]
        S = jnp.asarray(kinematics.subspace(edge, q, known))
        found = ((R_WC @ S[:3]).T, (R_WC @ S[3:]).T)
        origin = jnp.broadcast_to(o_C, (S.shape[1], 3))
        for own, part in zip(parts, (*found, origin), strict=True):
            own.append(part)
    none = np.zeros((1, 3))
    return Screws(*(jnp.concatenate([*own, none]) for own in parts))


def touch(row: Candidate, poses: Poses) -> Touch:
    """Where one candidate is, its number traced."""
    R_A, o_A = poses.rotations[row.first], poses.origins[row.first]
    R_B, o_B = poses.rotations[row.second], poses.origins[row.second]
    c = o_A + R_A @ row.centre
    away = R_B.T @ (c - o_B) - row.ground

    def plane() -> tuple[Any, Any]:
        return away @ row.axes[:, 2], row.axes[:, np.array([2, 0, 1])]

    def ball() -> tuple[Any, Any]:
        length = jnp.sqrt(jnp.sum(away * away))
        n = away / length
        both = tangents_about(row.axes, n)
        return length - row.across, jnp.concatenate([n[:, None], both], axis=1)

    height, axes = lax.cond(row.is_plane, plane, ball)
    axes = R_B @ axes
    return Touch(height - row.radius, c - row.radius * axes[:, 0], axes)


def velocity(row: Candidate, here: Touch, poses: Poses, twists: Twists) -> Any:
    """u (3,) of one candidate."""

    def of(body: Any) -> Any:
        arm = here.point - poses.origins[body]
        return twists.linear[body] + cross(twists.angular[body], arm)

    return here.axes.T @ (of(row.first) - of(row.second))


def jacobian(row: Candidate, here: Touch, moved: Screws) -> Any:
    """J (3, L) of one candidate by its speeds."""
    w, v, o = (part[row.speeds] for part in moved)
    each = v + cross(w, here.point - o)
    return here.axes.T @ (row.sides[:, None] * each).T


def pressed(row: Candidate, here: Touch, poses: Poses, r: Array, on: Twists) -> Twists:
    """Impulses on bodies (couple, force), those r (3,) of one candidate added."""
    force = here.axes @ r
    couples, forces = on
    for body, sign in ((row.first, 1.0), (row.second, -1.0)):
        arm = here.point - poses.origins[body]
        couples = couples.at[body].add(sign * cross(arm, force))
        forces = forces.at[body].add(sign * force)
    return Twists(couples, forces)


def on_speeds(
    system: System, t: Scalar, q: Array, impulses: Twists, table: Table
) -> Any:
    """p (nz,) of impulses on all bodies and the world: J^T r."""

    def motion(z: Array) -> Twists:
        return kinematics.twists(system, t, q, z, table)

    still = jnp.zeros(system.speeds)
    back = jax.vjp(motion, still)[1]
    return back(Twists(impulses.angular[:-1], impulses.linear[:-1]))[0]


def each(rows: Any, one: Callable[..., Any]) -> Any:
    """`one(row)` of all rows, in a loop."""
    return scanned(lambda _, row: (None, one(row)), None, rows)[1]
