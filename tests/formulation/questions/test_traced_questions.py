"""Questions of equations and of kinematics inside a law that is traced."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError

PAIR = ph.models.double_pendulum()
STATE = PAIR.state(shoulder=0.4, elbow=-0.7, speeds={"shoulder": 1.1, "elbow": 0.3})
FORM = ph.recursive(PAIR)
LOWER = PAIR.bodies[1]
FRAME = ph.kinematics(PAIR).frame(LOWER.point(0, 0, -0.2))

QUESTIONS = {
    "inverse dynamics": lambda s: FORM.inverse_dynamics(s, 2.0 * s.z),
    "kinetic energy": FORM.kinetic_energy,
    "potential energy": FORM.potential_energy,
    "hamiltonian": FORM.hamiltonian,
    "powers": lambda s: sum(FORM.powers(s).values()),
    "Coriolis": lambda s: FORM.coriolis(s).matrix,
    "jacobian": lambda s: FORM.jacobian(s, LOWER.point(0, 0, -0.2)),
    "inertia along x": lambda s: FORM.operational_inertia(
        s, LOWER.mass_centre, np.eye(6)[3:4]
    ),
    "pose": lambda s: FRAME.pose(s.q).position,
    "frame's jacobian": lambda s: FRAME.jacobian(s.q),
    "frame's drift": lambda s: FRAME.drift(s.q, s.z),
    "weight": lambda s: ph.kinematics(PAIR).gravity_compensation(s.q),
}


@pytest.mark.parametrize("word", QUESTIONS)
def test_a_traced_question_has_the_answer_of_numbers(word):
    """Within a trace it is part of it; the number is the same to rounding."""
    ask = QUESTIONS[word]
    with jax.enable_x64(True):
        traced = np.asarray(jax.jit(ask)(STATE))
    np.testing.assert_allclose(traced, np.asarray(ask(STATE)), rtol=1e-11, atol=1e-12)


def test_computed_torque_gives_the_error_its_own_equation():
    """tau = M (-k e - d e') + b - f leaves e'' + 20 e' + 100 e = 0, critical."""
    motors = [ph.Motor(joint, 0.0, name=f"tau {joint.name}") for joint in PAIR.joints]
    arm = PAIR.plus(actions=motors, name="arm")
    model = ph.recursive(arm)
    goal = np.array([0.5, 0.3])

    def law(t, state):
        error = state.q - goal
        return model.inverse_dynamics(state, -100 * error - 20 * state.z)

    both = tuple(motor.name for motor in motors)
    times = np.array([0.05, 0.1, 0.3])
    motion = ph.simulate(
        arm, arm.rest(), until=0.3, inputs={both: law}, samples=times, rtol=1e-9
    )
    fading = (1 + 10 * times) * np.exp(-10 * times)
    np.testing.assert_allclose(motion.q, goal - np.outer(fading, goal), atol=1e-8)


def test_what_gravity_asks_holds_an_arm_where_it_is():
    """Its motors give the weight alone, so that it stays."""
    motors = [ph.Motor(joint, 0.0, name=f"tau {joint.name}") for joint in PAIR.joints]
    arm = PAIR.plus(actions=motors, name="held arm")
    robot = ph.kinematics(arm)

    def law(t, state):
        return robot.gravity_compensation(state.q)

    both = tuple(motor.name for motor in motors)
    still = arm.state(shoulder=0.4, elbow=-0.7)
    end = ph.simulate(arm, still, until=0.5, inputs={both: law}).final
    np.testing.assert_allclose(end.q, still.q, atol=1e-9)


def test_an_inertia_under_constraints_is_refused_in_words():
    """A rank is known where numbers are, and not before."""
    linkage = ph.models.four_bar()
    form = ph.recursive(linkage)
    state = ph.assemble(linkage, A=0.8).state
    place = linkage.bodies[0].mass_centre
    assert form.operational_inertia(state, place, np.eye(6)[3:4]).shape == (1, 1)
    with (
        jax.enable_x64(True),
        pytest.raises(ModelError, match="cannot be traced"),
    ):
        jax.jit(lambda s: jnp.sum(form.operational_inertia(s, place)))(state)
