"""What several contacts can hold together: some share within all cones is enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close

G, LENGTH = 9.81, 2.0
WORLD = ph.World()
MU_FLOOR, MU_WALL = ph.Parameter("floor.mu", 0.4), ph.Parameter("wall.mu", 0.3)


def leaning() -> tuple[ph.Body, ph.Planar, list[ph.Support]]:
    """A ladder of 2 m and 1 kg, rough at both of its ends."""
    rod = ph.Body("ladder", ph.solids.rod(mass=1.0, length=LENGTH, along=ph.X))
    plane = ph.Planar("plane", WORLD.origin, rod.origin, normal=ph.Y)
    ends = [(-1.0, "floor", ph.Z, MU_FLOOR), (1.0, "wall", (-1, 0, 0), MU_WALL)]
    supports = [
        ph.Support(ph.surfaces.point(rod.point(x, 0, 0)), WORLD.origin, normal=n,
                   friction=ph.Coulomb(mu, mu), name=name)
        for x, name, n, mu in ends
    ]  # fmt: skip
    return rod, plane, supports


@pytest.fixture(scope="module")
def ladder() -> ph.System:
    _, plane, supports = leaning()
    return ph.System([plane], [ph.Weight(G)], supports=supports, name="ladder")


def at(system, angle, **more):
    return system.state({"plane": (-angle, np.sin(angle), -np.cos(angle)), **more})


@pytest.mark.row("C-09")
@settings(max_examples=6, deadline=None)
@given(st.floats(0.1, 0.9), st.floats(0.0, 0.9), st.sampled_from([1e-6, 1e-3, 0.1]))
def test_a_ladder_holds_exactly_where_some_share_does(ladder, floor, wall, beside):
    """tan = (1 - mu_1 mu_2)/(2 mu_1), where both ends are at their cones."""
    table = {"floor.mu": floor, "wall.mu": wall}
    limit = np.arctan((1 - floor * wall) / (2 * floor))
    for angle, holds in ((limit + beside, True), (limit - beside, False)):
        (mode, *_) = ph.contact_modes(at(ladder, angle), table)
        still = np.max(np.abs(mode.accelerations)) < 1e-9 * G
        assert bool(still) == holds
        assert ph.static_rest(at(ladder, angle), table=table).rests == holds


@pytest.mark.long
def test_a_ladder_slips_when_somebody_has_climbed_too_far():
    """Moments about the foot with both ends at their cones; not a step earlier."""
    rod, plane, supports = leaning()
    man, angle, speed = ph.Particle("man", 3.0), 1.0, 0.5
    rung = ph.Prismatic("rung", rod.point(-1, 0, 0), man.mass_centre, axis=ph.X)
    climb = ph.PrescribedMotion(rung, ph.Formula("0.1 + 0.5 * t", ("t",)))
    system = ph.System([plane, rung], [ph.Weight(G)], [climb], supports)
    floor = 4.0 * G / (1 + 0.4 * 0.3)
    wall = 0.4 * floor
    moment = wall * LENGTH * (np.sin(angle) + 0.3 * np.cos(angle))
    place = (moment / (G * np.cos(angle)) - LENGTH / 2) / 3.0
    start = system.state(
        {"plane": (-angle, np.sin(angle), -np.cos(angle)), "rung": 0.1},
        speeds={"rung": speed},
    )
    slips = (place - 0.1) / speed
    motion = ph.simulate(system, start, until=slips + 0.1, rtol=1e-10)
    assert_close(motion.events.t[0], slips, rtol=1e-8)
    assert np.max(np.abs(motion.z[motion.t < slips - 1e-6, :3])) < 1e-12
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
