"""Springs, dampers and motors along joints."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.actions.force_elements.joint_law import effort_wrench
from polhode.errors import ModelError
from polhode.joints.joint import freedoms
from strategies_geometry import generators
from strategies_joints import JOINTS, random_motion

MOVING = [joint for joint in JOINTS if joint.speeds]
moving = pytest.mark.parametrize("joint", MOVING, ids=lambda j: type(j).__name__)

world = ph.World()
rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))


def hinge(**options):
    return ph.Revolute("hinge", world.origin, rod.point(0, 0, 0.4), ph.Y, **options)


@given(generators)
def test_a_spring_pays_back_its_energy(rng):
    """tau . z = -dV/dt along any motion of its joint."""
    sleeve = ph.Cylindrical("sleeve", world.origin, rod.origin, ph.Z)
    spring = ph.Spring(sleeve, (3.0, 5.0), rest=(0.2, -0.1))
    q, z = random_motion(sleeve, rng)
    loss = -derivative(lambda t: spring.energy(q + z * t), 0.0)
    assert_close(spring.effort(q, z) @ z, loss, atol=1e-9)
    assert spring.is_conservative
    assert_close(spring.effort(np.array([0.2, -0.1]), z), np.zeros(2))


def test_a_spring_counts_turns():
    """Two whole turns from rest are not rest."""
    spring = ph.Spring(hinge(), 2.0)
    assert_close(spring.effort(np.array([4 * np.pi]), np.zeros(1)), [-8 * np.pi])


@moving
@given(generators)
def test_a_damper_only_takes(joint, rng):
    """tau . z = -sum c z²."""
    damping = rng.uniform(0.1, 2.0, joint.speeds)
    q, z = random_motion(joint, rng)
    law = ph.Damper(joint, tuple(damping))
    assert_close(law.effort(q, z) @ z, -np.sum(damping * z**2), rtol=1e-14)
    assert law.energy(q) == 0.0


@moving
@given(generators)
def test_an_effort_is_some_wrench_on_the_successor(joint, rng):
    """W . V = tau . z for every motion that the joint allows."""
    q, z = random_motion(joint, rng)
    tau = rng.normal(size=joint.speeds)
    wrench = effort_wrench(joint, q, tau)
    assert_close(freedoms(joint, q).T @ wrench, tau, atol=1e-12)
    assert_close(wrench @ joint.twist(q, z), tau @ z, atol=1e-12)


def test_names_come_from_the_joint():
    """`Damper(hinge, 0.02)` reads as the damping of the hinge, once for one number."""
    damper = ph.Damper(hinge(), 0.02)
    assert damper.name == "damper of hinge"
    assert damper.parameters == (ph.Parameter("hinge.damping", 0.02),)
    assert damper.bodies == (rod.frame, world.frame)
    ball = ph.Spherical("ball", world.origin, rod.origin)
    assert ph.Damper(ball, 0.1).parameters == (ph.Parameter("ball.damping", 0.1),)
    varied = damper.effort(np.zeros(1), np.ones(1), 0.0, {"hinge.damping": 3.0})
    assert_close(varied, [-3.0])


def test_one_name_serves_points_and_joints():
    """Between two points the same words make the springs and dampers of points."""
    from polhode.actions.force_elements import damper, spring

    ends = world.origin, rod.origin
    assert isinstance(ph.Spring(*ends, 3.0), spring.Spring)
    assert isinstance(ph.Damper(*ends, damping=3.0), damper.Damper)
    assert isinstance(ph.Spring(hinge(), 3.0), ph.JointSpring)
    assert isinstance(ph.Damper(hinge(), 3.0), ph.JointDamper)


def test_a_motor_gives_what_it_can():
    """What the law asks for, cut to the joint's limits; the law sees t, q and z."""
    q, z = np.array([0.5]), np.array([2.0])
    motor = ph.Motor(hinge(effort_limits=(-1.0, 4.0)), lambda t, q, z: t - q - z)
    assert_close(motor.effort(q, z, 3.0), [0.5])
    assert_close(motor.effort(q, z, 30.0), [4.0])
    assert_close(motor.effort(q, z, -30.0), [-1.0])
    assert_close(ph.Motor(hinge(), 7.0).effort(q, z), [7.0])
    assert not motor.is_conservative


def test_laws_run_in_a_trace():
    """Spring, damper and motor give the same efforts when compiled."""
    joint = hinge(effort_limits=(-1.0, 1.0))
    laws = (ph.Spring(joint, 2.0), ph.Damper(joint, 0.3), ph.Motor(joint, _swing))
    q, z = np.array([0.4]), np.array([-0.7])

    def efforts(q, z):
        return [law.effort(q, z, 0.5) for law in laws]

    program = ph.compile(efforts, q, z, backend="llvm")
    assert_close(program(q, z), efforts(q, z), rtol=1e-14)


def _swing(t, q, z):
    import jax.numpy as jnp

    return 0.2 * jnp.sin(t) - z


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ph.Damper(hinge(), -1.0), "damping of 'hinge' is negative"),
        (lambda: ph.Damper(hinge(), np.nan), "damping of 'hinge' is not finite"),
        (lambda: ph.Spring(hinge(), (1.0, 2.0)), "has 1 speeds"),
        (lambda: ph.Damper(_weld(), 1.0), "nothing can act along 'weld'"),
        (lambda: ph.Motor(_weld(), 1.0), "no motor can drive 'weld'"),
        (lambda: ph.Motor(hinge(), "fast"), "is not a number"),
        (lambda: ph.Spring(_ball(), 1.0), "cannot act along the coordinates of 'ball'"),
        (lambda: ph.Damper(_sleeve(), 1.0), "in its own unit"),
    ],
)
def test_a_law_that_cannot_be_is_refused(make, says):
    """Signs, counts, units and joints are checked when the law is made."""
    with pytest.raises(ModelError) as refusal:
        make()
    assert says in str(refusal.value)


def _weld():
    return ph.Fixed("weld", world.origin, rod.origin)


def _ball():
    return ph.Spherical("ball", world.origin, rod.origin)


def _sleeve():
    return ph.Cylindrical("sleeve", world.origin, rod.origin, ph.Z)


def test_springs_and_dampers_of_joints_take_their_numbers_by_name():
    """Spring(joint, stiffness=k) is Spring(joint, k)."""
    world, rod = ph.World(), ph.Body("rod", ph.solids.rod(mass=1, length=1))
    hinge = ph.Revolute("hinge", world.origin, rod.origin, ph.X)
    assert ph.Spring(hinge, stiffness=3.0).stiffness == ph.Spring(hinge, 3.0).stiffness
    assert ph.Damper(hinge, damping=3.0).damping == ph.Damper(hinge, 3.0).damping


@pytest.mark.parametrize("law", ["drive", None, [1.0, 2.0], {}])
def test_a_motor_without_law_says_what_laws_and_inputs_are(law):
    """A name is no effort: the error has both ways on."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
    with pytest.raises(ModelError, match=r"lambda t, q, z") as refused:
        ph.Motor(hinge, law)
    assert 'inputs={"drive": law}' in str(refused.value)
    with pytest.raises(ModelError, match=r"kg"):
        ph.Motor(hinge, "3 kg")
    assert ph.Motor(hinge, "3 N*m").law == 3.0
