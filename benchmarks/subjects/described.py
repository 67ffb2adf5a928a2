"""Programs of described systems against the hand-written articulated-body function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models.chain import Chain, forward_dynamics
from benchmarks.models.systems import chain_system
from benchmarks.table import Claim, Measured, times_slower

STATES = 500


def program_of(system: ph.System) -> ph.results.Program:
    """Accelerations from (t, q, z): one lane, one thread, as the hand-written one."""
    core, rest = ph.recursive(system).functions, system.rest()

    def accelerations(t, q, z):
        return core.accelerations(t, q, z, {})[0]

    at = rest.t, rest.q, rest.z
    return ph.compile(accelerations, *at, batched=True, threads=1, lanes=1)


def by_hand(links: int) -> tuple[Callable, np.ndarray, np.ndarray]:
    """The hand-written chain with as many freedoms, without torques."""
    chain, source = Chain(links), np.random.default_rng(links)
    q, v = source.normal(size=(2, STATES, links)) * 0.5

    def accelerations(q, v):
        return forward_dynamics(chain, q, v, np.zeros(links))

    program = ph.compile(accelerations, q[0], v[0], batched=True, threads=1, lanes=1)
    return lambda: program(q, v), q, v


def drawn(system: ph.System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, coordinates and speeds of STATES random states."""
    source, rest = np.random.default_rng(3), system.rest().q
    moves = source.normal(size=(STATES, system.speeds)) * 0.5
    q = np.stack([system.normalised(system.local(rest, move)) for move in moves])
    return np.zeros(STATES), q, source.normal(size=(STATES, system.speeds)) * 0.5


def same_chain(links: int, rounds: int) -> Measured:
    """The very chain of the hand-written function, described as a system."""
    system = chain_system(Chain(links))
    hand, q, v = by_hand(links)
    program, t = program_of(system), np.zeros(STATES)
    require_agreement(f"chain of {links}", program(t, q, v), hand(), 1e-9)
    return raced(program, (t, q, v), hand, rounds)


def other_tree(make: Callable[[], ph.System], rounds: int) -> Measured:
    """A branched system against the hand-written chain of as many freedoms."""
    system = make()
    program, states = program_of(system), drawn(system)
    return raced(program, states, by_hand(system.speeds)[0], rounds)


def raced(
    program: ph.results.Program, states: tuple, hand: Callable, rounds: int
) -> Measured:
    contenders = {"described": lambda: program(*states), "by hand": hand}
    result = race(contenders, rounds, STATES)
    best, doubt = result.seconds, result.doubt(*contenders)
    note = f"{program.report().operations} operations from the system"
    return Measured(best["described"], best["by hand"], note, doubt)


def tree() -> ph.System:
    from polhode.models.mechanisms.trees import tree

    return tree(30)


def humanoid() -> ph.System:
    from polhode.models.mechanisms.trees import free_humanoid

    return free_humanoid()


def per_loop(rounds: int) -> Measured:
    """Four-bars in a row: the cost of one loop among many, and among few."""
    from polhode.models.mechanisms.four_bars import four_bars, start

    contenders, calls = {}, 400
    for loops in (1, 10, 40):
        system = four_bars(loops)
        state, count = start(system), calls // loops
        args = [
            np.repeat(np.asarray(x)[None], count, 0)
            for x in (state.t, state.q, state.z)
        ]
        program = program_of(system)
        contenders[f"{loops}"] = partial(program, *args)
    result = race(contenders, rounds, calls)
    best, doubt = result.seconds, result.doubt("10", "40")
    note = f"one four-bar alone: {best['1'] * 1e9:.0f} ns"
    return Measured(best["40"], best["10"], note, doubt)


BY_HAND = "hand-written articulated bodies (lax.scan, dense blocks), compiled"
CLAIMS = [
    Claim(
        name="system-arm",
        work="7-link chain from a System, forward dynamics",
        other="by hand",
        compared=f"the same chain and states; {BY_HAND}; one lane and thread",
        measure=partial(same_chain, 7),
        required=1.2,
        judge=times_slower,
    ),
    Claim(
        name="system-tree",
        work="30-body tree from a System, forward dynamics",
        other="by hand, chain",
        compared=f"a binary tree of 30 hinges against a chain of 30: {BY_HAND}",
        measure=partial(other_tree, tree),
        required=1.2,
        judge=times_slower,
    ),
    Claim(
        name="system-humanoid",
        work="36-DOF humanoid from a System, forward dynamics",
        other="by hand, chain",
        compared=f"a free pelvis and 30 hinges against a chain of 36: {BY_HAND}",
        measure=partial(other_tree, humanoid),
        required=1.2,
        judge=times_slower,
    ),
    Claim(
        name="four-bars",
        work="40 four-bars in a row, accelerations, a loop",
        other="10 four-bars",
        compared=(
            "N parallelograms that share uprights, two equations a loop, from a "
            "System: time per loop at N = 40 over that at N = 10, one lane and thread"
        ),
        measure=per_loop,
        required=1.3,
        judge=times_slower,
    ),
]
