"""Energies and rows of which one body is driven: functions of the others and time."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, power
from polhode.actions.potentials.invariant import (
    conservative_wrenches,
    relative,
    slopes_of,
    turned_to_observer,
    with_reaction,
)
from polhode.constraints.constraint import Placed
from polhode.double import doubled
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.rotations import so3

SPIN, LEAN = np.array([0.4, -0.7, 0.9]), np.array([0.2, 0.5, -0.3])


def path(t):
    """(P, p) of the driver."""
    turn = so3.exp(SPIN * jnp.sin(t) + LEAN * t)
    return turn, jnp.stack([0.4 * jnp.sin(2 * t), 0.3 * t, 0.2 * jnp.cos(t)])


def some_poses(rng):
    """Two bodies anywhere, and their motions."""
    poses = Poses(so3.exp(rng.normal(size=(2, 3))), rng.normal(size=(2, 3)))
    return poses, Twists(*rng.normal(size=(2, 2, 3)))


def three(seen):
    """An energy, or a row, of two bodies seen from a third."""
    R, y = seen.rotations, seen.origins
    mixed = y[0] @ R[1] @ y[1] + jnp.sin(y[0, 0]) * R[0, 1, 2]
    return mixed + R[1, 0, 2] * y[1, 2] + 0.3 * (R[0].T @ R[1])[0, 1]


BODIES = tuple(ph.theory.Frame(name) for name in ("driver", "one", "two"))


def at_time(poses, t):
    """The two bodies, and the driver before them."""
    P, p = doubled(path)(t)
    return Poses(
        np.concatenate([P[None], poses.rotations]),
        np.concatenate([p[None], poses.origins]),
    )


@pytest.mark.row("P-35")
def test_rows_of_a_driven_constraint():
    """a = P fhat, b = P ghat, c = f_3 . p' + g_3 . w_P: the rate of g(x, Q, t).

    fhat, ghat are slopes in the driver's axes. Printed without P, a and b do not give
    the rate; nor does c with its rows.
    """
    rng, t = np.random.default_rng(5), 0.6

    def law(driver, one, two, t):
        seen = relative(
            Poses(
                jnp.stack([b.rotation for b in (driver, one, two)]),
                jnp.stack([b.position for b in (driver, one, two)]),
            )
        )
        return three(seen)

    row = ph.Holonomic(BODIES, law, name="row")
    assert ph.theory.audit_constraint(row).is_invariant
    moved = ph.theory.driven(row, BODIES[0], path)
    assert ph.theory.audit_constraint(moved).depends_on_time
    for _ in range(5):
        poses, twists = some_poses(rng)
        at, drive = at_time(poses, t), moving_frame(path, t)

        def g(s, poses=poses, twists=twists):
            rotations = so3.exp(s * twists.angular) @ poses.rotations
            origins = poses.origins + s * twists.linear
            return moved.position(Placed(rotations, origins, ()), t + s)[0]

        rate = derivative(g, 0.0)
        slopes = doubled(lambda seen: slopes_of(three, seen))(relative(at))
        f, h = turned_to_observer(at, slopes)
        everyone = with_reaction(at, Wrenches(h, f))
        c = everyone.forces[0] @ drive.velocity
        c += everyone.torques[0] @ drive.angular_velocity
        found = np.sum(f * twists.linear) + np.sum(h * twists.angular) + c
        assert_close(found, rate, rtol=1e-8, atol=1e-8)
        printed = np.sum(np.asarray(slopes.by_position) * twists.linear)
        printed += np.sum(np.asarray(slopes.by_rotation) * twists.angular) + c
        assert abs(printed - rate) > 1e-3


def energy(one, two):
    """Of both placements before the driver."""
    return three(
        Poses(
            jnp.stack([one.rotation, two.rotation]),
            jnp.stack([one.position, two.position]),
        )
    )


U = ph.Potential(BODIES, energy, name="U")


@pytest.mark.row("P-36", "P-37", "P-38")
def test_the_potential_that_a_prescribed_body_leaves_behind():
    """W = U(P^T (x - p), P^T Q): dW/dx = P U_y, w_Q = P u_Y, whatever dW/dt is.

    dW/dt = -sum (P U_y).p' - sum ((x - x_3) x P U_y + P u_Y).w_P is minus the power of
    the potential's wrench on the driver. The index slip of the print gives another
    number.
    """
    rng, t = np.random.default_rng(6), 0.6
    W = ph.theory.driven_potential(U, BODIES[0], path)
    assert W.bodies == BODIES[1:]
    assert ph.theory.audit_invariance(W).depends_on_time
    for _ in range(5):
        poses, twists = some_poses(rng)
        at, drive = at_time(poses, t), moving_frame(path, t)
        slopes = U.slopes(at)
        f, h = turned_to_observer(at, slopes)
        found = W.slopes(poses, t)
        assert_close(found.by_poses.by_position, f, rtol=1e-10)
        assert_close(found.by_poses.by_rotation, h, rtol=1e-10)
        forces = W.wrenches(poses, twists, t)
        assert_close(forces.forces, -f, rtol=1e-10)
        assert_close(forces.torques, -h, rtol=1e-10)
        apart = poses.origins - drive.place
        explicit = -np.sum(f, axis=0) @ drive.velocity
        explicit -= np.sum(np.cross(apart, f) + h, axis=0) @ drive.angular_velocity
        assert_close(found.by_time, explicit, rtol=1e-9)
        fixed = derivative(lambda s, poses=poses: W.energy(poses, t + s), 0.0)
        assert_close(fixed, explicit, rtol=1e-8)
        on_driver = conservative_wrenches(at, slopes)
        given = on_driver.forces[0] @ drive.velocity
        given += on_driver.torques[0] @ drive.angular_velocity
        assert_close(-given, explicit, rtol=1e-9)

        def along(s, poses=poses, twists=twists):
            rotations = so3.exp(s * twists.angular) @ poses.rotations
            return W.energy(Poses(rotations, poses.origins + s * twists.linear), t + s)

        rate = derivative(along, 0.0)
        assert_close(rate, explicit - power(forces, twists), rtol=1e-8, atol=1e-8)
        slipped = -np.sum(f, axis=0) @ drive.velocity
        slipped -= np.sum(np.cross(apart, f[::-1]) + h, 0) @ drive.angular_velocity
        assert abs(slipped - explicit) > 1e-6
