r"""Two lopsided bodies on a ball joint, sprung, in the pull of an Earth that a driver
moves: the benchmark on which every form of the equations is tried.

      left    ball   right
     (  G )----O----( G   )     spring between two far points, and a spring that
         \_/\/\/\/\_/           resists every turn of one body against the other
              |
              |  pull             units: G = 1
            (Earth) <--> driver

Surprise: the pair falls towards the Earth, but it is the driver who pays: the Earth is
held on its path, and its reaction, not its weight, is what must be strong.
"""

from __future__ import annotations

import polhode as ph

# Origins of both bodies after 1 s from the gallery's start, by an eighth-order method
# with a tolerance of 1e-13; and the work that the driver has done.
REFERENCE = {
    "left": (0.360390310891, 0.128284955604, -1.405533006968),
    "right": (0.567232447830, 0.177516640667, -0.830369578652),
    "work": -7.378112254166,
}


def sprung_pair() -> ph.System:
    """Bodies "left" and "right" on "ball"; "Earth" on "path", moved by "driver"."""
    world = ph.World()
    left, right = (
        ph.Body.from_inertia(name, mass=mass, inertia=inertia, centre=centre)
        for name, mass, inertia, centre in (
            ("left", 1.3, (0.31, 0.22, 0.17), (0.11, -0.07, 0.05)),
            ("right", 0.8, (0.12, 0.19, 0.15), (-0.06, 0.09, -0.04)),
        )
    )
    earth = ph.Particle("Earth", 40.0)
    below = ph.Prismatic("path", world.point(0, 0, -2.5), earth.mass_centre, axis=ph.X)
    flight = ph.Free("flight", world.origin, left.origin)
    ball = ph.Spherical("ball", left.point(0.4, 0, 0.1), right.point(-0.3, 0.1, 0))
    ends = left.point(-0.2, 0.3, 0.2), right.point(0.3, 0.2, -0.1)
    masses = [ph.PointMass.of(body) for body in (earth, left, right)]
    actions = [
        ph.Spring(*ends, 12.0, 0.6, name="spring"),
        ph.machines.RotationalSpring(right.frame, left.frame, 3.0, name="bush"),
        ph.Gravitation(masses, 1.0, name="pull"),
    ]
    driver = ph.PrescribedMotion(below, ph.Formula("0.4 * sin(1.5 * t)"), name="driver")
    return ph.System([below, flight, ball], actions, [driver], name="sprung pair")
