"""Quantities of one's own along a motion: absolute angles, distances, ratios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ModelError, PolhodeError
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False)
class Quantity:
    """A number, or several, of a state, to plot and to measure along a motion.

    name   what plots call it
    law    law(t, state) -> a number or an array; traceable
    unit   such as "rad" or "m/s"

    >>> import polhode as ph
    >>> start = ph.models.start("double_pendulum")
    >>> motion = ph.simulate(start.system, start, until=0.1)
    >>> phi = ph.Quantity("phi", lambda t, s: s["shoulder"] + s["elbow"], "rad")
    >>> bool(np.allclose(motion.measured(phi), motion.q.sum(axis=1)))
    True
    """

    name: str
    law: Callable[[Any, State], Any]
    unit: str = ""

    def along(self, motion: Trajectory) -> np.ndarray:
        """Its values (n, ...) at the rows of a motion."""
        system = motion.system

        def at(t: Scalar, q: Array, z: Array) -> Any:
            return jnp.asarray(self.law(t, State(system, t, q, z)), float)

        try:
            return np.asarray(doubled(jax.vmap(at))(motion.t, motion.q, motion.z))
        except PolhodeError:
            raise
        except Exception as reason:
            raise ModelError(
                f"{self.name!r} cannot be measured: its law raised"
                f" {type(reason).__name__}: {reason}",
                "It is traced once, with a time and a state that have no values yet.",
                'Calculate with jax.numpy: lambda t, state: state["hinge"] ** 2.',
            ) from reason
