"""Bodies that lie, a step: Moreau's scheme against MuJoCo's."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models import pile
from benchmarks.models.lying_humanoid import FRICTION, humanoid_mjcf
from benchmarks.models.resting_box import SIDE, STEP, box
from benchmarks.peers import require
from benchmarks.table import Claim, Measured

STEPS = 4000
LANES = 256
LYING, SETTLED = 0.12, 10.0
HEAP_STEP, HEAP_FALLEN, HEAP_SETTLED = 2e-3, 1.0, 3.0


def alone(rounds: int) -> Measured:
    require("mujoco")
    start, method = box(), ph.methods.Moreau(STEP)

    def ours() -> ph.results.Sweep:
        return ph.sweep(start.system, [start], until=STEPS * STEP, method=method)

    return _held_against(ours, STEPS, rounds)


def in_lanes(rounds: int) -> Measured:
    require("mujoco")
    start, method = box(), ph.methods.Moreau(STEP)
    states, steps = [start] * LANES, STEPS // 16

    def ours() -> ph.results.Sweep:
        return ph.sweep(start.system, states, until=steps * STEP, method=method)

    return _held_against(ours, LANES * steps, rounds)


def _held_against(ours, work: int, rounds: int) -> Measured:
    peer = import_module("benchmarks.peers.mujoco_box")
    theirs = peer.stepper(SIDE, FRICTION, STEP, work)
    height = np.ravel(ours().final_q)[-1]
    require_agreement("height", height, theirs(), 1e-2)  # theirs sinks a little
    result = race({"ours": ours, "theirs": theirs}, rounds, work)
    best = result.seconds
    note = "ours by the exact cone, theirs by a regularised one"
    return Measured(best["ours"], best["theirs"], note, result.doubt("ours", "theirs"))


def humanoid(path: Path) -> ph.State:
    """A person of capsules that has come to lie on its back."""
    path.write_text(humanoid_mjcf(STEP))
    floor = ph.Floor(friction=ph.Coulomb(FRICTION))
    system = ph.load_mjcf(path, floor=floor).system
    q = system.neutral()
    q[2] = LYING  # its coordinates are those of MuJoCo: place, quaternion, hinges
    method = ph.methods.Moreau(STEP)
    start = ph.State(system, 0.0, q, np.zeros(system.speeds))
    swept = ph.sweep(system, [start], until=SETTLED, method=method)
    return ph.State(system, 0.0, swept.final_q[0], swept.final_z[0])


def humanoid_alone(rounds: int) -> Measured:
    return _lying(rounds, lanes=1, steps=1000)


def humanoid_in_lanes(rounds: int) -> Measured:
    return _lying(rounds, lanes=32, steps=20)


def _lying(rounds: int, lanes: int, steps: int) -> Measured:
    require("mujoco")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "humanoid.xml"
        start = humanoid(path)
        peer = import_module("benchmarks.peers.mujoco_box")
        theirs = peer.settled(path, round(SETTLED / STEP), lanes * steps)
    method = ph.methods.Moreau(STEP)

    def ours() -> ph.results.Sweep:
        states, until = [start] * lanes, steps * STEP
        return ph.sweep(start.system, states, until=until, method=method)

    # Theirs sinks into the floor.
    require_agreement("height", start.q[2], theirs(), 0.1)
    result = race({"ours": ours, "theirs": theirs}, rounds, lanes * steps)
    best = result.seconds
    note = "exact cone; hinges still creep"
    return Measured(best["ours"], best["theirs"], note, result.doubt("ours", "theirs"))


def pile_alone(rounds: int) -> Measured:
    return _heaped(rounds, after=HEAP_FALLEN, lanes=1, steps=100)


def pile_in_lanes(rounds: int) -> Measured:
    return _heaped(rounds, after=HEAP_FALLEN, lanes=32, steps=20)


def resting_pile_alone(rounds: int) -> Measured:
    return _heaped(rounds, after=HEAP_SETTLED, lanes=1, steps=1000)


def resting_pile_in_lanes(rounds: int) -> Measured:
    return _heaped(rounds, after=HEAP_SETTLED, lanes=32, steps=200)


def _heaped(rounds: int, *, after: float, lanes: int, steps: int) -> Measured:
    require("mujoco")
    method, first = ph.methods.Moreau(HEAP_STEP), pile.pile()
    system = first.system
    swept = ph.sweep(system, [first], until=after, method=method)
    start = ph.State(system, 0.0, swept.final_q[0], swept.final_z[0])
    theirs = import_module("benchmarks.peers.mujoco_box").heap(
        pile.normals().tolist(),
        pile.places().tolist(),
        ball=(pile.RADIUS, pile.MASS, pile.FRICTION),
        step=HEAP_STEP,
        before=round(after / HEAP_STEP),
        steps=lanes * steps,
    )

    def ours() -> ph.results.Sweep:
        states, until = [start] * lanes, steps * HEAP_STEP
        return ph.sweep(system, states, until=until, method=method)

    # Where each ball comes to lie is chaos; how high they lie together is not.
    require_agreement("mean height", np.mean(start.q[6::7]), theirs(), 0.2)
    result = race({"ours": ours, "theirs": theirs}, rounds, lanes * steps)
    best = result.seconds
    note = "exact cone; theirs a regularised one"
    return Measured(best["ours"], best["theirs"], note, result.doubt("ours", "theirs"))


CLAIMS = [
    Claim(
        name="contact-box",
        work="box at rest on a plane, a step",
        other="MuJoCo",
        compared="a sweep of one, its last state; theirs mj_step in C, elliptic cone",
        measure=alone,
        required=5,
        stretch=8,
    ),
    Claim(
        name="contact-box-lanes",
        work="256 boxes at rest on a plane, a step",
        other="MuJoCo",
        compared="a sweep, lanes and threads; theirs one mj_step after another",
        measure=in_lanes,
        required=20,
        stretch=30,
    ),
    Claim(
        name="contact-pile",
        work="ten balls that settle in a funnel, a step",
        other="MuJoCo",
        compared="60 speeds, 85 pairs of which some 15 touch; theirs mj_step, elliptic",
        measure=pile_alone,
        required=1,
        stretch=2,
    ),
    Claim(
        name="contact-pile-lanes",
        work="32 times ten balls that settle in a funnel, a step",
        other="MuJoCo",
        compared="a sweep, lanes and threads; theirs one mj_step after another",
        measure=pile_in_lanes,
        required=4,
        stretch=8,
    ),
    Claim(
        name="contact-pile-rest",
        work="ten balls at rest in a funnel, a step",
        other="MuJoCo",
        compared="60 speeds, 85 pairs of which some 26 touch; theirs mj_step, elliptic",
        measure=resting_pile_alone,
        required=1,
        stretch=2,
    ),
    Claim(
        name="contact-pile-rest-lanes",
        work="32 times ten balls at rest in a funnel, a step",
        other="MuJoCo",
        compared="a sweep, lanes and threads; theirs one mj_step after another",
        measure=resting_pile_in_lanes,
        required=4,
        stretch=8,
    ),
    Claim(
        name="contact-humanoid",
        work="humanoid lying on a floor, a step",
        other="MuJoCo",
        compared="27 speeds, 25 points that may touch; theirs mj_step, elliptic cone",
        measure=humanoid_alone,
        required=1.5,
        stretch=3,
    ),
    Claim(
        name="contact-humanoid-lanes",
        work="32 humanoids lying on a floor, a step",
        other="MuJoCo",
        compared="a sweep, lanes and threads; theirs one mj_step after another",
        measure=humanoid_in_lanes,
        required=6,
        stretch=10,
    ),
]
