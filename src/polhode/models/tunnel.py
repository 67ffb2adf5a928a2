r"""A ball in a straight tunnel through a homogeneous planet that may turn.

            .-'''''-.            pull inside:  G M/R^3 r, towards the centre
          .'  ball   `.          pull outside: G M/r^2
    =====|=====o=======|=====  tunnel, d_perp from the centre
          `.    + O   .'
            `-.....-'            diametral, equatorial:  r'' + (G M/R^3 - w^2) r = 0
                                 wall pushes N = 2 m w r' across

Surprise: every straight tunnel takes the same time, and it is the time of half an
orbit at the ground: 42 minutes through the Earth, from anywhere to anywhere.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import polhode as ph


def tunnel(rate: float = 0.0, offset: float = 0.0, tilt: float = 0.0) -> ph.System:
    """A ball in a tunnel along the planet's X axis, `offset` from the centre along Y.

    `rate` is the planet's spin about Z, prescribed; `tilt` raises the tunnel out of the
    equator towards the pole. Joints: "spin" and "tunnel"; both masses have names.
    """
    M, R, m = ph.Parameter("GM", 1.0), ph.Parameter("R", 1.0), ph.Parameter("m", 0.01)
    planet = ph.Body("planet", ph.solids.sphere(mass=1.0, radius=1.0))
    ball = ph.Particle("ball", m)
    spin = ph.Revolute("spin", ph.World().origin, planet.origin, axis=ph.Z)
    way = (cos(tilt), 0.0, sin(tilt))
    start = planet.point(0, offset, 0)
    bore = ph.Prismatic("tunnel", start, ball.mass_centre, axis=way)
    constants = {"GM": M, "R": R, "m": m}
    pull = ph.Potential((planet.frame, ball.frame), energy, constants, name="pull")
    driver = ph.PrescribedMotion(spin, lambda t: rate * t, name="driver")
    return ph.System([spin, bore], [pull], [driver], name="ball through a planet")


def energy(ball: Any, GM: Any, R: Any, m: Any) -> Any:
    """V inside and outside, the same at r = R:

    V = G M m (r^2 - 3 R^2)/(2 R^3) inside,  -G M m/r outside
    """
    import jax.numpy as jnp

    square = ball.position @ ball.position
    inside = square < R**2
    far = jnp.sqrt(jnp.where(inside, R**2, square))
    return -GM * m * jnp.where(inside, (3 * R**2 - square) / (2 * R**3), 1 / far)
