"""Forces and reactions of the exercises: generalised, paired, ideal."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G = 9.81


@cache
def cart(form: str = "recursive") -> ph.results.Equations:
    return getattr(ph, form)(ph.models.cart_pendulum(0.7, 0.4))


@pytest.mark.row("X-06")
def test_generalised_forces_of_the_cart_each_way():
    """Q = dr_G/dq . R + dtheta/dq . M_G = sum dr_i/dq . F_i + sum dtheta/dq . C_i.

    M_G = sum (r_i - r_G) x F_i + sum C_i; with the arms the other way round it fails.
    """
    mB, l, k, x, th, F, C = 0.8, 0.9, 5.0, 0.2, 0.6, 0.7, 0.4
    system = cart().system
    state = system.state(rail=x, hinge=th)
    expected = {
        "push": [F, 0.0],
        "couple": [0.0, C],
        "spring": [-k * x, 0.0],
        "weight": [0.0, -mB * G * l * np.sin(th)],
    }
    shares = cart().shares(state)
    for name, Q in expected.items():
        assert_close(shares[name], Q, atol=1e-12)
    # The same by hand for a force off the mass centre of the bob, and a couple.
    bob, hinge = system.bodies[1], np.array([x, 0, 0])
    poses, J = system.poses(0, state.q), system.jacobians(0, state.q)[1]
    R_WB = poses.rotations[1]
    turning, moving = R_WB @ J[:3], R_WB @ J[3:]
    r_G = poses.origins[1]
    assert bob.mass == mB
    force, couple = np.array([0.3, 0.0, -1.1]), np.array([0.0, 0.7, 0.0])
    point = hinge + 0.5 * (r_G - hinge) + [0.1, 0, 0.05]
    shift = moving + np.cross(turning, point - r_G, axisa=0, axisb=0, axisc=0)
    by_points = shift.T @ force + turning.T @ couple
    M_G = np.cross(point - r_G, force) + couple
    assert_close(moving.T @ force + turning.T @ M_G, by_points, rtol=1e-12)
    printed = moving.T @ force + turning.T @ (np.cross(r_G - point, force) + couple)
    assert np.max(np.abs(printed - by_points)) > 0.05
    along = cart("gauss").functions.along
    W = np.zeros((2, 6))
    W[1] = np.concatenate([R_WB.T @ M_G, R_WB.T @ force])
    found = along(0.0, state.q, state.z, W, {})
    assert_close(np.asarray(found), by_points, rtol=1e-6)


@pytest.mark.row("C-15")
def test_reactions_after_a_run_on_both_bodies_in_any_axes():
    """At the hinge the bob gets what the cart gives, written in either body's axes."""
    form = cart()
    start = form.system.state(rail=0.2, hinge=0.6)
    motion = ph.simulate(form, start, until=1.5)
    state = motion.at(1.1)
    found = form.reactions(state)["hinge"]
    opposite = found.reaction()
    assert (found.on.name, found.by.name) == ("bob", "cart")
    assert (opposite.on.name, opposite.by.name) == ("cart", "bob")
    assert_close(opposite.force, -np.asarray(found.force), rtol=1e-15)
    poses = form.system.poses(state.t, state.q)
    world, bob = form.system.tree.world.frame, found.on
    turn = ph.Rotation(poses.rotations[1].T, of=world, seen_from=bob)
    own = found.written_in(turn)
    assert own.frame is bob
    # Along its own axes: the pull of the rod, and the couple's share across it.
    th, w = state["hinge"], state.speed("hinge")
    a = form.accelerations(state)[0]
    T = 0.8 * (G * np.cos(th) - a * np.sin(th) + 0.9 * w**2)
    assert_close(own.force, [0.4 / 0.9, 0, T], rtol=1e-10)


def test_ideal_constraints_have_no_virtual_power():
    """At rest no power at all; a moving one has -l dg/dt, and none on frozen ones."""
    state = ph.models.start("four_bars")
    form = ph.recursive(state.system)
    A, _ = form.rows(state)
    l = form.multipliers(state)
    assert np.max(np.abs(l)) > 1
    assert_close(l @ A @ state.z, 0.0, atol=1e-10)
    # g = x - x_H(t): the driver's power is l x_H' = -l dg/dt.
    driven = ph.models.moving_hinge_pendulum()
    form = ph.recursive(driven)
    state = driven.state(hinge=0.5, speeds={"track": 0.6, "hinge": 1.3})
    A, _ = form.rows(state)
    (l,) = form.multipliers(state)
    assert_close(l * (A[0] @ state.z), l * 0.6, rtol=1e-12)
    assert abs(l) > 0.1
    frozen = np.array([0.0, 1.0])  # what the track, held, lets through
    assert_close(l * (A[0] @ frozen), 0.0, atol=1e-14)
