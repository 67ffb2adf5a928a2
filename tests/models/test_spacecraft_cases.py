"""Three worked cases of spacecraft: each reaches what it is led to, and is the same.

The numbers at the end of each are those of the runs as they were first looked at.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import so3

UNTIL = {"offset_craft": 30.0, "leader_follower": 6000.0, "deep_space_triangle": 400.0}
METHOD = ph.methods.DormandPrince8(rtol=1e-10, atol=1e-9)


# Regression: at 6 s, at 6000 s and at 400 s.
OFFSET_CRAFT = np.array(
    [
        *(0.9439626223, 0.2039420195, 0.1267694803, 0.2264325932),
        *(0.6957198096, -0.230367007, 0.0025223898),
    ]
)
LEADER_FOLLOWER = np.array([0.05302, -199.98506, 0.05120])
TRIANGLE = np.array(
    [[-28.867600, 50.000085, 0.0], [-28.867487, -49.999918, 0.0], [57.735073, 0.0, 0.0]]
)


@cache
def run(name):
    """The case as the gallery has it, driven by its inputs."""
    state = ph.models.start(name)
    laws = ph.models.inputs(state.system, name)
    until = UNTIL[name]
    return ph.simulate(state.system, state, until=until, inputs=laws, method=METHOD)


@pytest.mark.row("S-16")
def test_a_craft_with_an_offset_mass_centre_tracks_its_attitude():
    """The turn to the wanted attitude shrinks; the origin comes to rest."""
    from polhode.models.space.offset_craft import attitude_wanted

    motion = run("offset_craft")
    craft = motion["craft"]
    errors = []
    for t, R in zip(motion.t, craft.orientation, strict=True):
        wanted = np.asarray(attitude_wanted(np.float64(t))[0], float)
        errors.append(np.linalg.norm(so3.log(wanted.T @ R)))
    assert errors[0] > 1.0
    assert errors[-1] < 2e-3
    assert np.linalg.norm(craft.position[-1]) < 5e-3 * np.linalg.norm(craft.position[0])
    assert_close(craft.position[len(motion) // 2], motion.q[len(motion) // 2, 4:])
    middle = motion.at(6.0)
    assert_close(middle.q, OFFSET_CRAFT, atol=1e-6)


@pytest.mark.row("S-16")
def test_a_follower_is_kept_behind_its_leader():
    """To 200 m behind in an orbit, and there; J2 leaves it within half a metre."""
    motion = run("leader_follower")
    seen = motion["follower"].seen_from(ph.space.LocalFrame("leader"))
    assert_close(seen.position[0], [-300, -1000, 100], rtol=1e-9)
    assert np.linalg.norm(seen.position[-1] - [0, -200, 0]) < 0.5
    assert np.linalg.norm(seen.velocity[-1]) < 0.01
    assert_close(seen.position[-1], LEADER_FOLLOWER, atol=2e-3)


@pytest.mark.row("S-16")
def test_three_craft_in_deep_space_form_a_triangle_that_turns():
    """Sides of 100 m, the middle at rest, each looking outwards along its X."""
    motion = run("deep_space_triangle")
    places = np.stack([motion[n].position for n in "ABC"], axis=1)
    sides = np.linalg.norm(places - np.roll(places, 1, axis=1), axis=2)
    assert np.ptp(sides[0]) > 10
    assert_close(sides[-1], [100.0] * 3, rtol=1e-3)
    assert np.linalg.norm(places[-1].mean(axis=0)) < 0.1
    outwards = np.stack([motion[n].orientation[-1, :, 0] for n in "ABC"])
    assert_close(outwards * 100 / np.sqrt(3), places[-1], rtol=5e-3)
    assert_close(places[-1], TRIANGLE, atol=2e-4)


@pytest.mark.parametrize("name", UNTIL)
def test_a_case_has_its_energy_in_the_ledger(name):
    """What the jets give is what the motion has: no joule is lost."""
    ledger = run(name).ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
