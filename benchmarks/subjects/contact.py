"""A box at rest on a plane, a step: Moreau's scheme against MuJoCo's."""

from __future__ import annotations

from importlib import import_module

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.peers import require
from benchmarks.table import Claim, Measured

SIDE, FRICTION, STEP = 0.1, 0.5, 5e-3
STEPS = 4000
LANES = 256


def box() -> ph.State:
    """A box on a plane, with eight corners that may touch."""
    body = ph.Body("box", ph.solids.box(mass=1.0, x=SIDE, y=SIDE, z=SIDE))
    skin = ph.surfaces.box(body.origin, (SIDE, SIDE, SIDE))
    rest = ph.Support(
        skin, ph.World().origin, friction=ph.Coulomb(FRICTION), name="rest"
    )
    system = ph.System([body], [ph.Weight(9.81)], supports=[rest], name="box")
    q = system.neutral()
    q[-1] = SIDE / 2
    return ph.State(system, 0.0, q, np.zeros(6))


def alone(rounds: int) -> Measured:
    require("mujoco")
    start, method = box(), ph.methods.Moreau(STEP)

    def ours() -> ph.results.Trajectory:
        until = STEPS * STEP
        return ph.simulate(start.system, start, until=until, method=method, samples=2)

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
    height = np.ravel(np.asarray(ours().q))[-1]
    require_agreement("height", height, theirs(), 1e-2)  # theirs sinks a little
    result = race({"ours": ours, "theirs": theirs}, rounds, work)
    best = result.seconds
    note = "ours by the exact cone, theirs by a regularised one"
    return Measured(best["ours"], best["theirs"], note, result.doubt("ours", "theirs"))


CLAIMS = [
    Claim(
        name="contact-box",
        work="box at rest on a plane, a step",
        other="MuJoCo",
        compared="one run of 4000 steps; theirs mj_step in C, elliptic cone",
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
]
