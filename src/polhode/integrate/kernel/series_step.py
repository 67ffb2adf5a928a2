"""A step of a method that knows its size before it is made, inside a trace.

A power series tells how far it reaches. No step is tried and found too long, but one
may still lead to a state without numbers, or off its constraints: then a shorter one
is made from the same state.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.integrate.field.vector_field import Field
from polhode.integrate.kernel.arrival import arrived, chosen, fault_status
from polhode.integrate.kernel.status import DONE, RUNNING, TOO_SMALL
from polhode.integrate.kernel.step_size import RETREAT
from polhode.integrate.kernel.stepper_state import Rows, RunBounds, StepperState
from polhode.integrate.methods.taylor import Taylor


def series_step(
    field: Field, method: Taylor, bounds: RunBounds, stepper_state: StepperState
) -> tuple[StepperState, Rows]:
    """The stepper state after one attempt, and its row."""
    t, x, x_dot, tried = (
        stepper_state.t,
        stepper_state.x,
        stepper_state.x_dot,
        stepper_state.tried,
    )
    series = method.expansion(field, t, x)
    left = stepper_state.t_end - t
    size = method.step_size(series, bounds.rtol, bounds.atol)
    # After a step that led nowhere no longer one is made.
    size = jnp.where((tried != 0) & (jnp.abs(tried) < size), jnp.abs(tried), size)
    is_last = 1.01 * size >= jnp.abs(left)
    there = jnp.where(is_last, stepper_state.t_end, t + jnp.sign(left) * size)
    # As far as the clock goes: with this the sum of steps is the time, exactly.
    h = there - t
    rest = lost(stepper_state)
    moved, rest = compensated(x, series.at(h), rest)
    settled, x_dot, good, is_kept = arrived(field, there, moved)
    fault = fault_status(True, good)
    good = good & is_kept
    rest = jnp.where(settled == moved, rest, 0.0)
    whole = jnp.sign(left) * size
    stuck = jnp.abs(RETREAT * h) <= bounds.least
    failed = stepper_state._replace(
        h=RETREAT * h,
        tried=RETREAT * h,
        rejected=stepper_state.rejected + 1,
        status=jnp.where(stuck, fault, RUNNING),
    )
    is_slow = jnp.abs(whole) <= bounds.least
    going = jnp.where(is_slow, TOO_SMALL, RUNNING)
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
    terms = jnp.stack(method.dense(series, h))
    return chosen(good, reached, failed), Rows(good, there, settled, x_dot, terms)


def lost(stepper_state: StepperState) -> Any:
    """What the roundings of x have left out so far.

    A run that begins, and one that an event or a sample has changed, carries its slope
    (see `StepperState`): it has lost nothing.
    """
    carried = stepper_state.carried
    return jnp.where(carried == stepper_state.x_dot, 0.0, carried)


def compensated(x: Any, change: Any, rest: Any) -> tuple[Any, Any]:
    """x + change + rest rounded, and what the rounding left out (Kahan; Moller)."""
    change = change + rest
    total = x + change
    part = total - x
    return total, (x - (total - part)) + (change - part)
