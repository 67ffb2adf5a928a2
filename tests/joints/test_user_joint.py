"""Joints by the user's own law."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError, NotARotation
from polhode.joints.joint import freedoms
from polhode.joints.turning import turn_about
from strategies_geometry import generators
from strategies_joints import random_coordinates

world = ph.World()
body = ph.Body("body", ph.solids.box(mass=1.0, x=0.1, y=0.2, z=0.3))
ends = (world.origin, body.origin)
AXIS = np.array([0.0, 0.6, 0.8])


def sleeve_law(q):
    return turn_about(AXIS, q[0]), AXIS * q[1]


def made(law=sleeve_law, names=("angle", "slide"), kinds=("rad", "m")):
    return ph.UserJoint("own", *ends, law, names=names, kinds=kinds)


OWN = made()
SLEEVE = ph.Cylindrical("own", *ends, axis=AXIS)


@given(generators)
def test_a_known_joint_by_its_law_is_that_joint(rng):
    """A sleeve given by its poses has the sleeve's motions, reactions and residual."""
    q = random_coordinates(SLEEVE, rng) * 0.3
    assert OWN.coordinate_names == SLEEVE.coordinate_names
    for one, other in zip(OWN.pose(q), SLEEVE.pose(q), strict=True):
        assert_close(one, other, atol=1e-15)
    assert_close(freedoms(OWN, q), freedoms(SLEEVE, q), atol=1e-15)
    B, held = OWN.reaction(q), SLEEVE.reaction(q)
    assert_close(B @ B.T, held @ held.T, atol=1e-14)
    off = SLEEVE.pose(q)[1] + 0.01 * SLEEVE.triad[:, 0]
    turned = SLEEVE.pose(q)[0]
    one, other = OWN.residual(turned, off), SLEEVE.residual(turned, off)
    assert_close(np.linalg.norm(one), np.linalg.norm(other), rtol=1e-10)


def skewed(q):
    return 2 * turn_about(AXIS, q[0]), AXIS * q[1]


def shifted(q):
    return turn_about(AXIS, q[0] + 0.1), AXIS * q[1]


def idle(q):
    return turn_about(AXIS, q[0] + q[1]), 0.0 * AXIS


def flat(q):
    return turn_about(AXIS, q[0]), AXIS[:2] * q[1]


@pytest.mark.parametrize(
    ("law", "error", "says"),
    [
        (skewed, NotARotation, "is not orthogonal"),
        (shifted, ModelError, "does not begin at the first frame"),
        (idle, ModelError, "are not independent at q = 0"),
        (flat, ModelError, "gives shapes (3, 3) and (2,)"),
    ],
)
def test_a_law_that_is_no_joint_is_refused(law, error, says):
    """Not a pose, not one at q = 0, or with idle coordinates."""
    with pytest.raises(error) as refusal:
        made(law)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("names", "kinds"), [((), ()), (("a",), ()), (("a",), ("turns",))]
)
def test_coordinates_have_names_and_units(names, kinds):
    """None, too few units or an unknown unit are refused."""
    with pytest.raises(ModelError, match="each in rad or m"):
        made(names=names, kinds=kinds)
