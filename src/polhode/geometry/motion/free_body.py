"""Kinematic equations of a free body: velocities to rates of what places it.

    ṙ = v,    Ṙ = [ω] R        about the mass centre, or any other point of the body

R may be carried as the matrix itself or in any parametrisation, each with its own
rates; `advance` stays on the group whatever the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import Array, Scalar, namespace
from polhode.geometry import se3
from polhode.geometry.rotations import parametrisation
from polhode.geometry.rotations.parametrisation import Parametrisation
from polhode.geometry.vector import skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Columns6, Matrices3, Matrices4

__all__ = ["advance", "coordinate_rates", "rotation_rate"]


def rotation_rate(rotation: Matrices3, angular_velocity: Columns3) -> Matrices3:
    """The rate of the rotation matrix, ω in the observer's axes.   Ṙ = [ω] R"""
    return skew(angular_velocity) @ rotation


def coordinate_rates(
    chart: Parametrisation, coordinates: Array, twist: Columns6
) -> Any:
    """The rates of the coordinates (r, γ) of a body, from [ω; v].

        ṙ = v,    γ̇ʲ = gʲ · ω

    r (3,) is the place of a point o of the body and v its velocity, both with ω in the
    observer's axes; γ are the parameters of the rotation in the chart.
    """
    xp = namespace(coordinates, twist)
    turning = parametrisation.rates(chart, coordinates[..., 3:], twist[..., :3])
    return xp.concatenate([twist[..., 3:], turning], axis=-1)


def advance(pose: Matrices4, body_twist: Columns6, step: Scalar) -> Matrices4:
    """The pose (4, 4) after a time `step` with a constant body twist.

    X(t + h) = X(t) exp(h V_B)
    """
    return pose @ se3.exp(step * body_twist)
