"""Where a run is between two steps, what it is to do, and the rows that it leaves."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.integrate.field.dense_output import Instant, Steps
from polhode.integrate.kernel import step_size

RECENT = 10  # events whose times are remembered: so many in no time accumulate


class StepperState(NamedTuple):
    """Where a run is.

    t, x, x_dot   the last accepted state and its rate of change
    h             the step to try next, with its sign
    memory        of the step control: how hard the last accepted step was
    tried         the step that failed, if one did
    accepted, rejected   counts of steps
    status        RUNNING or how it ended
    carried       (x + k,) what the method leaves for its next step; at the start the
                  first x_dot, and of the k numbers that a method keeps besides, zeros
    stiff         how many accepted steps stability has held back, not accuracy
    begun, t_end  times of this segment; one ends where an input changes, or at an event
    n_steps       the steps of this segment, for a method of fixed step
    before        the steps accepted before this segment
    held          (m,) sampled inputs, which are constant over this segment
    sample_count  (c,) how often each sampled input has been evaluated
    recall        (k,) what sampled inputs remember
    sides         (e,) of each event: the side of zero; +-2 once clear of it, else +-1
    recent        (RECENT,) times of the last events that changed the state
    """

    t: Any
    x: Any
    x_dot: Any
    h: Any
    memory: Any
    tried: Any
    accepted: Any
    rejected: Any
    status: Any
    carried: Any
    stiff: Any
    begun: Any
    t_end: Any
    n_steps: Any
    before: Any
    held: Any
    sample_count: Any
    recall: Any
    sides: Any
    recent: Any


class RunBounds(NamedTuple):
    """What a run is to do: the same for all its chunks.

    start, stop   times (s)
    steps         how many at least, for a method of fixed step
    rtol, atol    tolerances; atol (x,)
    least         no step is shorter
    room          attempts of one chunk: how the run is cut changes no bit of it
    """

    start: Any
    stop: Any
    steps: Any
    rtol: Any
    atol: Any
    least: Any
    room: Any


class Rows(NamedTuple):
    """What attempts leave: accepted or not, t, x, x_dot, dense; leading axis attempts.

    `dense` (terms, width) belongs to the step that ends at the row.
    """

    accepted: Any
    t: Any
    x: Any
    x_dot: Any
    dense: Any

    def steps(self, key: Any) -> Steps:
        """Some of the rows on the host, accepted or not."""
        return Steps(*(column[key] for column in self[1:]))


def row_of_attempt(reached: Instant, accepted: Array, dense: Array) -> Rows:
    """The row of one attempt, from the state that it has reached."""
    return Rows(accepted, reached.t, reached.x, reached.x_dot, dense)


def no_attempt(here: StepperState, terms: int) -> Rows:
    """The row of a turn in which nothing was attempted."""
    nothing = jnp.zeros_like(here.x)
    dense = jnp.zeros((terms, *here.x.shape))
    return Rows(jnp.zeros((), bool), here.t, nothing, nothing, dense)


def first_carried(x_dot: Array, kept: int) -> Any:
    """`carried` where a run or a segment begins; leading axes are runs."""
    if not kept:
        return x_dot
    zeros = np.zeros((*np.shape(x_dot)[:-1], kept))
    return namespace(x_dot).concatenate([x_dot, zeros], axis=-1)


def carried_anew(here: StepperState, x_dot: Array) -> Any:
    """The same of a segment that begins within a run."""
    return first_carried(x_dot, here.carried.shape[-1] - np.shape(x_dot)[-1])


def start_cursor(
    t: Scalar, x: np.ndarray, x_dot: np.ndarray, h: Scalar
) -> StepperState:
    """Runs that begin; a leading axis of t, x, x_dot, h is runs."""
    count = np.zeros(np.shape(t), np.int64)
    zero = np.zeros(np.shape(t))
    first = step_size.FIRST_MEMORY + zero
    counts = (count, count, count, x_dot, count)
    segment = (t, t, count, count)
    nothing = np.zeros((*np.shape(t), 0))
    none = nothing.astype(np.int64)
    never = np.full((*np.shape(t), RECENT), np.inf)
    own = (nothing, none, nothing, none, never)
    return StepperState(t, x, x_dot, h, first, zero, *counts, *segment, *own)
