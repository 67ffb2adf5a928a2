"""Laws of several inputs, and controllers with constants and states of their own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import (
    ForceError,
    IntegrationError,
    IntegrationWarning,
    ModelError,
)

GAIN = ph.Parameter("gain", 30.0)


def arm():
    """A double pendulum with a motor on each joint."""
    bare = ph.models.double_pendulum()
    motors = [ph.Motor(j, 0.0, name=f"tau{k}") for k, j in enumerate(bare.joints, 1)]
    return ph.System(bare.given.members, [*bare.given.actions, *motors], name="arm")


ARM = arm()
START = ARM.state(shoulder=0.4, elbow=-0.2)
BOTH = ("tau1", "tau2")


def angles(state):
    return jnp.stack([state["shoulder"], state["elbow"]])


def with_gain(t, state, gain):
    return -gain * angles(state)


def integral(t, state, x, gain):
    """A proportional and integral law: x is the integral of the angles."""
    q = angles(state)
    return -gain * q - 5.0 * x, q


HELD = ph.Controller(with_gain, constants={"gain": GAIN}, name="held")
PID = ph.Controller(integral, constants={"gain": GAIN}, states=[0.0, 0.0], name="pid")


def test_one_law_for_two_motors_is_two_laws():
    """The same motion as by one law each, whether it returns an array or a tuple."""
    each = {
        "tau1": lambda t, state: -30.0 * state["shoulder"],
        "tau2": lambda t, state: -30.0 * state["elbow"],
    }
    apart = ph.simulate(ARM, START, until=0.4, inputs=each)
    for law in (
        lambda t, state: -30.0 * angles(state),
        lambda t, state: (-30.0 * state["shoulder"], -30.0 * state["elbow"]),
        HELD,
    ):
        together = ph.simulate(ARM, START, until=0.4, inputs={BOTH: law})
        assert_close(together.q[-1], apart.q[-1], rtol=1e-12)


def test_a_sampled_law_of_several_is_asked_once_a_sample():
    """Plain Python, called once for both inputs, with one memory."""
    asked = []

    def law(t, state, memory):
        asked.append(t)
        return -30.0 * np.array([state["shoulder"], state["elbow"]]), memory + 1

    sampled = ph.Sampled(law, 0.05, state=[0.0])
    motion = ph.simulate(ARM, START, until=0.2, inputs={BOTH: sampled})
    times, values = motion.inputs["tau2"]
    assert len(asked) == len(set(asked)) == len(times)
    assert_close(values[0], 6.0)
    one = ph.Sampled(lambda t, s: -30.0 * s["shoulder"], 0.05)
    two = ph.Sampled(lambda t, s: -30.0 * s["elbow"], 0.05)
    apart = ph.simulate(ARM, START, until=0.2, inputs={"tau1": one, "tau2": two})
    assert_close(motion.q[-1], apart.q[-1], rtol=1e-13)


def test_constants_of_a_controller_are_parameters_of_the_run():
    """Other values by parameters=..., in a sweep, and by the gradient."""
    given = {BOTH: HELD}
    values = [30.0, 30.01, 29.99]
    found = ph.sweep(ARM, START, until=0.3, inputs=given, parameters={"gain": values})
    motion = ph.simulate(ARM, START, until=0.3, inputs=given)
    assert_close(found.final_q[0], motion.q[-1], rtol=1e-9)
    other = ph.simulate(ARM, START, until=0.3, inputs=given, parameters={"gain": 30.01})
    assert_close(found.final_q[1], other.q[-1], rtol=1e-9)
    by_gain = ph.gradient(motion, lambda t, state: state["elbow"], ["gain"])["gain"]
    slope = (found.final_q[1, 1] - found.final_q[2, 1]) / 0.02
    assert_close(by_gain, slope, rtol=1e-4)
    with pytest.raises(ModelError, match="no parameter or input 'gian'"):
        ph.simulate(ARM, START, until=0.3, inputs=given, parameters={"gian": 1.0})


def test_states_of_a_controller_are_integrated_with_the_motion():
    """x is the integral of the angles; the ledger balances the work of the motors."""
    motion = ph.simulate(ARM, START, until=0.4, inputs={BOTH: PID})
    x = motion.controller("pid")
    assert x.shape == (len(motion), 2)
    times = np.linspace(0.0, 0.4, 801)
    rows = motion.resampled(times)
    h = times[1] - times[0]
    simpson = h / 3 * (rows.q[0] + 4 * rows.q[1::2].sum(0) + 2 * rows.q[2:-1:2].sum(0))
    assert_close(x[-1], simpson + h / 3 * rows.q[-1], rtol=1e-7)
    assert motion.z.shape == motion.q.shape
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-7
    stiff = ph.methods.RadauIIA(rtol=1e-8)
    again = ph.simulate(ARM, START, until=0.4, inputs={BOTH: PID}, method=stiff)
    assert_close(again.controller("pid")[-1], x[-1], rtol=1e-6)
    with pytest.raises(IntegrationError, match="no states of a controller 'pdi'"):
        motion.controller("pdi")


def test_a_first_order_filter_lags_as_it_should():
    """x' = (q - x)/T beside a prescribed angle: the closed form of the lag."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.origin, axis=ph.Y)
    system = ph.System([hinge], [ph.Motor(hinge, 0.0, name="tau")], name="turned")
    T = ph.Parameter("T", 0.5)
    lag = ph.Controller(
        lambda t, state, x, T: (0.0 * x[0], (state["hinge"] - x) / T),
        constants={"T": T},
        states=[0.0],
        name="lag",
    )
    start = system.state(speeds={"hinge": 2.0})
    motion = ph.simulate(system, start, until=1.0, inputs={"tau": lag}, rtol=1e-10)
    exact = 2.0 * (motion.t - 0.5 * (1 - np.exp(-motion.t / 0.5)))
    assert_close(motion.controller("lag")[:, 0], exact, rtol=1e-8)


def test_events_leave_the_states_of_controllers_as_they_are():
    """A traced bounce of the speeds does not begin the integral anew."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.origin, axis=ph.Y)
    system = ph.System([hinge], [ph.Motor(hinge, 0.0, name="tau")], name="turned")
    clock = ph.Controller(lambda t, s, x: (0.0 * x[0], jnp.ones(1)), states=[0.0])
    wall = ph.Event(
        "wall",
        lambda t, state: state["hinge"] - 0.5,
        reset=lambda t, state: state.changed(
            {"hinge": 0.4}, speeds={"hinge": -state.speed("hinge")}
        ),
    )
    start = system.state(speeds={"hinge": 1.0})
    motion = ph.simulate(system, start, until=1.0, inputs={"tau": clock}, events=wall)
    assert len(motion.events["wall"].t) == 1
    assert_close(motion.controller()[-1, 0], 1.0, rtol=1e-12)


def test_a_saved_run_goes_on_with_its_controller(tmp_path):
    """Written as it runs, halted, and resumed: the same bits as in one go."""
    path = tmp_path / "run.nc"
    whole = ph.simulate(ARM, START, until=0.3, inputs={BOTH: PID})
    with pytest.warns(IntegrationWarning):
        ph.simulate(ARM, START, until=0.3, inputs={BOTH: PID}, to=path, limit=20)
    rest = ph.resume(path, ARM, inputs={BOTH: PID}, limit=10**6)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    np.testing.assert_array_equal(
        rest.controller("pid")[-1], whole.controller("pid")[-1]
    )
    read = ph.load_motion(path).of(ARM, inputs={BOTH: PID})
    np.testing.assert_array_equal(read.controller("pid"), rest.controller("pid"))


def test_what_a_law_of_several_cannot_be_is_refused():
    """Too few numbers, one input twice, no pair, methods of mechanics alone."""
    with pytest.raises(ForceError, match="gives 1 numbers, not 2"):
        ph.simulate(ARM, START, until=0.1, inputs={BOTH: lambda t, s: s["elbow"]})
    twice = {BOTH: HELD, "tau1": lambda t: 0.0}
    with pytest.raises(IntegrationError, match="'tau1' is driven twice"):
        ph.simulate(ARM, START, until=0.1, inputs=twice)
    unpaired = ph.Controller(lambda t, s, x: x, states=[0.0, 0.0])
    with pytest.raises(ForceError, match="returns no pair"):
        ph.simulate(ARM, START, until=0.1, inputs={BOTH: unpaired})
    with pytest.raises(IntegrationError, match="does not step states"):
        ph.simulate(
            ARM,
            START,
            until=0.1,
            inputs={BOTH: PID},
            method=ph.methods.StormerVerlet(step=0.01),
        )
    with pytest.raises(IntegrationError, match="cannot begin with the states"):
        ph.Controller(integral, states=["a"])


def test_a_state_is_a_tree_of_jax():
    """jit, grad and vmap take states as they are and give them back."""
    leaves, tree = jax.tree.flatten(START)
    assert len(leaves) == 3
    assert jax.tree.unflatten(tree, leaves).system is ARM
    with jax.enable_x64(True):

        def energy(state):
            return ARM.potential_energy(state.t, state.q)

        by_state = jax.jit(jax.grad(energy))(START)
        assert isinstance(by_state, ph.State)
        h = 1e-6
        there = START.changed(shoulder=0.4 + h), START.changed(shoulder=0.4 - h)
        slope = (float(energy(there[0])) - float(energy(there[1]))) / (2 * h)
        assert_close(by_state["shoulder"], slope, rtol=1e-7)
        two = jax.tree.map(lambda *x: jnp.stack(x), START, there[0])
        assert jax.vmap(energy)(two).shape == (2,)


def test_a_number_drives_as_a_law_that_gives_it():
    """The same bits, of one motor and of a force of three; a sweep varies it."""
    cart = ph.models.cart_pendulum()
    start = cart.state(hinge=0.3)
    law, number = (
        ph.simulate(cart, start, until=1.0, inputs={"push": given})
        for given in (lambda t: 5.0, 5.0)
    )
    np.testing.assert_array_equal(number.q, law.q)
    swept = ph.sweep(
        *(cart, start),
        until=1.0,
        inputs={"push": 1.0},
        parameters={"push.input": [5.0, 0.0]},
    )
    np.testing.assert_array_equal(swept.final_q[0], law.q[-1])
    box = ph.Body.from_inertia("box", mass=1.0, inertia=(2.0, 2.0, 2.0))
    couple = ph.AppliedCouple(
        box.frame, ph.theory.Vector(np.zeros(3), box.frame), name="couple"
    )
    turned = ph.System([box], [couple])
    motion = ph.simulate(
        turned, turned.rest(), until=1.0, inputs={"couple": (1.0, 0.0, 0.0)}
    )
    np.testing.assert_allclose(motion.z[-1, :3], [0.5, 0.0, 0.0], atol=1e-9)
