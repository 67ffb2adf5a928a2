"""Systems that constraints hold, each made and compiled once."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.models.mechanisms.four_bars import four_bars, off


def bob_on_a_rod(g: float = 9.81, rods: int = 1) -> ph.System:
    """A particle of 1 kg at 1 m from the origin, held once or several times."""
    return _bob(g, rods)


@cache
def _bob(g: float, rods: int) -> ph.System:
    world, bob = ph.World(), ph.Particle("bob", 1.0)
    names = ["rod", *(f"rod {k}" for k in range(2, rods + 1))]
    held = [ph.Distance(world.origin, bob.mass_centre, 1.0, name=n) for n in names]
    return ph.System([bob], [ph.Weight(g)], held, name="bob on a rod")


@cache
def doubled_parallelogram() -> ph.System:
    """Two uprights and a coupler of one length, the closing pin given twice."""
    one = four_bars(1)
    (pin,) = one.constraints
    again = ph.PointOn(pin.point, pin.of, off, rows=("x", "z"), name="pin again")
    return ph.System(
        one.given.members, one.given.actions, [pin, again], name="parallelogram"
    )


def _base(t):
    """The end of the road under the right wheel: (x, z) at a time."""
    z = 0.1 * jnp.sin(10 * t)
    return jnp.sqrt(1 - z * z), z


def _on_the_road(base, t):
    x, z = _base(t)
    return base.position - jnp.stack([x, 0.0 * x, z])


def _upright(left, t):
    x, z = _base(t)
    return x * left.position[0] + z * left.position[2]


def _apart(left, right, t):
    d = left.position - right.position
    return d @ d - 1.0


@cache
def car_axis() -> ph.System:
    """The car axis of the test set for IVP solvers: index 3, moved by the road."""
    mass, world = 10 * 1e-2**2 / 2, ph.World()
    left, right, base = (ph.Particle(n, mass) for n in ("left", "right", "base"))
    springs = [
        ph.Spring(world.origin, left.mass_centre, 1.0, 0.5, name="left spring"),
        ph.Spring(base.mass_centre, right.mass_centre, 1.0, 0.5, name="right spring"),
    ]
    held = [
        ph.Holonomic([left.frame], _upright, name="upright"),
        ph.Holonomic([left.frame, right.frame], _apart, name="apart"),
        ph.Holonomic([base.frame], _on_the_road, rows=("x", "y", "z"), name="road"),
    ]
    bodies = [left, right, base]
    return ph.System(bodies, [ph.Weight(1.0), *springs], held, name="car axis")


@cache
def dragged() -> ph.System:
    """A block on a rail between a soft spring and a damper far too strong for it."""
    block = ph.Body.from_inertia("block", mass=1.0, inertia=np.eye(3))
    rail = ph.Prismatic("rail", ph.World().origin, block.origin, axis=ph.X)
    laws = [ph.JointSpring(rail, 1.0), ph.JointDamper(rail, 1e5)]
    return ph.System([rail], laws, name="dragged block")
