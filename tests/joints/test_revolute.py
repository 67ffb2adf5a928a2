"""The hinge, and the sleeve that also slides."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.geometry import se3
from polhode.joints.joint import freedoms
from strategies_geometry import generators, random_direction

world = ph.World()


@pytest.mark.row("C-05")
def test_a_hinge_turns_about_one_axis_only():
    """r = 5: no translation, and no couple along the axis; a true sleeve has r = 4."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    ends = world.origin, rod.origin
    hinge = ph.Revolute("hinge", *ends, axis=ph.Y)
    sleeve = ph.Cylindrical("sleeve", *ends, axis=ph.Y)
    q = np.array([0.7])
    assert_close(freedoms(hinge, q), np.eye(6)[:, 1:2])
    assert np.linalg.matrix_rank(hinge.reaction(q)) == 5
    assert_close(hinge.reaction(q)[1], np.zeros(5))
    both = np.array([0.7, 0.2])
    assert_close(freedoms(sleeve, both), np.eye(6)[:, [1, 4]])
    assert np.linalg.matrix_rank(sleeve.reaction(both)) == 4
    assert_close(sleeve.reaction(both)[[1, 4]], np.zeros((2, 4)))


@given(generators)
@pytest.mark.row("C-05")
def test_a_compound_pendulum_swings_as_the_textbook_says(rng):
    """omega² = m g d/I, I about the axis, d from the axis to the mass centre."""
    m, g, d = *rng.uniform(0.5, 2.0, 2), rng.uniform(0.2, 1.0)
    sides = dict(zip("xyz", rng.uniform(0.1, 0.6, 3), strict=True))
    plate = ph.Body("plate", ph.solids.box(mass=m, **sides))
    hinge = ph.Revolute("hinge", world.origin, plate.point(0, 0, d), axis=ph.Y)
    inertia = plate.moments().inertia[1, 1] + m * d**2

    def potential(angle):
        R_FM, p_FoMo_F = hinge.pose(np.array([angle]))
        centre = p_FoMo_F - R_FM @ hinge.second_frame()[1]
        return m * g * centre[2]

    stiffness = derivative(lambda a: derivative(potential, a), 0.0)
    # The twist about Mo, moved to the body's origin, where its inertia is known.
    seat = se3.displacement(*hinge.second_frame())
    V = se3.adjoint(seat) @ hinge.twist(np.zeros(1), np.ones(1))
    mass = V @ plate.spatial_inertia() @ V
    assert_close(mass, inertia, rtol=1e-13)
    assert_close(stiffness / mass, m * g * d / inertia, rtol=1e-7)


@given(generators)
def test_a_hinge_turns_right_handed(rng):
    """A positive angle takes u towards v about the axis."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    axis = random_direction(rng)
    hinge = ph.Revolute("hinge", world.origin, rod.origin, axis=axis)
    u, v, n = hinge.triad.T
    R_FM, _ = hinge.pose(np.array([np.pi / 2]))
    assert_close(R_FM @ u, v, atol=1e-14)
    assert_close(R_FM @ n, n, atol=1e-14)
