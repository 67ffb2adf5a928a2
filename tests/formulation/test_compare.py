"""The short motion by which formulations are compared."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.compare import _middle, disagreement
from polhode.formulation.shared.short_motion import (
    SHARE,
    after_steps,
    answers_of,
    step_of,
)
from strategies_system import topology


def test_a_step_is_a_share_of_what_changes_fastest():
    """h = SHARE / w where speeds are large, SHARE / a^(1/2) where accelerations are."""
    system = topology("pendulum")
    quick = system.state(hinge=0.1, speeds={"hinge": 50.0})
    assert_close(step_of(quick, np.ones(6)), SHARE / 50.0)
    slow = system.state(hinge=0.1)
    assert_close(step_of(slow, np.full(6, 400.0)), SHARE / 20.0)


@pytest.mark.long
@pytest.mark.parametrize("form", [ph.gauss, ph.hamilton, ph.newton_euler])
def test_the_short_motion_is_that_of_the_simulation(form):
    """Steps by a formulation's own equations end where a tight simulation does."""
    system = topology("double_pendulum")
    state = system.state(shoulder=0.7, elbow=-0.4, speeds={"elbow": 1.5})
    h, steps = 5e-4, 32
    equations = form(system)
    y = equations.velocities(state)
    answer = ph.compile(answers_of(equations), state.t, state.q, y, batched=True)
    start = np.array([state.t]), state.q[None], y[None]
    q, V = after_steps(answer, *start, h=np.array([h]), steps=steps)
    later = ph.State(system, state.t, q[0], state.z)
    assert_close(system.poses(0.0, later.q).origins, places(reference()), rtol=1e-12)
    assert np.shape(V) == (1, 2, 6)


def places(q: np.ndarray) -> np.ndarray:
    """Where the bodies' origins are."""
    return topology("double_pendulum").poses(0.0, q).origins


@cache
def reference() -> np.ndarray:
    """Coordinates at the end, by SciPy, from accelerations of the recursive form."""
    from scipy.integrate import solve_ivp

    system = topology("double_pendulum")
    state = system.state(shoulder=0.7, elbow=-0.4, speeds={"elbow": 1.5})
    equations = ph.recursive(system)

    def slope(t, x):
        now = ph.State(system, t, x[:2], x[2:])
        return np.concatenate([x[2:], equations.accelerations(now)])

    start, span = np.concatenate([state.q, state.z]), (0.0, 32 * 5e-4)
    done = solve_ivp(slope, span, start, method="DOP853", rtol=1e-13, atol=1e-14)
    return done.y[:2, -1]


@cache
def bob_on_a_link() -> ph.System:
    """A bob that a link without mass holds by a pin: only rows hold the link."""
    world, bob = ph.World(), ph.Particle("bob", 1.0)
    link = ph.Body.from_inertia("link", mass=0.0, inertia=(0.0, 0.0, 0.0))
    hinge = ph.Revolute("hinge", world.origin, link.origin, axis=ph.Y)
    move = ph.Translation("move", world.origin, bob.mass_centre)
    pin = ph.Spherical("pin", link.point(0, 0, -1), bob.mass_centre)
    return ph.System([hinge, move, pin], [ph.Weight(9.81)], name="bob")


@pytest.mark.row("H-02")
@pytest.mark.parametrize(
    ("form", "says"),
    [
        (ph.hamilton, "Hamilton's equations do not apply to 'bob'"),
        (ph.routh, "Routh's procedure does not apply to 'bob'"),
        (ph.udwadia_kalaba, "Udwadia and Kalaba's equation does not apply to 'bob'"),
    ],
)
def test_forms_that_divide_by_the_masses_say_why_they_do_not_apply(form, says):
    """Where constraints alone hold what has no mass, M has no inverse."""
    with pytest.raises(ph.PolhodeError, match=says) as refusal:
        form(bob_on_a_link())
    assert "its mass matrix is singular along hinge" in str(refusal.value)


@pytest.mark.parametrize("form", [ph.gauss, ph.maggi])
def test_a_massless_link_swings_its_bob_all_the_same(form):
    """g sin a across, and the link carries the weight along itself."""
    state = ph.assemble(bob_on_a_link(), {"hinge": 0.5}).state
    a = form(bob_on_a_link()).body_accelerations(state)[1][3:]
    pull = 9.81 * np.cos(0.5) * np.array([np.sin(0.5), 0, np.cos(0.5)])
    assert_close(a, pull - [0, 0, 9.81], rtol=1e-9)


def test_a_form_without_numbers_spoils_no_other():
    """It is infinitely far from the median of the others, which agree."""
    sound, ill = np.ones((2, 3, 6)), np.full((2, 3, 6), np.nan)
    middle = _middle([sound, ill, sound])
    assert disagreement(sound, middle, 1.0) == 0.0
    assert disagreement(ill, middle, 1.0) == np.inf
    assert disagreement(ill, _middle([ill]), 1.0) == np.inf
