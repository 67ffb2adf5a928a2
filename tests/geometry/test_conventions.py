"""Conventions in which the source texts clash, and the bridges between them."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from finite import derivative
from polhode.errors import FrameMismatch
from polhode.geometry.frame import Frame
from polhode.geometry.motion.angular_velocity import AngularVelocity, spatial_components
from polhode.geometry.motion.rate import Rate
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.vector import Vector
from strategies_rotation import seeded_path

GROUND, BODY, OTHER = Frame("ground"), Frame("body"), Frame("other")


@pytest.mark.row("CV-05")
def test_inertial_and_material_rates_differ_by_omega_cross():
    """⁰d/dt is the inertial rate in one chapter and the material rate in another:
    (inertial) = (material) + ω × ( ), and a rate always names who sees it."""
    turning, _ = seeded_path(seed=1)
    inside, _ = seeded_path(seed=2)
    t = 0.4
    change = derivative(lambda t: so3.exp(turning(t)), t)
    ground_rate = derivative(
        lambda t: np.einsum("nij,nj->ni", so3.exp(turning(t)), inside(t)), t
    )
    body_rate = derivative(inside, t)
    for k in range(len(body_rate)):
        R = Rotation(so3.exp(turning(t)[k]), of=BODY, seen_from=GROUND)
        omega = Vector(spatial_components(R.matrix, change[k]), GROUND)
        spin = AngularVelocity(omega, of=BODY, seen_from=GROUND)
        vector = Vector(inside(t)[k], BODY).written_in(R)
        material = Rate(vector, Vector(body_rate[k], BODY).written_in(R), BODY)
        inertial = material.seen_by(spin)
        assert inertial.seen_from is GROUND
        assert_close(inertial.value.components, ground_rate[k], rtol=1e-10)
        gap = inertial.value - material.value
        assert_close(gap.components, omega.cross(vector).components, rtol=1e-10)
        assert np.max(np.abs(gap.components)) > 1e-4


@pytest.mark.row("CV-05")
def test_a_rate_of_nobody_is_refused():
    """A rate has its observer in its constructor, and moves only between observers
    whose relative angular velocity is given."""
    vector = Vector([1, 2, 3], GROUND)
    with pytest.raises(TypeError, match="seen_from"):
        Rate(vector, vector)  # type: ignore[call-arg]
    spin = AngularVelocity(vector, of=BODY, seen_from=GROUND)
    with pytest.raises(FrameMismatch, match=r"seen from 'other'"):
        Rate(vector, vector, OTHER).seen_by(spin)
