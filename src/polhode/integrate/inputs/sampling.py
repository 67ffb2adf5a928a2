"""Sampled inputs evaluated: at exact times; a fault names its input.

Plain Python may raise, give NaN, give too many, or write into what it was given.
Each is caught here, and becomes a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import numpy as np

from polhode.errors import ForceError
from polhode.integrate.inputs.inputs import Inputs, Noise, Source
from polhode.integrate.kernel.stepper_state import StepperState
from polhode.matter.parameter import Table
from polhode.matter.quantities.constants import values_of
from polhode.system.state import State


class InputFault(Exception):
    """A sampled input that failed: the words, and what it raised."""

    def __init__(self, words: str, cause: BaseException | None = None):
        super().__init__(words)
        self.words, self.cause = words, cause


class SampleRequest(NamedTuple):
    """Which sample of an input is requested, and the constants of its law."""

    number: int
    constants: dict[str, Any]


def next_time(inputs: Inputs, start: Any, stepper_state: StepperState) -> Any:
    """When the next sample is due: multiples of dt, not sums of it."""
    counts = stepper_state.sample_count
    times = [start + counts[..., k] * s.noun.dt for k, s in enumerate(inputs.sources)]
    return np.minimum.reduce(times)


def sampled(
    inputs: Inputs,
    stepper_state: StepperState,
    state: Callable[[], State],
    start: Any,
    table: Table,
) -> StepperState:
    """The stepper state with all inputs that are due at its time asked anew.

    `state` makes the state there, for those that look at it: noise does not. `table`
    has the run's own parameters.
    """
    held, recall = np.array(stepper_state.held), np.array(stepper_state.recall)
    sample_count = np.array(stepper_state.sample_count)
    state = cache(state)  # one for all sources that are due now
    close = (
        4 * np.finfo(float).eps * max(abs(float(stepper_state.t)), abs(float(start)))
    )
    for k, source in enumerate(inputs.sources):
        due = float(start) + int(sample_count[k]) * source.noun.dt
        if due > float(stepper_state.t) + close:
            continue
        sizes = [inputs.drive.sizes[name] for name in source.names]
        size = sizes[0] if len(sizes) == 1 else sum(max(each, 1) for each in sizes)
        own = values_of(getattr(source.noun, "constants", {}), table)
        request = SampleRequest(int(sample_count[k]), own)
        value, memory = _answer_of(source, size, request, state, recall)
        held[source.held], recall[source.recall] = value, memory
        sample_count[k] += 1
    return stepper_state._replace(held=held, recall=recall, sample_count=sample_count)


def first_samples(
    inputs: Inputs,
    stepper_state: StepperState,
    state: State,
    start: Any,
    table: Table,
) -> StepperState:
    """The samples at the start, where a fault is refused before any step."""
    try:
        return sampled(inputs, stepper_state, lambda: state, start, table)
    except InputFault as fault:
        raise ForceError(
            f"{state.system.name!r} cannot start at t = {float(state.t):g} s:"
            f" {fault.words}.",
            "An input is evaluated at the start and then at each sample.",
            "Look at its law: it is given the time and the state, and returns numbers.",
        ) from fault.cause


def _answer_of(
    source: Source,
    size: int,
    request: SampleRequest,
    made: Callable[[], State],
    recall: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    name, noun, (k, constants) = source.name, source.noun, request
    memory = recall[source.recall].copy()
    if isinstance(noun, Noise):
        return noun.draw(name, int(memory[0]), k, size), memory
    state = made()
    own = _copied(state)
    given = (
        (float(state.t), own) if noun.state is None else (float(state.t), own, memory)
    )
    try:
        # jax.numpy inside plain Python keeps double precision.
        with jax.enable_x64(True):
            answer = noun.law(*given, **constants)
            if noun.state is not None:
                answer, memory = answer
            if len(source.names) > 1 and isinstance(answer, list | tuple):
                answer = np.concatenate([np.ravel(_numbers(a)) for a in answer])
            value = _numbers(answer)
            memory = np.array(memory, dtype=float)
    except Exception as reason:
        words = f"the input {name!r} raised {type(reason).__name__}: {reason}"
        raise InputFault(words, reason) from reason
    _require_untouched(name, own, state)
    _require_numbers(name, value, size)
    if memory.shape != recall[source.recall].shape or not np.all(np.isfinite(memory)):
        raise InputFault(f"the input {name!r} remembers {memory}, which it cannot")
    return value.reshape(-1), memory


def _copied(state: State) -> State:
    """The same state with arrays of its own; it was admitted when it was made."""
    own = object.__new__(State)
    for name in ("system", "t"):
        object.__setattr__(own, name, getattr(state, name))
    for name in ("q", "z"):
        array = np.array(getattr(state, name))
        array.setflags(write=False)
        object.__setattr__(own, name, array)
    return own


def _numbers(answer: Any) -> np.ndarray:
    """An answer as an array; text, though it reads as a number, is none."""
    found = np.array(answer)
    if found.dtype.kind not in "fiub":
        raise TypeError(f"it returned {answer!r}, which is not a finite number")
    return found.astype(float)


def _require_untouched(name: str, own: State, state: State) -> None:
    same = np.array_equal(own.q, state.q) and np.array_equal(own.z, state.z)
    if not same:
        raise InputFault(f"the input {name!r} changed the state that it was given")


def _require_numbers(name: str, value: np.ndarray, size: int) -> None:
    allowed = [(size,)] if size > 1 else [(), (1,)]
    if value.shape not in allowed:
        count = f"{size} numbers" if size > 1 else "one number"
        words = f"the input {name!r} gave the shape {value.shape}, and it is {count}"
        raise InputFault(words)
    if not np.all(np.isfinite(value)):
        raise InputFault(
            f"the input {name!r} gave {value}, which is not a finite number"
        )
