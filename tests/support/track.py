"""A block on a track, driven by a motor."""

from __future__ import annotations

from functools import cache

import polhode as ph

MOTOR = "motor of track"


@cache
def driven(law=0.0, limits=None) -> ph.System:
    """A block of 1 kg on a track with a motor: x'' = u."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    ends = ph.World().origin, block.origin
    track = ph.Prismatic("track", *ends, axis=ph.X, effort_limits=limits)
    return ph.System([track], [ph.Motor(track, law)], name="driven")


def run(law, until=1.0, system=None, **more):
    """The block from rest at 1 m under a law of its motor."""
    system = system or driven()
    start = system.state(track=1.0)
    return ph.simulate(system, start, until=until, inputs={MOTOR: law}, **more)


def held_feedback(t, state):
    """u = -3 x - v, in plain Python."""
    return -3.0 * float(state["track"]) - float(state.speed("track"))
