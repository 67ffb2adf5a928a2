"""Jacobians of points and frames, and what a push there feels."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError, SingularMassMatrix
from strategies_system import random_state, topology

FORMS = (ph.gauss, ph.newton_euler)


@cache
def asked(form, name: str):
    """Equations of a topology in a form, and a state of it."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(3))
    return form(system), state


@pytest.mark.parametrize("name", ["sprung_arm", "driven_hinge"])
@pytest.mark.parametrize("form", FORMS)
def test_a_jacobian_gives_the_velocity_of_any_point(form, name):
    """[w; v_P] = J y, along the world's axes, in joint speeds and in free twists."""
    equations, state = asked(form, name)
    system = equations.system
    body = system.bodies[-1]
    arm = np.array([0.3, -0.2, 0.7])
    found = equations.jacobian(state, body.point(*arm)) @ equations.velocities(state)
    R = system.poses(state.t, state.q).rotations[-1]
    twists = system.twists(state.t, state.q, state.z)
    w, v = twists.angular[-1], twists.linear[-1]
    assert_close(found, np.concatenate([w, v + np.cross(w, R @ arm)]), rtol=1e-11)


def test_a_body_a_frame_and_its_origin_are_one_place():
    """The Jacobian of a body is that of its frame, and of the point at its origin."""
    equations, state = asked(ph.gauss, "sprung_arm")
    body = equations.system.bodies[0]
    J = equations.jacobian(state, body)
    assert_close(equations.jacobian(state, body.frame), J)
    assert_close(equations.jacobian(state, body.origin), J)


def test_momenta_pair_with_speeds():
    """For Hamilton's equations J z is the velocity: f = J^T W is the push on p."""
    equations, state = asked(ph.hamilton, "pendulum")
    rod = equations.system.bodies[0]
    by_speeds = ph.gauss(equations.system).jacobian(state, rod)
    assert_close(equations.jacobian(state, rod), by_speeds)


def test_a_push_feels_the_operational_inertia():
    """A force F at P along D gives the acceleration L^-1 F there, constraints held."""
    system = topology("driven_hinge")
    state = random_state(system, np.random.default_rng(4))
    tip = system.bodies[-1].point(0.0, 0.0, -0.5)
    equations = ph.gauss(system)
    across = np.array([[0, 0, 0, 1.0, 0, 0]])
    L = equations.operational_inertia(state, tip, across)
    J = (across @ equations.jacobian(state, tip))[0]
    M, (A, g) = equations.mass_matrix(state), equations.rows(state)
    push = 0.7
    bare = ph.gauss(system).force(state) - equations.bias(state)
    kkt = np.block([[M, A.T], [A, np.zeros((1, 1))]])
    free, pushed = (
        np.linalg.solve(kkt, np.concatenate([f, g]))[: len(M)]
        for f in (bare, bare + J * push)
    )
    assert_close(L[0, 0] * (J @ (pushed - free)), push, rtol=1e-10)


def test_operational_inertia_is_one_in_all_forms():
    """What a push feels does not depend on the velocities that describe the motion."""
    name, directions = "sprung_arm", np.eye(6)[3:]
    values = []
    for form in FORMS:
        equations, state = asked(form, name)
        place = equations.system.bodies[-1].point(0.1, 0.2, 0.3)
        values.append(equations.operational_inertia(state, place, directions))
    assert_close(values[0], values[1], rtol=1e-9)


def test_what_cannot_move_has_no_inertia():
    """A pendulum's end yields in one direction of six, and the refusal says so."""
    equations, state = asked(ph.gauss, "pendulum")
    rod = equations.system.bodies[0]
    with pytest.raises(SingularMassMatrix) as caught:
        equations.operational_inertia(state, rod)
    assert "it yields in 1 of them" in str(caught.value)
    assert "Give directions=" in str(caught.value)


def test_a_foreign_place_is_refused():
    """A point of a body that the system does not have has no Jacobian."""
    equations, state = asked(ph.gauss, "pendulum")
    stranger = ph.Body("rad", ph.solids.rod(mass=1.0, length=1.0))
    with pytest.raises(ModelError, match="Did you mean 'rod'"):
        equations.jacobian(state, stranger.point(0, 0, 1))


def test_the_name_of_a_body_stands_for_its_origin():
    """And a name that is none is answered with those that there are."""
    system = ph.models.double_pendulum()
    equations, body = ph.lagrange(system), system.bodies[1]
    state = system.rest()
    named = equations.jacobian(state, body.name)
    assert np.array_equal(named, equations.jacobian(state, body))
    with pytest.raises(ModelError, match="There are:"):
        equations.jacobian(state, "no such body")
