"""Inputs: laws of time and state, samples at exact times, noise with its seed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError, IntegrationWarning
from polhode.integrate.audit.rates import audited
from polhode.integrate.events import tracker
from track import MOTOR, driven, held_feedback, run


def by_hand(law, dt, count):
    """x and v at the samples of x'' = u, u held."""
    x, v, rows = 1.0, 0.0, []
    for k in range(count):
        rows.append((x, v))
        u = law(k * dt, x, v)
        x, v = x + v * dt + u * dt * dt / 2, v + u * dt
    return np.array([*rows, (x, v)])


# ------------------------------------------------------------------- laws


def test_a_law_of_time_drives_a_motor():
    """x'' = cos t: x = 2 - cos t."""
    motion = run(jnp.cos, until=3.0)
    assert np.allclose(motion.q[:, 0], 2 - np.cos(motion.t), rtol=0, atol=1e-9)


def test_a_feedback_law_is_the_motor_s_own():
    """The same bits as a motor with that law built in."""
    fed = run(lambda t, state: -3.0 * state["track"] - state.speed("track"))
    own = driven(lambda t, q, z: -3.0 * q - z)
    built_in = ph.simulate(own, own.state(track=1.0), until=1.0)
    assert all(map(np.array_equal, fed.steps, built_in.steps))


def test_forces_couples_and_parameters_can_be_driven():
    """A thruster turns with its body; its couple, and a motor's parameter, are laws."""
    body = ph.Body("craft", ph.solids.box(mass=2.0, x=0.1, y=0.1, z=0.1))
    world = ph.World()
    ends = world.origin, body.origin
    plane = ph.Planar("plane", *ends, normal=ph.Z)
    push = ph.AppliedForce(
        body.origin, ph.theory.Vector((0, 0, 0), body.frame), name="push"
    )
    spin = ph.AppliedCouple(
        body.frame, ph.theory.Vector((0, 0, 0), body.frame), name="spin"
    )
    system = ph.System([plane], [push, spin], name="craft")
    I_zz = 2.0 * (0.1**2 + 0.1**2) / 12
    inputs = {
        "push": lambda t: jnp.array([2.0, 0.0, 0.0]),
        "spin": lambda t: jnp.array([0.0, 0.0, 1.0]) * I_zz,
    }
    motion = ph.simulate(system, system.rest(), until=1.0, inputs=inputs)
    angle = motion.q[:, system.coordinate_names.index("plane.angle")]
    assert np.allclose(angle, motion.t**2 / 2, atol=1e-9)
    speeds = motion["craft"].velocity
    fine = np.linspace(0, 1, 20001)
    middle = (fine[1:] + fine[:-1]) / 2
    along = np.sum(np.cos(middle**2 / 2)) * (fine[1] - fine[0])
    assert speeds[-1, 0] == pytest.approx(along, abs=1e-8)


# ------------------------------------------------------------------- samples


def test_samples_are_held_exactly():
    """At each sample the state is that of the discrete system, to rounding."""
    dt, count = 0.1, 50
    motion = run(ph.Sampled(held_feedback, dt), until=dt * count)
    exact = by_hand(lambda t, x, v: -3.0 * x - v, dt, count)
    times, values = motion.inputs[MOTOR]
    rows = np.searchsorted(motion.t, times)
    assert np.allclose(motion.q[rows, 0], exact[:-1, 0], atol=1e-13)
    assert np.allclose(motion.z[rows, 0], exact[:-1, 1], atol=1e-13)
    assert np.allclose(values, -3.0 * exact[:-1, 0] - exact[:-1, 1], atol=1e-13)
    assert motion.final["track"] == pytest.approx(exact[-1, 0], abs=1e-13)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-12


def test_sample_times_do_not_drift():
    """The k-th sample is at start + k dt in floating point, not at a sum."""
    asked = []

    def law(t, state):
        asked.append(t)
        return 0.0

    start = driven().state(track=1.0, t=0.3)
    inputs = {MOTOR: ph.Sampled(law, 0.1)}
    motion = ph.simulate(driven(), start, until=0.3 + 300 * 0.1, inputs=inputs)
    assert asked == [0.3 + k * 0.1 for k in range(300)]
    assert np.all(np.isin(asked, motion.t))


def test_inputs_of_two_rates_run_together():
    """Each is asked at its own times; those that coincide are one."""
    world = ph.World()
    blocks = [
        ph.Body(n, ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1)) for n in ("a", "b")
    ]
    tracks = [
        ph.Prismatic(f"track {b.name}", world.origin, b.origin, axis=ph.X)
        for b in blocks
    ]
    system = ph.System(tracks, [ph.Motor(track, 0.0) for track in tracks])
    asked = {"a": [], "b": []}

    def law(name):
        def ask(t, state):
            asked[name].append(t)
            return 1.0 if name == "a" else float(state["track a"])

        return ask

    inputs = {
        "motor of track a": ph.Sampled(law("a"), 0.02),
        "motor of track b": ph.Sampled(law("b"), 0.03),
    }
    motion = ph.simulate(system, system.rest(), until=0.12, inputs=inputs)
    assert np.allclose(asked["a"], 0.02 * np.arange(6), atol=1e-15)
    assert np.allclose(asked["b"], 0.03 * np.arange(4), atol=1e-15)
    speed = sum(0.03 * (0.03 * k) ** 2 / 2 for k in range(4))
    assert motion.final.speed("track b") == pytest.approx(speed, rel=1e-12)


def test_what_a_controller_remembers_goes_with_the_run():
    """An integral kept as memory is the integral kept by the function itself."""

    def integral(t, state, memory):
        total = memory + 0.05 * state["track"]
        return -2.0 * state.speed("track") - total[0], total

    sums = [0.0]

    def by_itself(t, state):
        sums[0] = sums[0] + 0.05 * state["track"]
        return -2.0 * state.speed("track") - sums[0]

    kept = run(ph.Sampled(integral, 0.05, state=[0.0]), until=2.0)
    own = run(ph.Sampled(by_itself, 0.05), until=2.0)
    assert np.array_equal(kept.q, own.q)
    assert kept.checkpoint.stepper_state.recall[0] == sums[0]


def test_fixed_steps_land_on_samples():
    """Each leg is divided into equal steps no longer than the method's."""
    motion = run(ph.Sampled(held_feedback, 0.1), method=ph.methods.RungeKutta4(0.04))
    steps = np.diff(motion.t)
    assert np.allclose(steps[steps > 0], 0.1 / 3)
    assert motion.final["track"] == pytest.approx(
        by_hand(lambda t, x, v: -3.0 * x - v, 0.1, 10)[-1, 0], abs=1e-13
    )


def test_chunks_change_no_bit_of_a_sampled_run(monkeypatch):
    """Inputs and events together, in chunks of one attempt."""
    event = ph.Event("half", lambda t, state: state["track"] - 0.5)
    control = ph.Sampled(held_feedback, 0.07)
    whole = run(control, until=3.0, events=event)
    monkeypatch.setattr(tracker, "ATTEMPTS", 1)
    parts = run(control, until=3.0, events=event)
    assert all(map(np.array_equal, whole.steps, parts.steps))
    assert str(whole.events) == str(parts.events)
    assert len(whole.events) == 1


def integral(t, state, x):
    """A law with a discrete state, which can be traced."""
    return -1.0 - 0.01 * x[0], x + state["track"]


def integral_by_python(t, state, x):
    """The same, which cannot."""
    return -1.0 - 0.01 * float(x[0]), x + state["track"]


@pytest.mark.parametrize(
    ("law", "until", "chunks"), [(integral, 60.0, 2), (integral_by_python, 5.0, 40)]
)
def test_a_run_goes_on_from_its_file_with_events_and_inputs(
    law, until, chunks, tmp_path
):
    """Stopped after some chunks and resumed: rows, events and samples, bit for bit."""
    bounce = ph.Event(
        "wall",
        lambda t, state: state["track"] - 0.8,
        -1,
        reset=lambda t, state: state.changed(speeds={"track": -state.speed("track")}),
    )

    given = {
        "events": bounce,
        "inputs": {MOTOR: ph.Sampled(law, 0.07, state=[0.0])},
    }
    system, told = driven(), []

    def watch(progress):
        told.append(progress)
        if len(told) == chunks:
            raise KeyboardInterrupt

    start, path = system.state(track=1.0), tmp_path / "run.nc"
    whole = ph.simulate(system, start, until=until, **given)
    with pytest.warns(IntegrationWarning, match="was interrupted"):
        ph.simulate(system, start, until=until, to=path, watch=watch, **given)
    resumed = ph.resume(path, system, **given)
    assert all(map(np.array_equal, resumed.steps, whole.steps))
    assert str(resumed.events) == str(whole.events)
    assert np.array_equal(resumed.inputs.values, whole.inputs.values)
    assert len(whole.events) > 2


def test_an_event_at_a_sample_is_met_once():
    """t = 0.3 is a sample, and the zero of an event; before and after none is."""
    clock = ph.Event("clock", lambda t, state: t - 3 * 0.1)
    motion = run(ph.Sampled(held_feedback, 0.1), events=clock)
    assert motion.events.t.tolist() == [3 * 0.1]


def test_each_run_of_a_batch_is_controlled_by_itself():
    """The same bits as alone."""
    system = driven()
    starts = [system.state(track=x) for x in (1.0, -0.5, 2.0)]
    inputs = {MOTOR: ph.Sampled(held_feedback, 0.1)}
    together = ph.simulate(system, starts, until=1.0, inputs=inputs)
    for start, motion in zip(starts, together, strict=True):
        alone = ph.simulate(system, start, until=1.0, inputs=inputs)
        assert all(map(np.array_equal, alone.steps, motion.steps))


def test_a_stepper_takes_motors_by_name_and_states_by_the_hundred():
    """x'' = u over one step, for one state, for many, and inside somebody's own jit."""
    system = driven()
    step = ph.stepper(system, dt=0.1, inputs=[MOTOR])
    one = step(system.state(track=1.0), {MOTOR: 2.0})
    assert one["track"] == pytest.approx(1.0 + 2.0 * 0.1**2 / 2, rel=1e-14)
    x = np.linspace(-1, 1, 100)[:, None]
    many = step(ph.States(system, 0.0, x, 0 * x), {MOTOR: np.arange(100.0)})
    assert np.allclose(many.q[:, 0], x[:, 0] + np.arange(100) * 0.1**2 / 2, rtol=1e-14)
    assert np.array_equal(step(many[7], {MOTOR: 1.0}).q, step(many, {MOTOR: 1.0})[7].q)
    with pytest.raises(IntegrationError, match=r"has the shape \(3,\)"):
        step(many, {MOTOR: np.ones(3)})

    def reached(u):
        start = ph.State(system, 0.0, jnp.ones(1), jnp.zeros(1) * u)
        return step(start, {MOTOR: u})["track"]

    with jax.enable_x64(True):
        slope = float(jax.jit(jax.grad(reached))(0.5))
    assert slope == pytest.approx(0.1**2 / 2, rel=1e-12)


# ------------------------------------------------------------------- noise


def test_noise_is_replayed_by_its_seed(capsys):
    """A seed that is drawn is printed and recorded; with it the run is the same."""
    noise = ph.Noise(0.5, 0.05)
    assert f"drew the seed {noise.seed}" in capsys.readouterr().err
    first = run(noise)
    again = run(ph.Noise(0.5, 0.05, seed=noise.seed))
    other = run(ph.Noise(0.5, 0.05, seed=noise.seed + 1))
    assert np.array_equal(first.q, again.q)
    assert not np.array_equal(first.q, other.q)
    assert f"seed {noise.seed}" in repr(first.inputs)
    assert capsys.readouterr().err == ""


def test_runs_of_a_batch_draw_their_own_noise():
    """Run k draws from stream k of the seed, as it does alone."""
    system = driven()
    starts = [system.state(track=1.0)] * 3
    gust = {MOTOR: ph.Noise(0.5, 0.05, seed=7)}
    together = ph.simulate(system, starts, until=1.0, inputs=gust)
    third = run(ph.Noise(0.5, 0.05, seed=7, stream=2))
    assert np.array_equal(together[2].q, third.q)
    assert not np.array_equal(together[0].q, together[1].q)


def test_noise_has_its_deviation():
    """Mean zero, the standard deviation asked for, no correlation of neighbours."""
    noise = ph.Noise(0.5, 1.0, seed=3)
    drawn = np.array([noise.draw("gust", 0, k, 0)[0] for k in range(4000)])
    assert abs(drawn.mean()) < 4 * 0.5 / np.sqrt(4000)
    assert drawn.std() == pytest.approx(0.5, rel=0.05)
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 4 / np.sqrt(4000)


# ------------------------------------------------------------------- limits


def test_a_motor_at_its_limit_is_an_event():
    """What is asked passes the limit where 6 cos t = 3, and the motor gives 3."""
    system = driven(0.0, (-3.0, 3.0))
    events = ph.saturation_events(system)
    motion = run(lambda t: 6 * jnp.cos(t), 3.0, system, events=events)
    upper = motion.events["motor of track at its upper limit"]
    lower = motion.events["motor of track at its lower limit"]
    assert np.allclose(upper.t, [np.pi / 3], atol=1e-12)
    assert [event.direction for event in upper] == [1]
    assert np.allclose(lower.t, [2 * np.pi / 3], atol=1e-12)
    assert [event.direction for event in lower] == [-1]
    speed = 3 * np.pi / 3 + 0.0 + -3 * (3.0 - 2 * np.pi / 3)
    assert motion.final.speed("track") == pytest.approx(speed, abs=1e-7)


def test_a_sample_beyond_the_limit_is_an_event():
    """A sampled controller that asks for too much is told of at its sample."""
    system = driven(0.0, (-3.0, 3.0))
    law = ph.Sampled(lambda t, state: 5.0 if 0.35 < t < 0.75 else 1.0, 0.1)
    motion = run(law, system=system, events=ph.saturation_events(system))
    assert np.allclose(motion.events.t, [0.4, 0.8], atol=1e-15)
    assert [event.direction for event in motion.events] == [-1, 1]
    assert motion.final.speed("track") == pytest.approx(0.6 * 1 + 0.4 * 3, rel=1e-12)


def test_a_wheel_at_its_top_speed_keeps_the_momentum():
    """A law gives up at the top speed, with an event; momentum is still exact."""
    body = ph.Body("body", ph.solids.box(mass=10.0, x=0.4, y=0.4, z=0.4))
    rotor = ph.Body("rotor", ph.solids.cylinder(mass=1.0, radius=0.1, length=0.05))
    hub = ph.Revolute("hub", ph.World().origin, body.origin, axis=ph.Z)
    shaft = ph.Revolute("shaft", body.origin, rotor.origin, axis=ph.Z)
    system = ph.System([hub, shaft], [ph.Motor(shaft, 0.0)], name="wheel")
    top = 20.0

    def law(t, state):
        return jnp.where(state.speed("shaft") < top, 0.05, 0.0)

    reached = ph.Event("top speed", lambda t, state: state.speed("shaft") - top, 1)
    start = system.state(speeds={"hub": 1.0})
    inputs = {"motor of shaft": law}
    motion = ph.simulate(system, start, until=4.0, events=reached, inputs=inputs)
    assert len(motion.events) == 1
    assert motion.final.speed("shaft") == pytest.approx(top, rel=1e-6)
    momentum = audited(motion, motion.t, motion.steps.x).angular_momentum[:, 2]
    assert np.allclose(momentum, momentum[0], rtol=1e-12)
