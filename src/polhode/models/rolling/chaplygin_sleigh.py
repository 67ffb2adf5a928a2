r"""A sledge on ice with one blade: it cannot move across it.

       ____________
      |     a      |          u' = a w^2
      |  |----G    |  ->u     w' = -m a u w/(I + m a^2)
      |__|_________|
         blade                u along the blade, w the rate of turning

Surprise: nothing is lost, and yet it ends always the same way: straight ahead, mass
centre first, all its spin turned into speed. Constraints of velocity can do that.
"""

from __future__ import annotations

from typing import Any

import polhode as ph
from polhode.models import looks


def chaplygin_sleigh() -> ph.System:
    """A body on ice, its mass centre a ahead of the blade: joint "ice"."""
    m, I, a = ph.Parameter("m", 1.0), ph.Parameter("I", 0.5), ph.Parameter("a", 0.3)
    sled = ph.Body.from_inertia(
        "sled",
        mass=m,
        inertia=(0.6 * I, 0.6 * I, I),
        centre=(a, 0, 0),
        shapes=looks.sled(0.3),
    )
    ice = ph.Planar("ice", ph.World().origin, sled.origin, normal=ph.Z)
    blade = ph.VelocityRows([ice], across, rows=("across",), name="blade")
    return ph.System([ice], constraints=[blade], name="Chaplygin's sleigh")


def across(q: Any, t: Any) -> Any:
    """-sin(angle) x' + cos(angle) y' = 0, of the speeds (angle', x', y')."""
    import jax.numpy as jnp

    return jnp.stack([0.0 * q[0], -jnp.sin(q[0]), jnp.cos(q[0])]), 0.0
