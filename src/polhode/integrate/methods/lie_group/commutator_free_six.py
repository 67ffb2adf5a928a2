"""A method on the group of order 6 that is explicit: a motion and its twin in turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.composed import sequence
from polhode.integrate.methods.method import Attempt, FixedStep

Pair = tuple[Any, Any]  # (q, y), or how they change


@final
@dataclass(frozen=True)
class CommutatorFree6(FixedStep):
    """Order 6 on the manifolds of the joints: quaternions need no renormalising.

    Two copies u and v of the state start as one. While one rests the other moves along
    the slope k of the first, which is then constant: by one exponential, exactly.

        v <- v exp(g_i k(u) h/2),    u <- u exp(g_i k(v) h),    v <- v exp(g_i k(u) h/2)

    That is Strang's splitting of u_dot = u k(v), v_dot = v k(u), whose motion has u = v
    = q: symmetric and of order 2. Nine parts with the shares g_i of Kahan and Li make
    it one of order 6; u is kept. Every stage is explicit, every exponential of one
    slope alone, and speeds y move along by sums. A step asks 18 slopes:
    `CommutatorFree5`, with seven, costs less until errors are as small as 1e-11.

    >>> CommutatorFree6(step=0.01).order
    6
    """

    name: ClassVar[str] = "commutator-free 6"
    order: ClassVar[int] = 6

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n = field.coordinates

        def along(place: Pair, way: Pair, share: Any) -> Pair:
            (q, y), (k, a) = place, way
            return field.local(q, share * h * k), y + share * h * a

        def way_at(share: Any, place: Pair) -> Pair:
            then = t + share * h
            return field.speeds(then, *place), field.accelerations(then, *place)

        def part(twins: tuple[Pair, Pair, Pair], row: Any) -> tuple[Any, None]:
            u, v, way = twins
            kick, share, middle, end = row
            v = along(v, way, kick)
            u = along(u, way_at(middle, v), share)
            return (u, v, way_at(end, u)), None

        start, rows = (x[:n], x[n:]), PARTS[:-1]
        first = (start, start, (field.speeds(t, *start), x_dot[n:]))
        (u, v, way), _ = lax.scan(part, first, jnp.asarray(rows))
        kick, share, middle, _ = PARTS[-1]
        v = along(v, way, kick)
        return Attempt(jnp.concatenate(along(u, way_at(middle, v), share)))


def _parts() -> np.ndarray:
    """Of each part: how far v moves, in one with what the part before has left of it,
    how far u moves, and when v and then u are asked."""
    shares = sequence(2, 6)
    ends = np.cumsum(shares)
    before = np.concatenate([[0.0], shares[:-1]])
    return np.stack([(before + shares) / 2, shares, ends - shares / 2, ends], axis=1)


PARTS = _parts()
