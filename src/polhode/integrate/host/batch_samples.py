"""Samples inside a compiled loop of many runs: taken from steps, some attempts later.

Of runs in lanes some has a sample in nearly every attempt, so that lanes which took
theirs at once would make all others wait: a step with samples is kept. As soon as one
lane needs the place of its kept step for another, all lanes take theirs side by side.
Products are rounded one by one: the bits are those of NumPy, which samples runs alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import IN_MEMORY, Array, Scalar, true_beside
from polhode.integrate.field.dense_output import between

if TYPE_CHECKING:
    from polhode.integrate.kernel.stepper_state import Rows, StepperState

# Samples of one chunk: of wide states fewer, but an array in memory in any case.
MOST, ELEMENTS = 64, 1024


class SampledStep(NamedTuple):
    """A step that has samples: its start, its end, and terms of its dense output."""

    t: Any
    x: Any
    x_dot: Any
    end_t: Any
    end_x: Any
    end_x_dot: Any
    dense: Any


class Due(NamedTuple):
    """What a chunk begins with: the next times (c + 1,), and the step kept before it.

    The last time is not taken: it says where the one after those that fit lies.
    """

    times: Any
    step: SampledStep


class Samples(NamedTuple):
    """What a chunk leaves: how many states were taken, they (c, width), the step."""

    count: Any
    x: Any
    step: SampledStep


class SampleTime(NamedTuple):
    """The number of a time in the window of a chunk, and the time."""

    number: Any
    time: Any


class Taking(NamedTuple):
    """On the way: times before `claimed` lie in steps; before `taken` they are rows.

    first       the time of the first sample in the kept step, where it has one
    following   the time of the first that no step has claimed
    second      the time after that, where the kept step has no sample
    """

    taken: Any
    claimed: Any
    first: Any
    following: Any
    second: Any
    rows: Any
    step: SampledStep


def capacity(width: int) -> int:
    """How many samples a run takes in a chunk at most."""
    return max(-(-IN_MEMORY // width), min(MOST, ELEMENTS // width))


def first_step(stepper_states: StepperState, terms: int) -> SampledStep:
    """The start of runs as a step of no length; leading axes are runs."""
    *runs, width = stepper_states.x.shape
    here = (stepper_states.t, stepper_states.x, stepper_states.x_dot)
    return SampledStep(*here, *here, np.zeros((*runs, terms, width)))


class Taker:
    """Takes the samples of one run, inside a trace."""

    def __init__(self, times: Array, sign: Any, terms: Callable[[SampledStep], Any]):
        self._times, self._sign, self._count = times, sign, times.shape[0] - 1
        self._terms = terms

    def begin(self, step: SampledStep) -> Taking:
        """With the step that was kept, whose samples may not all be taken."""
        none = jnp.zeros((), np.int64)
        rows = jnp.zeros((self._count, step.x.shape[0]))
        first = self._times[0]
        claimed, following = self._claimed(SampleTime(none, first), step.end_t)
        second = self._times[claimed + 1]
        return Taking(none, claimed, first, following, second, rows, SampledStep(*step))

    def has_room(self, taking: Taking) -> Any:
        """Whether all samples of the kept step can be taken, and one more."""
        return taking.claimed < self._count

    def claim(self, taking: Taking, start: Any, rows: Rows) -> Taking:
        """After an attempt: its step is kept if it was accepted and has samples."""
        is_due = rows.accepted & self._is_reached(taking.following, rows.t)
        taking = self._flushed(taking, true_beside(is_due & self._waits(taking)))
        here = (start.t, start.x, start.x_dot, rows.t, rows.x, rows.x_dot)
        new = SampledStep(*here, rows.dense)

        def keep(taking: Taking) -> Taking:
            first = SampleTime(taking.claimed + 1, taking.second)
            claimed, following = self._claimed(first, rows.t)
            return taking._replace(
                claimed=claimed, first=taking.following, following=following, step=new
            )

        return Taking(*lax.cond(is_due, keep, lambda taking: taking, taking))

    def end(self, taking: Taking) -> Samples:
        """All that is claimed is taken; what the chunk leaves."""
        # Behind the loop a branch would choose all rows anew; a loop changes its own.
        taking = lax.while_loop(self._waits, self._flush, taking)
        return Samples(taking.taken, taking.rows, taking.step)

    def _is_reached(self, time: Any, t: Scalar) -> Any:
        return self._sign * (time - t) <= 0

    def _after(self, k: Any) -> SampleTime:
        """The number after a time that is one of those that fit, and its time."""
        return SampleTime(k + 1, self._times[k + 1])

    def _claimed(self, first: SampleTime, t: Scalar) -> SampleTime:
        """How many times lie up to t, from the first on, and the one after them."""
        return lax.while_loop(
            lambda at: (at.number < self._count) & self._is_reached(at.time, t),
            lambda at: self._after(at.number),
            first,
        )

    def _flushed(self, taking: Taking, is_time: Any) -> Taking:
        takes = is_time & self._waits(taking)
        return Taking(*lax.cond(takes, self._flush, lambda taking: taking, taking))

    def _flush(self, taking: Taking) -> Taking:
        """The samples of the kept step, as rows."""
        step = SampledStep(*taking.step)
        step = step._replace(dense=self._terms(step))

        h = step.end_t - step.t
        whole = lax.optimization_barrier(jnp.where(h == 0, 1.0, h))
        # Another number to the compiler: by one, two quotients would share its
        # reciprocal, and have other bits.
        again = lax.optimization_barrier(whole)

        def with_row(rows: Any, k: Any, time: Any, whole: Any) -> Any:
            x = self._sample(step, time, whole)
            return lax.dynamic_update_slice(rows, x[None], (k, 0))

        def one(carry: tuple[Any, Any]) -> tuple[Any, Any]:
            k, rows = carry
            return k + 1, with_row(rows, k, self._times[k], again)

        # Nearly all steps have one sample, whose time is known: to read a time of
        # each lane's own costs as much as a third of the sample.
        first = with_row(taking.rows, taking.taken, taking.first, whole)
        _, rows = lax.while_loop(
            lambda carry: carry[0] < taking.claimed, one, (taking.taken + 1, first)
        )
        second = self._times[taking.claimed + 1]
        return taking._replace(taken=taking.claimed, second=second, rows=rows)

    def _waits(self, taking: Taking) -> Any:
        """Whether the kept step has samples that are not taken."""
        return taking.taken < taking.claimed

    def _sample(self, step: SampledStep, t: Scalar, whole: Scalar) -> Any:
        """x at a time in the step, `whole` s long; see `batch_loop.at_goal`."""
        past = (step.end_t - t) * self._sign > 0
        h = step.end_t - step.t
        s = jnp.where(past, (t - step.t) / whole, 1.0)
        ends = (step.x, step.x_dot), (step.end_x, step.end_x_dot)
        found = between(s, h, *ends, step.dense, product=_rounded)
        found = jnp.where(s == 0, step.x, found)
        return jnp.where(s == 1, step.end_x, found)


def _rounded(a: Array, b: Array) -> Any:
    return lax.optimization_barrier(a * b)
