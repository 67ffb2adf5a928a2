"""Slip of a tyre that lags: over a length of travel, whatever the speed."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

ANGLE, LENGTH, STIFFNESS = 0.05, 0.5, 50e3


@pytest.fixture(scope="module")
def dragged() -> ph.System:
    """A wheel drawn along a rail at a slip angle, at a speed v."""
    world = ph.World()
    wheel = ph.Body("wheel", ph.solids.disc(mass=20, radius=0.3, along=ph.Y))
    way = (np.cos(ANGLE), np.sin(ANGLE), 0)
    rail = ph.Prismatic("rail", world.point(0, 0, 0.3), wheel.origin, axis=way)
    tyre = ph.vehicles.Tyre(
        wheel.origin,
        world.frame,
        0.3,
        ph.vehicles.LinearTyre(STIFFNESS, 70e3),
        load=3000.0,
        spins=False,
        low_speed=1e-6,
        relaxation=ph.Parameter("sigma", LENGTH),
    )
    law = ph.PrescribedMotion(
        rail, lambda t, v: v * t, constants={"v": ph.Parameter("v", 10.0)}
    )
    return ph.System([rail], [tyre], [law], name="dragged")


def steady(s: np.ndarray, length: float = LENGTH) -> np.ndarray:
    """tan(alpha) after a way s: 1 - exp(-x/sigma) of the whole."""
    return np.tan(ANGLE) * (1 - np.exp(-s * np.cos(ANGLE) / length))


@pytest.mark.parametrize("v", [2.0, 10.0])
def test_slip_builds_up_over_a_length(dragged, v):
    """u = tan(alpha) (1 - exp(-x/sigma)): of the way, not of the time."""
    system = dragged.with_({"v": v})
    start = ph.assemble(system).state
    motion = ph.simulate(system, start, until=2.0 / v, rtol=1e-10)
    slips = motion.controller("tyre")
    assert_close(slips[:, 1], steady(v * motion.t), atol=1e-9)
    assert_close(slips[:, 0], np.zeros(len(motion)))
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-9
    # The rail feels C u: its work is that of the force across along the way.
    across = STIFFNESS * slips[-1, 1] * np.sin(ANGLE)
    power = np.diff(ledger.work["tyre"][-2:]) / np.diff(v * motion.t[-2:])
    assert -across < power[0] < 0


def test_other_lengths_in_a_run(dragged):
    """The length is a parameter: twice of it, half as fast."""
    start = ph.assemble(dragged).state
    motion = ph.simulate(dragged, start, until=0.1, rtol=1e-10, parameters={"sigma": 1})
    assert_close(
        motion.controller("tyre")[-1, 1], steady(np.array(1.0), 1.0), rtol=1e-8
    )


def test_at_an_instant_slip_is_steady_or_given(dragged):
    """Without its states a tyre has the force of steady slip; with slips, theirs."""
    system, start = dragged, ph.assemble(dragged).state
    at = (0.0, start.q, start.z)
    full = system.wrenches(*at)["tyre"].forces[0]
    assert_close(full[1], -STIFFNESS * np.tan(ANGLE), rtol=1e-9)
    half = system.wrenches(*at, {"tyre": np.array([0.0, 0.01])})["tyre"].forces[0]
    assert_close(half[1], -STIFFNESS * 0.01, rtol=1e-9)
