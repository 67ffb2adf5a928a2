"""Hooke's joint."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close

world = ph.World()
shaft = ph.Body("shaft", ph.solids.rod(mass=1.0, length=1.0))


@given(st.floats(-1.2, 1.2), st.floats(-3.0, 3.0))
def test_hookes_joint_turns_unevenly(bend, turn):
    """tan φ_out = cos β tan φ_in between shafts bent by β (Hooke).

    The driving shaft and its yoke turn about Z by φ_in from X, about which the driven
    one is bent. Its yoke stays square to the bent axis and to the driving yoke's arm.
    """
    arm_in = np.array([np.cos(turn), np.sin(turn), 0.0])
    bent = np.array([0.0, -np.sin(bend), np.cos(bend)])
    arm_out = np.cross(bent, arm_in)
    arm_out = arm_out / np.linalg.norm(arm_out)
    # The cross, seated with its first arm along the driving yoke.
    first_axes = np.stack([arm_in, np.cross([0, 0, 1.0], arm_in), [0, 0, 1.0]], axis=-1)
    joint = ph.Universal(
        "cross",
        world.origin,
        shaft.origin,
        axis=ph.X,
        second_axis=ph.Y,
        first_axes=first_axes,
    )
    R_WM = np.stack([np.cross(arm_out, bent), arm_out, bent], axis=-1)
    R_FM = first_axes.T @ R_WM
    assert_close(joint.residual(R_FM, np.zeros(3)), np.zeros(4), atol=1e-14)
    q = joint.coordinates_from(R_FM, np.zeros(3))
    assert_close(joint.pose(q)[0], R_FM, atol=1e-14)
    # The angle of the driven yoke about the bent axis, from where it starts.
    square = np.array([0.0, np.cos(bend), np.sin(bend)])
    found = np.arctan2(-arm_out[0], arm_out @ square)
    expected = np.arctan2(np.cos(bend) * np.sin(turn), np.cos(turn))
    assert_close(found, expected, atol=1e-12)


def test_oblique_arms_keep_their_angle():
    """Arms at 60 degrees stay so, and every pose with that angle is reached."""
    joint = ph.Universal(
        "cross",
        world.origin,
        shaft.origin,
        axis=(1, 0, 0),
        second_axis=(0.5, 0.75**0.5, 0),
    )
    for q in np.random.default_rng(0).uniform(-3, 3, (20, 2)):
        R_FM, p_FoMo_F = joint.pose(q)
        assert_close(joint.axis @ R_FM @ joint.second_axis, 0.5, rtol=1e-14)
        assert_close(joint.coordinates_from(R_FM, p_FoMo_F), q, atol=1e-13)
