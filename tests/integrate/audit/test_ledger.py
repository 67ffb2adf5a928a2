"""The audit of motions, and single steps."""

from __future__ import annotations

import warnings
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from held import bob_on_a_rod
from moving import double_pendulum, four_bar, heavy_top
from polhode import models
from polhode.errors import (
    IntegrationError,
    ModelError,
    NumericalWarning,
)
from polhode.integrate.audit.drift import is_isolated
from strategies_system import cart_pendulum, driven_hinge


@cache
def cart() -> ph.System:
    """A pendulum on a cart with a spring and a damper."""
    return cart_pendulum()


def test_what_a_damper_takes_is_in_the_ledger():
    """T + V falls by the work of the damper, and the table shows both."""
    system = cart()
    motion = ph.simulate(system, system.state(pivot=1.0, track=0.3), until=5.0)
    ledger = motion.ledger()
    assert list(ledger.work) == ["damper"]
    assert ledger.work["damper"][-1] < -0.1
    assert np.all(np.diff(ledger.work["damper"]) <= 0)
    assert np.max(np.abs(ledger.balance)) < ledger.promise
    text = repr(ledger)
    for word in ("work of damper, J", "balance, at most, J", "steps accepted"):
        assert word in text


def test_a_run_that_hardly_leaves_rest_keeps_its_promise():
    """Its speeds are exact to a share of the system's own, not of their own."""
    system = models.four_bar()
    ledger = ph.simulate(system, system.rest(), until=0.1).ledger()
    assert 0 < np.max(np.abs(ledger.balance)) < ledger.promise < 1e-6 * ledger.scale


def test_what_a_driver_gives_is_in_the_ledger():
    """A prescribed motion does work, and the energy changes by it."""
    system = driven_hinge()
    start = system.consistent(ph.State(system, 0.0, system.rest().q, [0.0, 0.7]))
    ledger = ph.simulate(system, start, until=3.0).ledger()
    assert np.ptp(ledger.work["constraints"]) > 0.01
    assert np.max(np.abs(ledger.balance)) < 1e-7 * ledger.scale


def test_a_loop_is_kept_closed():
    """Position to 1e-10 of its length and velocity to 1e-10 of its speed."""
    system = four_bar()
    start = system.consistent(
        ph.State(system, 0.0, system.rest().q, np.full(system.speeds, 0.7))
    )
    motion = ph.simulate(system, start, until=10.0, rtol=1e-8)
    ledger = motion.ledger()
    assert "constraints kept by projection" in repr(motion)
    assert ledger.constraint_violation.max() < 1e-10
    assert ledger.velocity_miss.max() < 1e-10 * np.abs(motion.z).max()
    assert np.max(np.abs(ledger.balance)) < 1e-5 * ledger.scale
    assert "constraints, position" in repr(ledger)


def test_a_bad_balance_warns_with_numbers():
    """Steps too long for the motion are noticed."""
    system = double_pendulum()
    start, method = system.state(shoulder=2.0, elbow=1.0), ph.methods.RungeKutta4(0.1)
    motion = ph.simulate(system, start, until=10.0, method=method)
    with pytest.warns(NumericalWarning, match=r"out of balance by .* J, of .* J that"):
        motion.ledger()


def test_a_promise_that_outgrows_the_energy_warns():
    """A bound above what it bounds is none: it says so, and what to ask for."""
    system = double_pendulum()
    start = system.state(shoulder=2.0, elbow=1.0)
    loose = ph.simulate(system, start, until=20.0, rtol=3e-3)
    with pytest.warns(
        NumericalWarning, match=r"promises the energy of .* only.*Give rtol"
    ):
        ledger = loose.ledger()
    assert ledger.promise > 0.1 * ledger.scale
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ph.simulate(system, start, until=20.0, rtol=1e-8).ledger()


@pytest.mark.parametrize("samples", [None, 200])
@pytest.mark.parametrize(("rtol", "atol"), [(1e-6, 0.03), (1e-10, 1e-2), (0.0, 0.1)])
def test_a_promise_by_a_large_atol_warns(rtol, atol, samples):
    """Radians off and joules out of balance: a bound above the energy hides nothing."""
    system = double_pendulum()
    start = system.state(shoulder=2.0, elbow=1.0)
    loose = ph.simulate(
        system, start, until=20.0, rtol=rtol, atol=atol, samples=samples
    )
    with pytest.warns(NumericalWarning, match=r"atol = .* J only, .*Give atol = .*e-"):
        ledger = loose.ledger()
    worst = np.max(np.abs(ledger.balance))
    assert 0.1 * ledger.scale < worst < ledger.promise > 0.5 * ledger.scale
    exact = ph.simulate(system, start, until=20.0, rtol=1e-12)
    assert np.max(np.abs(loose.final.q - exact.final.q)) > 1.0


def test_a_run_that_hardly_leaves_rest_is_not_warned_of_its_atol():
    """What moves is less than a tolerance of the system's own speeds lets one know."""
    system = double_pendulum()
    start = system.state(shoulder=1e-9)
    motion = ph.simulate(system, start, until=1.0, rtol=1e-10, atol=1e-10)
    assert motion.ledger().promise > 0.1 * motion.ledger().scale


def test_work_is_not_guessed_from_samples():
    """Power between samples was not kept: the work is refused, not interpolated."""
    system = cart()
    start = system.state(pivot=1.0)
    sampled = ph.simulate(system, start, until=1.0, samples=5)
    with pytest.raises(IntegrationError, match="'damper' cannot be known from samples"):
        sampled.ledger()


def test_a_stepper_makes_the_steps_of_its_method():
    """One step after the other is the run of fixed step, orientations on the sphere."""
    system = heavy_top()
    step = ph.stepper(system, dt=0.01)
    state = start = system.state(speeds={"ball": (0.3, 0.5, 5.0)})
    for _ in range(50):
        state = step(state)
    run = ph.simulate(system, start, until=0.5, method=ph.methods.CommutatorFree4(0.01))
    assert state.is_close(run.final, rtol=1e-13)
    assert abs(np.linalg.norm(state.q) - 1) < 1e-15
    assert "commutator-free 4" in repr(step)


@cache
def driven() -> ph.System:
    """A pendulum with a motor whose effort is an input."""
    bob = ph.Body("bob", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, 0.5), axis=ph.Y)
    motor = ph.Motor(hinge, ph.Parameter("u", 0.0), name="motor")
    return ph.System([hinge], [ph.Weight(9.81), motor], name="driven")


def test_inputs_are_held_over_a_step():
    """The input of each step acts, and only the named ones are taken."""
    system = driven()
    step = ph.stepper(system, dt=0.01, inputs=["u"])
    state = system.rest()
    pushed, pulled = step(state, {"u": 1.0}), step(state, {"u": -1.0})
    inertia = 1.0 / 3.0
    assert np.isclose(pushed.speed("hinge"), 0.01 / inertia, rtol=1e-3)
    assert np.isclose(pulled.speed("hinge"), -pushed.speed("hinge"))
    with pytest.raises(IntegrationError, match=r"It takes \['u'\], each at every step"):
        step(state)
    with pytest.raises(ModelError, match="no parameter or input 'v'"):
        ph.stepper(system, dt=0.01, inputs=["v"])
    with pytest.raises(IntegrationError, match="cannot step by"):
        ph.stepper(system, dt=0.0)
    with pytest.raises(ModelError, match="parameter 'u' is not finite"):
        step(state, {"u": np.nan})


def test_a_step_is_a_function_for_others():
    """Inside somebody's own jit a step is plain JAX, and can be differentiated."""
    system = driven()
    step = ph.stepper(system, dt=0.01, inputs=["u"])

    def speed(u):
        q, z = jnp.zeros(1), jnp.zeros(1)
        return step.function(0.0, q, z, {"u": u})[1][0]

    with jax.enable_x64(True):
        slope = float(jax.jit(jax.grad(speed))(0.3))
    h = 1e-4
    states = [step(system.rest(), {"u": 0.3 + s * h}) for s in (1, -1)]
    difference = (states[0].speed("hinge") - states[1].speed("hinge")) / (2 * h)
    assert np.isclose(slope, difference, rtol=1e-8)


def said(motion) -> list[str]:
    """What the ledger of a motion warns of."""
    with pytest.warns(NumericalWarning) as warned:
        motion.ledger()
    return [str(warning.message) for warning in warned]


def test_constraints_that_drift_warn_with_numbers():
    """Without projection a rod of Runge and Kutta's grows past any tolerance."""
    system = bob_on_a_rod()
    start = system.state(bob=(0.6, 0.0, -0.8), speeds={"bob": (0.8, 0.3, 0.6)})
    loose = ph.methods.Unprojected(ph.methods.RungeKutta4(step=0.1))
    motion = ph.simulate(system, start, until=20.0, method=loose)
    assert any("constraints of 'bob on a rod' are missed by" in w for w in said(motion))


def test_momentum_of_what_is_isolated_warns_with_numbers():
    """Two bodies and a stiff spring, stepped too coarsely about a far point."""
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 2.0)
    spring = ph.Spring(a.mass_centre, b.mass_centre, 900.0, 0.5)
    system = ph.System([a, b], [spring], name="pair")
    assert is_isolated(system)
    start = system.state(b=(0.9, 0, 0), speeds={"b": (0.0, 3.0, 0.0)})
    method = ph.methods.RungeKutta4(step=0.06)
    motion = ph.simulate(system, start, until=3.0, method=method)
    assert any(
        "angular momentum of 'pair', on which nothing" in w for w in said(motion)
    )
    weighed = ph.System([a, b], [spring, ph.Weight(9.81)], name="pair")
    assert not is_isolated(weighed)


def test_a_run_that_promises_nothing_says_so_at_its_end():
    """Alone and among others, before anybody asks for a ledger."""
    system = double_pendulum()
    start, method = system.state(shoulder=2.0), ph.methods.DormandPrince(rtol=3e-2)
    with pytest.warns(NumericalWarning, match=r"rtol = 0.03 promises nothing: each"):
        ph.simulate(system, start, until=20.0, method=method)
    with pytest.warns(NumericalWarning, match="promises nothing for 2 of 2 runs"):
        ph.sweep(system, [start, start], until=20.0, method=method)


def test_a_loose_run_with_supports_is_warned_of():
    """Work of contacts is in the balance; what it misses is said, as without them."""
    start = ph.models.start("billiard_ball")
    method = ph.methods.DormandPrince(rtol=1e-2)
    motion = ph.simulate(start.system, start, until=3.0, method=method)
    with pytest.warns(NumericalWarning, match="It is out of balance by"):
        ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) > 0.1 * ledger.scale


def test_a_body_that_flies_far_keeps_its_angular_momentum():
    """About the world's origin it is as large as the body is far, in the end."""
    box = ph.Body("box", ph.solids.box(mass=3.0, x=0.3, y=0.2, z=0.1))
    free = ph.Free("free", ph.World().origin, box.origin)
    system = ph.System([free], name="box")
    start = system.state(speeds={"free": (0.01, 8.0, 0.01, 100.0, 0.0, 0.0)})
    ledger = ph.simulate(system, start, until=100.0).ledger()
    drift = ledger.angular_momentum - ledger.angular_momentum[0]
    assert 0 < np.max(np.abs(drift)) < 1e-9 * 3.0 * 100.0 * 1e4


@pytest.mark.parametrize(
    "method", [ph.methods.ImplicitMidpoint, ph.methods.GaussLegendre4]
)
def test_steps_that_pass_over_a_motion_are_warned_of(method):
    """A quadratic energy is kept by them at any step, and the phase is not."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    slide = ph.Prismatic("slide", ph.World().origin, ball.origin, axis=ph.X)
    system = ph.System([slide], [ph.Spring(slide, 1e4)], name="oscillator")
    start = system.state(slide=0.1)
    long, short = (
        ph.simulate(system, start, until=1.0, method=method(h)) for h in (0.1, 0.002)
    )
    with pytest.warns(
        NumericalWarning, match="steps of .* pass over what 'oscillator'"
    ):
        ledger = long.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-9 * ledger.scale
    short.ledger()
