"""Sections: what returns is a point, energy is kept on a surface, clouds are told."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError


def trolley() -> ph.System:
    """A mass on a spring and a damper, pushed: x'' = -x - 0.5 x' + F."""
    block = ph.Particle("block", 1.0)
    rail = ph.Prismatic("rail", ph.World().origin, block.mass_centre, axis=ph.X)
    push = ph.Motor(rail, ph.Parameter("F", 0.0), name="push")
    actions = [ph.JointSpring(rail, 1.0), ph.JointDamper(rail, 0.5), push]
    return ph.System([rail], actions, name="trolley")


def pushed(period: float) -> dict:
    """F = a cos(2 pi t / period)."""
    law = ph.Controller(
        lambda t, state, a: a * jnp.cos(2 * jnp.pi * t / period),
        constants={"a": ph.Parameter("a", 1.0)},
    )
    return {"F": law}


def test_a_linear_system_returns_to_one_point_in_proportion_to_its_load():
    """Once a period it is at Re H(i W) a, whatever a: one point a run."""
    system, T = trolley(), 4.0
    amplitudes = np.array([0.5, 1.0, 2.0])
    found = ph.bifurcation(
        system, system.state(rail=0.3), "a", amplitudes,
        at=T, until=40 * T, after=30 * T, inputs=pushed(T),
    )  # fmt: skip
    W = 2 * np.pi / T
    H = 1 / (1 - W**2 + 0.5j * W)
    wanted = amplitudes[found.run] * H.real
    np.testing.assert_allclose(found["rail"], wanted, atol=1e-7)
    assert found.distinct("rail").tolist() == [1, 1, 1]
    np.testing.assert_allclose(found["a"], amplitudes[found.run])
    assert "3 values of a" in repr(found)


def test_a_surface_is_met_on_it_and_with_the_same_energy():
    """A double pendulum keeps its energy wherever its elbow is straight."""
    start = ph.models.start("double_pendulum")
    straight = ph.Event("straight", lambda t, state: jnp.sin(state["elbow"]), 1)
    found = ph.poincare(start.system, start, at=straight, until=12.0)
    assert len(found) > 3
    np.testing.assert_allclose(np.sin(found["elbow"]), 0.0, atol=1e-9)
    motion = ph.simulate(start.system, start, until=12.0, rtol=1e-9)
    np.testing.assert_allclose(found.states[0, :2], motion.at(found.t[0]).q, atol=1e-7)


def test_angles_that_go_round_are_drawn_within_half_a_turn():
    """The same place after a turn is the same point."""
    system = ph.models.pendulum()
    start = system.state(hinge=0.0, speeds={"hinge": 12.0})
    found = ph.poincare(system, start, at=0.3, until=9.0)
    assert np.ptp(found["hinge"]) > 2 * np.pi
    assert np.all(np.abs(found.wrapped("hinge")) <= np.pi)


def test_what_cannot_be_looked_at_is_refused():
    """No period, no parameter, nothing after the transient."""
    system = trolley()
    with pytest.raises(AnalysisError, match="every -1"):
        ph.poincare(system, system.rest(), at=-1.0, until=2.0)
    with pytest.raises(AnalysisError, match="no parameter 'b'"):
        ph.bifurcation(system, system.rest(), "b", [1.0], at=1.0, until=2.0, after=0.0)
    with pytest.raises(AnalysisError, match="has no 'cart'"):
        ph.poincare(system, system.state(rail=1.0), at=1.0, until=2.0)["cart"]
