"""Many states of one system, for many runs in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import StateError
from polhode.system.check import require_consistent
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class States:
    """Coordinates q (n, nq) and speeds z (n, nz) of n states, at times t (n,).

    t may be one number. `states[k]` is one `State`.
    """

    system: System
    t: Any
    q: Any
    z: Any

    def __post_init__(self) -> None:
        put, system = object.__setattr__, self.system
        given = (self.t, self.q, self.z)
        words = zip(("times", "coordinates", "speeds"), given, strict=True)
        t, q, z = (_numbers(system, word, value) for word, value in words)
        rows = len(q) if q.ndim else 1
        shapes = ((rows, system.coordinates), (rows, system.speeds))
        if (q.shape, z.shape) != shapes or t.shape not in ((), (rows,)) or not rows:
            raise StateError(
                f"states of {system.name!r} cannot have q of shape {q.shape}, z of"
                f" shape {z.shape} and t of shape {t.shape}.",
                f"Each row of q is {', '.join(system.coordinate_names)}, each of z"
                f" {', '.join(system.speed_names)}.",
                f"Give q as (n, {system.coordinates}) and z as (n, {system.speeds}), n"
                " at least one, and t as one number or (n,).",
            )
        t = np.broadcast_to(t, (rows,)).copy()
        _require_finite(system, t, q, z)
        if system.constraints or system.coordinates != system.speeds:
            for row in range(len(q)):
                state = require_consistent(State(system, t[row], q[row], z[row]))
                q[row] = state.q
        for word, value in (("t", t), ("q", q), ("z", z)):
            value.setflags(write=False)
            put(self, word, value)

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, k: int) -> State:
        return State(self.system, self.t[k], self.q[k], self.z[k])

    def at(self, k: int) -> tuple[float, np.ndarray, np.ndarray]:
        """t, q and z of one state."""
        return float(self.t[k]), self.q[k], self.z[k]

    def part(self, pick: slice) -> States:
        """Some of the states, which are checked already."""
        return unchecked(self.system, self.t[pick], self.q[pick], self.z[pick])

    def __repr__(self) -> str:
        return f"States({self.system.name!r}: {len(self)})"


def unchecked(system: System, t: Any, q: Any, z: Any) -> States:
    """States as they are given, such as some near others that were checked."""
    found = object.__new__(States)
    object.__setattr__(found, "system", system)
    for word, value in (("t", t), ("q", q), ("z", z)):
        value.setflags(write=False)
        object.__setattr__(found, word, value)
    return found


def states_of(system: System, given: State | States | Sequence[State]) -> States:
    """States from one, from a list of them, or as they are; all of this system."""
    if isinstance(given, States):
        _require_own(system, given)
        return given
    is_one = isinstance(given, State | Mapping) or not isinstance(given, Iterable)
    listed: list[Any] = [given] if is_one else [*given]  # type: ignore[misc]
    for state in listed:
        if not isinstance(state, State):
            raise StateError(
                f"{system.name!r} cannot start from {state!r}.",
                "A run starts from a state of its system.",
                f"Give {system.name}.state(...), a list of them, or ph.States(...).",
            )
        _require_own(system, state)
        require_consistent(state)
    if not listed:
        raise StateError(
            f"{system.name!r} was given no state to start from.",
            "A list of states has at least one.",
            f"Give {system.name}.state(...), or a list of them.",
        )
    columns = ([getattr(state, word) for state in listed] for word in ("t", "q", "z"))
    return unchecked(system, *(np.array(column, dtype=float) for column in columns))


def _numbers(system: System, word: str, value: Any) -> np.ndarray:
    """Values as an array of doubles of its own; refused if they are no real numbers."""
    try:
        given = np.asarray(value)
    except ValueError:
        given = np.array(None)
    if given.dtype.kind not in "fiu":
        raise StateError(
            f"the {word} of states of {system.name!r} are not real numbers.",
            f"They are {value!r}.",
            "Give an array of numbers, a row a state.",
        )
    return np.array(given, dtype=float)


def _require_own(system: System, given: Any) -> None:
    if given.system is not system:
        raise StateError(
            f"the state belongs to another system, {given.system.name!r}, than"
            f" {system.name!r}.",
            "Coordinates mean what their own system says.",
            "Make the state with the system that is to run.",
        )


def _require_finite(system: System, *columns: np.ndarray) -> None:
    for word, column in zip(("times", "coordinates", "speeds"), columns, strict=True):
        if not np.all(np.isfinite(column)):
            row = int(np.argmin(np.isfinite(column.reshape(len(column), -1)).all(1)))
            raise StateError(
                f"state {row} of {system.name!r} has {word} that are no numbers.",
                f"They are {column[row]}.",
                "Give finite numbers.",
            )
