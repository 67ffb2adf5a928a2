"""The invariance audit: what it accepts, what it rejects, and the repair it offers."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.actions.action import third_law_residual
from polhode.actions.applied import AppliedForce
from polhode.actions.force_elements.rotational_spring import (
    RotationalSpring,
    TorsionalSpring,
)
from polhode.actions.force_elements.spring import NonlinearSpring, Spring
from polhode.actions.gravitation import Gravitation, PointMass
from polhode.actions.motion_arrays import Wrenches
from polhode.actions.potentials.invariance import audit_invariance
from polhode.actions.potentials.potential import Potential
from polhode.actions.potentials.raw_potential import RawPotential
from polhode.actions.weight import Weight
from polhode.errors import ForceError, ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector
from polhode.matter.axes import Z
from strategies_actions import generators, random_poses, random_twists

BODY, OTHER, EARTH = Frame("body"), Frame("other"), Frame("earth")
E3 = np.array([0.0, 0.0, 1.0])


def spring_law(a, b, t):
    d = a.position - b.position
    return 3.0 * d @ d


def weight_law(a, t):
    return 2.0 * 9.81 * a.position[2]


def angle_law(a, b, t):
    return (a.rotation @ E3) @ (b.rotation @ E3)


def origin_law(a, t):
    return 3.0 * a.position @ a.position / 2


def driven_law(a, t):
    d = a.position - jnp.array([jnp.sin(t), 0.0, 0.0])
    return d @ d


def clock_law(a, b, t):
    d = a.position - b.position
    return jnp.cos(t) * (d @ d)


def raw(law, bodies=(BODY,), name="raw"):
    return RawPotential(bodies, law, name=name)


@pytest.mark.row("P-06", "P-42")
@pytest.mark.parametrize(
    ("action", "failures"),
    [
        (raw(spring_law, (BODY, OTHER)), ()),
        (raw(angle_law, (BODY, OTHER)), ()),
        (raw(weight_law), ("translation", "rotation")),
        (raw(origin_law), ("translation",)),
        (raw(driven_law), ("translation", "rotation", "time shift")),
        (raw(clock_law, (BODY, OTHER)), ("time shift",)),
        (raw(lambda a, t: 1e6 + 0 * a.position[0]), ()),
    ],
)
def test_the_audit_knows_what_fails(action, failures):
    """Springs and angles between bodies pass; m g z, -k x, drivers and clocks fail."""
    report = audit_invariance(action)
    assert report.failures == failures
    assert report.is_invariant == (failures == ())
    assert report.lacks_a_body == (failures != ())


@pytest.mark.row("P-42")
@pytest.mark.parametrize("law", [weight_law, origin_law])
def test_invariance_fails_exactly_with_the_third_law(law):
    """m g z and -k x leave a force unanswered; with the Earth as a body all cancel."""
    alone = raw(law, name="load")
    report = audit_invariance(alone)
    assert not report.obeys_third_law
    assert "seen_from(earth)" in str(report)
    repaired = alone.seen_from(EARTH)
    again = audit_invariance(repaired)
    assert again.is_invariant
    assert again.obeys_third_law
    assert "properly invariant" in str(again)
    poses, twists = (f(np.random.default_rng(1), 2) for f in DRAWS)
    still = poses._replace(
        rotations=np.stack([np.eye(3), poses.rotations[1]]),
        origins=np.stack([np.zeros(3), poses.origins[1]]),
    )
    own = still._replace(rotations=still.rotations[1:], origins=still.origins[1:])
    both, one = repaired.wrenches(still, twists), alone.wrenches(own, twists)
    assert_close(both.forces[1], one.forces[0])


DRAWS = (random_poses, random_twists)


@pytest.mark.row("P-42")
def test_explicit_time_asks_for_a_driver():
    """A driven spring: the report names the cure, and a body at rest is refused."""
    driven = raw(driven_law, name="shaken")
    report = audit_invariance(driven)
    assert report.depends_on_time
    assert "prescribed" in str(report)
    with pytest.raises(ModelError, match="'shaken' depends on time"):
        driven.seen_from(EARTH)


SPRING_ENDS = (Point(BODY, [0.1, 0, 0.2]), Point(OTHER, [0, 0.3, 0]))
LIBRARY = [
    Spring(*SPRING_ENDS, 3.0, 0.5),
    NonlinearSpring(*SPRING_ENDS, lambda x: x**4 + jnp.cos(x)),
    TorsionalSpring(BODY, OTHER, axis=Z, stiffness=2.0, rest_angle=0.3),
    RotationalSpring(BODY, OTHER, stiffness=2.0),
    Gravitation(
        (PointMass(SPRING_ENDS[0], 2.0), PointMass(SPRING_ENDS[1], 3.0)), constant=1.0
    ),
    AppliedForce(SPRING_ENDS[0], Vector([1, 2, 3], EARTH), by=EARTH),
    Weight(9.81).on((PointMass(SPRING_ENDS[0], 2.0),), by=EARTH),
    Potential((BODY, OTHER), lambda b: b.rotation[0, 1] * b.position[2]),
]


@pytest.mark.row("A-24")
@pytest.mark.parametrize("action", LIBRARY, ids=lambda a: type(a).__name__)
def test_the_common_potentials_are_properly_invariant(action):
    """Gravitation, springs, spring moments; constant forces and weight with a body."""
    assert action.is_conservative
    assert audit_invariance(action).is_invariant


@pytest.mark.row("A-24")
@pytest.mark.parametrize(
    "law",
    [lambda a, t: -(jnp.array([1.0, 2.0, 3.0]) @ a.position), weight_law],
    ids=["constant force", "weight"],
)
def test_constant_forces_need_a_third_body(law):
    """Without the body that exerts it a constant force is not invariant."""
    assert audit_invariance(raw(law)).lacks_a_body


@pytest.mark.parametrize("action", LIBRARY, ids=lambda a: type(a).__name__)
@given(generators)
def test_every_interaction_obeys_the_third_law(action, rng):
    """Forces cancel, and moments about any point do."""
    count = len(action.bodies)
    poses, twists = random_poses(rng, count), random_twists(rng, count)
    assert max(third_law_residual(action, poses, twists)) < 1e-12


def test_the_audit_says_where_an_energy_is_undefined():
    """An energy that is NaN at random poses is refused by name."""
    with pytest.raises(ForceError, match="the energy of 'hole' is nan"):
        audit_invariance(
            raw(lambda a, t: jnp.sqrt(-1.0 - a.position[0] ** 2), name="hole")
        )


def test_the_report_on_a_follower_names_what_is_broken():
    """A force by nobody stores no energy: all that fails is the third law."""
    ship = Frame("ship")
    thruster = AppliedForce(Point.origin(ship), Vector([1, 0, 0], ship))
    text = str(audit_invariance(thruster))
    assert text.startswith("'force' does not obey the third law.")


def test_what_breaks_the_third_law_in_motion_only_is_found():
    """A drag by nobody gives no force at rest, and none that is answered in motion."""
    ship, air = Frame("ship"), Frame("air")

    class ByNobody:
        name = "headwind"
        bodies = (ship, air)

        def energy(self, poses, t=0.0, table=None):
            return 0.0

        def wrenches(self, poses, twists, t=0.0, table=None):
            forces = np.stack([-0.3 * twists.linear[0], np.zeros(3)])
            return Wrenches(0.0 * forces, forces)

    report = audit_invariance(ByNobody())
    assert not report.obeys_third_law
    assert report.lacks_a_body
    assert_close(report.force, 1.0)


def test_a_weight_without_masses_is_told_how_to_be_audited():
    """No bare AttributeError: the words name the verb that gives it bodies."""
    with pytest.raises(ModelError, match=r"weight\.on\(masses, by="):
        audit_invariance(Weight(9.81))
