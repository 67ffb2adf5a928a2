"""Drives by one call: ratios, Willis's equation, torques of a differential."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError


def shafts(*inertias, axis=ph.Z):
    """Flywheels on one axis in the world."""
    world = ph.World()
    return [
        ph.machines.flywheel(f"s{k}", world.origin, inertia, axis=axis)
        for k, inertia in enumerate(inertias)
    ]


def accelerations(joints, actions, constraints):
    """Of all joints, by name, at rest."""
    system = ph.System(joints, actions, constraints)
    found = ph.gauss(system).accelerations(system.rest())
    return dict(zip(system.speed_names, found, strict=True)), system


@pytest.mark.parametrize(
    ("made", "ratio"),
    [
        (lambda a, b: ph.machines.Belt(b, a, 0.2, driver_radius=0.1), 0.5),
        (
            lambda a, b: ph.machines.Belt(b, a, 0.2, driver_radius=0.1, crossed=True),
            -0.5,
        ),
        (lambda a, b: ph.machines.Chain(b, a, 16, driver_teeth=44), 2.75),
        (lambda a, b: ph.machines.worm_gear(b, a, 40, starts=2), 0.05),
    ],
)
def test_a_drive_reflects_inertia_by_the_square_of_its_ratio(made, ratio):
    """(I1 + n^2 I2) a1 = tau."""
    one, two = shafts(0.3, 0.7)
    found, _ = accelerations([one, two], [ph.Motor(one, 2.0)], [made(one, two)])
    wanted = 2.0 / (0.3 + ratio**2 * 0.7)
    assert_close([found["s0"], found["s1"]], [wanted, ratio * wanted], rtol=1e-12)


def test_a_rack_weighs_on_its_pinion():
    """(I + m r^2) a = -m g r."""
    (pinion,) = shafts(0.02)
    bar = ph.Particle("bar", 3.0)
    slide = ph.Prismatic("slide", ph.World().origin, bar.mass_centre, axis=ph.Z)
    world = pinion.first.frame.owner
    slide = ph.Prismatic("slide", world.point(1, 0, 0), bar.mass_centre, axis=ph.Z)
    rack = ph.machines.rack_and_pinion(slide, pinion, 0.05)
    found, _ = accelerations([pinion, slide], [ph.Weight(9.81)], [rack])
    assert_close(found["s0"], -3 * 9.81 * 0.05 / (0.02 + 3 * 0.05**2), rtol=1e-12)


def test_a_differential_shares_the_torque_and_not_the_speed():
    """Each side feels tau/2 if the carrier is light, whatever resists it."""
    carrier, left, right = shafts(1e-9, 0.4, 0.9)
    gear = ph.machines.differential(carrier, left, right)
    found, _ = accelerations([carrier, left, right], [ph.Motor(carrier, 3.0)], [gear])
    assert_close([found["s1"], found["s2"]], [1.5 / 0.4, 1.5 / 0.9], rtol=1e-7)
    assert_close(2 * found["s0"], found["s1"] + found["s2"], rtol=1e-12)


def test_willis():
    """With the ring held the sun turns 1 + n_r/n_s times as fast as the carrier, and a
    planet turns on its carrier by -(n_s/n_p) (w_s - w_c)."""
    sun, ring, carrier = shafts(0.01, 0.2, 0.1)
    plate = carrier.second.frame.owner
    disc = ph.Body("planet", ph.solids.disc(mass=0.3, radius=0.04))
    planet = ph.Revolute("planet", plate.point(0.1, 0, 0), disc.origin, axis=ph.Z)
    gears = ph.machines.planetary_gear(
        *(sun, ring, carrier), sun_teeth=20, ring_teeth=60, planets=[planet]
    )
    system = ph.System([sun, ring, carrier, planet], [], gears)
    held = ph.assemble(system, s0=0.0, s1=0.0, speeds={"s1": 0.0, "s2": 1.0}).state
    assert_close([held.speed("s0"), held.speed("planet")], [4.0, -3.0], rtol=1e-12)
    assert 20 * (4.0 - 1.0) + 60 * (0.0 - 1.0) == 0
    # Torques at rest: sun : ring : carrier = n_s : n_r : -(n_s + n_r).
    A, _ = system.constraint_rows(0.0, held.q, held.z)
    assert_close(A[0, :3] / A[0, 0], [1, 3, -4], rtol=1e-12)


def test_teeth_may_be_parameters():
    """A sweep over the teeth of a sprocket is one over a parameter of the model."""
    one, two = shafts(0.3, 0.7)
    teeth = ph.Parameter("n", 44.0)
    system = ph.System(
        [one, two],
        [ph.Motor(one, 2.0)],
        [ph.machines.Chain(two, one, 16, driver_teeth=teeth)],
    )
    found = ph.gauss(system).accelerations(system.rest(), {"n": 32.0})
    assert_close(found[0], 2.0 / (0.3 + 4 * 0.7), rtol=1e-12)
    sun, ring, carrier = shafts(0.01, 0.2, 0.1)
    (willis,) = ph.machines.planetary_gear(
        *(sun, ring, carrier), sun_teeth=teeth, ring_teeth=100
    )
    assert [p.name for p in willis.parameters] == ["n", "planetary.ring_teeth"]


def test_wheels_without_size_are_refused():
    """And a ring that has no room for planets."""
    one, two, three = shafts(0.3, 0.7, 0.1)
    with pytest.raises(ModelError, match="driven radius of 'belt' is zero"):
        ph.machines.Belt(two, one, 0.0, driver_radius=0.1)
    with pytest.raises(ModelError, match="more teeth than the sun"):
        ph.machines.planetary_gear(one, two, three, sun_teeth=30, ring_teeth=30)
    assert np.isfinite(ph.machines.Chain(two, one, 16, driver_teeth=44).ratio.value)
