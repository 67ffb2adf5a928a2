"""Many states of one system, for many runs in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, final

import numpy as np

from polhode.errors import PolhodeError, StateError
from polhode.lowering.backends.cuda.device import in_memory
from polhode.system.check import require_consistent
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class States:
    """Coordinates q (n, nq) and speeds z (n, nz) of n states, at times t (n,).

    t may be one number. `states[k]` is one `State`. Of several rows some may be no
    states: not finite, or breaking constraints. `faults` says of each why. A sweep goes
    on with the others; where one state is as good as none, they are refused.
    """

    system: System
    t: Any
    q: Any
    z: Any
    faults: dict[int, PolhodeError] = field(init=False)

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
        _require_times(system, t)
        faults = _unfinite(system, q, z)
        if system.constraints or system.coordinates != system.speeds:
            for row in set(range(rows)) - set(faults):
                try:
                    state = require_consistent(State(system, t[row], q[row], z[row]))
                    q[row] = state.q
                except PolhodeError as error:
                    faults[row] = error
        if len(faults) == rows:
            raise faults[0]
        put(self, "faults", dict(sorted(faults.items())))
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
        found = unchecked(self.system, self.t[pick], self.q[pick], self.z[pick])
        own = range(*pick.indices(len(self)))
        faults = {k - own.start: self.faults[k] for k in self.faults if k in own}
        object.__setattr__(found, "faults", faults)
        return found

    def __repr__(self) -> str:
        return f"States({self.system.name!r}: {len(self)})"


def unchecked(system: System, t: np.ndarray, q: np.ndarray, z: np.ndarray) -> States:
    """States as they are given, such as some near others that were checked."""
    found = object.__new__(States)
    object.__setattr__(found, "system", system)
    object.__setattr__(found, "faults", {})
    for word, value in (("t", t), ("q", q), ("z", z)):
        value.setflags(write=False)
        object.__setattr__(found, word, value)
    return found


def states_of(system: System, given: State | States | Sequence[State]) -> States:
    """States from one, from a list of them, or as they are; all of this system."""
    if isinstance(given, States):
        require_own(system, given)
        return given
    is_one = isinstance(given, State | Mapping | str) or not isinstance(given, Iterable)
    listed = [given] if is_one else [*cast(Sequence[Any], given)]
    faults: dict[int, PolhodeError] = {}
    for k, state in enumerate(listed):
        if not isinstance(state, State):
            raise StateError(
                f"{system.name!r} cannot start from {state!r}.",
                "A run starts from a state of its system.",
                f"Give {system.name}.state(...), a list of them, or ph.States(...).",
            )
        require_own(system, state)
        try:
            require_consistent(state)
        except PolhodeError as error:
            faults[k] = error
    if not listed:
        raise StateError(
            f"{system.name!r} was given no state to start from.",
            "A list of states has at least one.",
            f"Give {system.name}.state(...), or a list of them.",
        )
    columns = ([getattr(state, word) for state in listed] for word in ("t", "q", "z"))
    found = unchecked(system, *(np.array(column, dtype=float) for column in columns))
    object.__setattr__(found, "faults", faults)
    return found


def repeated(states: States, runs: int) -> States:
    """One state for so many runs; several as they are."""
    if len(states) > 1 or runs <= 1:
        return states
    columns = (np.repeat(part, runs, axis=0) for part in (states.t, states.q, states.z))
    found = unchecked(states.system, *columns)
    faults = dict.fromkeys(range(runs), *states.faults.values())
    object.__setattr__(found, "faults", faults if states.faults else {})
    return found


def _numbers(system: System, word: str, value: Any) -> np.ndarray:
    """Values as an array of doubles of its own; refused if they are no real numbers."""
    try:
        given = np.asarray(in_memory(value))
    except ValueError:
        given = np.array(None)
    if given.dtype.kind not in "fiu":
        raise StateError(
            f"the {word} of states of {system.name!r} are not real numbers.",
            f"They are {value!r}.",
            "Give an array of numbers, a row a state.",
        )
    return np.array(given, dtype=float)


def require_own(system: System, given: Any) -> None:
    """Refuse states of another system."""
    if given.system is not system:
        own, other = system.name, given.system.name
        alike = "Each call of with_, plus or without makes a new system. "
        raise StateError(
            f"the state belongs to another system, {other!r}, than {own!r}.",
            f"{alike if own == other else ''}Coordinates mean what their own system"
            " says.",
            "Make the state with the system that is to run:"
            " new = system.with_({...}); ph.simulate(new, new.state(...), until=1).",
        )


def _require_times(system: System, t: np.ndarray) -> None:
    if not np.all(np.isfinite(t)):
        raise StateError(
            f"states of {system.name!r} have times that are not finite.",
            f"State {int(np.argmin(np.isfinite(t)))} is at {t[~np.isfinite(t)][0]} s.",
            "Give finite numbers.",
        )


def _unfinite(system: System, q: np.ndarray, z: np.ndarray) -> dict[int, PolhodeError]:
    """The rows that are not finite, and what to say of each."""
    faults: dict[int, PolhodeError] = {}
    for word, column in (("speeds", z), ("coordinates", q)):
        for row in np.flatnonzero(~np.isfinite(column).all(axis=1)).tolist():
            faults[row] = StateError(
                f"state {row} of {system.name!r} has {word} that are not finite.",
                f"They are {column[row]}.",
                "Give finite numbers.",
            )
    return faults
