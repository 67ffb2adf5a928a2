"""Sample instants inside a compiled loop: inputs are sampled, a new segment begins.

A segment is a part of a run over which its inputs are held. It ends at the next sample,
start + k dt, where the run takes a turn of its own: traced controllers and noise give
new values, x_dot is found with them, and the end of the next segment is set. Such a
turn leaves a row, as the end of a segment on the host does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field, field_of
from polhode.integrate.kernel.attempt import advance_of
from polhode.integrate.kernel.status import DONE, FAULT, NOT_A_NUMBER, RUNNING
from polhode.integrate.kernel.stepper_state import (
    Rows,
    RunBounds,
    StepperState,
    carried_anew,
    row_of_attempt,
)
from polhode.integrate.methods.projection import settling
from polhode.matter.parameter import Table
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.field.sampler import Sampler
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

CLOSE = 4 * np.finfo(float).eps  # of the time: so near to a sample it is due


class HeldRows(NamedTuple):
    """Beside the rows of a chunk: whether a turn has set held values, and which."""

    is_new: Any
    held: Any


class Samples(NamedTuple):
    """What samples leave: held values (m,), memories (k,), counts (c,)."""

    held: Any
    recall: Any
    count: Any


def is_due(stepper_state: StepperState, bounds: RunBounds) -> Any:
    """Whether a segment has ended at a sample, which is taken in the next turn."""
    at_end = stepper_state.t == stepper_state.t_end
    return at_end & (stepper_state.t_end != bounds.stop)


def leg_ended(stepper_state: StepperState, bounds: RunBounds) -> StepperState:
    """A run at the end of a segment goes on: only the end of the last is its own."""
    goes_on = (stepper_state.status == DONE) & (stepper_state.t_end != bounds.stop)
    return stepper_state._replace(
        status=jnp.where(goes_on, RUNNING, stepper_state.status)
    )


def run_turn(
    equations: Equations,
    method: Method,
    drive: Drive,
    *,
    bounds: RunBounds,
    table: Table,
    held: Array,
) -> Callable[[StepperState], tuple[StepperState, Rows]]:
    """stepper state -> stepper state, row: an attempted step, or samples that are due.

    Without samplers `held` is held over the whole chunk, and the field is found once.
    """
    advance = advance_of(method)

    def field(held: Array) -> Field:
        return field_of(equations, {**table, **drive.unpacked(held)}, drive.driven)

    if not drive.samplers:
        own = settling(field(held), method)
        return lambda here: advance(own, method, bounds, here)

    def attempt(here: StepperState) -> tuple[StepperState, Rows]:
        after, row = advance(settling(field(here.held), method), method, bounds, here)
        return leg_ended(after, bounds), row

    step = getattr(method, "step", 1.0)

    def sample(here: StepperState) -> tuple[StepperState, Rows]:
        leg = Leg(method, drive, bounds, table, step)
        return sample_turn(field, leg, here)

    def turn(here: StepperState) -> tuple[StepperState, Rows]:
        after, row = lax.cond(is_due(here, bounds), sample, attempt, here)
        return StepperState(*after), Rows(*row)

    return turn


class Leg(NamedTuple):
    """What all segments of a run share; `step` is that of a fixed-step method (s)."""

    method: Method
    drive: Drive
    bounds: RunBounds
    table: Any
    step: Any


def sample_turn(
    field: Callable[[Any], Field], leg: Leg, here: StepperState
) -> tuple[StepperState, Rows]:
    """Samples of the inputs that are due, and the segment that begins with them."""
    method, drive, bounds, table, step = leg
    assert drive.system is not None
    t, x, n = here.t, here.x, drive.system.coordinates
    before = field(here.held)
    z = before.speeds(t, x[:n], x[n:])
    state = State(drive.system, t, x[:n], z)
    old = Samples(here.held, here.recall, here.sample_count)
    new = take_samples(drive.samplers, state, old, bounds.start, table)
    is_number = jnp.all(jnp.isfinite(new.held)) & jnp.all(jnp.isfinite(new.recall))
    own = field(new.held)
    x_dot = own.x_dot(t, x)
    is_sound = jnp.all(jnp.isfinite(x_dot)) & own.is_sound(t, x)
    status = jnp.where(is_sound, RUNNING, NOT_A_NUMBER).astype(here.status.dtype)
    begun = here._replace(
        x_dot=x_dot,
        carried=carried_anew(here, x_dot),
        held=new.held,
        recall=new.recall,
        sample_count=new.count,
        tried=jnp.zeros_like(here.tried),
        status=status,
    )
    begun = begin_segment(drive.samplers, method, bounds, begun, step)
    failed = here._replace(status=jnp.full_like(here.status, FAULT))
    pairs = zip(begun, failed, strict=True)
    after = type(here)(*(jnp.where(is_number, a, b) for a, b in pairs))
    nothing = jnp.zeros((method.dense_terms, *x.shape))
    return after, row_of_attempt(begun, is_number, nothing)


def begin_segment(
    samplers: tuple[Sampler, ...],
    method: Method,
    bounds: RunBounds,
    here: StepperState,
    step: Any,
) -> StepperState:
    """The beginning of a segment, which lasts to the next sample or to the end."""
    # When the next sample is due: a multiple of dt, not a sum, rounded as NumPy's.
    times = [
        bounds.start + lax.optimization_barrier(s.dt * here.sample_count[k])
        for k, s in enumerate(samplers)
    ]
    due = jnp.min(jnp.stack(times))
    t_end = jnp.where(due >= bounds.stop, bounds.stop, due)
    leg = here._replace(begun=here.t, t_end=t_end, before=here.accepted)
    if method.is_adaptive:
        return leg
    span = t_end - here.t
    # A span that is a whole number of steps up to rounding gets no step more.
    count = jnp.maximum(jnp.ceil(jnp.abs(span) / step * (1 - 1e-12)), 1.0)
    return leg._replace(n_steps=count.astype(here.n_steps.dtype), h=span / count)


def take_samples(
    samplers: tuple[Sampler, ...], state: State, old: Samples, start: Any, table: Table
) -> Samples:
    """All inputs that are due at the time of a state asked anew."""
    t = state.t
    close = CLOSE * jnp.maximum(jnp.abs(t), jnp.abs(start))
    new = old
    for k, sampler in enumerate(samplers):

        def ask(now: Samples, k: int = k, sampler: Sampler = sampler) -> Samples:
            count = now.count[k]
            recall = now.recall[sampler.recall]
            value, memory = sampler.ask(t, state, recall, count, table)
            return Samples(
                _with(now.held, sampler.held, value),
                _with(now.recall, sampler.recall, memory),
                _with(now.count, slice(k, k + 1), (count + 1)[None]),
            )

        if len(samplers) == 1:  # there is no sample instant but its own
            return ask(new)
        due = start + lax.optimization_barrier(sampler.dt * old.count[k])
        new = Samples(*lax.cond(due <= t + close, ask, lambda now: now, new))
    return new


def first_samples_function(system: System, samplers: tuple[Sampler, ...]) -> Any:
    """(t, q, z, held, recall, count, start, table) -> Samples, to be traced."""

    def sampled(
        t: Scalar,
        q: Array,
        z: Array,
        held: Any,
        recall: Any,
        count: Any,
        start: Any,
        table: Table,
    ) -> Samples:  # limit: a state and what samples have left
        old = Samples(held, recall, count)
        return take_samples(samplers, State(system, t, q, z), old, start, table)

    return sampled


def _with(whole: Any, part: slice, new: Any) -> Any:
    """An array with a part of it set anew."""
    if part.start == part.stop:
        return whole
    new = new.astype(whole.dtype)
    return jnp.concatenate([whole[: part.start], new, whole[part.stop :]])
