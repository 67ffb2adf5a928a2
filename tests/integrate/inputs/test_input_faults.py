"""Inputs that cannot be, and controllers that fail."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from moving import point_pendulum
from polhode.errors import (
    ForceError,
    IntegrationError,
    IntegrationWarning,
    ModelError,
    UnphysicalInertia,
)
from track import MOTOR, held_feedback, run

# ------------------------------------------------------------------- doors


def test_only_inputs_can_be_driven():
    """Masses, lengths and what stores energy cannot; a mistyped name is suggested."""
    block = ph.Body("block", ph.solids.box(mass=1.2, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    drag = ph.JointDamper(track, ph.Parameter("c", 0.3))
    system = ph.System(
        [track], [drag, ph.JointSpring(track, 2.0), ph.Motor(track, 0.0)]
    )
    go = {"until": 0.5}

    def driven_by(name, law=jnp.cos):
        return ph.simulate(system, system.state(track=1.0), inputs={name: law}, **go)

    assert driven_by("c", lambda t: 0.3 + 0.0 * t).outcome.is_complete
    for name in ("block.mass", "spring of track"):
        with pytest.raises(ModelError, match="energy would come from nowhere"):
            driven_by(name)
    with pytest.raises(ModelError, match="motor of track"):
        driven_by("motor of trak")
    with pytest.raises(ModelError, match="3 is no name of an input"):
        driven_by(3)
    for wrong in ("3.0", None, np.nan, [[3.0]]):
        with pytest.raises(IntegrationError, match="cannot be"):
            driven_by(MOTOR, wrong)
    for dt in (0.0, -1.0, np.nan):
        with pytest.raises(IntegrationError, match="sampled every"):
            ph.Sampled(held_feedback, dt)
    with pytest.raises(IntegrationError, match="standard deviation"):
        ph.Noise(-1.0, 0.1, seed=1)
    with pytest.raises(IntegrationError, match="cannot go back to t = -1"):
        run(ph.Sampled(held_feedback, 0.1), until=-1.0)
    with pytest.raises(IntegrationError, match="no samples of an input 'gust'"):
        run(ph.Sampled(held_feedback, 0.1)).inputs["gust"]
    with pytest.raises(IntegrationError, match="cannot control anything"):
        ph.Sampled(3.0, 0.1)


# ------------------------------------------------------------------- faults


def raises(t, state):
    raise RuntimeError("sensor lost")


def gives_nan(t, state):
    return np.nan


def gives_two(t, state):
    return [1.0, 2.0]


def mutates(t, state):
    state.q.setflags(write=True)
    state.q[0] = 7.0
    return 0.0


def writes(t, state):
    state.z[0] = 7.0
    return 0.0


FAULTS = {
    raises: "raised RuntimeError: sensor lost",
    gives_nan: "gave nan, which is not a finite number",
    gives_two: r"gave the shape \(2,\), and it is one number",
    writes: "raised ValueError: assignment destination is read-only",
    mutates: "changed the state|raised ValueError",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_a_controller_that_fails_stops_the_run(fault):
    """At the start it is refused; later the run ends there, with all it had."""
    words = f"the input '{MOTOR}' (?:{FAULTS[fault]})"
    with pytest.raises(ForceError, match=words):
        run(ph.Sampled(fault, 0.1))

    def later(t, state):
        return fault(t, state) if t > 0.45 else 0.5

    with pytest.warns(IntegrationWarning, match=words):
        motion = run(ph.Sampled(later, 0.1))
    assert motion.outcome.code == "FORCE"
    assert motion.t[-1] == 0.5
    assert motion.final["track"] == pytest.approx(1 + 0.5 * 0.5**2 / 2)
    assert np.all(np.isfinite(motion.q))
    if fault is raises:
        assert isinstance(motion.cause, RuntimeError)


def test_a_law_that_gives_no_number_stops_the_run():
    """Smaller steps are tried first; the motor is named; no row is lost or wrong."""
    with pytest.warns(IntegrationWarning, match=f"action '{MOTOR}' is not finite"):
        motion = run(lambda t, state: jnp.where(t > 0.7, jnp.nan, 1.0))
    assert motion.outcome.code == "FORCE"
    assert motion.t[-1] == pytest.approx(0.7, abs=1e-9)
    assert motion.outcome.rejected > 5
    assert np.allclose(motion.q[:, 0], 1 + motion.t**2 / 2, atol=1e-12)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (lambda t, state: jnp.ones(2), r"has the shape \(2,\)"),
        (lambda t, state: 1.0 if state["track"] > 0 else 0.0, "cannot be traced"),
        (lambda t, state: {}["gone"], "its law raised KeyError: 'gone'"),
        (lambda state: state["track"], "(?s)is given the time alone.*lambda t, state"),
    ],
)
def test_laws_that_cannot_be_traced_are_refused(law, words):
    """Before any step, with what Python said attached."""
    with pytest.raises(ForceError, match=words):
        run(law)


@pytest.mark.parametrize(
    "given",
    [
        {"seed": -1},
        {"seed": 1.5},
        {"seed": True},
        {"seed": "a"},
        {"seed": 2**200},
        {"stream": -1},
    ],
)
def test_seeds_that_are_none_are_refused(given):
    """A seed is a whole number: another would be taken for one, or for none."""
    with pytest.raises(IntegrationError, match=f"cannot have the {next(iter(given))}"):
        ph.Noise(1.0, 0.1, **given)


def test_noise_has_as_many_numbers_as_its_input():
    """And what a law gives is real numbers, not text or nothing."""
    with pytest.raises(IntegrationError, match=r"deviations of the shape \(2,\)"):
        run(ph.Noise([1.0, 2.0], 0.1, seed=1))
    for law, what in ((lambda t: None, "nothing"), (lambda t: 1j * t, "a complex")):
        with pytest.raises(ForceError, match=f"returns {what}"):
            run(law)
    with pytest.raises(ForceError, match="which is not a finite number"):
        run(ph.Sampled(lambda t, state: "1.0", 0.1))


def test_a_stepper_takes_what_can_be():
    """Methods, inputs and parameters that cannot be are refused by name."""
    system = point_pendulum()
    step, rest = ph.stepper(system, dt=0.01, inputs=["bob.mass"]), system.rest()
    for mass in (1.0, 2.0, 1.5):
        assert np.all(np.isfinite(step(rest, {"bob.mass": mass}).q))
    with pytest.raises(UnphysicalInertia, match="cannot have mass -1 kg"):
        step(rest, {"bob.mass": -1.0})
    for method in (ph.methods.DormandPrince, ph.methods.RungeKutta4(0.01)):
        with pytest.raises(IntegrationError, match="cannot be the method of a stepper"):
            ph.stepper(system, dt=0.01, method=method)
    for wrong in ("9.81", 1j, None):
        with pytest.raises(ModelError, match=r"parameter 'bob.mass' cannot be"):
            step(rest, {"bob.mass": wrong})
    with pytest.raises(ModelError, match="inputs"):
        step(rest, 9.81)
