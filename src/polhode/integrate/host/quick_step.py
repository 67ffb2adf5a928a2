"""One step of one state in about a microsecond of Python.

What takes longer than the step itself is asked of compiled code (are the numbers
finite, does time advance: `kernel.step_column`) or was asked before. Where anything is
unusual the answer is None, and the stepper asks every question in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.integrate.kernel.step_column import StepColumns
    from polhode.lowering.compile import Program
    from polhode.system.system import System

# What a scalar input is taken as without another look.
NUMBERS = (float, int, np.float64)
ANY = (-np.inf, np.inf)

QuickStep = Callable[[State, Any], State | None]


def quick_step(
    system: System,
    program: Program,
    columns: StepColumns,
    sound: Mapping[str, tuple[float, float]],
) -> QuickStep:
    """(state, inputs) -> the state after a step, or None; of `program`, row by row.

    `sound` are bounds within which parameters make a system, as far as they are known.
    """
    n, width = 1 + columns.coordinates, columns.width
    takes_inputs = bool(columns.sizes)
    array = np.ndarray
    # Calls that no thread is in: a list's pop and append are whole in any thread.
    idle: list[Any] = []

    def fresh() -> tuple[Any, ...]:
        call = program.direct()
        column, row = call.inputs[0], call.outputs[0]
        places = (column[0, ...], column[1:n], column[n:width], column[width:])
        return (call.run, row.copy, row.item, *places)

    def quick(state: State, inputs: Any) -> State | None:
        q = state.q
        if state.system is not system or type(q) is not array:
            return None
        call = idle.pop() if idle else fresh()
        run, copy, item, t_in, q_in, z_in, given = call
        t_in[...], q_in[...], z_in[...] = state.t, q, state.z
        found: State | None = None
        if not (takes_inputs or inputs) or _put(given, inputs, columns, sound):
            run()
            if item(-1):
                found = state_of_row(system, copy(), n, width)
        idle.append(call)
        return found

    return quick


def state_of_row(system: System, row: np.ndarray, n: int, width: int) -> State:
    """The state of a row that compiled code has checked, in the row's own memory.

    Speeds are there from place n to before `width`. The checks of `State` itself take
    ten times as long as a step.
    """
    row.setflags(write=False)
    found = object.__new__(State)
    own = found.__dict__
    own["system"], own["t"] = system, row[0, ...]
    own["q"], own["z"] = row[1:n], row[n:width]
    return found


def _put(
    column: np.ndarray,
    inputs: Any,
    columns: StepColumns,
    sound: Mapping[str, tuple[float, float]],
) -> bool:
    """Numbers of inputs into a column; False where they are anything unusual."""
    if type(inputs) is not dict or len(inputs) != len(columns.sizes):
        return False
    for name, at in columns.places.items():
        value: Any = inputs.get(name)
        if type(value) in NUMBERS and type(at) is int:
            low, high = sound.get(name, ANY)
            if not low <= value <= high:
                return False
        elif (
            type(value) is not np.ndarray
            or value.dtype != float
            or type(at) is int
            or value.shape != (at.stop - at.start,)
        ):
            return False
        column[at] = value
    return True
