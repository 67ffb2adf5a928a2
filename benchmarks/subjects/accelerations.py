"""Forward dynamics of the 7-link chain against Pinocchio's and Drake's."""

from __future__ import annotations

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models.chain import Chain, forward_dynamics
from benchmarks.peers import peer
from benchmarks.table import Claim, Measured

CHAIN = Chain(7)
STATES = 1000


def draw() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, speeds and torques, (STATES, 7) each."""
    source = np.random.default_rng(1)
    q, v, tau = source.normal(size=(3, STATES, CHAIN.links))
    return q, v, tau


def accelerations(q, v, tau):
    return forward_dynamics(CHAIN, q, v, tau)


def compiled(states: tuple) -> ph.results.Program:
    """One thread, one lane: state after state, as the peers do."""
    example = [s[0] for s in states]
    return ph.compile(accelerations, *example, batched=True, threads=1, lanes=1)


def against_pinocchio(rounds: int) -> Measured:
    pinocchio, states = peer("pinocchio"), draw()
    program = compiled(states)
    theirs = pinocchio.accelerations(CHAIN, states)
    for convention, run in theirs.items():
        require_agreement(f"aba {convention}", program(*states)[-1], run(), 1e-10)
    contenders = {
        "ours": lambda: program(*states),
        "empty": pinocchio.empty_accelerations(STATES),
        **theirs,
    }
    result = race(contenders, rounds, STATES)
    best = result.seconds
    quickest = min(theirs, key=best.__getitem__)
    doubt = result.doubt("ours", "empty", quickest)
    note = f"convention {quickest}; call overhead {best['empty'] * 1e9:.0f} ns removed"
    return Measured(best["ours"], best[quickest] - best["empty"], note, doubt)


def against_drake(rounds: int) -> Measured:
    drake, (q, v, tau) = peer("pydrake"), draw()
    states = (q, v, np.zeros_like(tau))
    program = compiled(states)
    theirs = drake.accelerations(CHAIN, (q, v))
    require_agreement("Drake", program(*states)[-1], theirs(), 1e-10)
    contenders = {
        "ours": lambda: program(*states),
        "empty": drake.empty_accelerations(STATES),
        "drake": theirs,
    }
    result = race(contenders, rounds, STATES)
    best, doubt = result.seconds, result.doubt(*contenders)
    note = f"call overhead {best['empty'] * 1e9:.0f} ns removed"
    return Measured(best["ours"], best["drake"] - best["empty"], note, doubt)


CLAIMS = [
    Claim(
        name="dynamics-pinocchio",
        work="7-link chain, forward dynamics",
        other="Pinocchio aba",
        compared=(
            "1000 states, one thread: ours in a native loop without SIMD over states; "
            "theirs called from Python, the quicker of both conventions, minus the "
            "same call on a model without joints"
        ),
        measure=against_pinocchio,
        required=5,
        stretch=8,
    ),
    Claim(
        name="dynamics-drake",
        work="7-link chain, forward dynamics",
        other="Drake",
        compared=(
            "as above; theirs SetContinuousState and CalcTimeDerivatives of a "
            "continuous MultibodyPlant, minus the same calls on an empty plant"
        ),
        measure=against_drake,
        required=5,
        stretch=8,
    ),
]
