"""Cams: the kinematics of the follower, the force on it, and the pitch curve."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError


def machine(lift, spring=400.0):
    """A valve on a cam, pressed by a spring."""
    world = ph.World()
    shaft = ph.machines.flywheel("shaft", world.origin, 0.01, axis=ph.Y)
    valve = ph.Particle("valve", 0.2)
    stem = ph.Prismatic("stem", world.origin, valve.mass_centre, axis=ph.Z)
    actions = [ph.JointSpring(stem, spring, rest=-0.02)]
    return ph.System([shaft, stem], actions, [ph.machines.Cam(stem, shaft, lift)])


def harmonic(angle):
    """A lift of 8 mm, by a cosine."""
    return 0.004 * (1 - jnp.cos(angle))


def test_the_follower_moves_as_the_lift_says():
    """v = s' w,  a = s'' w^2 + s' w',  and the cam pushes with m a + k (x + x0)."""
    system = machine(harmonic)
    q, w = 0.8, 30.0
    state = ph.assemble(system, shaft=q, speeds={"shaft": w}).state
    assert_close(state["stem"], 0.004 * (1 - np.cos(q)), rtol=1e-12)
    assert_close(state.speed("stem"), 0.004 * np.sin(q) * w, rtol=1e-12)
    form = ph.gauss(system)
    turn, lift = form.accelerations(state)
    wanted = 0.004 * (np.cos(q) * w**2 + np.sin(q) * turn)
    assert_close(lift, wanted, rtol=1e-11)
    push = 0.2 * lift + 400.0 * (state["stem"] + 0.02)
    assert_close(form.multipliers(state), [push], rtol=1e-10)
    assert_close(0.01 * turn, -push * 0.004 * np.sin(q), rtol=1e-10)


def test_a_table_does_as_a_function_and_goes_round():
    """The same accelerations within the error of the data, also after many turns."""
    angle = np.linspace(0, 2 * np.pi, 73)
    lift = 0.004 * (1 - np.cos(angle))
    lift[-1] = lift[0]
    table = ph.Table(angle, lift, smooth="spline", beyond="repeat", name="lift")
    systems = [machine(law) for law in (harmonic, table)]
    found = []
    for system in systems:
        state = ph.assemble(
            system, shaft=0.8 + 10 * np.pi, speeds={"shaft": 30.0}
        ).state
        found.append(ph.gauss(system).accelerations(state))
    assert_close(found[1], found[0], rtol=2e-4)


def test_energy_is_kept_while_the_cam_turns():
    """An ideal cam does no work of its own."""
    system = machine(harmonic)
    start = ph.assemble(system, shaft=0.1, speeds={"shaft": 20.0}).state
    motion = ph.simulate(system, start, until=0.5, rtol=1e-9)
    E = [ph.gauss(system).hamiltonian(motion.at(t)) for t in (0.0, 0.25, 0.5)]
    assert_close(E, [E[0]] * 3, rtol=1e-6)


def test_pitch_curve_and_pressure_angle():
    """A circle that turns about a point beside its centre is an eccentric."""
    system = machine(harmonic)
    cam = system.constraints[0]
    curve = cam.outline(0.02, points=361)
    assert_close(np.linalg.norm(curve, axis=1).max(), 0.028, rtol=1e-9)
    q = 0.8
    wanted = np.arctan(0.004 * np.sin(q) / (0.02 + 0.004 * (1 - np.cos(q))))
    assert_close(cam.pressure_angle(q, 0.02), wanted, rtol=1e-12)


def test_a_cam_needs_a_lift_and_two_joints():
    """Refused at the door."""
    system = machine(harmonic)
    shaft, stem = system.joints
    with pytest.raises(ModelError, match="lifts its own shaft"):
        ph.machines.Cam(shaft, shaft, harmonic)
    with pytest.raises(ModelError, match="is no function"):
        ph.machines.Cam(stem, shaft, 0.01)
