"""The spatial forms of whole systems: any point, any observer, one motion."""

from __future__ import annotations

import inspect
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode import X, Z
from polhode.formulation.registry import FORMULATIONS
from polhode.geometry.rotations import so3
from strategies_system import block, random_state

ORBITAL = ph.theory.Observer(
    "orbital", lambda t: so3.exp(jnp.stack([0.3 * t, jnp.sin(t), 0.2 + t]))
)


@cache
def wheel_on_arm():
    """Exercise 7.2's kind: an arm turns about Z, a wheel spins about X on it."""
    arm = ph.Body("arm", ph.solids.rod(mass=0.5, length=1.0, along=X))
    wheel = ph.Body("wheel", ph.solids.disc(mass=2.0, radius=0.3, along=X))
    pivot = ph.Revolute("pivot", ph.World().origin, arm.point(-0.5, 0, 0), axis=Z)
    axle = ph.Revolute("axle", arm.point(0.5, 0, 0), wheel.origin, axis=X)
    return ph.System([pivot, axle], [ph.Weight(9.81)], name="wheel on an arm")


@cache
def free():
    """One free block with its mass centre off its origin."""
    return ph.System([block("craft")], [ph.Weight(1.0)], name="free block")


@cache
def arm_states():
    """States of the wheel on the arm, at several times."""
    rng = np.random.default_rng(9)
    return [random_state(wheel_on_arm(), rng) for _ in range(5)]


def check_motion(equations):
    """The bodies of the wheel on the arm accelerate as Gauss says."""
    gauss = made_gauss()
    for state in arm_states():
        wanted = gauss.body_accelerations(state)
        assert_close(equations.body_accelerations(state), wanted, rtol=1e-10)


@cache
def made_gauss():
    """Gauss's equations of the wheel on the arm."""
    return ph.gauss(wheel_on_arm())


@pytest.mark.row("F-15")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_four_forms_of_a_system_are_one_motion(number):
    """Accelerations of all bodies agree with Gauss's, whatever point and rates."""
    equations = FORMULATIONS[f"spatial form {number}"](wheel_on_arm())
    assert equations.name == f"spatial form {number}"
    check_motion(equations)


@pytest.mark.row("F-15")
@pytest.mark.parametrize(
    "forms", [(1, 4), pytest.param((1, 2, 3), marks=pytest.mark.long)]
)
def test_runs_of_the_four_forms_end_together(forms):
    """A tumbling block for ten radians by each form: 1e-8 between their ends."""
    system = free()
    start = system.state(speeds={"craft": (0.7, -1.1, 0.9, 0.2, 0.0, -0.4)})
    method = ph.methods.DormandPrince(rtol=1e-11)
    ends = []
    for number in forms:
        equations = FORMULATIONS[f"spatial form {number}"](system)
        motion = ph.simulate(equations, start, until=7.0, method=method)
        ends.append(np.r_[motion.final.q, motion.final.z])
    for end in ends[1:]:
        assert_close(end, ends[0], rtol=1e-8)


@pytest.mark.row("F-16")
def test_a_basis_that_does_not_spin_sees_a_constant_inertia():
    """Exercise 7.2: rates of the wheel seen from the arm; its inertia stands still."""
    system = wheel_on_arm()
    arm, wheel = system.bodies
    rates = {"arm": "body", "wheel": arm.frame}
    equations = ph.spatial_form(system, about="mass centre", rates=rates)
    check_motion(equations)
    first = equations.mass_matrix(arm_states()[0])
    for state in arm_states()[1:]:
        assert_close(equations.mass_matrix(state), first, rtol=1e-12)
    principal = np.sort(np.linalg.eigvalsh(wheel.inertia.dyadic.components))
    assert_close(np.sort(np.diag(first)[6:9]), principal, rtol=1e-12)
    # Seen from the world the same inertia turns.
    inertial = ph.spatial_form(system, about="mass centre", rates="inertial")
    moved = inertial.mass_matrix(arm_states()[1]) - inertial.mass_matrix(
        arm_states()[0]
    )
    assert np.linalg.norm(moved) > 1e-3


@pytest.mark.row("F-16")
def test_an_orbital_frame_may_see_the_rates():
    """An observer that turns in time, about points of one's own: the same motion."""
    system = wheel_on_arm()
    arm, wheel = system.bodies
    points = {"arm": arm.point(0.1, 0.2, 0.3), "wheel": wheel.point(0, 0.1, -0.2)}
    check_motion(ph.spatial_form(system, about=points, rates=ORBITAL))


@pytest.mark.row("F-16")
def test_the_world_and_the_body_are_observers_too():
    """A = the world gives forms 1 and 3, A = the body gives 2 and 4."""
    system = free()
    (body,) = system.bodies
    state = random_state(system, np.random.default_rng(1))
    still = ph.theory.Observer("still", lambda t: jnp.eye(3))
    cases = {"inertial": ("mass centre", still), "body": ("origin", body.frame)}
    for word, (about, observer) in cases.items():
        one = ph.spatial_form(system, about=about, rates=word)
        other = ph.spatial_form(system, about=about, rates=observer)
        assert_close(other.bias(state), one.bias(state), rtol=1e-13)
        assert_close(other.mass_matrix(state), one.mass_matrix(state))


@pytest.mark.row("CV-13")
def test_the_rates_of_a_system_are_asked_for():
    """No form of a system without the observer of its rates."""
    parameter = inspect.signature(ph.spatial_form).parameters["rates"]
    assert parameter.default is inspect.Parameter.empty
    with pytest.raises(TypeError, match="rates"):
        ph.spatial_form(free(), about="origin")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"about": "centre", "rates": "body"}, "cannot be about 'centre'"),
        ({"about": "origin", "rates": "absolute"}, "cannot be seen from 'absolute'"),
        ({"about": {"crft": "origin"}, "rates": "body"}, "Did you mean 'craft'"),
        ({"about": {}, "rates": "body"}, "`about` says nothing of 'craft'"),
        ({"about": "origin", "rates": ph.theory.Frame("ship")}, "'ship': it is not in"),
        ({"about": ph.World().origin, "rates": "body"}, "a point of 'world'"),
    ],
)
def test_what_is_no_point_or_observer_is_refused(given, words):
    """Who, what and what to give instead."""
    with pytest.raises(ph.PolhodeError) as refusal:
        ph.spatial_form(free(), **given)
    assert words in str(refusal.value)


def test_an_observer_must_turn():
    """A matrix that is no rotation is not an observer's."""
    with pytest.raises(ph.PolhodeError, match="observer 'mirror' at t = 0"):
        ph.theory.Observer("mirror", lambda t: -jnp.eye(3))


def test_a_fluid_may_be_carried_along():
    """Form 4 about any point holds with added mass, as Kirchhoff's equations do."""
    matter = ph.marine.with_added_mass(
        ph.solids.sphere(mass=2.0, radius=0.2), np.diag([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    )
    hull = ph.Body("hull", matter)
    system = ph.System([hull], name="hull")
    state = random_state(system, np.random.default_rng(4))
    wanted = ph.kirchhoff(system).body_accelerations(state)
    points = {"hull": hull.point(0.3, -0.1, 0.2)}
    equations = ph.spatial_form(system, about=points, rates="body")
    assert_close(equations.body_accelerations(state), wanted, rtol=1e-11)
    assert equations.coriolis(state).is_passive
    with pytest.raises(ph.PolhodeError, match="'spin' of 'hull' is wrong by"):
        equations.coriolis(state, "spin")
