"""Actuators and sensors of spacecraft: wheels, rods and what is measured."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import IntegrationError
from polhode.geometry.rotations import so3

space = ph.space
INERTIA = 0.02
HUB = (12.0, 14.0, 9.0)


def field(x, t):
    """A field that turns, as along an orbit, wherever the craft is."""
    w = 2 * np.pi / 600.0
    return 3e-5 * jnp.stack([jnp.cos(w * t), jnp.sin(w * t), 0.4 + 0.0 * t])


@cache
def craft():
    """A hub with four wheels and rods, free of gravity; and its cluster."""
    world = ph.World()
    hub = ph.Body.from_inertia("hub", mass=100.0, inertia=HUB)
    wheels = space.wheel_cluster(
        *(hub, space.pyramid()),
        inertia=INERTIA,
        mass=3.0,
        radius=0.2,
        torque_limit=0.2,
        speed_limit=120.0,
        viscous=1e-5,
        dry=1e-4,
    )
    rods = space.MagneticTorque(
        hub.origin, world.origin, field, limit=300.0, name="rods"
    )
    free = ph.Free("hub", world.origin, hub.origin)
    members = [free, *wheels.joints]
    return ph.System(members, [*wheels.motors, rods], name="craft"), wheels


def start(spin=(0.0, 0.0, 0.0), speeds=(0.0,) * 4):
    """A state of the craft by the hub's spin and the wheels' speeds."""
    moving = {f"wheel {k}": s for k, s in enumerate(speeds, start=1)}
    return craft()[0].state(speeds={"hub": (*spin, 0, 0, 0), **moving})


def total_momentum(motion):
    """About the origin, of all bodies, along the world's axes (n, 3)."""
    names = [body.name for body in motion.system.bodies]
    return sum(motion[n].seen_from("world").angular_momentum for n in names)


@cache
def turned():
    """A turn of 40 degrees by the wheels alone, held there."""
    system, wheels = craft()
    target = so3.exp(np.array([0.3, -0.5, 0.4]))
    law = space.attitude_feedback(system, "hub", target, stiffness=0.5, damping=4.0)
    method = ph.methods.DormandPrince(rtol=1e-9, atol=1e-10)
    run = ph.simulate(
        system, start(), until=150.0, inputs=wheels.inputs(law), method=method
    )
    return run, target


def test_wheels_turn_a_craft_and_its_momentum_stays():
    """To the wanted attitude, with nothing pushed outside: zero momentum throughout."""
    run, target = turned()
    assert_close(run["hub"].orientation[-1], target, rtol=5e-3)
    size = INERTIA * np.max(np.abs(run.z[:, 6:]))
    assert np.max(np.abs(total_momentum(run))) < 1e-6 * size


def test_a_law_is_shared_among_wheels_and_cut_by_their_limits():
    """-A u is the torque that was asked for; the motors stay within theirs."""
    _, wheels = craft()
    wanted = np.array([0.01, -0.02, 0.03])
    laws = wheels.inputs(lambda t, state: wanted)
    given = np.array([float(law(0.0, start())) for law in laws.values()])
    assert_close(-wheels.axes @ given, wanted, rtol=1e-6)
    motor = wheels.motors[0]
    for asked, speed, found in (
        (9.0, 0.0, 0.2),
        (9.0, 120.0, 0.0),
        (-9.0, 120.0, -0.2),
        (9.0, 130.0, 0.0),
    ):
        effort = motor.effort(np.zeros(1), np.array([speed]), 0.0, {motor.name: asked})
        drag = 1e-5 * speed + 1e-4 * np.tanh(speed / 0.1)
        assert abs(effort[0] - (found - drag)) < 1e-12
    with pytest.raises(ph.PolhodeError, match="cannot drive"):
        space.WheelMotor(wheels.joints[0], speed_limit=0.0)


def test_magnetic_rods_unload_the_wheels_of_a_craft_that_is_held():
    """The attitude stays and the wheels' momentum goes: dumping."""
    system, wheels = craft()
    hold = space.attitude_feedback(system, "hub", np.eye(3), stiffness=0.5, damping=4.0)
    dump = space.momentum_dumping(system, "rods", wheels, gain=4e-3)
    laws = wheels.inputs(hold) | dump
    method = ph.methods.DormandPrince(rtol=1e-7, atol=1e-8)
    first = start(speeds=(60.0, 20.0, -30.0, 50.0))
    run = ph.simulate(system, first, until=1800.0, inputs=laws, method=method)
    before, after = (np.linalg.norm(wheels.momentum(run[k])) for k in (0, len(run) - 1))
    assert before > 0.5
    assert after < 0.1 * before
    errors = [np.linalg.norm(so3.log(R)) for R in run["hub"].orientation]
    assert max(errors) < 0.05
    with pytest.raises(ph.PolhodeError, match="no cluster of wheels"):
        space.momentum_dumping(system, "rods", "wheels", gain=1.0)


def test_an_imbalance_shakes_with_the_square_of_the_speed():
    """U s^2 across the axle and turning with it; a product of inertia likewise."""
    world = ph.World()
    hub = ph.Body.from_inertia("hub", mass=100.0, inertia=HUB)
    wheels = space.wheel_cluster(
        *(hub, [(0, 0, 1)]),
        inertia=INERTIA,
        mass=3.0,
        static_imbalance=2e-5,
        dynamic_imbalance=3e-6,
    )
    fixed = ph.Fixed("rig", world.origin, hub.origin)
    system = ph.System([fixed, *wheels.joints], wheels.motors, name="rig")
    run = ph.simulate(
        system, system.state(speeds={"wheel 1": 100.0}), until=0.1, samples=[0, 0.05]
    )
    shake = run.joint("wheel 1").reaction
    assert_close(np.linalg.norm(shake.force, axis=1), [0.2, 0.2], rtol=1e-6)
    assert_close(np.linalg.norm(shake.torque, axis=1), [0.03, 0.03], rtol=1e-5)
    assert shake.force[0] @ shake.force[1] < 0.19 * 0.2


@pytest.mark.parametrize("level", [0.3, 0.02])
def test_a_sampled_thruster_gives_its_impulse_in_pulses(level):
    """Thrust times level times time; none where a pulse would be too short."""
    system, start = pulsed()
    jets = {"jet": ph.Sampled(lambda t, state: level, dt=0.5)}
    run = ph.simulate(system, start, until=4.0, inputs=jets)
    wanted = 2.0 * 4.0 * level / 10.0 if level * 0.5 >= 0.02 else 0.0
    assert abs(run.final.speed("craft")[3] - wanted) < 1e-6


@pytest.mark.parametrize("by", ["nothing", "a law of time", "a controller"])
def test_no_pulse_is_stepped_over_whoever_gives_the_level(by):
    """The same impulse by a constant, by a law and by samples of it."""
    system, start = pulsed(0.0 if by != "nothing" else 0.3)
    laws = {
        "a law of time": lambda t: 0.3,
        "a controller": ph.Controller(lambda t, s, u: u, constants={"u": 0.3}),
    }
    jets = {"jet": laws[by]} if by in laws else None
    run = ph.simulate(system, start, until=4.0, inputs=jets)
    assert abs(run.final.speed("craft")[3] - 2.0 * 4.0 * 0.3 / 10.0) < 1e-6


def test_pulses_begin_where_periods_do():
    """A run that begins inside a period, and a law with states, are refused."""
    system, start = pulsed(0.3)
    with pytest.raises(IntegrationError, match=r"t = 0\.2 s, inside a period"):
        ph.simulate(system, start.changed(t=0.2), until=4.0)
    integral = ph.Controller(lambda t, s, x: (x[0], x), states=[0.0])
    with pytest.raises(IntegrationError, match="by one law in continuous time"):
        ph.simulate(system, start, until=4.0, inputs={"jet": integral})


@cache
def pulsed(level=0.0):
    """A craft of 10 kg with a thruster through its mass centre, at rest."""
    body = ph.Body.from_inertia("craft", mass=10.0, inertia=(1.0, 1.0, 1.0))
    times = {"period": 0.5, "minimum_on": 0.02}
    jet = space.Thruster(body.origin, ph.X, 2.0, level, **times, name="jet")
    system = ph.System([body], [jet], name="pulsed")
    return system, system.rest()


# ---------------------------------------------------------------------- sensors


def test_a_gyroscope_reads_spin_with_bias_walk_and_noise():
    """Along the body's axes; the same for a seed, at any time it is asked."""
    run, _ = turned()
    plain = space.Gyroscope("hub", dt=0.5)
    times, read = plain.along(run)
    assert_close(read, run.resampled(times).z[:, :3], rtol=1e-9)
    rough = space.Gyroscope(
        "hub", noise=1e-3, drift=1e-4, bias=(0.1, 0, 0), dt=0.5, seed=4
    )
    again = space.Gyroscope(
        "hub", noise=1e-3, drift=1e-4, bias=(0.1, 0, 0), dt=0.5, seed=4
    )
    late = again.measured(run.at(times[250]))
    assert_close(late, rough.along(run)[1][250], rtol=1e-12)
    errors = np.stack([rough.error(t) for t in np.arange(0, 3000, 0.5)])
    steps = np.diff(errors, axis=0)
    assert abs(errors[0, 0] - 0.1) < 5e-3
    assert_close(steps.std(axis=0), [np.sqrt(2e-6 + 0.5e-8)] * 3, rtol=0.05)
    ends = [
        space.Gyroscope("hub", drift=1e-4, dt=0.5, seed=k).error(200.0)
        for k in range(300)
    ]
    assert_close(np.std(ends), 1e-4 * np.sqrt(200.0), rtol=0.08)


def test_a_star_tracker_reads_attitude_within_its_noise():
    """A rotation, off by its deviations about the body's axes."""
    run, _ = turned()
    tracker = space.StarTracker("hub", noise=(1e-4, 1e-4, 8e-4), dt=0.1, seed=2)
    times, read = tracker.along(run)
    true = run.resampled(times)["hub"].orientation
    off = np.stack([so3.log(R.T @ S) for R, S in zip(true, read, strict=True)])
    assert_close(off.std(axis=0), [1e-4, 1e-4, 8e-4], rtol=0.1)
    assert_close(read @ np.swapaxes(read, 1, 2), [np.eye(3)] * len(read), atol=1e-12)
    assert_close(tracker.measured(run.at(times[7])), read[7], atol=1e-12)


def test_an_accelerometer_feels_all_but_gravity():
    """Zero at the centre of what falls, the turning beside it, and thrust."""
    world = ph.World()
    body = ph.Body.from_inertia("craft", mass=10.0, inertia=(1.0, 1.0, 1.0))
    pull = space.ZonalGravity(body, world.origin)
    jet = space.Thruster(body.origin, ph.X, 5.0, 1.0)
    system = ph.System([body], [pull, jet, ph.Weight(9.81)], name="craft")
    first = system.state(
        {"craft": {"x": 7e6, "qw": 0.8, "qx": 0.6}},
        speeds={"craft": (0, 0, 2, 0, 0, 0)},
    )
    equations = ph.newton_euler(system)
    for point, wanted in (
        (body.origin, [0.5, 0, 0]),
        (body.point(0, 3, 0), [0.5, -12, 0]),
    ):
        sensor = space.Accelerometer(point)
        # Three metres from the mass centre gravity is another by 4e-6 m/s^2.
        assert_close(sensor.measured(equations, first), wanted, atol=5e-6)
        run = ph.simulate(system, first, until=0.5, samples=np.linspace(0, 0.5, 6))
        times, read = sensor.along(run)
        assert_close(read, [wanted] * len(times), atol=6e-6)


@pytest.mark.parametrize("wrong", [{"noise": -1.0}, {"dt": 0.0}, {"seed": -3}])
def test_sensors_that_cannot_be_are_refused(wrong):
    """Deviations, times and seeds, in words."""
    with pytest.raises(ph.PolhodeError, match="cannot have deviations"):
        space.Gyroscope("hub", **wrong)
    with pytest.raises(ph.PolhodeError, match="no body 'hab'"):
        space.Gyroscope("hab").measured(start())
