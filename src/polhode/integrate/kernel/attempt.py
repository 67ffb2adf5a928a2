"""One attempted step of a run, inside a trace: accepted, rejected, or the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.arrival import arrived, chosen, fault_status
from polhode.integrate.kernel.series_step import series_step
from polhode.integrate.kernel.status import DONE, RUNNING, TOO_SMALL
from polhode.integrate.kernel.stepper_state import (
    Rows,
    RunBounds,
    StepperState,
    row_of_attempt,
)
from polhode.integrate.methods.method import Attempt, Method, falls_of, knows_step


def advance_of(method: Method) -> Callable[..., tuple[StepperState, Rows]]:
    """(field, method, bounds, here) -> the stepper state after an attempt, its row."""
    if knows_step(method):
        return series_step
    return _attempt_adaptive if method.is_adaptive else _attempt_fixed


def _dense_terms(terms: tuple[Any, ...], x: Array) -> Any:
    """The terms of dense output as one array (terms, width)."""
    return jnp.stack(terms) if terms else jnp.zeros((0, *x.shape))


def _attempt_fixed(
    field: Field, method: Method, bounds: RunBounds, stepper_state: StepperState
) -> tuple[StepperState, Rows]:
    count = stepper_state.accepted + 1
    done = count - stepper_state.before
    is_last = done >= stepper_state.n_steps
    # Times are multiples of the step: sums of it would drift.
    t = jnp.where(
        is_last, stepper_state.t_end, stepper_state.begun + done * stepper_state.h
    )
    moved = _try_step(field, method, bounds, stepper_state)
    x, x_dot, good, is_kept = arrived(field, t, moved.x)
    fault = fault_status(moved.is_solved, good)
    good = good & moved.is_solved & is_kept
    status = jnp.where(good, jnp.where(is_last, DONE, RUNNING), fault)
    after = stepper_state._replace(tried=stepper_state.h, status=status)
    reached = after._replace(t=t, x=x, x_dot=x_dot, accepted=count)
    reached = _with_carried(reached, moved)
    dense = _dense_terms(moved.dense, x)
    return chosen(good, reached, after), row_of_attempt(reached, good, dense)


def _attempt_adaptive(
    field: Field, method: Method, bounds: RunBounds, stepper_state: StepperState
) -> tuple[StepperState, Rows]:
    left = stepper_state.t_end - stepper_state.t
    is_last = 1.01 * jnp.abs(stepper_state.h) >= jnp.abs(left)
    h = jnp.where(is_last, left, stepper_state.h)
    t = jnp.where(is_last, stepper_state.t_end, stepper_state.t + h)
    h = t - stepper_state.t  # as far as the clock goes: late times are rounded
    moved = _try_step(field, method, bounds, stepper_state._replace(h=h))
    x, x_dot, good, is_kept = arrived(field, t, moved.x)
    share = step_size.shares(
        stepper_state.x, moved.foreseen, bounds.rtol, bounds.atol, field.axes
    )
    size = step_size.size_of(moved.error, share)
    good = good & size.is_finite
    fault = fault_status(moved.is_solved, good)
    # A step whose constraints are not met leads nowhere, however small its error.
    good = good & moved.is_solved & is_kept
    accepted = good & size.is_allowed
    tried = step_size.Tried(h, size, good, accepted, stepper_state.tried == 0)
    h, memory = step_size.chosen(falls_of(method), tried, stepper_state.memory)
    # A step cut short by the end of a segment says nothing against longer ones.
    whole = jnp.sign(left) * step_size.larger(jnp.abs(h), jnp.abs(stepper_state.h))
    h = jnp.where(is_last & accepted, whole, h)
    # Also after an accepted step: time must advance by more than its rounding.
    stuck = jnp.abs(h) <= bounds.least
    reason = jnp.where(good, TOO_SMALL, fault)
    running = jnp.where(is_last, DONE, jnp.where(stuck, TOO_SMALL, RUNNING))
    zero = jnp.zeros_like(h)
    after = stepper_state._replace(h=h, tried=h, rejected=stepper_state.rejected + 1)
    after = after._replace(status=jnp.where(stuck, reason, RUNNING))
    reached = stepper_state._replace(
        t=t, x=x, x_dot=x_dot, h=h, memory=memory, tried=zero
    )
    reached = reached._replace(accepted=stepper_state.accepted + 1, status=running)
    reached = _with_carried(reached, moved)
    held = _is_held(moved, share, tried.h, reached)
    reached = reached._replace(stiff=stepper_state.stiff + held)
    dense = _dense_terms(moved.dense, x)
    return chosen(accepted, reached, after), row_of_attempt(reached, accepted, dense)


def _try_step(
    field: Field, method: Method, bounds: RunBounds, stepper_state: StepperState
) -> Attempt:
    t, x, x_dot, h = stepper_state[:4]
    here = field._replace(
        carried=stepper_state.carried, allowed=(bounds.rtol, bounds.atol)
    )
    return method.attempt(here, t, x, x_dot, h)


def _with_carried(stepper_state: StepperState, moved: Attempt) -> StepperState:
    kept = stepper_state.carried if moved.carried is None else moved.carried
    return stepper_state._replace(carried=kept)


def _is_held(moved: Attempt, share: Scalar, h: Scalar, end: StepperState) -> Any:
    """Whether stability held a step, not accuracy: h |lambda| is above its limit.

        |lambda| = |f(a) - f(b)| / |a - b|

    of two states at one time is how quick the quickest is. Both are shares of what is
    allowed, so that it has no units but 1/s.
    """
    if moved.edge is None:
        return jnp.zeros((), bool)
    x, x_dot, limit = moved.edge
    rise, way = (end.x_dot - x_dot) * share, (end.x - x) * share
    above, below = jnp.sum(rise * rise), jnp.sum(way * way)
    return (below > 0) & (h * h * above > limit**2 * below)
