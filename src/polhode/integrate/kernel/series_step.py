"""A step of a method that knows its size before it is made, inside a trace.

A power series tells how far it reaches. No step is tried and found too long, but one
may still lead to a state without numbers, or off its constraints: then a shorter one
is made from the same state.

The slope where a step ends is the first coefficient of the next. Rows ask for it,
steps do not: it decides nothing, and where no row is kept it is not found.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array
from polhode.integrate.field.vector_field import Field
from polhode.integrate.kernel.arrival import chosen, fault_status
from polhode.integrate.kernel.status import DONE, RUNNING, TOO_SMALL
from polhode.integrate.kernel.step_size import RETREAT
from polhode.integrate.kernel.stepper_state import (
    Rows,
    RunBounds,
    StepperState,
    row_of_attempt,
)
from polhode.integrate.methods.taylor import EndsAlone, Taylor


def series_step(
    field: Field,
    method: Taylor | EndsAlone,
    bounds: RunBounds,
    stepper_state: StepperState,
) -> tuple[StepperState, Rows]:
    """The stepper state after one attempt, and its row."""
    t, x, tried = stepper_state.t, stepper_state.x, stepper_state.tried
    series = method.expansion(field, t, x)
    left = stepper_state.t_end - t
    size = method.step_size(series, bounds.rtol, bounds.atol)
    # After a step that led nowhere no longer one is made.
    size = jnp.where((tried != 0) & (jnp.abs(tried) < size), jnp.abs(tried), size)
    is_last = 1.01 * size >= jnp.abs(left)
    there = jnp.where(is_last, stepper_state.t_end, t + jnp.sign(left) * size)
    # As far as the clock goes: with this the sum of steps is the time, exactly.
    h = there - t
    rest = lost_roundings(stepper_state)
    moved, rest = compensated_sum(x, series.at(h), rest)
    settled, is_kept = field.projected(there, moved)
    good = jnp.all(jnp.isfinite(settled)) & field.is_sound(there, settled)
    fault = fault_status(True, good)
    good = good & is_kept
    rest = jnp.where(settled == moved, rest, 0.0)
    whole = jnp.sign(left) * size
    # A series without numbers has a step without one: neither grows or shrinks.
    stuck = ~(jnp.abs(RETREAT * h) > bounds.least)
    failed = stepper_state._replace(
        h=RETREAT * h,
        tried=RETREAT * h,
        rejected=stepper_state.rejected + 1,
        status=jnp.where(stuck, fault, RUNNING),
    )
    is_slow = jnp.abs(whole) <= bounds.least
    going = jnp.where(is_slow, TOO_SMALL, RUNNING)
    x_dot = (
        series.c[1] if isinstance(method, EndsAlone) else field.x_dot(there, settled)
    )
    reached = stepper_state._replace(
        t=there,
        x=settled,
        x_dot=x_dot,
        h=whole,
        tried=jnp.zeros_like(tried),
        accepted=stepper_state.accepted + 1,
        status=jnp.where(is_last, DONE, going),
        carried=rest,
    )
    terms = method.dense(series, h)
    dense = jnp.stack(terms) if terms else jnp.zeros((0, *x.shape))
    return chosen(good, reached, failed), row_of_attempt(reached, good, dense)


def lost_roundings(stepper_state: StepperState) -> Any:
    """What the roundings of x have left out so far.

    A run that begins, and one that an event or a sample has changed, carries its slope
    (see `StepperState`): it has lost nothing.
    """
    carried = stepper_state.carried
    return jnp.where(carried == stepper_state.x_dot, 0.0, carried)


def compensated_sum(x: Array, change: Any, rest: Any) -> tuple[Any, Any]:
    """x + change + rest rounded, and what the rounding left out (Kahan; Moller)."""
    change = change + rest
    total = x + change
    part = total - x
    return total, (x - (total - part)) + (change - part)
