"""Relative orbits in closed form: about a circle by Hill, about ellipses beyond.

x outwards, y ahead, z along r x v, as the leader's orbital frame sees them (m), and
their rates in that frame (m/s). `relative_orbit` gets the same by linearising the full
equations of two craft along their motion; here it is written down.

    circle    x'' - 2 n y' - 3 n^2 x = fx,   y'' + 2 n x' = fy,   z'' + n^2 z = fz
    ellipse   in the true anomaly the coefficients are 1 + e cos nu (Tschauner-Hempel),
              solved without singularity at e = 0 by Yamanaka and Ankersen
"""

from __future__ import annotations

import numpy as np

from polhode.actions.space.ephemeris import KeplerianEphemeris, eccentric_anomaly
from polhode.analyse.linear.state_space import StateSpace
from polhode.arrays import Scalar
from polhode.errors import StateError
from polhode.formation.orbit import Orbit
from polhode.formation.relative_orbit import INPUTS, STATES

# From (x outwards, y ahead, z normal) to Yamanaka's axes: ahead, minus normal, down.
TO_LVLH = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])


def hill(rate: float) -> StateSpace:
    """The linear system about a circle of rate n (rad/s).

    >>> hill(1.0).A[3].tolist()
    [3.0, 0.0, 0.0, 0.0, 2.0, 0.0]
    """
    n = _positive(rate)
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, 0], A[5, 2] = 3 * n**2, -(n**2)
    A[3, 4], A[4, 3] = 2 * n, -2 * n
    B = np.concatenate([np.zeros((3, 3)), np.eye(3)])
    return StateSpace(A, B, np.eye(6), np.zeros((6, 3)), STATES, INPUTS, STATES)


def hill_transition(rate: float, t: float) -> np.ndarray:
    """P (6, 6): a small relative state x about a circle is P x after t seconds.

    >>> hill_transition(1.0, 0.0).diagonal().tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    n = _positive(rate)
    a = n * float(t)
    s, c = np.sin(a), np.cos(a)
    return np.array(
        [
            [4 - 3 * c, 0, 0, s / n, 2 * (1 - c) / n, 0],
            [6 * (s - a), 1, 0, 2 * (c - 1) / n, (4 * s - 3 * a) / n, 0],
            [0, 0, c, 0, 0, s / n],
            [3 * n * s, 0, 0, c, 2 * s, 0],
            [6 * n * (c - 1), 0, 0, -2 * s, 4 * c - 3, 0],
            [0, 0, -n * s, 0, 0, c],
        ]
    )


def tschauner_hempel(orbit: Orbit, t: float) -> np.ndarray:
    """P (6, 6): a small relative state about an ellipse is P x after t seconds.

    `orbit` is the leader's at the beginning. About a circle it is Hill's.

    >>> circle = Orbit(mu=1.0, parameter=1.0, eccentricity=0.0)
    >>> bool(np.allclose(tschauner_hempel(circle, 2.0), hill_transition(1.0, 2.0)))
    True
    """
    if not orbit.eccentricity < 1:
        raise StateError(
            f"there is no such solution about a {orbit.kind}.",
            "Yamanaka's integral is for orbits that close.",
            "Take relative_orbit(orbit, until=...), which linearises the motion.",
        )
    first = orbit.anomaly
    last = anomaly_after(orbit, t)
    scale = np.sqrt(orbit.mu * orbit.parameter) / orbit.parameter**2
    begin = _to_pseudo(orbit.eccentricity, first) @ _scaled(orbit, first, scale)
    moved = _propagate(orbit.eccentricity, (first, last), scale * t)
    end = np.linalg.inv(_scaled(orbit, last, scale))
    turn = np.kron(np.eye(2), TO_LVLH)
    return turn.T @ end @ moved @ begin @ turn


def anomaly_after(orbit: Orbit, t: float) -> float:
    """The true anomaly (rad) of an orbit that closes, t seconds later."""
    path = KeplerianEphemeris.of(orbit)
    e = orbit.eccentricity
    E = eccentric_anomaly(np.float64(path.mean_anomaly + path.rate * t), e)
    half = np.sqrt((1 + e) / (1 - e)) * np.sin(E / 2)
    return float(2 * np.arctan2(half, np.cos(E / 2)))


# State order in what follows: x, y, z, x', y', z' in Yamanaka's axes.
_PLANE = np.array([0, 2, 3, 5])
_ACROSS = np.array([1, 4])


def _scaled(orbit: Orbit, nu: float, scale: float) -> np.ndarray:
    """To rho x and its derivative by the anomaly:  -e sin nu x + x'/(k^2 rho)"""
    e = orbit.eccentricity
    rho = 1 + e * np.cos(nu)
    found = np.zeros((6, 6))
    found[:3, :3] = rho * np.eye(3)
    found[3:, :3] = -e * np.sin(nu) * np.eye(3)
    found[3:, 3:] = np.eye(3) / (scale * rho)
    return found


def _to_pseudo(e: float, nu: float) -> np.ndarray:
    """Constants of the motion in the plane from the scaled state at the beginning."""
    rho = 1 + e * np.cos(nu)
    s, c = rho * np.sin(nu), rho * np.cos(nu)
    one = 1 + 1 / rho
    found, plane = np.eye(6), np.zeros((4, 4))
    plane[0] = [1 - e**2, 3 * e * s / rho * one, -e * s * one, 2 - e * c]
    plane[1, 1:] = [-3 * s / rho * (1 + e**2 / rho), s * one, c - 2 * e]
    plane[2, 1:] = [-3 * (c / rho + e), c * one + e, -s]
    plane[3, 1:] = [3 * rho + e**2 - 1, -(rho**2), e * s]
    found[np.ix_(_PLANE, _PLANE)] = plane / (1 - e**2)
    return found


def _propagate(e: float, anomalies: tuple[float, float], J: float) -> np.ndarray:
    """The scaled state at the end from those constants; J = k^2 (t - t0)."""
    first, nu = anomalies
    rho = 1 + e * np.cos(nu)
    s, c = rho * np.sin(nu), rho * np.cos(nu)
    s_prime = np.cos(nu) + e * np.cos(2 * nu)
    c_prime = -(np.sin(nu) + e * np.sin(2 * nu))
    one = 1 + 1 / rho
    plane = [
        [1, -c * one, s * one, 3 * rho**2 * J],
        [0, s, c, 2 - 3 * e * s * J],
        [0, 2 * s, 2 * c - e, 3 * (1 - 2 * e * s * J)],
        [0, s_prime, c_prime, -3 * e * (s_prime * J + s / rho**2)],
    ]
    a = nu - first
    found = np.zeros((6, 6))
    found[np.ix_(_PLANE, _PLANE)] = plane
    found[np.ix_(_ACROSS, _ACROSS)] = [
        [np.cos(a), np.sin(a)],
        [-np.sin(a), np.cos(a)],
    ]
    return found


def _positive(rate: Scalar) -> float:
    n = float(rate)
    if not 0 < n < np.inf:
        raise StateError(
            f"no circle is gone round at {rate!r} rad/s.",
            "The rate of an orbit is (mu/a^3)^(1/2), above zero.",
            "Give it in rad/s: 0.0011 at 500 km over the Earth.",
        )
    return n
