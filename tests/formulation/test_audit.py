"""A whole model audited: what acts is answered, or something is not in the model."""

from __future__ import annotations

import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import topology


def pair(*actions: object) -> ph.System:
    """Two balls on a spring, with whatever else acts on them."""
    spring = ph.Spring(A.mass_centre, B.mass_centre, 7.0, 0.5, name="spring")
    return ph.System([A, B], [spring, *actions], name="pair")


A, B = ph.Particle("a", 1.0), ph.Particle("b", 2.0)


@pytest.mark.row("D-04", "P-42")
@pytest.mark.parametrize("name", ["sprung_arm", "particles", "four_bar"])
def test_sound_models_leave_nothing_unanswered(name):
    """Springs, weights, joints, loops and rods: forces and moments sum to nothing."""
    found = ph.audit(topology(name))
    assert found.is_sound, found
    assert "all that acts is answered" in repr(found)
    assert max(found.force, found.moment) < 1e-12


def test_moments_that_are_rounding_are_no_moments():
    """All forces of a satellite point at the Earth: their moments cancel to nothing."""
    found = ph.audit(ph.models.dumbbell_satellite())
    assert found.is_sound, found
    assert found.moment < 1e-12


@pytest.mark.parametrize("name", ["bouncing_ball", "rocking_block"])
def test_points_that_may_touch_are_audited_as_constraints(name):
    """Supports open without a state; in a state, in the mode of its contacts."""
    system = getattr(ph.models, name)()
    found = ph.audit(system)
    assert found.is_sound, found
    points = [point for s in system.supports for point in s.candidates.names]
    assert {*points} <= {*found.reports}
    assert "open" in found.system.name
    lying = ph.models.start(name) if name == "rocking_block" else None
    if lying is not None:
        assert ph.audit(system, lying).is_sound


def test_a_force_by_nobody_is_found_beside_a_support():
    """A thrust on a ball that may touch a floor is answered by no body."""
    ball = ph.models.bouncing_ball()
    (body,) = ball.bodies
    ahead = ph.theory.Vector([3.0, 0, 0], body.frame)
    thrust = ph.AppliedForce(body.mass_centre, ahead, name="jet")
    given = ball.given
    actions = (*given.actions, thrust)
    driven = ph.System(given.members, actions, supports=ball.supports, name="driven")
    assert not ph.audit(driven).is_sound


@pytest.mark.row("D-04", "P-42")
def test_a_force_by_nobody_is_found_in_the_whole():
    """A thrust on one of two balls is answered by no body, and named."""
    ahead = ph.theory.Vector([3.0, 0, 0], A.frame)
    thrust = ph.AppliedForce(A.mass_centre, ahead, name="jet")
    found = ph.audit(pair(thrust))
    assert not found.obeys_third_law
    assert not found.is_sound
    assert not found.reports["jet"].is_invariant
    assert found.reports["spring"].is_invariant
    assert "something acts that is not in the model" in repr(found)


@pytest.mark.row("P-42")
def test_a_constraint_held_by_nobody_is_found_in_the_whole():
    """A wall that is no body pushes on a ball: all of its force is unanswered."""
    wall = ph.Holonomic([A.frame], lambda a, t: a.position[0], name="wall")
    lone = ph.System([A], [ph.Weight(9.81, up=(1, 0, 0))], [wall], name="lone")
    found = ph.audit(lone, lone.state())
    assert not found.obeys_third_law
    assert not found.reports["wall"].is_invariant
    assert found.reports["weight"].is_invariant
    # Weight, its answer by the Earth, and the wall: a third of all has none.
    assert_close(found.force, 1 / 3)
