r"""Three craft in deep space that hold a triangle and turn it: an interferometer.

            A
           / \          side 100 m, one turn in 20 minutes
          /   \
         B-----C        X of each outwards

Surprise: far from everything nothing holds them together, and the fuel for turning
goes as the square of the rate: half as fast costs a quarter in the same time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import polhode as ph

SIDE = 100.0
RATE = 2 * 3.141592653589793 / 1200.0
NAMES = ("A", "B", "C")


def deep_space_triangle() -> ph.System:
    """Craft "A", "B" and "C" of six freedoms each, with jets."""
    world = ph.World()
    joints, jets = [], []
    for name in NAMES:
        body = ph.Body(name, ph.solids.box(mass=90.0, x=6.0, y=4.0, z=3.0))
        joint = ph.Free(name, world.origin, body.origin)
        joints.append(joint)
        jets.append(ph.Motor(joint, 0.0, name=f"jets of {name}"))
    return ph.System(joints, jets, name="triangle of three craft")


def corner(k: int) -> Any:
    """The pose of corner k as a function of time: X outwards, turning about Z."""

    def wanted(t: Any) -> tuple[Any, Any]:
        import jax.numpy as jnp

        angle = RATE * t + 2 * jnp.pi * k / 3
        c, s, o, one = jnp.cos(angle), jnp.sin(angle), 0.0 * t, 1.0 + 0.0 * t
        R = jnp.stack([c, -s, o, s, c, o, o, o, one]).reshape(3, 3)
        return R, SIDE / jnp.sqrt(3.0) * jnp.stack([c, s, o])

    return wanted


def deep_space_triangle_start() -> tuple[dict[str, Any], dict[str, Any]]:
    """At rest, some metres off their corners and looking elsewhere."""
    places = ((70.0, 8.0, 5.0), (-25.0, 42.0, -9.0), (-20.0, -60.0, 6.0))
    pairs = zip(NAMES, places, strict=True)
    where = {
        name: {"qw": 0.96, "qz": 0.28} | dict(zip("xyz", place, strict=True))
        for name, place in pairs
    }
    return where, {}


def deep_space_triangle_inputs(system: ph.System) -> dict[str, Any]:
    """Tracking by passivity, each craft after its corner."""
    references = {name: corner(k) for k, name in enumerate(NAMES)}
    gain = np.diag([25.0] * 3 + [8.0] * 3)  # N m s/rad, N s/m
    return ph.tracking(system, references, rate=0.03, gain=gain)
