"""A satellite that keeps one side to its planet: which of its attitudes are stable."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import sqrt

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

RATE = 1.3  # of the orbit; mu = RATE^2 for the radius one


def maccullagh(body, *, mu, m, Jx, Jy, Jz):
    """The energy of a body in the field of a point, to second order in its size."""
    J = jnp.stack([1.0 * Jx, 1.0 * Jy, 1.0 * Jz])
    square = body.position @ body.position
    r = jnp.sqrt(square)
    down = body.rotation.T @ body.position / r
    return -mu * m / r - mu / (2 * r**3) * (J.sum() - 3 * down @ (J * down))


@cache
def craft() -> ph.System:
    """A small body on a circle of radius one about a centre that attracts it.

    The arm of the orbit turns freely about Z and is so heavy that it goes on evenly.
    """
    world = ph.World()
    moments = [
        ph.Parameter(f"J_{k}", v)
        for k, v in zip("xyz", (2e-6, 3e-6, 1e-6), strict=True)
    ]
    m = ph.Parameter("m", 1.0)
    arm = ph.Body.from_inertia("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    body = ph.Body.from_inertia("craft", mass=m, inertia=moments)
    orbit = ph.Revolute("orbit", world.origin, arm.origin, axis=ph.Z)
    ball = ph.Spherical("ball", arm.point(1.0, 0, 0), body.origin)
    names = dict(zip(("Jx", "Jy", "Jz"), moments, strict=True))
    constants = {"mu": ph.Parameter("mu", RATE**2), "m": m, **names}
    pull = ph.Potential((world.frame, body.frame), maccullagh, constants, name="pull")
    return ph.System([orbit, ball], [pull], name="craft")


def at(
    roll: float, yaw: float, pitch: float
) -> tuple[ph.System, ph.results.SteadyMotion]:
    """Moments about axes along the orbit, to the planet (x), and across it."""
    system = craft().with_({"J_x": yaw, "J_y": roll, "J_z": pitch})
    found = ph.steady_motions(system, {"orbit": RATE}, starts=1)
    return system, found[0]


def linear_region(roll: float, yaw: float, pitch: float) -> bool:
    """DeBra and Delp: where no small disturbance grows."""
    k1, k3 = (pitch - yaw) / roll, (pitch - roll) / yaw
    free = 1 + 3 * k1 + k1 * k3
    return roll > yaw and k1 * k3 > 0 and free > 0 and free > 4 * sqrt(k1 * k3)


@pytest.mark.row("E-11")
def test_a_satellite_rests_along_its_principal_axes():
    """Any principal axis down and any other across: six kinds, each told once.

    Half turns of the craft are one kind, and so are all places of the orbit. From these
    starts two are found whose distance has a minimum on the way from one to the other.
    """
    found = ph.steady_motions(craft(), {"orbit": RATE}, starts=48, seed=1)
    kinds = []
    for each in found:
        R_arm = craft().poses(0.0, each.state.q).rotations[0]
        R = R_arm.T @ craft().poses(0.0, each.state.q).rotations[1]
        assert_close(np.sort(np.abs(R), axis=None)[:6], np.zeros(6), atol=1e-6)
        kinds.append(tuple(int(k) for k in np.argmax(np.abs(R), axis=0)))
    assert sorted(kinds) == sorted(permutations(range(3)))


@pytest.mark.row("E-11")
@pytest.mark.parametrize(
    ("roll", "yaw", "pitch", "verdict"),
    [
        (2.0e-6, 1.0e-6, 2.5e-6, "stable"),  # Lagrange: pitch > roll > yaw
        # Its long side across the orbit.
        pytest.param(1.0e-6, 2.0e-6, 2.5e-6, "unstable", marks=pytest.mark.long),
        pytest.param(2.5e-6, 1.0e-6, 2.0e-6, "unstable", marks=pytest.mark.long),
        (1.81e-6, 1.0e-6, 0.91e-6, "gyroscopically stabilised"),  # DeBra and Delp
    ],
)
def test_which_attitudes_are_stable(roll, yaw, pitch, verdict):
    """Lagrange's region by the energy, DeBra and Delp's by the spectrum only."""
    _, steady = at(roll, yaw, pitch)
    found = steady.stability()
    assert found.verdict == verdict
    assert linear_region(roll, yaw, pitch) == (verdict != "unstable")
    if verdict == "stable":
        assert found.theorem == "energy-momentum"
        # Pitch swings at n sqrt(3 (roll - yaw)/pitch).
        swing = RATE * sqrt(3 * (roll - yaw) / pitch)
        values = found.spectrum.values.imag
        assert np.min(np.abs(values - swing)) < 1e-4 * swing


@pytest.mark.long
def test_a_free_satellite_keeps_its_face_down():
    """The satellite of the gallery, orbit and attitude together, all free."""
    system = ph.models.satellite()
    near = system.state(orbit={"x": 7.0e6})
    rate = sqrt(3.986004418e14 / 7.0e6**3)
    found = ph.steady_motions(system, {"turn z": rate}, near, starts=1)
    assert_close(np.linalg.norm(found[0].state.q[4:]), 7.0e6, rtol=1e-9)


@pytest.mark.long
def test_a_small_satellite_is_as_stable_as_a_large_one():
    """Two masses 200 m apart, along the vertical: its orbit of 7000 km hides nothing.

    The attitude's part of the energy is 1e-9 of the orbit's.
    """
    arm, mu, r, mass = 100.0, 3.986004418e14, 7e6, 100.0
    n = np.sqrt(mu / 2 * (1 / (r + arm) ** 2 + 1 / (r - arm) ** 2) / r)
    inertia = mass * arm**2 * np.array([0.01, 1.01, 1.01])
    ship, world = ph.Body.from_inertia("ship", mass=mass, inertia=inertia), ph.World()
    ends = [ph.PointMass(ship.point(x, 0, 0), mass / 2) for x in (arm, -arm)]
    pull = ph.Gravitation((ph.PointMass(world.origin, mu), *ends), 1.0)
    system = ph.System([ship], [pull], name="dumb-bell")
    upright = ph.Rotation.identity(of=ship.frame, seen_from=world.frame)
    place, speeds = ph.theory.Pose(upright, (r, 0, 0)), {"ship": (0, 0, n, 0, n * r, 0)}
    near = system.state(ship=place, speeds=speeds)
    (found,) = ph.steady_motions(system, {"turn z": n}, near, starts=1)
    assert found.stability().verdict == "stable"


def test_the_gallerys_formula_is_maccullaghs_energy():
    """The same accelerations of the satellite by a function."""
    state = ph.models.start("satellite")
    place = {"qw": 0.8, "qx": 0.6, "x": 5e6, "y": 4e6, "z": 1e6}
    state = state.changed({"orbit": place})
    own = state.system
    (pull,) = own.actions
    law = ph.Potential(pull.bodies, maccullagh, dict(pull.constants), name="law")
    same = ph.System(own.joints, [law])
    found = ph.gauss(own).accelerations(state)
    wanted = ph.gauss(same).accelerations(ph.State(same, 0.0, state.q, state.z))
    assert_close(found, wanted, rtol=1e-9, atol=1e-15)
