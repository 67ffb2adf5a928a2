"""The rolling disc of SymPy's tests of Kane's method."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import so3

R, G = 0.26, 9.81

# q = (yaw, lean, roll), u the angular velocity in the disc's axes -> q', the velocity
# of the contact along the ground, and u'  (test_kane5.py; g 9.81, r 0.26, m 3.43)
POINTS = [
    (
        (0.3, 0.1, 1.97),
        (-0.2, 1.3, 0.15),
        (0.126603940595934, 0.215942571601660, 1.28736069604936),
        (0.319764288376543, 0.0989146857254898),
        (-0.925848952664489, -0.0181350656532944, 2.91695398184589),
    ),
    (
        (3.97, -0.28, 8.2),
        (-0.25, -2.2, 0.62),
        (0.0259159090798597, 0.668041660387416, -2.19283799213811),
        (0.385441810852219, 0.420109283790573),
        (1.45030568179066, -0.0110924422400793, -8.35617840186040),
    ),
]


@cache
def disc(form: str = "gauss") -> ph.results.Equations:
    return getattr(ph, form)(ph.models.rolling_disc())


def attitude(yaw: float, lean: float, roll: float) -> np.ndarray:
    """R_WB = turn about z by yaw, about x by lean, about y by roll."""
    turns = ([0, 0, yaw], [lean, 0, 0], [0, roll, 0])
    a, b, c = (so3.exp(np.array(turn, float)) for turn in turns)
    return a @ b @ c


def state_at(q, u) -> ph.State:
    """The disc on the ground at these angles, turning at u, rolling."""
    system = disc().system
    R_WB, up = attitude(*q), np.array([0, 0, 1.0])
    axle = R_WB[:, 1]
    to_centre = up - axle * (up @ axle)
    to_centre *= R / np.linalg.norm(to_centre)
    (free,) = system.joints
    place = to_centre - [0, 0, R]  # of the joint, which begins at the height R
    coordinates = free.coordinates_from(R_WB, place)
    v = np.cross(R_WB @ u, to_centre)
    speeds = np.concatenate([u, R_WB.T @ v])
    state = ph.State(system, 0.0, coordinates, speeds)
    assert system.consistent(state).is_close(state, rtol=1e-9)
    return state


@pytest.mark.parametrize(("q", "u", "q_dot", "contact", "u_dot"), POINTS)
def test_the_disc_rolls_as_printed(q, u, q_dot, contact, u_dot):
    """Angular accelerations in the disc's axes, at the printed points."""
    state = state_at(q, np.array(u))
    assert_close(disc().accelerations(state)[:3], u_dot, rtol=1e-11)
    # Rates of the angles: the same angular velocity.
    yaw, lean, _ = q
    R_WB = attitude(*q)
    turn = np.array([0, 0, 1.0]) * q_dot[0]
    turn += np.array([np.cos(yaw), np.sin(yaw), 0]) * q_dot[1]
    turn += R_WB[:, 1] * q_dot[2]
    assert_close(R_WB.T @ turn, u, rtol=1e-12)
    heading = np.array([np.cos(yaw), np.sin(yaw)])
    assert_close(R * q_dot[2] * heading, contact, rtol=1e-12)
    assert lean != 0


@pytest.mark.parametrize("seed", range(3))
def test_the_disc_in_axes_that_do_not_roll_with_it(seed):
    """u1' = (6 u2 u3 r - u3^2 r tan q2 + 4 g sin q2)/(5 r), and its companions.

    Here u is along axes that yaw and lean with the disc: test_kane.py.
    """
    rng = np.random.default_rng(seed)
    yaw, lean, roll = q = rng.uniform(-1, 1, 3)
    leaned = attitude(yaw, lean, 0.0)
    u1, u2, u3 = u = rng.normal(size=3)
    state = state_at(q, attitude(*q).T @ leaned @ u)
    w_dot = attitude(*q) @ disc().accelerations(state)[:3]
    # The axes turn with all of u but the disc's own roll.
    axes_turn = u - np.array([0, u2 - u3 * np.tan(lean), 0])
    found = leaned.T @ w_dot - np.cross(axes_turn, u)
    expected = [
        (6 * u2 * u3 * R - u3**2 * R * np.tan(lean) + 4 * G * np.sin(lean)) / (5 * R),
        -2 * u1 * u3 / 3,
        u1 * (-2 * u2 + u3 * np.tan(lean)),
    ]
    assert_close(found, expected, rtol=1e-11)
    assert roll != 0


def test_a_steady_turn():
    """Lean 0.3, r 0.5: the printed speeds roll on a circle of the printed radius."""
    r, lean, u3 = 0.5, 0.3, 1.2
    u2, yaw_rate, wheel, radius = (
        -3.159303002686677,
        1.256101921845703,
        -3.530506502218224,
        1.405342369443,
    )
    # Scaled to our disc: lengths by R/r, times by sqrt(R/r).
    slow = np.sqrt(r / R)
    state = state_at((0.4, lean, 0.0), slow * np.array([0, u2, u3]))
    w_dot = disc().accelerations(state)[:3]
    yaw, axle = np.array([0, 0, yaw_rate]) * slow, attitude(0.4, lean, 0.0)[:, 1]
    w = attitude(0.4, lean, 0.0) @ np.array([0, u2, u3]) * slow
    # Steady: the angular velocity turns with the yaw, and nothing else changes.
    assert_close(attitude(0.4, lean, 0.0) @ w_dot, np.cross(yaw, w), rtol=1e-11)
    assert_close(w, yaw + wheel * slow * axle, rtol=1e-12)
    assert_close(abs(r * wheel / yaw_rate), radius, rtol=1e-11)
