r"""Two masses that attract each other, and nothing else: Kepler's problem.

        o m1                          r'' = -G (m1 + m2) r/|r|^3
          \
           +  mass centre             units: G = 1
             \
               O m2

Surprise: the velocities of either body, drawn from one point, make a perfect circle.
"""

from __future__ import annotations

import polhode as ph


def two_body() -> ph.System:
    """Particles "one" and "two" of mass m_1 and m_2, with G = 1."""
    m1, m2 = ph.Parameter("m_1", 1.0), ph.Parameter("m_2", 3.0)
    one, two = ph.Particle("one", m1), ph.Particle("two", m2)
    masses = ph.PointMass(one.mass_centre, m1), ph.PointMass(two.mass_centre, m2)
    pull = ph.Gravitation(masses, ph.Parameter("G", 1.0))
    return ph.System([one, two], [pull], name="two bodies")
