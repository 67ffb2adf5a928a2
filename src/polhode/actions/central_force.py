"""Users' own forces between two points: any law, along the line that joins them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
    separation,
)
from polhode.actions.defaults import PointAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    interaction,
    velocity_of,
)
from polhode.actions.user_law import given
from polhode.arrays import Array, Scalar, removable
from polhode.double import doubled
from polhode.geometry.vector import dot, norm
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.quantities.constants import admit_constants, values_of


@final
@dataclass(frozen=True, eq=False)
class CentralForce(PointAction):
    """A force along the line of two points, by a law of the user.

    `law(length, rate, t, **constants)` is the push in newtons that drives the points
    apart, from their distance, its rate and the time; traceable. A pull is negative.
    Where the points meet the push has no direction: the law must be zero there.
    `constants` are numbers or parameters that the law takes by name.
    """

    on: Attachment
    by: Attachment
    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = "central force"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of its ends, and the constants of the law."""
        return parameters_of((self.on, self.by), *self.constants.values())

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite forces along the line of the two points."""
        d, arm = separation(poses, self.on, self.by, table)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_of(poses, 1, self.by, table))
        F = self._force(d, v, t, values_of(self.constants, table))
        return interaction(poses, arm, F, 0.0 * F)

    def fault(self) -> str:
        """No line, or no finite force from the law."""
        return (
            "Its two ends are at one place and its law is not zero there,"
            " or it gave no finite force."
        )

    @cached_property
    def _force(self) -> Callable[..., Any]:
        def force(d: Array, v: Array, t: Scalar, constants: Mapping[str, Any]) -> Any:
            import jax
            import jax.numpy as jnp

            square = dot(d, d)
            closed = square == 0
            safe = jnp.sqrt(removable(closed, 1.0, square))
            length = removable(closed, 0.0, safe)
            # From one place they part at the speed at which they move.
            rate = removable(closed, norm(v), dot(d, v) / safe)

            def force_of(x: Array) -> Any:
                named = {"length": x, "rate": rate, "t": t}
                return given(self.name, self.law, named, constants=constants)

            push, slope = jax.jvp(force_of, (length,), (jnp.ones_like(length),))
            slope = jnp.where(jnp.isfinite(slope), slope, 0.0)
            limit = jnp.where(push == 0, slope, np.nan)
            return removable(closed, limit, push / safe) * d

        return doubled(force)
