"""How true contacts are: a thrown cube, and one at rest on a slope."""

from __future__ import annotations

from importlib import import_module

import numpy as np

import polhode as ph
from benchmarks.peers import require
from benchmarks.table import Claim, Measured, itself

SIDE, FRICTION, GRAVITY, STEP = 0.1, 0.5, 9.81, 1e-3
SPEED, SLIDING = 6.0, 2.0
STRIDING = 60.0
SLOPE, RESTING = np.arctan(0.45), 10.0  # steep, and within the cone


def cube(lean: float = 0.0, speed: float = 0.0) -> ph.State:
    """A cube on a plane whose normal leans so far from the vertical, with a speed."""
    body = ph.Body("cube", ph.solids.box(mass=1.0, x=SIDE, y=SIDE, z=SIDE))
    skin = ph.surfaces.box(body.origin, (SIDE, SIDE, SIDE))
    origin = ph.World().origin
    rest = ph.Support(skin, origin, friction=ph.Coulomb(FRICTION), name="rest")
    weight = ph.Weight(GRAVITY, up=(-np.sin(lean), 0.0, np.cos(lean)))
    system = ph.System([body], [weight], supports=[rest], name="cube")
    q = system.neutral()
    q[-1] = SIDE / 2
    return ph.State(system, 0.0, q, np.array([0, 0, 0, speed, 0, 0]))


def thrown(rounds: int) -> Measured:
    """Where it stops, from v^2/(2 mu g)."""
    require("mujoco")
    start = cube(speed=SPEED)
    want = SPEED**2 / (2 * FRICTION * GRAVITY)
    ours = _end(start, SLIDING) - want
    theirs = _theirs(SPEED, 0.0, SLIDING) - want
    return Measured(abs(ours), abs(theirs), f"of {want:.4f} m; step {STEP} s both")


def leaning(rounds: int) -> Measured:
    """How far it creeps in ten seconds; it should not move."""
    require("mujoco")
    ours, theirs = _end(cube(SLOPE), RESTING), _theirs(0.0, SLOPE, RESTING)
    return Measured(abs(ours), abs(theirs), f"in {RESTING:g} s; tan 0.45, mu 0.5")


def strides(rounds: int) -> Measured:
    """The speed of a rimless wheel after a hundred strides, from its closed form.

    A stride gains 2 g sin(a/2) sin(slope) by falling, and a strike keeps
    eta = (I + l^2 cos a)/(I + l^2) of the turning: an error halves at each.
    """
    wheel = import_module("polhode.models.contacts.rimless_wheel")
    system, a, lean = wheel.rimless_wheel(), wheel.ANGLE, wheel.SLOPE
    places, speeds = wheel.rimless_wheel_start()
    start = system.state(places, speeds=speeds)
    method = ph.methods.DormandPrince8(rtol=1e-12, atol=1e-12)
    motion = ph.simulate(system, start, until=STRIDING, method=method, samples=2)
    inertia = 0.4 * wheel.HUB**2
    kept = (inertia + np.cos(a)) / (inertia + 1)
    gained = 4 * GRAVITY * np.sin(a / 2) * np.sin(lean) / (inertia + 1)
    after = kept**2 * gained / (1 - kept**2)
    first = lean - a / 2
    turned = (-motion.q[-1][0] - first) % a + first
    fallen = 2 * GRAVITY * (np.cos(first) - np.cos(turned)) / (inertia + 1)
    count = int((-motion.q[-1][0] - first) // a)
    error = abs(-motion.z[-1][0] / np.sqrt(after + fallen) - 1)
    return Measured(error, None, f"after {count} strides; a closed form is the other")


def _end(start: ph.State, until: float) -> float:
    method = ph.methods.Moreau(STEP)
    motion = ph.simulate(start.system, start, until=until, method=method, samples=2)
    return float(motion.q[-1][-3])


def _theirs(speed: float, lean: float, until: float) -> float:
    peer = import_module("benchmarks.peers.mujoco_box")
    pull = (GRAVITY * np.sin(lean), 0.0, -GRAVITY * np.cos(lean))
    return peer.travel(SIDE, FRICTION, STEP, speed=speed, gravity=pull, until=until)


CLAIMS = [
    Claim(
        name="contact-thrown",
        work="cube thrown along a floor: where it stops",
        other="MuJoCo",
        compared="error of the way; exact cone and Moreau's step, theirs elliptic cone",
        measure=thrown,
        required=1e-4,
        stretch=1e-5,
        judge=itself,
        unit=" m",
    ),
    Claim(
        name="contact-slope",
        work="cube at rest on a slope: how far it creeps",
        other="MuJoCo",
        compared="way in 10 s; exact cone and Moreau's step, theirs elliptic cone",
        measure=leaning,
        required=1e-12,
        stretch=1e-13,
        judge=itself,
        unit=" m",
    ),
    Claim(
        name="contact-strides",
        work="rimless wheel, a hundred strides: its speed",
        other="its closed form",
        compared="relative error, contacts exact, order 8, tolerances of 1e-12",
        measure=strides,
        required=1e-10,
        stretch=1e-12,
        judge=itself,
        unit=" ",
    ),
]
