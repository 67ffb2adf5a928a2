r"""A block on a belt, held by a spring: stick and slip.

    |       ____
    |-/\/\-|____|          the belt runs at v and takes the block along
    |  ===>===>===>===     until the spring tears it loose

Surprise: the belt runs evenly and the block jerks for ever, always in the same cycle
after its first jerk, whatever the start. Bow and string, brake and squeal.
"""

from __future__ import annotations

import polhode as ph


def belt_oscillator() -> ph.System:
    """A block in a plane, a spring to the wall, support "belt" that runs at v."""
    block, world = ph.Particle("block", ph.Parameter("m", 1.0)), ph.World()
    belt = ph.Support(
        ph.surfaces.point(block.mass_centre),
        world.origin,
        friction=ph.Coulomb(dynamic=0.3, static=0.4),
        belt=(ph.Parameter("v", 0.1), 0, 0),
        name="belt",
    )
    spring = ph.Spring(
        block.mass_centre, world.point(-1, 0, 0), ph.Parameter("k", 10.0), 1.0
    )
    weight = ph.Weight(ph.Parameter("g", 10.0))
    return ph.System([block], [weight, spring], supports=[belt], name="belt oscillator")
