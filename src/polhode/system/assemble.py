"""Assembly: the state nearest to a given one that keeps all constraints.

Gauss and Newton's iteration, along the motions of the joints:

    minimise |delta|  with  g + (dg/dz) delta = 0,      q <- local(q, delta)

and the speeds in one step, since constraints on them are linear (or nearly so).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import Constraint
from polhode.errors import InconsistentState
from polhode.geometry.vector import shown
from polhode.system import numeric_constraints
from polhode.system.checked_argument import system_argument
from polhode.system.lengths import (
    coordinate_lengths,
    entries,
    far,
    natural_length,
    speed_lengths,
)
from polhode.system.state import (
    State,
    held_entries,
    named_once,
    require_layout,
    require_names,
    state_of,
    tails,
)

if TYPE_CHECKING:
    from polhode.system.system import System

ITERATIONS = 60
KEPT = 1e-8  # of a row's own scale: a state that misses by more is refused
CONVERGED = 1e-13
ROUNDING = 64 * np.finfo(float).eps  # of distances: what is no miss of theirs
NOISE = 1e-9  # of a row's size: a slope below is not told from none
UNMOVED = 1e-12  # radians or lengths: a joint that moved less is not named
LONGEST = 0.5  # radians or lengths in one iteration: farther, a slope says nothing
HALVINGS = 12  # of a step, beside those of the way that rows miss
PROGRESS = 0.999  # an iteration that gains less has stalled
STARTS = 10  # configurations from which a system is tried


class Miss(NamedTuple):
    """By how much a row is not kept: its name, residual, and scale."""

    row: str
    residual: float
    scale: float


@final
@dataclass(frozen=True, eq=False, repr=False)
class Assembly:
    """A state that keeps the constraints, and what was moved to get there.

    moved    joint -> by how much its coordinates changed
    changed  joint -> by how much its speeds changed
    """

    state: State
    moved: dict[str, np.ndarray]
    changed: dict[str, np.ndarray]

    def __repr__(self) -> str:
        parts = [f"{name} by {shown(by)}" for name, by in self.moved.items()]
        parts += [
            f"speed of {name} by {shown(by)}" for name, by in self.changed.items()
        ]
        return f"Assembly(moved {', '.join(parts) or 'nothing'})"


@system_argument
def assemble(
    system: System,
    coordinates: Mapping[str, Any] | None = None,
    *,
    speeds: Mapping[str, Any] | None = None,
    near: Mapping[str, Any] | State | None = None,
    t: float = 0.0,
    **by_name: Any,
) -> Assembly:
    """A state that keeps the constraints, with the named joints held as given.

    The other joints move, from their neutral coordinates, as little as the iteration
    needs. A loop closes in several ways: `near={"rocker": 2.0}` are coordinates from
    which the others begin, by name or as a state, so that the branch nearest to them is
    found. If the constraints cannot be kept, they are named with what is missing.
    """
    named = named_once(coordinates, by_name)
    start = state_of(system, _begin(system, near, named), speeds or {}, t)
    return assembly_of(start, named, speeds or {})


def _begin(
    system: System, near: Mapping[str, Any] | State | None, named: Mapping[str, Any]
) -> dict[str, Any]:
    """The coordinates that the iteration begins with, by names of joints."""
    if isinstance(near, State):
        require_layout(system, near)
        parts = {e.joint: near.q[e.q] for e in system.tree.edges if e.joint.coordinates}
        near = {
            joint.name: dict(zip(tails(joint), q, strict=True))
            for joint, q in parts.items()
        }
    require_names(system, near)
    own = {name.partition(".")[0] for name in named} | set(named)
    return {**{n: v for n, v in (near or {}).items() if n not in own}, **named}


def assembly_of(
    start: State, held: Iterable[str] = (), held_speeds: Iterable[str] = ()
) -> Assembly:
    """The assembly nearest to a state, some joints and some speeds held."""
    system, t = start.system, float(start.t)
    q, misses = find(system, t, start.q, _loose(system, held))
    require_kept(system, misses, t)
    z, misses = find_speeds(system, t, q, start.z, _loose(system, held_speeds))
    require_kept(system, misses, t)
    state = State(system, t, q, z)
    return Assembly(state, *_changes(start, state))


def find(
    system: System, t: float, q: np.ndarray, loose: np.ndarray
) -> tuple[np.ndarray, list[Miss]]:
    """Coordinates on the constraints, and what they still miss; from several starts.

    A linkage stretched in one line is a place from which the iteration sees no way.
    """
    rng = np.random.default_rng(0)
    best: tuple[np.ndarray, list[Miss]] | None = None
    for attempt in range(STARTS):
        away = np.where(loose, rng.uniform(-1, 1, system.speeds), 0.0)
        away = away * speed_lengths(system, natural_length(system, q))
        reached = place(system, t, system.local(q, 0.3 * attempt * away), loose)
        misses = position_misses(system, t, reached)
        if not misses:
            return reached, []
        if best is None or _size(misses) < _size(best[1]):
            best = reached, misses
    assert best is not None
    return best


def find_speeds(
    system: System, t: float, q: np.ndarray, z: np.ndarray, loose: np.ndarray
) -> tuple[np.ndarray, list[Miss]]:
    """Speeds on the constraints, and what they still miss.

    Rest may be a place from which an equation that is not linear shows no way.
    """
    reached = move(system, t, q, z, loose)
    misses = velocity_misses(system, t, q, reached)
    if misses and not all(c.is_holonomic for c in system.constraints):
        away = np.random.default_rng(0).uniform(-1, 1, system.speeds)
        other = move(system, t, q, z + np.where(loose, away, 0.0), loose)
        again = velocity_misses(system, t, q, other)
        if _size(again) < _size(misses):
            return other, again
    return reached, misses


def place(system: System, t: float, q: np.ndarray, loose: np.ndarray) -> np.ndarray:
    """Coordinates on the constraints, or the best reached; `loose` may move."""
    q = np.array(q)
    now = numeric_constraints.scene(system, t, q)
    rows = numeric_constraints.positions(system, now)
    for _ in range(ITERATIONS if len(rows.values) else 0):
        limit = CONVERGED + _rounding(system, q)
        if np.all(np.abs(rows.values) <= limit * rows.scales):
            break
        stretch = _stretch(system, rows)
        delta = _shorten(rows, _solve(rows, loose, stretch), stretch)
        if not np.any(delta):
            break
        for _halving in range(HALVINGS + int(np.log2(_reach(rows)))):
            moved = system.normalised(system.local(q, delta))
            after = numeric_constraints.positions(
                system, numeric_constraints.scene(system, t, moved)
            )
            if _norm(after) < PROGRESS * _norm(rows):
                break
            delta = delta / 2
        else:
            break
        q, rows = moved, after
    return q


def move(
    system: System, t: float, q: np.ndarray, z: np.ndarray, loose: np.ndarray
) -> np.ndarray:
    """Speeds on the constraints, or the best reached; `loose` may change."""
    z = np.array(z)
    now = numeric_constraints.scene(system, t, q)
    for _ in range(ITERATIONS if system.constraints else 0):
        rows = numeric_constraints.velocities(system, now, z)
        # Of the speeds themselves, however slow: a day's turns are solved as well.
        size = rows.scales * np.max(np.abs(z) / rows.along, initial=0.0)
        if np.all(np.abs(rows.values) <= CONVERGED * size):
            break
        change = _solve(rows, loose)
        z = z + change
        last = np.max(np.abs(change) / rows.along)
        if last <= CONVERGED * np.max(np.abs(z) / rows.along):
            break
    return z


def position_misses(system: System, t: float, q: np.ndarray) -> list[Miss]:
    """The holonomic rows that a configuration does not keep."""
    rows = numeric_constraints.positions(
        system, numeric_constraints.scene(system, t, q)
    )
    holonomic = [
        name
        for constraint in system.constraints
        for name in _names(constraint)
        if constraint.is_holonomic
    ]
    limits = (KEPT + _rounding(system, q)) * rows.scales
    return _largest_residuals(holonomic, rows.values, limits)


def velocity_misses(
    system: System, t: float, q: np.ndarray, z: np.ndarray
) -> list[Miss]:
    """The rows that speeds do not keep."""
    rows = numeric_constraints.velocities(
        system, numeric_constraints.scene(system, t, q), z
    )
    size = rows.scales * _quickest(system, q, z)
    return _largest_residuals([*system.row_names], rows.values, KEPT * size)


def require_kept(system: System, misses: list[Miss], t: float) -> None:
    """Refuse a state that breaks constraints, with the residual of each."""
    if not misses:
        return
    lines = [f"{miss.row} misses by {miss.residual:.3g}" for miss in misses[:8]]
    more = f", and {len(misses) - 8} more" if len(misses) > 8 else ""
    raise InconsistentState(
        f"the state of {system.name!r} at t = {t:g} s breaks {len(misses)} of its"
        f" {len(system.row_names)} constraint equations.",
        f"{', '.join(lines)}{more}.",
        "Give fewer joints and let ph.assemble(system, ...) find the others, or"
        " correct the numbers.",
    )


def _names(constraint: Constraint) -> list[str]:
    many = len(constraint.rows) > 1
    return [
        f"{constraint.name}: {row}" if many else constraint.name
        for row in constraint.rows
    ]


def _largest_residuals(names: list[str], values: Array, limits: Array) -> list[Miss]:
    rows = zip(names, values, limits, strict=True)
    found = [Miss(n, float(v), float(s)) for n, v, s in rows if not abs(v) <= s]
    return sorted(found, key=lambda miss: -abs(miss.residual) / miss.scale)


def _size(misses: list[Miss]) -> float:
    return float(np.linalg.norm([miss.residual / miss.scale for miss in misses]))


def _norm(rows: numeric_constraints.HostRows) -> float:
    return float(np.linalg.norm(rows.values / rows.scales))


def _rounding(system: System, q: np.ndarray) -> float:
    """What rounding of far places makes of rows, of their sizes."""
    return ROUNDING * far(system, q) / natural_length(system, q)


def _quickest(system: System, q: np.ndarray, z: np.ndarray) -> float:
    """The largest speed by which misses of speeds are measured, rad/s.

    Near rest it is 1 rad/s or 1 m/s, whichever is less.
    """
    length = natural_length(system, q)
    turning = np.abs(z) / speed_lengths(system, length)
    return float(np.max(turning, initial=1.0 / max(1.0, length)))


def _shorten(
    rows: numeric_constraints.HostRows, delta: np.ndarray, stretch: np.ndarray
) -> np.ndarray:
    """A step within which slopes say something: less than a radian.

    No way is farther than the system is long, or than the rows miss.
    """
    steps = np.abs(delta) / (rows.along * stretch)
    return delta / max(1.0, np.max(steps, initial=0.0) / LONGEST)


def _stretch(system: System, rows: numeric_constraints.HostRows) -> np.ndarray:
    """How much farther ways may be than the system is long (nz,); turns may not.

    From afar a body comes by sliding: no turn brings it to a place ten lengths away.
    """
    return np.where(entries(system, "speed_units", "m/s"), _reach(rows), 1.0)


def _reach(rows: numeric_constraints.HostRows) -> float:
    """How far the rows miss, in lengths of the system; at least one."""
    return float(np.max(np.abs(rows.values / rows.scales), initial=1.0))


def _solve(
    rows: numeric_constraints.HostRows, loose: np.ndarray, stretch: Scalar = 1.0
) -> np.ndarray:
    """The least change of the loose entries that brings the values to zero."""
    change, along = np.zeros(rows.slopes.shape[1]), rows.along * stretch
    A = (rows.relative * stretch)[:, loose]
    if A.shape[1]:
        # Rows that feel no motion but by rounding must not be met by a leap.
        values = np.where(np.max(np.abs(A), axis=1) > NOISE, rows.values, 0.0)
        found = np.linalg.lstsq(A, -values / rows.scales, rcond=NOISE)[0]
        change[loose] = along[loose] * found
    return change


def _loose(system: System, held: Iterable[str]) -> np.ndarray:
    loose = np.ones(system.speeds, dtype=bool)
    for name in held:
        loose[held_entries(system, name)] = False
    return loose


def _changes(start: State, end: State) -> tuple[dict[str, Any], dict[str, Any]]:
    system, moved, changed = start.system, {}, {}
    length = natural_length(system, end.q)
    along = speed_lengths(system, length)
    places = coordinate_lengths(system, length)
    rate = np.max(np.abs([start.z, end.z]) / along, initial=0.0)
    for edge in system.tree.edges:
        by = end.q[edge.q] - start.q[edge.q]
        faster = end.z[edge.z] - start.z[edge.z]
        if np.any(np.abs(by) > UNMOVED * places[edge.q]):
            moved[edge.joint.name] = by
        if np.any(np.abs(faster) > UNMOVED * rate * along[edge.z]):
            changed[edge.joint.name] = faster
    return moved, changed
