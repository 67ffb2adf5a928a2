"""A ball on a table that shakes: what the drive gives in impacts, and orbits of it."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G, A, W = 9.81, 0.01, 40.0
PERIOD = 2 * np.pi / W


@cache
def shaken() -> ph.System:
    world = ph.World()
    ball = ph.Particle("ball", 1.0)
    table = ph.Body("table", ph.solids.box(mass=1, x=1, y=1, z=0.1))
    lift = ph.Prismatic("lift", world.origin, table.origin, axis=ph.Z)
    drop = ph.Prismatic("drop", world.origin, ball.mass_centre, axis=ph.Z)
    shakes = ph.PrescribedMotion(lift, lambda t: A * jnp.sin(W * t))
    on = ph.Support(ph.surfaces.point(ball.mass_centre), table.origin,
                    restitution=ph.contact.Newton(0.0), name="top")  # fmt: skip
    return ph.System([lift, drop], [ph.Weight(G)], [shakes], supports=[on])


def start(t: float, up: float) -> ph.State:
    """The ball on the table at a time, with a velocity of its own."""
    at = {"lift": A * np.sin(W * t), "drop": A * np.sin(W * t)}
    speeds = {"lift": A * W * np.cos(W * t), "drop": up}
    return shaken().state(at, speeds=speeds, t=t)


@pytest.mark.row("C-08")
def test_a_ball_leaves_a_table_that_falls_faster():
    """e = 0: it leaves where A w^2 sin = g, and what the drive gives is no settling."""
    motion = ph.simulate(shaken(), start(0.0, A * W), until=4 * PERIOD)
    leaves = [each.t for each in motion.events if each.kind == "opens"]
    phases = np.mod(leaves, PERIOD) * W
    assert len(leaves) >= 2
    assert_close(np.sin(phases), np.full(len(leaves), G / (A * W * W)), atol=1e-7)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.work["settling"])) < 1e-7
    assert np.max(np.abs(ledger.balance)) < 1e-7
    lost = ledger.work["impacts of top"][-1]
    moved = ledger.energy[-1] - ledger.energy[0]
    assert_close(ledger.work["constraints"][-1], moved - lost, atol=1e-7)


@pytest.mark.row("D-03")
@pytest.mark.parametrize("n", [1, 2])
def test_a_ball_bounces_with_the_period_of_the_table(n):
    """Flights of n periods: at each bounce it rises at (1 - e)/(1 + e) g n T/2."""
    e = 0.8
    up = G * n * PERIOD / 2
    rises = (1 - e) / (1 + e) * up
    t = np.arccos(rises / (A * W)) / W
    motion = ph.simulate(
        shaken(), start(t, up), until=t + 4.5 * n * PERIOD,
        parameters={"top.restitution": e}, rtol=1e-12,
    )  # fmt: skip
    hits = motion["top"].impacts
    assert_close([h.t - t for h in hits], n * PERIOD * np.arange(1, 5), atol=1e-7)
    assert_close([h.before[0] for h in hits], [-up - rises] * 4, atol=1e-6)
