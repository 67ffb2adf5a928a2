"""What every attempted step ends with: a projected state, its x_dot, and a verdict."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.kernel.status import NOT_A_NUMBER, UNMET, UNSOLVED
from polhode.integrate.kernel.stepper_state import StepperState


def fault_status(is_solved: Any, is_finite: Array) -> Any:
    """Why a step that is not good is not: its equations, its numbers, or its rows."""
    return jnp.where(is_solved, jnp.where(is_finite, UNMET, NOT_A_NUMBER), UNSOLVED)


def arrived(field: Field, t: Scalar, x: Array) -> tuple[Any, Any, Any, Any]:
    """The state projected, its x_dot, whether all of it is numbers, and is kept."""
    x, is_kept = field.projected(t, x)
    x_dot = field.x_dot(t, x)
    # Each is tested apart: a product with zero would let a missing number through.
    good = jnp.all(jnp.isfinite(x)) & jnp.all(jnp.isfinite(x_dot))
    return x, x_dot, good & field.is_sound(t, x), is_kept


def chosen(flag: Scalar, yes: StepperState, no: StepperState) -> StepperState:
    """One of two stepper states."""
    pairs = zip(yes, no, strict=True)
    return StepperState(*(jnp.where(flag, a, b) for a, b in pairs))
