"""Single steps from Python, and many in one native call."""

from __future__ import annotations

import threading
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from call_count import count_calls
from polhode.errors import (
    InconsistentState,
    IntegrationError,
    ModelError,
    PolhodeError,
    StateError,
)

MODELS = ("double_pendulum", "heavy_top", "four_bar", "rolling_disc")


@cache
def stepped(name: str) -> tuple[ph.State, object]:
    """A start of a model, and its stepper."""
    state = ph.models.start(name)
    return state, ph.stepper(state.system, 0.001)


@cache
def pushed() -> tuple[ph.System, object]:
    """A pendulum with a motor and a mass, both given at each step."""
    bob = ph.Body("bob", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, 0.5), axis=ph.Y)
    motor = ph.Motor(hinge, ph.Parameter("u", 0.0), name="motor")
    stiffness = ph.Parameter("k", 1.0)
    spring = ph.JointSpring(hinge, stiffness, name="spring")
    system = ph.System([hinge], [ph.Weight(9.81), motor, spring], name="pushed")
    return system, ph.stepper(system, 0.01, inputs=["u", "k"])


def last_of(step, state) -> None:
    """Step on until it is refused."""
    while True:
        state = step(state)


def same(a: ph.State, b: ph.State) -> bool:
    """Two states of equal bits."""
    pairs = ((a.t, b.t), (a.q, b.q), (a.z, b.z))
    return all(np.array_equal(x, y) for x, y in pairs)


@pytest.mark.parametrize("name", MODELS)
def test_the_quick_step_is_the_checked_step(name):
    """The first call asks every question, the next ones few; the bits are the same."""
    state, step = stepped(name)
    for _ in range(5):
        quick, checked = step(state), step._checked(state, None)
        assert same(quick, checked)
        state = quick
    assert not any(part.flags.writeable for part in (state.t, state.q, state.z))


@pytest.mark.parametrize("name", MODELS)
def test_a_rollout_is_steps_in_a_row(name):
    """Bit for bit, over more steps than one native call makes."""
    state, step = stepped(name)
    n = step._columns.attempts + 37
    found = step.rollout(state, n)
    now = state
    for k in range(n):
        now = step(now)
        assert found.t[k] == now.t
        assert np.array_equal(found.q[k], now.q)
        assert np.array_equal(found.z[k], now.z)
    assert len(found) == n
    assert np.allclose(found.end.q, now.q, rtol=0, atol=1e-15)
    assert f"{n} steps" in repr(found)


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=12),
    st.floats(-1, 1),
    st.floats(0.5, 2.0),
)
def test_inputs_of_a_rollout_are_those_of_its_steps(efforts, angle, k):
    """One value for each step, or one for all."""
    system, step = pushed()
    state = now = system.state(hinge=angle)
    found = step.rollout(state, len(efforts), {"u": efforts, "k": k})
    for row, u in enumerate(efforts):
        now = step(now, {"u": u, "k": k})
        assert np.array_equal(found.q[row], now.q)
        assert np.array_equal(found.z[row], now.z)


def test_many_states_roll_as_each_alone():
    """Runs before steps, and inputs one for all, for each step, or for each of both."""
    system, step = pushed()
    angles = np.linspace(-1, 1, 9)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)
    u = np.sin(np.arange(9 * 20)).reshape(9, 20)
    found = step.rollout(states, 20, {"u": u, "k": 1.0})
    assert found.q.shape == (9, 20, 1)
    for run in range(9):
        alone = step.rollout(states[run], 20, {"u": u[run], "k": 1.0})
        assert np.array_equal(found.q[run], alone.q)
    assert len(found.end) == 9
    assert "9 runs" in repr(found)


def test_every_refusal_is_that_of_the_first_step():
    """Also when it is warm: other systems, inputs, numbers, parameters, times."""
    system, step = pushed()
    state = step(system.rest(), {"u": 0.0, "k": 1.0})
    other = ph.models.start("pendulum")
    wrong = [
        (StateError, other, {"u": 0.0, "k": 1.0}),
        (StateError, "no state", {"u": 0.0, "k": 1.0}),
        (IntegrationError, state, None),
        (IntegrationError, state, {"u": 0.0}),
        (IntegrationError, state, {"u": 0.0, "k": 1.0, "v": 2.0}),
        (IntegrationError, state, {"u": np.ones(2), "k": 1.0}),
        (ModelError, state, {"u": np.nan, "k": 1.0}),
        (ModelError, state, {"u": np.inf, "k": 1.0}),
        (ModelError, state, {"u": True, "k": 1.0}),
        (ModelError, state, {"u": 0.0, "k": -np.inf}),
        (IntegrationError, ph.State(system, 1e17, [0.1], [0.0]), {"u": 0.0, "k": 1.0}),
    ]
    for kind, at, inputs in wrong:
        with pytest.raises(kind) as told:
            step(at, inputs)
        if isinstance(at, ph.State):
            with pytest.raises(kind):
                step.rollout(at, 3, inputs)
        assert isinstance(told.value, PolhodeError)
    assert same(step(state, {"u": 0.0, "k": 1.0}), step(state, {"k": 1.0, "u": 0.0}))


def test_numbers_of_any_kind_are_inputs():
    """Whole numbers, NumPy's numbers, arrays of one: all as the float that they are."""
    system, step = pushed()
    state = step(system.rest(), {"u": 0.0, "k": 1.0})
    expected = step(state, {"u": 2.0, "k": 1.0})
    for two in (2, np.float64(2), np.int64(2), np.array(2.0), np.array([2.0]), [2.0]):
        assert same(step(state, {"u": two, "k": 1}), expected)


def test_a_state_that_breaks_its_constraints_is_refused_when_warm():
    """A closed loop that is open is not stepped, by one call or by many."""
    state, step = stepped("four_bar")
    step(state)
    broken = ph.State(state.system, 0.0, state.q + 0.1, state.z)
    with pytest.raises(InconsistentState):
        step(broken)
    with pytest.raises(InconsistentState):
        step.rollout(broken, 5)


def test_a_rollout_says_at_which_time_it_cannot_go_on():
    """The force is undefined beyond x = 1: the error is that of the step that fails."""
    bob = ph.Body("bob", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, 0.5), axis=ph.Y)
    motor = ph.Motor(hinge, lambda t, q, z: jnp.sqrt(1.0 - q[0]))
    system = ph.System([hinge], [motor], name="edge")
    step = ph.stepper(system, 0.01)
    state = system.state(hinge=0.0, speeds={"hinge": 2.0})
    with pytest.raises(PolhodeError) as row:
        step.rollout(state, 500)
    with pytest.raises(PolhodeError) as one:
        last_of(step, state)
    assert str(row.value) == str(one.value)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None])
def test_a_rollout_makes_a_whole_number_of_steps(n):
    """One or more."""
    state, step = stepped("double_pendulum")
    with pytest.raises(IntegrationError, match="a rollout cannot make"):
        step.rollout(state, n)


def test_a_rollout_cannot_be_traced():
    """It says what to do instead."""
    system, step = pushed()
    with pytest.raises(IntegrationError, match="cannot be traced"):
        jax.jit(lambda u: step.rollout(system.rest(), 3, {"u": u, "k": 1.0}).q)(1.0)


def test_threads_step_without_meeting_each_other():
    """Each has arrays of its own, and finds the steps that it would find alone."""
    state, step = stepped("double_pendulum")
    starts = [state.changed({state.system.joints[0].name: x}) for x in (0.1, 0.7, 1.3)]
    step(state)

    def chain(at, found):
        for _ in range(2000):
            at = step(at)
        found.append(at)

    alone: list = []
    for start in starts:
        chain(start, alone)
    each: list[list] = [[] for _ in starts]
    pairs = zip(starts, each, strict=True)
    threads = [threading.Thread(target=chain, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(a, b[0]) for a, b in zip(alone, each, strict=True))


def test_a_step_costs_python_little():
    """A dozen calls of functions round one of native code: some 3 us."""
    state, step = stepped("double_pendulum")
    state = step(step(state))
    assert count_calls(lambda: step(state)) <= 15
