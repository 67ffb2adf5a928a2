"""Limits that fall and rise again between two looks of a long step."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G, WORLD = 9.81, ph.World()


@pytest.mark.row("D-03")
def test_a_ball_in_free_flight_does_not_pass_through_another():
    """Steps of a parabola are as long as they like; a ball is met 2 m below.

    The lower one rests; e = 1: 3 m struck by m at v gives v/2 down, the floor turns it.
    """
    lower = ph.Body("lower", ph.solids.sphere(mass=3.0, radius=0.1))
    upper = ph.Body("upper", ph.solids.sphere(mass=1.0, radius=0.05))
    rails = [
        ph.Prismatic(name, WORLD.origin, ball.origin, axis=ph.Z)
        for name, ball in (("first", lower), ("second", upper))
    ]
    small, large = ((b.origin, r) for b, r in ((upper, 0.05), (lower, 0.1)))
    supports = [
        ph.Support(ph.surfaces.sphere(*large), WORLD.origin, restitution=1.0,
                   name="floor"),
        ph.Support(ph.surfaces.sphere(*small), ph.surfaces.sphere(*large),
                   restitution=1.0, name="pair"),
    ]  # fmt: skip
    system = ph.System(rails, [ph.Weight(G)], supports=supports)
    up = 10.0
    start = system.state(first=0.1, second=0.25, speeds={"second": up})
    motion = ph.simulate(system, start, until=2.2, impacts="in sequence")
    hit = next(each for each in motion.events if each.name == "pair")
    assert_close(hit.t, 2 * up / G, rtol=1e-12)
    assert_close(hit.after.z, [up / 2, up / 2], rtol=1e-9)
    assert np.min(motion["pair"].gap) > -1e-12


@pytest.mark.row("C-09")
@pytest.mark.parametrize("share", [0.99, 1.01])
def test_a_load_that_swings_is_followed_while_everything_sticks(share):
    """Nothing moves, so nothing but the cone sees the load: it slips at its crests."""
    mu, w = 0.3, 7.0
    speed = share * mu * G / w
    block = ph.Particle("block", 1.0)
    on = ph.Support(
        ph.surfaces.point(block.mass_centre), WORLD.origin, friction=ph.Coulomb(mu),
        belt=(lambda t: speed * (1 - jnp.cos(w * t)), 0.0, 0.0), name="floor",
    )  # fmt: skip
    system = ph.System([block], [ph.Weight(G)], supports=[on])
    motion = ph.simulate(system, system.state(), until=6.0)
    first = np.arcsin(min(1 / share, 1.0)) / w
    slips = [each.t for each in motion.events if each.kind == "slides"]
    assert bool(slips) == (share > 1)
    if slips:
        assert_close(slips[0], first, atol=1e-9)
        crests = np.pi * np.arange(0.5, 6 * w / np.pi) / w
        assert len(slips) == len(crests[crests < 6.0])
