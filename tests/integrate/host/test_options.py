"""Wishes that no run can fulfil are refused at the door, before anything compiles."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationWarning


@cache
def sprung() -> ph.System:
    """x'' = -x."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    return ph.System([track], [ph.JointSpring(track, 1.0)], name="sprung")


def go(**wishes):
    system = sprung()
    wishes = {"until": 1.0, **wishes}
    return ph.simulate(system, system.state(track=1.0), **wishes)


def seen(function):
    return ph.Event("seen", function)


WRONG = {
    "an end in words": ({"until": "1"}, "cannot end at until = '1'"),
    "an end that is true": ({"until": True}, "cannot end at until = True"),
    "a tolerance in words": ({"rtol": "1e-6"}, "no motion .* rtol = '1e-6'"),
    "a tolerance of all": ({"rtol": 1.0}, "a share of the motion, below 1"),
    "a method without its numbers": (
        {"method": ph.methods.DormandPrince},
        "DormandPrince'> is not a method",
    ),
    "memory in words": ({"memory": "4 GB"}, "rows in memory = '4 GB'"),
    "no memory": ({"memory": 0}, "rows in memory = 0"),
    "a parameter in words": (
        {"parameters": {"block.mass": "1"}},
        "'block.mass' cannot be '1'",
    ),
    "a complex parameter": (
        {"parameters": {"block.mass": 1 + 1j}},
        "'block.mass' cannot be .1.1j.",
    ),
    "no values of a parameter": (
        {"parameters": {"block.mass": []}},
        "'block.mass' cannot be ..",
    ),
    "nobody to tell": ({"watch": "me"}, "progress cannot be reported to 'me'"),
    "an event of nothing": ({"events": seen(lambda t, s: None)}, "gives None"),
    "a complex event": (
        {"events": seen(lambda t, s: 1j * s["track"])},
        "gives a complex number",
    ),
    "an end out of reach": ({"until": 1e300}, "cannot run from 0 to 1e.300 s"),
    "an end that rounding hides": (
        {"until": 1e16},
        "cannot run from 0 to 1e.16 s",
    ),
    "steps out of count": (
        {"until": 1e300, "method": ph.methods.RungeKutta4(0.1), "samples": 2},
        "1e.301 steps",
    ),
}


@pytest.mark.parametrize("wish", WRONG)
def test_a_wrong_wish_is_refused(wish):
    """In the words of the project, with what was given."""
    given, words = WRONG[wish]
    with pytest.raises(ph.PolhodeError, match=words):
        go(**given)


@pytest.mark.parametrize(
    ("q", "z", "t", "words"),
    [
        ([["a"]], [[0.0]], 0.0, "coordinates of states of 'sprung' are not real"),
        ([[1.0]], [[1j]], 0.0, "speeds of states of 'sprung' are not real"),
        ([[1.0], [2.0]], [[0.0], [0.0]], [0, 1, 2], "and t of shape .3,."),
        ([[1.0], [2.0, 3.0]], [[0.0], [0.0]], 0.0, "not real numbers"),
        (1.0, 0.0, 0.0, "cannot have q of shape ..,"),
        (np.zeros((0, 1)), np.zeros((0, 1)), 0.0, "n at least one"),
    ],
)
def test_states_that_are_none_are_refused(q, z, t, words):
    """Words, complex numbers and wrong shapes, with the layout that is asked."""
    with pytest.raises(ph.PolhodeError, match=words):
        ph.States(sprung(), t, q, z)


def test_no_state_is_no_start():
    """An empty list, and a state of what is no system."""
    with pytest.raises(ph.PolhodeError, match="'sprung' was given no state"):
        ph.simulate(sprung(), [], until=1.0)
    with pytest.raises(ph.PolhodeError, match="'sprung' has no states"):
        ph.State("sprung", 0.0, [0.0], [0.0])


def test_a_limit_is_kept_to_the_step():
    """Seven attempts are seven, however many a chunk could make."""
    with pytest.warns(IntegrationWarning, match="used up its limit of steps"):
        motion = go(until=100.0, limit=7)
    assert motion.outcome.accepted + motion.outcome.rejected == 7
    whole = go(until=100.0)
    rows = len(motion)
    assert np.array_equal(motion.q, whole.q[:rows])


def test_a_watch_that_fails_costs_nothing():
    """It is told no more, and the run goes on, to the same bits."""

    def watch(progress):
        raise ValueError("no terminal")

    with pytest.warns(
        IntegrationWarning, match="raised ValueError: no terminal"
    ) as told:
        motion = go(until=100.0, watch=watch)
    assert len(told) == 1
    assert isinstance(told[0].message.__cause__, ValueError)
    assert motion.outcome.is_complete
    assert np.array_equal(motion.q, go(until=100.0).q)


def test_numbers_of_all_kinds_are_admitted():
    """Integers, NumPy's and JAX's numbers are as good as floats, to the same bits."""
    one = go(until=1.0).final
    for until in (1, np.int32(1), np.float32(1.0), np.array(1.0), jnp.array(1.0)):
        assert np.array_equal(go(until=until).final.q, one.q)
