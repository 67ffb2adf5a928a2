"""Every model of the gallery: built, described, started, and held by its reactions."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import pytest

import polhode as ph
from balance import imbalance
from polhode.models import GALLERY

# Bodies, degrees of freedom by rank, and equations of constraints.
COUNTS = {
    "arm": (7, 7, 0),
    "belt_oscillator": (1, 3, 0),
    "atwood": (3, 1, 2),
    "bicycle": (4, 3, 6),
    "billiard_ball": (1, 6, 0),
    "bouncing_ball": (1, 3, 0),
    "bricard": (5, 1, 5),
    "car": (11, 14, 2),
    "cart_pendulum": (2, 2, 0),
    "chain_pendulum": (10, 10, 0),
    "chaplygin_sleigh": (1, 2, 1),
    "cradle": (5, 5, 0),
    "deep_space_triangle": (3, 18, 0),
    "double_atwood": (6, 2, 4),
    "double_pendulum": (2, 2, 0),
    "dumbbell_satellite": (1, 6, 0),
    "ellipsoid_in_fluid": (1, 6, 0),
    "four_bar": (3, 1, 5),
    "four_bars": (3, 1, 2),
    "gears_on_arm": (3, 2, 1),
    "gyroscope": (3, 3, 0),
    "heavy_top": (1, 3, 0),
    "humanoid": (32, 26, 10),
    "incline": (1, 3, 0),
    "inverted_pendulum": (2, 2, 0),
    "ladder": (1, 3, 0),
    "leader_follower": (2, 6, 0),
    "moving_hinge_pendulum": (2, 1, 1),
    "offset_craft": (1, 6, 0),
    "pendulum": (1, 1, 0),
    "quadruped": (5, 10, 0),
    "quarter_car": (3, 2, 1),
    "rattleback": (1, 3, 3),
    "reaction_wheel": (2, 7, 0),
    "rimless_wheel": (1, 3, 0),
    "rocking_block": (1, 3, 0),
    "rolling_cone": (1, 1, 3),
    "rolling_disc": (1, 3, 3),
    "rotor": (3, 3, 0),
    "rov": (1, 6, 0),
    "satellite": (1, 6, 0),
    "shaken_pendulum": (2, 1, 1),
    "single_track": (2, 3, 1),
    "sleeping_top": (1, 3, 0),
    "slider_crank": (3, 1, 5),
    "spherical_pendulum": (1, 2, 0),
    "sprung_pair": (3, 9, 1),
    "sprung_pendulum": (1, 1, 0),
    "tennis_racket": (1, 6, 0),
    "tethered_pair": (2, 5, 1),
    "thrown_cube": (1, 6, 0),
    "tree": (30, 30, 0),
    "tunnel": (2, 1, 1),
    "two_body": (2, 6, 0),
}


@cache
def begun(name: str) -> ph.State:
    """The state in which a model starts, built once."""
    return ph.models.start(name)


def test_the_counts_are_of_all_models():
    """No model is left out."""
    assert set(COUNTS) == set(GALLERY)


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_has_its_freedoms_and_its_line(name):
    """Bodies, freedoms and rows are as counted by hand; a sentence says what it is."""
    state = begun(name)
    found = ph.mobility(state.system, state)
    bodies = len(state.system.bodies)
    assert (bodies, found.by_rank, len(found.rows)) == COUNTS[name]
    assert ph.models.line(name).strip()


def test_a_model_is_asked_for_by_name():
    """The function, not its file, is what a name of the gallery means."""
    import_module("polhode.models.pendulums.pendulum")  # the file of the same name
    assert ph.models.pendulum is GALLERY["pendulum"]
    with pytest.raises(AttributeError, match="the gallery has no model 'pendulun'"):
        _ = ph.models.pendulun


# A few in the quick suite: joints, a gear, a driver, rolling.
QUICK = ("cart_pendulum", "gears_on_arm", "moving_hinge_pendulum", "rolling_disc")


@pytest.mark.row("C-15")
@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.long) for n in GALLERY],
)
def test_reactions_close_the_balance_of_every_body(name):
    """d/dt momentum = what acts + what joints and constraints exert, body by body."""
    state = begun(name)
    bare = state.system.without_supports
    state = ph.State(bare, state.t, state.q, state.z)
    equations = ph.recursive(bare)
    rng = np.random.default_rng(2)
    n = len(state.z)
    z = state.z * rng.uniform(0.7, 1.3, n) + 0.3 * rng.normal(size=n)
    moving = ph.State(state.system, state.t, state.q, z)
    moving = state.system.consistent(moving)
    assert imbalance(equations, moving) < 1e-10
