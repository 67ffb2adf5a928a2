"""Fixed steps of a chain against MuJoCo: one system, and ten thousand."""

from __future__ import annotations

from functools import partial

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models.chain import Chain, stepping
from benchmarks.peers import peer
from benchmarks.table import Claim, Measured, cores

FEW = 20  # steps for which results are compared; chains are chaotic


def draw(chain: Chain, *count: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles of about 0.3, speeds of about 0.3 rad/s: arrays (*count, n)."""
    source = np.random.default_rng(chain.links)
    shape = (*count, chain.links)
    return source.normal(size=shape) * 0.3, source.normal(size=shape) * 0.3


def one_system(links: int, steps: int, rounds: int) -> Measured:
    mujoco, chain = peer("mujoco"), Chain(links)
    q, v = draw(chain)
    few = ph.compile(stepping(chain, FEW), q, v)
    expected = mujoco.stepper(chain, q, v, FEW)()
    require_agreement(f"{links} links", few(q, v), expected, 1e-9)

    program = ph.compile(stepping(chain, steps), q, v)
    contenders = {
        "ours": lambda: program(q, v),
        "mujoco": mujoco.stepper(chain, q, v, steps),
    }
    result = race(contenders, rounds, steps)
    best, doubt = result.seconds, result.doubt(*contenders)
    facts = program.report()
    note = f"{facts.operations} operations in the code, {facts.loops} loops"
    return Measured(best["ours"], best["mujoco"], note, doubt)


def many_systems(count: int, steps: int, rounds: int) -> Measured:
    mujoco, chain, threads = peer("mujoco"), Chain(7), cores()
    q, v = draw(chain, count)
    program = ph.compile(stepping(chain, steps), q[0], v[0], batched=True)
    recording = mujoco.bulk_stepper(chain, q, v, steps, threads)
    require_agreement("bulk", program(q, v), recording(), 1e-9)

    contenders = {
        "ours": lambda: program(q, v),
        "mujoco": mujoco.silent_bulk_stepper(chain, q, v, steps, threads),
    }
    result = race(contenders, max(3, rounds // 3), count * steps)
    best, doubt = result.seconds, result.doubt(*contenders)
    note = f"{program.report().lanes} lanes a thread"
    return Measured(best["ours"], best["mujoco"], note, doubt)


CLAIMS = [
    Claim(
        name="chain-7",
        work="7-link chain, one system, a step",
        other="MuJoCo",
        compared=(
            "semi-implicit Euler steps of 1 ms, 5000 in one call: ours a compiled "
            "lax.fori_loop, theirs mj_step(model, data, 5000) with contacts and "
            "constraints off; states equal after 20 steps"
        ),
        measure=partial(one_system, 7, 5000),
        required=6,
        stretch=8,
    ),
    Claim(
        name="chain-30",
        work="30-link chain, one system, a step",
        other="MuJoCo",
        compared="as chain-7, 1000 steps in one call",
        measure=partial(one_system, 30, 1000),
        required=2.5,
        stretch=3.5,
    ),
    Claim(
        name="chain-bulk",
        work="7-link chain, 10^4 systems, all cores, a step",
        other="MuJoCo rollout",
        compared=(
            "50 steps of every system in one call, initial states in, as many threads; "
            "ours returns the final states, mujoco.rollout.Rollout is timed with "
            "checks skipped and no states recorded; recorded ones equal ours"
        ),
        measure=partial(many_systems, 10_000, 50),
        required=15,
        stretch=25,
    ),
]
