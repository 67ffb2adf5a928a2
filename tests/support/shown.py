"""One motion for all tests of pictures: a cart with a pendulum, a spring, a damper."""

from __future__ import annotations

from functools import cache

import polhode as ph

AWKWARD = "<b>&_cart"  # a name that HTML would take for its own


@cache
def cart_motion() -> ph.results.Trajectory:
    """Two bodies, a rail and a hinge, 2 s."""
    world = ph.World()
    cart = ph.Body(AWKWARD, ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.2))
    bob = ph.Body.from_inertia("bob", mass=0.5, inertia=(0, 0, 0))
    rail = ph.Prismatic("rail", world.origin, cart.origin, axis=ph.X)
    rod = ph.Revolute("hinge", cart.origin, bob.point(0, 0, 0.6), axis=-ph.Y)
    actions = [
        ph.Weight(9.81),
        ph.Spring(world.point(-1, 0, 0), cart.origin, stiffness=20.0, rest_length=1.0),
        ph.Damper(rail, 0.4),
    ]
    system = ph.System([rail, rod], actions, name="cart")
    return ph.simulate(system, system.state(rail=0.2, hinge=1.0), until=2.0)
