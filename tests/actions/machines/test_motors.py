"""Motors by their curve, flywheels, and gas on a piston."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError


def test_a_motor_runs_up_to_its_idling_speed():
    """tau = T0 (1 - w/w0) on an inertia: w = w0 (1 - exp(-T0 t/(J w0)))."""
    curve = ph.Table([0, 100], [2.0, 0.0], beyond="extend", name="torque")
    shaft = ph.machines.flywheel("shaft", ph.World().origin, 0.5)
    system = ph.System([shaft], [ph.machines.TorqueMotor(shaft, curve)])
    motion = ph.simulate(system, system.rest(), until=30.0, rtol=1e-9)
    assert_close(motion.z[-1], [100 * (1 - np.exp(-30 * 2 / (0.5 * 100)))], rtol=1e-7)


def test_gear_and_rotor_are_felt_at_the_joint():
    """(I + N^2 J) a = N T: what the joint has of its own."""
    curve = ph.Table([0, 1000], [2.0, 2.0], name="torque")
    drum = ph.Body("drum", ph.solids.disc(mass=4.0, radius=0.5))
    options = {"gear_ratio": 10.0, "rotor_inertia": 0.003}
    hub = ph.Revolute("hub", ph.World().origin, drum.origin, axis=ph.Z, **options)
    motor = ph.machines.TorqueMotor(hub, curve, 0.5, name="drive")
    system = ph.System([hub], [motor])
    a = ph.gauss(system).accelerations(system.rest())
    assert_close(a, [0.5 * 10 * 2.0 / (0.5 + 100 * 0.003)], rtol=1e-12)
    fed = ph.simulate(
        system, system.rest(), until=0.01, inputs={"drive": lambda t: 1.0}
    )
    assert_close(fed.z[-1], 2 * a * 0.01, rtol=1e-9)


def test_a_flywheel_has_the_inertia_that_is_asked():
    """About any axis, whatever its radius; it is drawn as a disc."""
    for axis in (ph.X, ph.Y, (1, 2, 2)):
        shaft = ph.machines.flywheel(
            "shaft", ph.World().origin, 0.7, radius=0.3, axis=axis
        )
        system = ph.System([shaft], [ph.Motor(shaft, 1.4)])
        assert_close(ph.gauss(system).accelerations(system.rest()), [2.0], rtol=1e-12)


def engine(pressure, inwards=True):
    """A crank with a piston on a rod of constant length, in the plane of X and Z."""
    world, r, l = ph.World(), 0.05, 0.2
    crank = ph.machines.flywheel("crank", world.origin, 0.02, radius=r, axis=ph.Y)
    disc = crank.second.frame.owner
    piston = ph.Particle("piston", 0.5)
    slide = ph.Prismatic(
        "slide", world.point(0, 0, r + l), piston.mass_centre, axis=ph.Z
    )
    rod = ph.Distance(disc.point(0, 0, r), piston.mass_centre, l, name="rod")
    gas = ph.machines.GasForce(slide, crank, pressure, 0.004, inwards=inwards)
    return ph.System([crank, slide], [gas], [rod])


def test_gas_turns_the_crank():
    """Virtual work: torque on the crank is F times ds/dq, by the angle of the table."""
    angle = np.linspace(0, 4 * np.pi, 9)
    table = ph.Table(
        angle, [1e6, 4e5, 0, 0, 2e4, 0, 0, 3e5, 1e6], beyond="repeat", name="p"
    )
    system = engine(table)
    state = ph.assemble(system, crank=0.7, speeds={"crank": 0.0}).state
    force = 0.004 * table(0.7)
    A, _ = system.constraint_rows(0.0, state.q, state.z)
    slope = -A[0, 0] / A[0, 1]  # ds/dq of the piston
    r, l, q = 0.05, 0.2, 0.7
    wanted = -r * np.sin(q) - r * r * np.sin(q) * np.cos(q) / np.sqrt(
        l * l - (r * np.sin(q)) ** 2
    )
    assert_close(slope, wanted, rtol=1e-10)
    turn, lift = ph.gauss(system).accelerations(state)
    assert_close(0.02 * turn + 0.5 * slope * lift, -force * slope, rtol=1e-9)
    far = ph.assemble(system, crank=0.7 + 4 * np.pi, speeds={"crank": 0.0}).state
    assert_close(ph.gauss(system).accelerations(far), [turn, lift], rtol=1e-8)


def test_an_ideal_cycle_gains_the_area_of_its_diagram():
    """Over a turn the work of the gas is the integral of F ds, and the crank has it."""
    angle = np.linspace(0, 2 * np.pi, 33)
    push = 1e5 * (angle < np.pi - 1e-9)
    push[-1] = push[0]
    system = engine(ph.Table(angle, push, beyond="repeat", smooth="linear", name="p"))
    start = ph.assemble(system, crank=0.0, speeds={"crank": 40.0}).state
    motion = ph.simulate(system, start, until=0.02, rtol=1e-9)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    E = [ph.gauss(system).kinetic_energy(motion.at(t)) for t in (0.0, 0.02)]
    assert E[1] > E[0]


def test_joints_of_more_coordinates_are_refused():
    """A shaft turns about one axis."""
    curve = ph.Table([0, 1], [1.0, 0.0])
    block = ph.Body("block", ph.solids.box(mass=1, x=1, y=1, z=1))
    ball = ph.Spherical("ball", ph.World().origin, block.origin)
    with pytest.raises(ModelError, match="which has 3 speeds"):
        ph.machines.TorqueMotor(ball, curve)
    with pytest.raises(ModelError, match="which has 4 coordinates"):
        ph.machines.GasForce(ball, ball, curve, 1.0)
