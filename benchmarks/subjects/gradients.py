"""The reverse gradient of a motion: its own cost, and that of others' gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models.chain import STEP
from benchmarks.models.systems import chain_system
from benchmarks.peers.gradients import by_diffrax, by_mujoco
from benchmarks.subjects.accelerations import CHAIN, accelerations
from benchmarks.table import Claim, Measured, times_slower

UNTIL, RTOL = 10.0, 1e-6
START = np.concatenate([np.linspace(0.2, -0.1, CHAIN.links), np.zeros(CHAIN.links)])


def square(t: Any, state: ph.State) -> Any:
    return state.q @ state.q


def ours(method: Any) -> tuple[Callable, Callable]:
    """The motion, and its gradient by the first state, each as a call."""
    system = chain_system(CHAIN)
    start = ph.State(system, 0.0, START[: CHAIN.links], START[CHAIN.links :])

    def moved() -> ph.results.Trajectory:
        return ph.simulate(system, start, until=UNTIL, method=method)

    def slope(motion: ph.results.Trajectory) -> np.ndarray:
        found = ph.gradient(motion, square)
        return np.concatenate([found.places, found.speeds])

    return moved, slope


def against_the_motion(rounds: int) -> Measured:
    moved, slope = ours(ph.methods.DormandPrince(rtol=1e-10))
    motion = moved()
    result = race({"gradient": lambda: slope(motion), "motion": moved}, rounds)
    best, doubt = result.seconds, result.doubt("gradient", "motion")
    note = f"{motion.outcome.accepted} steps"
    return Measured(best["gradient"], best["motion"], note, doubt)


def against_diffrax(rounds: int) -> Measured:
    moved, slope = ours(ph.methods.DormandPrince(rtol=RTOL, atol=RTOL))
    theirs = by_diffrax(accelerations, START, UNTIL, RTOL)
    require_agreement("gradient against diffrax", slope(moved()), theirs(), 1e-2)
    contenders = {"ours": lambda: slope(moved()), "diffrax": theirs}
    result = race(contenders, min(rounds, 5))
    best, doubt = result.seconds, result.doubt(*contenders)
    return Measured(best["ours"], best["diffrax"], "the motion included", doubt)


def against_mujoco(rounds: int) -> Measured:
    moved, slope = ours(ph.methods.SemiImplicitEuler(STEP))
    theirs = by_mujoco(CHAIN, START, round(UNTIL / STEP))
    require_agreement("gradient against MuJoCo", slope(moved()), theirs(), 1e-3)
    contenders = {"ours": lambda: slope(moved()), "mujoco": theirs}
    result = race(contenders, min(rounds, 10))
    best, doubt = result.seconds, result.doubt(*contenders)
    return Measured(best["ours"], best["mujoco"], "the motion included", doubt)


WORK = "7-link chain for 10 s, gradient by its first state"
CLAIMS = [
    Claim(
        name="gradient-cost",
        work=WORK,
        other="the motion itself",
        compared="the loop backward over its accepted steps against the motion",
        measure=against_the_motion,
        required=6,
        judge=times_slower,
    ),
    Claim(
        name="gradient-diffrax",
        work=WORK,
        other="diffrax",
        compared=(
            f"motion and gradient, Dormand-Prince to {RTOL:g}; theirs the same pair, "
            "reverse through recursive checkpoints, jitted, of the chain by hand"
        ),
        measure=against_diffrax,
        required=5,
    ),
    Claim(
        name="gradient-mujoco",
        work=WORK,
        other="MuJoCo",
        compared=(
            "motion and gradient, semi-implicit Euler of 1 ms; theirs central "
            "differences of `mj_step` over the same steps, two runs a number"
        ),
        measure=against_mujoco,
        required=5,
    ),
]
