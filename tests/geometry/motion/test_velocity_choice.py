"""Laws of the choice of velocities: the motion does not depend on it."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import StateError
from polhode.geometry import se3
from polhode.geometry.motion import velocity_choice
from polhode.geometry.motion.velocity_choice import HYBRID, LEFT, RIGHT, VelocityChoice
from rk4 import rk4
from strategies_geometry import displacement_matrix, generators

MIX = np.random.default_rng(20).normal(size=(6, 6)) + 3 * np.eye(6)


def mixed_forms(X):
    """Six independent one-forms that depend on the pose."""
    return MIX @ se3.adjoint(X)


def choices(base) -> list[VelocityChoice]:
    """Every kind of choice, the coordinates taken near a base pose."""
    own = velocity_choice.custom("own", mixed_forms)
    return [LEFT, RIGHT, HYBRID, velocity_choice.jet(base), own]


@pytest.mark.row("G-01")
@given(generators)
def test_any_six_forms_name_a_velocity(rng):
    """z = sigma(q) qdot and back, for random invertible sigma and every choice."""
    X, V = displacement_matrix(rng), rng.normal(size=6)
    sigma = rng.normal(size=(6, 6)) + 4 * np.eye(6)
    random = velocity_choice.custom("random", lambda X: sigma)
    for choice in [*choices(X @ se3.exp(0.5 * rng.normal(size=6))), random]:
        z = choice.speeds(X, V)
        assert_close(choice.body_twist(X, z), V, rtol=1e-11)
    assert_close(random.speeds(X, V), sigma @ V)


@pytest.mark.row("G-01")
def test_dependent_forms_are_refused():
    """A singular sigma is refused, with the motion that it cannot see."""
    sigma = np.diag([1.0, 1, 0, 1, 1, 1])
    choice = velocity_choice.custom("lame", lambda X: sigma)
    with pytest.raises(StateError) as caught:
        choice.body_twist(np.eye(4), np.ones(6))
    text = str(caught.value)
    assert "the velocity forms 'lame' are not independent" in text
    assert "rank 5 of 6" in text
    with pytest.raises(StateError, match="rank 5 of 6"):
        choice.speeds(np.eye(4), np.ones(6))


@pytest.mark.row("G-09")
def test_the_motion_does_not_know_which_velocity_was_chosen():
    """Integrated in each choice, Xdot = X hat(V(z)), the motion is one, to 1e-8.

    A steady law for the body twist is rewritten as a law for z, integrated as
    (X, z) jointly with z_dot found by differencing z along the motion of X.
    """
    rng = np.random.default_rng(21)
    start, spin = displacement_matrix(rng), rng.normal(size=6) * 0.7
    step = 1e-5

    def twist_law(t):
        return spin * np.array([1, np.cos(t), np.sin(2 * t), 1, t, np.cos(t)])

    def rate_of(choice):
        def rate(t, packed):
            X, z = packed[:16].reshape(4, 4), packed[16:]
            V = choice.body_twist(X, z)
            V_dot = (twist_law(t + step) - twist_law(t - step)) / (2 * step)
            ahead = choice.speeds(X @ se3.exp(step * V), V + step * V_dot)
            behind = choice.speeds(X @ se3.exp(-step * V), V - step * V_dot)
            z_dot = (ahead - behind) / (2 * step)
            return np.concatenate([(X @ se3.hat(V)).ravel(), z_dot])

        return rate

    ends, speeds = [], []
    for choice in choices(start):
        first = np.concatenate([start.ravel(), choice.speeds(start, twist_law(0.0))])
        last = rk4(rate_of(choice), first, 0.0, 1.0, 100)
        ends.append(last[:16].reshape(4, 4))
        speeds.append(last[16:])
    for end in ends[1:]:
        assert_close(end, ends[0], rtol=1e-8)
    for other in speeds[1:]:
        assert np.max(np.abs(other - speeds[0])) > 1e-3  # only the numbers differ


def test_named_choices_are_what_they_say():
    """Right is Ad X times left; hybrid turns only the linear half; jet is qdot."""
    rng = np.random.default_rng(22)
    X, V = displacement_matrix(rng), rng.normal(size=6)
    assert_close(LEFT.speeds(X, V), V)
    assert_close(RIGHT.speeds(X, V), se3.adjoint(X) @ V)
    hybrid = np.concatenate([V[:3], X[:3, :3] @ V[3:]])
    assert_close(HYBRID.speeds(X, V), hybrid)
    base = X @ se3.exp(-0.4 * rng.normal(size=6))
    step = 1e-6
    q = [se3.log(se3.inverse(base) @ X @ se3.exp(h * V)) for h in (-step, step)]
    expected = (q[1] - q[0]) / (2 * step)
    assert_close(velocity_choice.jet(base).speeds(X, V), expected, rtol=1e-8)
    assert repr(RIGHT) == "VelocityChoice('right')"


def test_choices_pass_through_a_trace():
    """Every choice may be jitted, the user's own too."""
    rng = np.random.default_rng(23)
    X, V = displacement_matrix(rng), rng.normal(size=6)
    with jax.enable_x64(True):
        for choice in choices(X):

            def there_and_back(X, V, choice=choice):
                return choice.body_twist(X, choice.speeds(X, V))

            assert_close(jax.jit(there_and_back)(X, V), V, rtol=1e-11)
