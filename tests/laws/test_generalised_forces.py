"""Forces along coordinates by several texts: one number must come out."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.actions.action import third_law_residual
from polhode.actions.generalised_force import (
    generalised_force,
    generalised_force_of_energy,
)
from polhode.actions.motion_arrays import Poses, Twists, total
from polhode.actions.potentials.invariant import Placement
from polhode.double import doubled
from polhode.geometry.motion.angular_velocity import spatial_components
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.parametrisation import PARAMETRISATIONS
from polhode.geometry.vector import alternator

WORLD, BODY = ph.theory.Frame("world"), ph.theory.Frame("body")
CHARTS = pytest.mark.parametrize("chart", PARAMETRISATIONS, ids=lambda c: c.name)


def energy(b):
    """Of a body's place and turn, coupled."""
    x, R = b.position, b.rotation
    return 2.0 * x @ x + x @ R @ jnp.array([0.3, -1.0, 0.7]) + jnp.sin(R[0, 1]) * x[2]


POTENTIAL = ph.Potential((WORLD, BODY), energy, name="U")


def drawn(seed):
    """A place and a rotation far from every singularity."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=3), so3.exp(
        np.array([0.9, -0.6, 0.8]) + 0.1 * rng.normal(size=3)
    )


def bound(chart, gamma):
    """Directions (k, d) along which the parameters may change: all, or |.| kept."""
    if chart.size == 3:
        return np.eye(3)
    part = gamma if "quaternion" in chart.name else np.r_[gamma[:3], 0.0]
    return np.linalg.svd(part[None])[2][1:].T


@CHARTS
@pytest.mark.row("P-41", "Y-07")
def test_forces_along_parameters_are_slopes_of_the_energy(chart):
    """Q_k = F.dx/dq_k + M.dtheta/dq_k = -dU/dq_k in every parametrisation of rotations.

    M = -u_Q is the moment of the energy (004), and theta_q.M its force along q (003).
    Four parameters are varied only as their restriction lets them.
    """
    x, R = drawn(1)
    gamma = chart.from_matrix(R)
    poses = Poses(np.stack([np.eye(3), R]), np.stack([np.zeros(3), x]))
    wrenches = POTENTIAL.wrenches(poses, None)
    k = 3 + chart.size
    shifts, turns = np.zeros((2, 2, 3, k))
    shifts[1, :, :3] = np.eye(3)
    turns[1, :, 3:] = chart.basis(gamma)
    found = generalised_force(wrenches, shifts, turns)
    slope = generalised_force_of_energy(
        lambda q: energy(Placement(q[:3], chart.to_matrix(q[3:]))), np.r_[x, gamma]
    )
    free = np.zeros((k, 3 + bound(chart, gamma).shape[1]))
    free[:3, :3], free[3:, 3:] = np.eye(3), bound(chart, gamma)
    assert_close(found @ free, slope @ free, rtol=1e-9)
    by_differences = [
        -derivative(
            lambda s, u=u: POTENTIAL.energy(
                Poses(
                    np.stack([np.eye(3), chart.to_matrix(gamma + s * u[3:])]),
                    np.stack([np.zeros(3), x + s * u[:3]]),
                )
            ),
            0.0,
            step=1e-3,
        )
        for u in free.T
    ]
    assert_close(found @ free, by_differences, rtol=1e-7)
    moment = wrenches.torques[1]
    assert_close(found[3:] @ free[3:, 3:], moment @ chart.basis(gamma) @ free[3:, 3:])
    assert np.linalg.norm(moment) > 0.1
    # Body components in place of the observer's are not these forces.
    wrong = (R.T @ moment) @ chart.basis(gamma)
    assert np.linalg.norm((wrong - found[3:]) @ free[3:, 3:]) > 1e-3


@CHARTS
@pytest.mark.row("Y-09")
def test_one_basis_three_names(chart):
    """g_i of 004 = dtheta/dq of 003 = dw/dq' of 000: the same vectors, all charts."""
    _, R = drawn(2)
    gamma = np.asarray(chart.from_matrix(R))
    basis, free = chart.basis(gamma), bound(chart, gamma)

    def turned(s, u):
        return chart.to_matrix(gamma + s * u)

    dtheta = np.stack(
        [
            -alternator(derivative(lambda s, u=u: turned(s, u), 0.0, 1e-3) @ R.T) / 2
            for u in free.T
        ],
        axis=-1,
    )

    @doubled
    def partial(rates):
        def spin(rates):
            at, along = jax.jvp(chart.to_matrix, (jnp.asarray(gamma),), (rates,))
            return spatial_components(at, along)

        return jax.jacfwd(spin)(rates)

    assert_close(dtheta, basis @ free, rtol=1e-8)
    assert_close(partial(np.zeros(chart.size)) @ free, basis @ free, rtol=1e-9)


@pytest.mark.row("Y-07")
def test_a_rotational_spring_along_joint_angles():
    """u_Y route, dU/dq and theta_q.M: one force on each angle of a universal joint."""
    body, world = ph.Body("body", ph.solids.box(mass=1.0, x=1, y=2, z=3)), ph.World()
    cross = ph.Universal(
        "cross", world.origin, body.origin, axis=ph.Z, second_axis=ph.X
    )
    spring = ph.machines.RotationalSpring(body.frame, world.frame, 4.0, name="spring")
    system = ph.System([cross], [spring], name="gimbal")
    equations = ph.lagrange(system)
    state = system.state(cross=(0.5, -0.7))

    def U(angles):
        return equations.potential_energy(system.state(cross=angles))

    found = equations.shares(state)["spring"]
    slopes = [derivative(lambda s, e=e: U(state.q + s * e), 0.0) for e in np.eye(2)]
    assert_close(found, -np.array(slopes), rtol=1e-8)
    turns = equations.jacobian(state, body.frame)[:3]
    moment = system.wrenches(state.t, state.q, state.z)["spring"].torques[0]
    assert_close(moment @ turns, found, rtol=1e-11)


@pytest.mark.row("Y-11")
def test_central_forces_are_the_strong_case_of_the_general_third_law():
    """003: F_ij = -F_ji along the line; 004: F_p = -sum F, M_p = -sum (x x F + M).

    A spring satisfies both. A potential that depends on how a body is turned satisfies
    the general law only: its forces are opposite but not along the line, and a couple
    balances them. Opposite forces off the line without a couple satisfy neither.
    """
    rng = np.random.default_rng(4)
    poses = Poses(so3.exp(rng.normal(size=(2, 3))), rng.normal(size=(2, 3)))
    still = Twists(*np.zeros((2, 2, 3)))
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 1.0)
    central = ph.Spring(a.mass_centre, b.mass_centre, 3.0, 0.4)
    line = poses.origins[1] - poses.origins[0]
    aligned = {}
    for action in (central, POTENTIAL):
        assert max(third_law_residual(action, poses, still)) < 1e-12
        F, M = (
            action.wrenches(poses, still).forces,
            total(poses, action.wrenches(poses, still)),
        )
        assert_close(F[0], -F[1], rtol=1e-12)
        assert_close(np.concatenate(M), np.zeros(6), atol=1e-12)
        aligned[action.name] = np.linalg.norm(np.cross(line, F[1]))
    assert aligned[central.name] < 1e-12
    assert aligned["U"] > 1e-2
    F = action.wrenches(poses, still).forces
    bare = np.cross(poses.origins, F).sum(0)  # without the couples
    assert np.linalg.norm(bare) > 1e-2
