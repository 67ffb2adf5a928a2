"""Hill and Tschauner-Hempel in closed form, beside the full equations; and keeping."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formation.closed_forms import anomaly_after

forms = ph.formations
WEIGH = np.array([1, 1, 1, 1e3, 1e3, 1e3])


@pytest.mark.row("S-06")
def test_hill_is_the_exponential_of_its_system():
    """P' = A P and P(0) = 1; A is that of the linearised craft."""
    from scipy.linalg import expm

    n = 1.1e-3
    A = forms.hill(n).A
    for t in (0.0, 300.0, 5000.0):
        P = forms.hill_transition(n, t)
        assert_close(P * WEIGH / WEIGH[:, None], expm(A * t) * WEIGH / WEIGH[:, None])


@pytest.mark.row("S-07")
@pytest.mark.parametrize(("e", "anomaly"), [(0.0, 0.3), (0.3, -1.0), (0.7, 2.0)])
def test_tschauner_hempel_is_the_linearised_motion_of_two_craft(e, anomaly):
    """Against the variational equations of the full ones, in the orbital frame."""
    orbit = forms.Orbit(mu=1.0, parameter=1.3, eccentricity=e, anomaly=anomaly)
    full = forms.relative_orbit(orbit, until=3.0)
    for t in (0.7, 3.0):
        assert_close(
            forms.tschauner_hempel(orbit, t), full.transition(0.0, t), rtol=1e-8
        )
    r, v = full.along.motion.final.q[:3], full.along.motion.final.z[:3]
    later = forms.Orbit.from_state(r, v, 1.0).anomaly if e else None
    if e:
        turn = anomaly_after(orbit, 3.0) - later
        assert abs(np.sin(turn)) < 1e-9
    there = orbit.__class__(
        mu=1.0, parameter=1.3, eccentricity=e, anomaly=anomaly_after(orbit, 1.0)
    )
    whole = forms.tschauner_hempel(orbit, 2.5)
    parts = forms.tschauner_hempel(there, 1.5) @ forms.tschauner_hempel(orbit, 1.0)
    assert_close(parts, whole, rtol=1e-9)


def test_what_has_no_closed_form_is_refused():
    """A hyperbola, a rate of zero, a gain of another shape, a craft of no name."""
    open_orbit = forms.Orbit(mu=1.0, parameter=1.3, eccentricity=1.2)
    with pytest.raises(ph.PolhodeError, match="no such solution about a hyperbola"):
        forms.tschauner_hempel(open_orbit, 1.0)
    with pytest.raises(ph.PolhodeError, match="no circle is gone round"):
        forms.hill(0.0)
    system = ph.models.leader_follower()
    keep = forms.formation_keeping
    with pytest.raises(ph.PolhodeError, match="has the shape"):
        keep(system, "leader", "follower", np.eye(3))
    with pytest.raises(ph.PolhodeError, match="no craft 'folower'"):
        keep(system, "leader", "folower", np.zeros((3, 6)))
    with pytest.raises(ph.PolhodeError, match="has no motor"):
        keep(system, "follower", "leader", np.zeros((3, 6)))


def test_a_linear_quadratic_gain_settles_and_costs_least():
    """Closed-loop eigenvalues on the left; any other gain costs more from any start."""
    from scipy.linalg import solve_continuous_lyapunov

    space = forms.hill(1.0)
    Q, R = np.diag([1.0, 2, 3, 4, 5, 6]), np.diag([1.0, 2, 1])

    def cost(K):
        closed = space.A - space.B @ K
        assert np.max(np.linalg.eigvals(closed).real) < 0
        return solve_continuous_lyapunov(closed.T, -(Q + K.T @ R @ K))

    K = ph.linear_quadratic(space, Q, R)
    rng = np.random.default_rng(1)
    for _ in range(5):
        worse = cost(K + 0.02 * rng.normal(size=K.shape)) - cost(K)
        assert np.min(np.linalg.eigvalsh(worse)) > -1e-10
        assert np.max(np.linalg.eigvalsh(worse)) > 1e-6
    with pytest.raises(ph.PolhodeError, match="not positive"):
        ph.linear_quadratic(space, Q, 0 * R)
    with pytest.raises(ph.PolhodeError, match="Q of a quadratic cost has the shape"):
        ph.linear_quadratic(space, np.eye(3), R)


def test_a_linearised_system_has_a_gain():
    """What `ph.linearise` gives is taken as its matrices; without inputs: refused."""
    cart = ph.models.cart_pendulum()
    linear = ph.linearise(cart, inputs=["push"])
    K = ph.linear_quadratic(linear, [1] * 4, [1])
    np.testing.assert_array_equal(K, ph.linear_quadratic(linear.matrices, [1] * 4, [1]))
    with pytest.raises(ph.PolhodeError, match="without inputs has no gain"):
        ph.linear_quadratic(ph.linearise(cart), [1] * 4, [])
