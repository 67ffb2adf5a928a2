r"""A craft whose mass centre is not where its frame is, led along an attitude.

        ____________
       |   G x      |        s = V - V_r
       |  O +       |        F = M V_r' + C(V) V_r - K s
       |____________|        d/dt (s^T M s/2) = -s^T K s

Surprise: about a point that is not the mass centre turning and moving are coupled, and
yet nothing of the law changes: with C skew, the error decays as if by friction alone.
"""

from __future__ import annotations

from typing import Any

import polhode as ph


def offset_craft() -> ph.System:
    """One craft in deep space with an offset mass centre: joint "craft", its jets."""
    make = ph.solids
    bus = make.box(mass=100.0, x=1.2, y=0.9, z=0.8)
    boom = make.placed(make.box(mass=5.0, x=0.1, y=0.1, z=1.6), (0.4, 0.3, 1.2))
    camera = make.placed(make.box(mass=15.0, x=0.4, y=0.4, z=0.5), (0.4, 0.3, 2.2))
    body = ph.Body("craft", make.joined(bus=bus, boom=boom, camera=camera))
    free = ph.Free("craft", ph.World().origin, body.origin)
    jets = ph.Motor(free, 0.0, name="jets")
    return ph.System([free], [jets], name="craft with an offset mass centre")


def attitude_wanted(t: Any) -> tuple[Any, Any]:
    """R (3, 3) and p (3,): the origin stays, the craft looks about."""
    import jax.numpy as jnp

    a, b = 0.6 * jnp.sin(0.2 * t), 0.4 * (1 - jnp.cos(0.15 * t))
    c, s, d, e = jnp.cos(a), jnp.sin(a), jnp.cos(b), jnp.sin(b)
    o, one = 0.0 * t, 1.0 + 0.0 * t
    about_z = jnp.stack([c, -s, o, s, c, o, o, o, one]).reshape(3, 3)
    about_y = jnp.stack([d, o, e, o, one, o, -e, o, d]).reshape(3, 3)
    return about_z @ about_y, jnp.zeros(3)


def offset_craft_inputs(system: ph.System) -> dict[str, Any]:
    """Tracking by passivity after `attitude_wanted`."""
    return ph.tracking(system, {"craft": attitude_wanted}, rate=0.3, gain=60.0)
