"""Zeros that are hard to see: close, beside poles and jumps, quicker than looks."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError, IntegrationWarning


@cache
def thrown() -> ph.System:
    """A ball that falls: in steps of a second, whatever the events do."""
    return ph.System([ph.Particle("ball", 0.1)], [ph.Weight(9.81)], name="thrown")


def met(function, until=2.0, **more):
    """Events of a function of time along the fall."""
    event = ph.Event("e", function, **more)
    start = thrown().state({"ball": (0, 0, 1.0)})
    return ph.simulate(thrown(), start, until=until, events=event)


@pytest.mark.parametrize("gap", [0.1, 1e-3])
def test_three_zeros_between_two_looks_are_three(gap):
    """A cubic passes zero thrice within a share of a step: up, down and up again."""
    found = met(lambda t: (t - 1.0) * (t - 1.0 - gap) * (t - 1.0 - 2 * gap)).events
    assert [event.direction for event in found] == [1, -1, 1]
    assert np.allclose(found.t, 1.0 + gap * np.arange(3), rtol=1e-10, atol=0)


def test_two_zeros_on_a_slope_are_two():
    """g falls at both looks and turns twice in between, below zero and back."""
    found = met(lambda t: (t - 1.1) * (t - 1.2) * (1.5 - t) + 1e-4).events
    exact = np.roots(np.poly([1.1, 1.2, 1.5]) * -1 + [0, 0, 0, 1e-4])
    assert np.allclose(found.t, np.sort(exact.real), rtol=1e-10, atol=0)


def test_poles_are_not_zeros():
    """tan changes sign at its poles too, and 1/(t - 1) only there; a jump is met."""
    assert np.allclose(met(lambda t: jnp.tan(np.pi * t / 2), until=2.5).events.t, [2.0])
    assert len(met(lambda t: 1.0 / (t - 1.03)).events) == 0
    jump = met(lambda t: jnp.where(t > 1.23, 3.0, -1.0)).events
    assert jump.t == pytest.approx([1.23], rel=1e-12)


@pytest.mark.long
def test_a_spacing_is_kept_however_close():
    """12732 zeros in two seconds, in steps of one: all of them."""
    found = met(lambda t: jnp.sin(20000 * t), spacing=1e-4).events
    assert len(found) == int(40000 / np.pi)


def test_what_is_quicker_than_all_looks_is_told():
    """Without a spacing zeros would be missed: the run stops before and says so."""
    with pytest.warns(IntegrationWarning, match=r"turns more often.*spacing"):
        motion = met(lambda t: jnp.sin(1e6 * t))
    assert motion.outcome.code == "FORCE"
    assert len(motion) >= 1
    with pytest.warns(IntegrationWarning, match=r"zeros too close.*shorter steps"):
        met(lambda t: jnp.sin(1e6 * t), spacing=1e-9)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t, state: t > 1.0, "gives a truth value"),
        (lambda t, state: 1.0 if t > 1 else -1.0, "'e' cannot be traced"),
        (lambda t, state: np.sin(state["ball"][2]), "'e' cannot be traced"),
        (lambda t, state: state["ball"], "gives 3 numbers"),
        (lambda state: state["ball"][2], "is given the time alone.*lambda t, state"),
        (lambda t, state: {}["gone"], "'e' cannot be traced.*KeyError: 'gone'"),
        (lambda: 1.0, "needs 0 arguments"),
        (lambda a, b, c, d: 1.0, "needs 4 arguments"),
    ],
)
def test_functions_that_are_no_events_are_refused_by_name(function, words):
    """Truths, Python's own branches, vectors and wrong arguments."""
    with pytest.raises(IntegrationError, match=f"(?s){words}"):
        met(function)


@pytest.mark.parametrize(
    "given",
    [{"name": 3}, {"name": ""}, {"direction": [1]}, {"spacing": "a"}, {"spacing": -1}],
)
def test_words_that_are_none_are_refused(given):
    """Names, directions and spans are checked when the event is made."""
    with pytest.raises(IntegrationError, match="event"):
        ph.Event(**{"name": "e", "function": lambda t: t, **given})
