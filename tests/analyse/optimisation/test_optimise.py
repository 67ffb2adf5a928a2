"""The best motion: derivatives of goals, known optima, constraints, refusals."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.analyse.optimisation.optimise import _Task
from polhode.analyse.optimisation.variable import admit_variables, hats
from polhode.errors import AnalysisError, ModelError

AtEnd, Integral, Peak = ph.goals.AtEnd, ph.goals.Integral, ph.goals.Peak


@cache
def trolley() -> ph.System:
    """A mass m on a rail, pushed by F: m x'' = F."""
    block = ph.Particle("block", ph.Parameter("m", 2.0))
    rail = ph.Prismatic("rail", ph.World().origin, block.mass_centre, axis=ph.X)
    push = ph.Motor(rail, ph.Parameter("F", 0.0), name="push")
    return ph.System([rail], [push], name="trolley")


def at_rest() -> dict:
    """Constraints: one metre on, and at rest there."""
    return {
        "there": AtEnd(lambda t, state: state["rail"]).equals(1.0),
        "at rest": AtEnd(lambda t, state: state.speed("rail")).equals(0.0),
    }


def test_derivatives_of_goals_are_those_of_differences():
    """By knots, first state, end and parameter: of an end, an integral and a peak."""
    goals = (
        AtEnd(lambda t, state: jnp.sin(state["rail"]) * t),
        Integral(lambda t, state, v: v["F"] ** 2 + v["m"] * state["rail"] ** 2),
        Peak(lambda t, state: jnp.cos(3 * t) * state.speed("rail")),
    )
    shape = ph.InputShape([0.0, 0.4, 1.0], -9, 9, guess=[1.0, -2.0, 3.0])
    names = {"first rail": (-1, 1), "first speed of rail": (-1, 1), "m": (1, 3)}
    variables = {"F": shape, "until": (0.5, 1.5), **names}
    first = trolley().state(rail=0.1, speeds={"rail": 0.3})
    found = admit_variables(first, 1.0, variables, None, None)
    task = _Task(ph.recursive(trolley()), found, goals, 1e-10)
    here = task.evaluate(found.guess, is_first=True)
    h = 1e-4
    for k, name in enumerate(found.names):
        d = h * np.eye(len(found.names))[k]
        up, down = (task.evaluate(found.guess + s * d).values for s in (1, -1))
        # A peak is the largest of samples, which move with the end: 1e-3.
        np.testing.assert_allclose(
            here.slopes[:, k], (up - down) / (2 * h), rtol=5e-4, atol=1e-3, err_msg=name
        )


def test_the_least_effort_is_a_straight_force():
    """One metre from rest to rest in T: F = 6 m (1 - 2 t/T) / T^2, effort 12 m^2/T^3.

    The straight line is among the shapes, so it is found.
    """
    T, m = 1.5, 2.0
    knots = np.linspace(0, T, 5)
    found = ph.optimise(
        trolley(),
        {"F": ph.InputShape(knots, -50, 50, guess=1.0)},
        Integral(lambda t, state, v: v["F"] ** 2),
        constraints=at_rest(),
        start=trolley().rest(),
        until=T,
    )
    assert found.is_converged
    assert found.value == pytest.approx(12 * m**2 / T**3, rel=1e-5)
    wanted = 6 * m * (1 - 2 * knots / T) / T**2
    np.testing.assert_allclose(found.inputs["F"], wanted, atol=2e-3)
    assert found.kept["there"] == pytest.approx(1.0, abs=1e-6)
    assert "active" in repr(found)
    assert found.history[-1].violation < 1e-5


def test_with_a_bound_on_the_force_the_least_time_is_that_of_two_halves():
    """From rest to rest over 1 m with |F| <= f: T = 2 sqrt(m s / f), from 'until'."""
    f, m = 10.0, 2.0
    law = ph.Controller(
        lambda t, state, T: f * jnp.tanh(100 * (T / 2 - t)),
        constants={"T": ph.Parameter("T", 1.1)},
    )
    found = ph.optimise(
        trolley(),
        {"until": (0.5, 2.0), "T": (0.5, 2.0)},
        lambda t, state: t + 0.0 * state["rail"],
        constraints=at_rest(),
        inputs={"F": law},
        start=trolley().rest(),
        until=1.2,
    )
    assert found.value == pytest.approx(2 * np.sqrt(m / f), rel=2e-3)


def test_the_first_turn_of_a_free_body_is_found():
    """Turns of a rotation are variables, counted from the start: z of the body goes
    along X when it is turned by a right angle about Y."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.2, z=0.3))
    ball = ph.Spherical("ball", ph.World().origin, block.origin)
    system = ph.System([ball], name="ball")
    tip = ph.goals.AtEnd(lambda t, state: _x_of_z(state.q))
    names = [f"first {name}" for name in system.speed_names]
    found = ph.optimise(
        system, dict.fromkeys(names, (-2.0, 2.0)), tip,
        start=system.rest(), until=0.1, guess={names[1]: 0.8, names[0]: 0.3},
    )  # fmt: skip
    assert found.value == pytest.approx(-1.0, abs=1e-6)


def _x_of_z(q):
    """Minus the component along X of the body's z axis."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return -2 * (x * z + w * y)


def test_hats_sum_to_one_and_are_one_at_their_knots():
    """An input between knots is their mean, weighted; beyond them the last."""
    knots = np.array([0.0, 0.2, 1.0])
    for t in (-1.0, 0.0, 0.1, 0.7, 3.0):
        assert float(hats(knots, t).sum()) == pytest.approx(1.0)
    np.testing.assert_allclose(hats(knots, 0.2), [0, 1, 0], atol=1e-7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"variables": {"mass": (1, 2)}}, "no variable 'mass'"),
        ({"variables": {}}, "nothing was given that may change"),
        ({"variables": {"m": (3, 2)}}, "cannot lie between 3 and 2"),
        ({"variables": {"m": 3}}, "does not bound"),
        ({"variables": {"m": ph.InputShape([0, 1], 0, 1)}}, "no input 'm'"),
        ({"objective": 3.0}, "is no goal"),
        ({"constraints": [lambda t, s: 0]}, "is no constraint"),
        ({"solver": "Newton"}, "no solver 'Newton'"),
        ({"solver": "L-BFGS-B", "constraints": at_rest()}, "bounds of variables alone"),
        ({"guess": {"k": 1.0}}, "is no variable"),
    ],
)
def test_what_cannot_be_searched_is_refused(change, words):
    """Before anything runs, and by name."""
    given = {"variables": {"m": (1, 2)}, "objective": lambda t, s: s["rail"], **change}
    variables, objective = given.pop("variables"), given.pop("objective")
    with pytest.raises((AnalysisError, ModelError), match=words):
        ph.optimise(
            trolley(),
            variables,
            objective,
            start=trolley().rest(),
            until=1.0,
            **given,
        )


def test_knots_must_rise_and_bounds_must_not_cross():
    """Shapes and constraints are refused where they are made."""
    with pytest.raises(AnalysisError, match="no shape"):
        ph.InputShape([0.0, 0.0], -1, 1)
    with pytest.raises(AnalysisError, match="no motion keeps"):
        AtEnd(lambda t, state: t).within(2.0, 1.0)
