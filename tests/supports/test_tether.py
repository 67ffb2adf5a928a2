"""Ropes: taut, slack, and jerked taut, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G, L = 9.81, 0.5


def swung(e: float = 0.0) -> ph.System:
    bob = ph.Particle("bob", 0.3)
    string = ph.tether(
        bob.mass_centre, ph.World().origin, L, restitution=e, name="string"
    )
    return ph.System([bob], [ph.Weight(G)], supports=[string], name="bob")


@pytest.mark.row("C-08")
def test_a_string_goes_slack_where_its_tension_ends():
    """From the bottom with v^2 = 3.5 g L: at cos = -(v^2 - 2 g L)/(3 g L) = -1/2."""
    system = swung()
    v = np.sqrt(3.5 * G * L)
    start = system.state(bob=(0, 0, -L), speeds={"bob": (v, 0, 0)})
    motion = ph.simulate(system, start, until=0.6, rtol=1e-10)
    slack = motion.events["string"][0]
    assert slack.kind == "opens"
    _, _, z = slack.before.q
    assert_close(z / L, 0.5, atol=1e-8)  # cos of the angle from below is -1/2
    assert_close(slack.before.z @ slack.before.z, 0.5 * G * L, rtol=1e-8)
    # Tension at the bottom is m g + m v^2/L, and it never pushes.
    assert_close(motion["string"].push[0, 0], 0.3 * (G + v * v / L), rtol=1e-9)
    taut = motion["string"].status[:, 0] != "open"
    assert np.min(motion["string"].push[taut, 0]) > -1e-9
    assert np.all(np.linalg.norm(motion.q, axis=1) < L * (1 + 1e-9))


@pytest.mark.row("D-03")
def test_a_rope_that_is_jerked_taut_takes_the_radial_speed():
    """Dropped from beside: what is along the rope is lost, what is across stays."""
    system = swung()
    start = system.state(bob=(0.3, 0, 0.0))
    motion = ph.simulate(system, start, until=0.4, rtol=1e-10)
    (jerk,) = motion["string"].impacts
    assert_close(jerk.t, np.sqrt(2 * 0.4 / G), rtol=1e-9)  # 3-4-5: it falls 0.4 m
    v = G * jerk.t
    lost = 0.5 * 0.3 * (v * 0.8) ** 2
    assert_close(jerk.push, -lost, rtol=1e-8)
    assert motion["string"].status[-1, 0] == "slides"
