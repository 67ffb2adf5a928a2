r"""Where a smooth convex body touches a curved surface, neither of them a ball.

             n ^  ____
               | /    \       P(n) is the body's farthest point in the direction -n
      ___------P--\____/--___
                              the surface's own normal there is n again

No formula gives n. Newton's steps from the line of centres find it, of which
derivatives know nothing; three more by the last slope make as many orders of them
exact, one each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.constraints.constraint import (
    Placed,
    coordinates_of,
    parameters_of,
    place,
)
from polhode.constraints.surfaces import Surface, Track
from polhode.double import doubled
from polhode.geometry.frame import Frame
from polhode.matter.parameter import Parameter, Table

TURNED = -0.8  # cosine from the axes' third below which tangents are others
STEPS = 30
ORDERS = 3
NEAR = 1e-9  # a last step so short is squared by those that follow
LONGEST = 0.4  # a step turns the normal by no more, in radians
FOUND = 1e-9  # what a normal may miss, in radians, or of how far the centres are apart


@final
@dataclass(frozen=True, eq=False)
class CurvedContact:  # limit: the questions of every contact, and Newton's parts
    """Where a convex surface touches another, or a track; `axes` as of a plane."""

    surface: Surface
    on: Surface | Track
    axes: np.ndarray = field(repr=False)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The rolling body, and the one that it rolls on."""
        return (self.surface.centre.frame, self.on.centre.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two centres."""
        return parameters_of(self.surface.centre, self.on.centre)

    def point(self, placed: Placed, table: Table) -> Any:
        """The rolling body's point that is nearest, in the world (3,)."""
        n = self._found(*self._relative_pose(placed, table))
        down_B = placed.rotations[0].T @ (placed.rotations[1] @ -n)
        arm = coordinates_of(self.surface.centre, table) + self.surface.support(down_B)
        return placed.origins[0] + placed.rotations[0] @ arm

    def height(self, placed: Placed, table: Table) -> Any:
        """How far the two are apart along n."""
        return self._height(*self._relative_pose(placed, table))

    def tangents(self, placed: Placed, table: Table) -> Any:
        """Two directions (3, 2) square to n, in the axes of what is rolled on."""
        return tangents_about(self.axes, self.normal(placed, table))

    def normal(self, placed: Placed, table: Table) -> Any:
        """n (3,) in the same axes."""
        return self._found(*self._relative_pose(placed, table))

    def _relative_pose(self, placed: Placed, table: Table) -> tuple[Any, Any]:
        """Centre (3,) and rotation (3, 3) of the body, from what it rolls on."""
        away = place(placed, 0, self.surface.centre, table)
        away = away - place(placed, 1, self.on.centre, table)
        R_WG = placed.rotations[1]
        return R_WG.T @ away, R_WG.T @ placed.rotations[0]

    def _nearest(self, c: Scalar, R: Array, n: Array) -> Any:
        return c + R @ self.surface.support(R.T @ -n)

    def _contact_residual(self, c: Scalar, R: Array, n: Array) -> Any:
        """What vanishes (3,) when n is square to both surfaces where they meet."""
        P = self._nearest(c, R, n)
        if isinstance(self.on, Track):
            return self.on.normal(P) - n
        apart = P - self.on.support(n)
        return apart - n * (n @ apart)

    @cached_property
    def _found(self) -> Callable[[Any, Any], Any]:
        """The unit normal (3,) of a centre and a rotation."""
        # Rows ask it many times over; a call that JAX has traced it traces no more.
        import jax

        return doubled(jax.jit(self._normal))

    @cached_property
    def _height(self) -> Callable[[Any, Any], Any]:
        import jax
        import jax.numpy as jnp

        def height(c: Array, R: Array) -> Any:
            n = self._normal(c, R)
            P = self._nearest(c, R, n)
            if isinstance(self.on, Track):
                apart = self.on.distance(P)
            else:
                apart = n @ (P - self.on.support(n))
            # Where no normal was found the two do not count as touching.
            missed = jnp.max(
                jnp.abs(jax.lax.stop_gradient(self._contact_residual(c, R, n)))
            )
            size = 1.0 if isinstance(self.on, Track) else jnp.sqrt(c @ c)
            size = jax.lax.stop_gradient(size)
            return apart + jnp.where(missed > FOUND * size, missed, 0.0)

        return doubled(jax.jit(height))

    def _normal(self, c: Scalar, R: Array) -> Any:
        import jax.numpy as jnp
        from jax import lax

        held = lax.stop_gradient((c, R))

        def better(now: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            count, n, _ = now
            y = -_step(_along(lambda n: self._contact_residual(*held, n), n))
            far = jnp.max(jnp.abs(y))
            return count + 1, _turned(n, y / jnp.maximum(1.0, far / LONGEST)), far

        def is_far(now: tuple[Any, Any, Any]) -> Any:
            return (now[0] < STEPS) & (now[2] > NEAR)

        # Not a loop of known length: that becomes straight code.
        first = (jnp.zeros((), jnp.int64), self._first(held[0]), jnp.ones(()))
        _, n, _ = lax.while_loop(is_far, better, first)
        n = lax.stop_gradient(n)
        solve = _inverse(_along(lambda n: self._contact_residual(*held, n), n))
        missed = _along(lambda n: self._contact_residual(c, R, n), n)
        y = jnp.zeros(2)
        for _ in range(ORDERS):
            y = y - solve @ missed(y)
        return _turned(n, y)

    def _first(self, c: Any) -> Any:
        """Along the line of centres, or a track's own normal at the body's centre."""
        import jax.numpy as jnp

        if isinstance(self.on, Track):
            n = self.on.normal(c)
        else:
            n = c / jnp.sqrt(c @ c)
        return jnp.where(jnp.all(jnp.isfinite(n)), n, self.axes[:, 2])


def _turned(n: Array, y: Array) -> Any:
    """A unit vector, turned by y (2,) along its tangents."""
    turned = n + tangents_about(np.eye(3), n) @ y
    return turned / namespace(turned).sqrt(turned @ turned)


def _along(missed: Callable[[Any], Any], n: Array) -> Callable[[Any], Any]:
    """What is missed (2,) along the tangents of n, of a turn y (2,) from it."""
    return lambda y: tangents_about(np.eye(3), n).T @ missed(_turned(n, y))


def _inverse(along: Callable[[Any], Any]) -> Any:
    """Of its slope (2, 2) at rest; zero slopes, in the middle of a bowl, give zeros."""
    import jax
    import jax.numpy as jnp

    (a, b), (c, d) = jax.jacfwd(along)(jnp.zeros(2))
    size = a * d - b * c
    return jnp.array([[d, -b], [-c, a]]) / jnp.where(size == 0, 1.0, size)


def _step(along: Callable[[Any], Any]) -> Any:
    return _inverse(along) @ along(np.zeros(2))


def tangents_about(axes: Array, normal: Array) -> Any:
    """Two directions (3, 2) square to a unit normal (3,) that turn smoothly with it.

    None do so over the whole of a sphere: near the third of -`axes` those are taken
    that turn smoothly there. No slip along the ones is no slip along the others.
    """
    n = axes.T @ normal
    xp, x, y = namespace(n), n[0], n[1]
    side = xp.where(n[2] < TURNED, -1.0, 1.0)
    share = 1.0 / (1.0 + side * n[2])
    first = xp.stack([1.0 - x * x * share, -x * y * share, -side * x])
    second = xp.stack([-x * y * share, 1.0 - y * y * share, -side * y])
    return axes @ xp.stack([first, second], axis=1)
