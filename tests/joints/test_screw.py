"""The thread."""

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

world = ph.World()
nut = ph.Body("nut", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.05))
ends = (world.origin, nut.origin)


def screw(pitch):
    return ph.Screw("thread", *ends, axis=ph.Z, pitch=pitch)


def test_each_turn_is_another_place():
    """Three turns of a right-handed thread advance three times 2π h, and come back."""
    thread = screw(0.25)
    q = np.array([6 * np.pi])
    R_FM, p_FoMo_F = thread.pose(q)
    assert_close(p_FoMo_F, [0, 0, 1.5 * np.pi])
    assert_close(thread.coordinates_from(R_FM, p_FoMo_F), q)
    assert_close(thread.residual(R_FM, p_FoMo_F), np.zeros(5), atol=1e-14)
    half = np.diag([-1.0, -1.0, 1.0])
    stuck = np.abs(thread.residual(half, p_FoMo_F)[4])
    assert_close(stuck, 0.25 * np.pi, rtol=1e-12)


def test_a_push_along_a_screw_turns_it():
    """The wrench it holds along the axis is a force with the couple -h, no less."""
    thread = screw(0.25)
    assert_close(thread.reaction(np.zeros(1))[:, 4], [0, 0, -0.25, 0, 0, 1])


def test_the_pitch_is_a_parameter():
    """`thread.pitch` may vary, and vary in a trace."""
    thread = screw(0.25)
    assert thread.parameters == (ph.Parameter("thread.pitch", 0.25),)
    q = np.array([2.0])

    def advance(pitch):
        return thread.pose(q, {"thread.pitch": pitch})[1]

    program = ph.compile(advance, 0.1)
    assert_close(program(0.5), [0, 0, 1.0])
    assert_close(thread.twist(q, q, {"thread.pitch": 0.5}), [0, 0, 2, 0, 0, 1])


@pytest.mark.parametrize(
    ("pitch", "says"),
    [
        (np.nan, "the pitch of screw 'thread' is not finite"),
        (0.0, "the pitch of screw 'thread' is zero"),
        ("coarse", "is not a number"),
    ],
)
def test_a_pitch_that_is_none_is_refused(pitch, says):
    """NaN, words and zero, which is a hinge."""
    with pytest.raises(ModelError) as refusal:
        screw(pitch)
    assert says in str(refusal.value)
