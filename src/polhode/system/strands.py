"""Ropes that may go slack among the candidates of a system: rates, and what they pull.

    s' (k,)          how fast the spare lengths of the strands grow
    w (k, b + 1, 6)  ds'/dV: what a unit of each tension exerts on every body

Both follow from the lengths alone, by JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.motion_arrays import Twists
from polhode.arrays import Array, Scalar
from polhode.matter.parameter import Table
from polhode.supports.slack_rope import StrandCandidates
from polhode.system import kinematics
from polhode.system.loads import still_world, with_world
from polhode.system.rows import moving, placed, rate_of_position

if TYPE_CHECKING:
    from polhode.system.system import System


class Strands(NamedTuple):
    """Candidates first..last - 1 of all: the strands of one rope."""

    system: System
    candidates: StrandCandidates
    first: int
    last: int

    def rates(self, t: Scalar, q: Array, z: Array, table: Table) -> Any:
        """How fast their spare lengths grow (k,)."""
        twists = kinematics.twists(self.system, t, q, z, table)
        return self._rates(t, q, table, twists=still_world(twists), z=z)

    def wrenches(self, t: Scalar, q: Array, table: Table) -> Any:
        """What a unit of each tension exerts (k, b + 1, 6); the world is the last.

        About the origins of the bodies, along the world's axes.
        """
        import jax
        import jax.numpy as jnp

        z, none = (
            jnp.zeros(self.system.speeds),
            jnp.zeros((len(self.system.bodies) + 1, 3)),
        )

        def rates(angular: Any, linear: Any) -> Any:
            twists = Twists(angular, linear)
            return self._rates(t, q, table, twists=twists, z=z)

        parts = jax.jacfwd(rates, argnums=(0, 1))(none, none)
        return jnp.concatenate(parts, axis=2)

    def _rates(
        self, t: Scalar, q: Array, table: Table, *, twists: Twists, z: Array
    ) -> Any:
        system, own = self.system, self.candidates
        poses = with_world(kinematics.poses(system, t, q, table))
        here = placed(system, own, poses, q)
        return rate_of_position(own, here, moving(system, own, twists, z), t, table)


def ropes(system: System) -> list[Strands]:
    """The ropes of a system that may go slack."""
    found, first = [], 0
    for support in system.supports:
        own, last = support.candidates, first + len(support.candidates.names)
        if isinstance(own, StrandCandidates):
            found.append(Strands(system, own, first, last))
        first = last
    return found


def with_strands(system: System, found: Any, rows: Callable[[Strands], Any]) -> Any:
    """Of all candidates (n, 3, ...): strands have `rows(them)` (k, ...) along their
    pull, and nothing across it.

    Of a system without ropes it is what was given, bit by bit.
    """
    import jax.numpy as jnp

    for own in ropes(system):
        pull = jnp.asarray(rows(own))
        across = jnp.zeros_like(pull)
        part = jnp.stack([pull, across, across], axis=1)
        found = jnp.concatenate([found[: own.first], part, found[own.last :]])
    return found


def rope_wrenches(system: System, t: Scalar, q: Array, r: Array, table: Table) -> Any:
    """What ropes exert (b, 6) by contact forces r (3n,), in the bodies' own axes.

    About the origins of the bodies.
    """
    import jax.numpy as jnp

    count = len(system.bodies)
    if not ropes(system):
        return np.zeros((count, 6))
    found = jnp.zeros((count + 1, 6))
    for own in ropes(system):
        pulls = jnp.asarray(r).reshape(-1, 3)[own.first : own.last, 0]
        found = found + jnp.einsum("k,kbi->bi", pulls, own.wrenches(t, q, table))
    turn = with_world(kinematics.poses(system, t, q, table)).rotations
    both = jnp.stack([found[:, :3], found[:, 3:]], axis=1)
    turned = jnp.einsum("bij,bki->bkj", jnp.asarray(turn), both)
    return turned.reshape(-1, 6)[:count]
