"""Limits, rotors and gears of joints."""

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

world = ph.World()
rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
ends = (world.origin, rod.origin)


def hinge(**options):
    return ph.Revolute("hinge", *ends, ph.Y, **options)


def test_the_margin_is_the_way_to_the_nearer_limit():
    """Positive inside, zero at a limit, negative beyond; infinite without limits."""
    joint = hinge(limits=(-1.0, 2.0))
    for angle, margin in ((0.0, 1.0), (1.5, 0.5), (-1.0, 0.0), (2.5, -0.5)):
        assert_close(joint.margin(np.array([angle])), [margin])
    assert np.all(np.isinf(hinge().margin(np.zeros(1))))


def test_each_coordinate_has_its_limits():
    """Two pairs for a sleeve; one side may be open."""
    limits = ((-1.0, 0.0), (1.0, np.inf))
    sleeve = ph.Cylindrical("sleeve", *ends, ph.Z, limits=limits)
    assert_close(sleeve.margin(np.array([0.9, 5.0])), [0.1, 5.0], rtol=1e-14)


def test_a_rotor_is_felt_through_its_gear():
    """gear² J on the speed; both are parameters, a direct drive's gear is not."""
    joint = hinge(rotor_inertia=2e-4, gear_ratio=100.0)
    assert_close(joint.reflected_inertia(), [2.0])
    names = [p.name for p in joint.parameters]
    assert names == ["hinge.rotor_inertia", "hinge.gear_ratio"]
    assert_close(joint.reflected_inertia({"hinge.gear_ratio": 10.0}), [0.02])
    assert hinge().parameters == ()
    assert_close(hinge().reflected_inertia(), [0.0])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"limits": (1.0, -1.0)},
            "the lower limit of joint 'hinge' is above the upper",
        ),
        ({"limits": (np.nan, 1.0)}, "a limit of joint 'hinge' is NaN"),
        ({"limits": 1.0}, "the limits of joint 'hinge' are not a pair"),
        ({"limits": ((0, 0), (1, 1))}, "are not a pair"),
        ({"effort_limits": (3.0, 2.0)}, "the lower effort limit of joint 'hinge'"),
        ({"rotor_inertia": -1.0}, "the rotor inertia of joint 'hinge' is negative"),
        ({"rotor_inertia": np.nan}, "is not finite"),
        ({"gear_ratio": 0.0}, "the gear ratio of joint 'hinge' is zero"),
        ({"gear_ratio": (1.0, 2.0)}, "joint 'hinge' has 1 speeds, and 2 given"),
    ],
)
def test_data_that_cannot_be_is_refused(options, says):
    """Crossed limits, negative rotors and gears of nothing are refused at the door."""
    with pytest.raises(ModelError) as refusal:
        hinge(**options)
    assert says in str(refusal.value)


def test_a_ball_has_no_limits_on_its_quaternion():
    """No box of quaternion components is a range of motion."""
    with pytest.raises(ModelError, match="cannot have limits on its coordinates"):
        ph.Spherical("ball", *ends, limits=(-1.0, 1.0))
