"""Roll, pitch and yaw by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import StateError
from polhode.geometry.rotations import euler_angles
from polhode.geometry.rotations.aircraft_angles import AircraftAngles
from strategies_rotation import columns


@pytest.mark.row("CV-10")
@given(columns(largest=1.4), columns())
def test_both_orders_of_the_same_angles(raw, rates):
    """R(ψ, θ, φ) takes the turning order, (φ̇, θ̇, ψ̇) the axis order; the names lead
    from one to the other and back, and the book's S(q) fits the axis order."""
    roll, pitch, yaw = raw
    angles = AircraftAngles(roll=roll, pitch=pitch, yaw=yaw)
    assert_close(angles.turning_order(), [yaw, pitch, roll], rtol=0)
    assert_close(angles.axis_order(), raw, rtol=0)
    assert AircraftAngles.from_turning_order(angles.turning_order()) == angles
    assert AircraftAngles.from_axis_order(angles.axis_order()) == angles
    Rz, Ry, Rx = (
        euler_angles.elementary(axis, np.float64(angle))
        for axis, angle in ((2, yaw), (1, pitch), (0, roll))
    )
    R = euler_angles.to_matrix("zyx", angles.turning_order())
    assert_close(R, Rz @ Ry @ Rx, rtol=1e-14)
    book = np.array(
        [
            [1, 0, -np.sin(pitch)],
            [0, np.cos(roll), np.cos(pitch) * np.sin(roll)],
            [0, -np.sin(roll), np.cos(pitch) * np.cos(roll)],
        ]
    )
    ours = euler_angles.body_rate_matrix("zyx", angles.turning_order())
    swapped = AircraftAngles.from_axis_order(rates).turning_order()
    assert_close(book @ rates, ours @ swapped, atol=1e-13)


@pytest.mark.row("CV-10")
def test_positions_are_not_names():
    """Three bare numbers are refused; mixed orders would be another rotation."""
    with pytest.raises(TypeError):
        AircraftAngles(0.1, 0.2, 0.3)  # type: ignore[misc]
    angles = AircraftAngles(roll=0.1, pitch=0.2, yaw=0.9)
    mixed = euler_angles.to_matrix("zyx", angles.axis_order())
    meant = euler_angles.to_matrix("zyx", angles.turning_order())
    assert np.max(np.abs(mixed - meant)) > 0.1


def test_angles_that_are_no_numbers_are_refused():
    """NaN is refused by the name of the angle."""
    with pytest.raises(StateError, match="the pitch is not finite"):
        AircraftAngles(roll=0.0, pitch=float("nan"), yaw=0.0)
