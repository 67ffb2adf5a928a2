"""Balls that bounce: what an event with a reset costs, alone and in a sweep."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import polhode as ph
from benchmarks.measure import Disagreement, race
from benchmarks.table import Claim, Measured, itself

GRAVITY, DROP = 9.81, 1.0
LONG = 900.0  # seconds: about a thousand bounces
BALLS, UNTIL = 10_000, 3.0
MICRO = 1e6


def ball() -> ph.System:
    """A ball above a floor."""
    return ph.System([ph.Particle("ball", 0.1)], [ph.Weight(GRAVITY)], name="ball")


def height(t, state):
    return state["ball"][2]


def bounced(t, state):
    """Elastic, along the vertical."""
    x, y, z = state.speed("ball")
    return state.changed(speeds={"ball": (x, y, -z)})


FLOOR = ph.Event("floor", height, -1, reset=bounced)


def one_bounce(rounds: int) -> Measured:
    """A run with bounces less one without, over their number: us a bounce.

    The run without falls freely, in a few long steps: steps between bounces count as
    part of them.
    """
    system = ball()
    start = system.state(ball=(0.0, 0.0, DROP))
    motion = ph.simulate(system, start, until=LONG, events=FLOOR)
    count = len(motion.events)
    exact = np.sqrt(2 * DROP / GRAVITY) * (2 * np.arange(count) + 1)
    error = float(np.max(np.abs(motion.events.t / exact - 1)))
    if not error < 1e-9 or count != int((LONG / exact[0] + 1) / 2):
        raise Disagreement(f"{count} bounces, times wrong by {error:.1e}")
    steps = motion.outcome.accepted + motion.outcome.rejected
    plain = ph.System([ph.Particle("ball", 0.1)], [ph.Weight(GRAVITY)], name="plain")
    free = plain.state(ball=(0.0, 0.0, DROP))
    bouncing = least(
        lambda: ph.simulate(system, start, until=LONG, events=FLOOR), rounds
    )
    falling = least(lambda: ph.simulate(plain, free, until=LONG), rounds)
    each = MICRO * (bouncing - falling) / count
    note = f"{count} bounces in {steps} steps, times to {error:.0e}"
    return Measured(each, None, note)


def least(run: Callable[[], object], rounds: int) -> float:
    """Seconds of processor time: a run alone is on one core, however busy it is."""
    run()
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def many_balls(rounds: int) -> Measured:
    """A sweep of all balls against sweeps of one after the other: seconds a ball."""
    system, draw = ball(), np.random.default_rng(5)
    q, z = np.zeros((BALLS, 3)), np.zeros((BALLS, 3))
    q[:, 2] = draw.uniform(0.5, 2.0, BALLS)
    states = ph.States(system, 0.0, q, z)
    found = ph.sweep(system, states, until=UNTIL, events=FLOOR)
    alone = ph.simulate(system, states[7], until=UNTIL, events=FLOOR)
    if not np.array_equal(found.final_q[7], alone.q[-1]):
        raise Disagreement("a ball of the sweep moves otherwise than alone")
    contenders = {
        "sweep": lambda: ph.sweep(system, states, until=UNTIL, events=FLOOR),
        "one by one": lambda: ph.sweep(system, [states[7]], until=UNTIL, events=FLOOR),
    }
    result = race(contenders, rounds)
    best, doubt = result.seconds, result.doubt(*contenders)
    note = f"{len(found.events)} bounces"
    return Measured(best["sweep"] / BALLS, best["one by one"], note, doubt)


CLAIMS = [
    Claim(
        name="bounce",
        work="a bounce of a ball, ph.simulate",
        other="",
        compared=(
            "1000 elastic bounces: the run less one without events, over their number,"
            " processor time; the steps between bounces are counted with them"
        ),
        measure=one_bounce,
        required=5.0,
        judge=itself,
        unit=" us",
    ),
    Claim(
        name="bouncing-balls",
        work="10^4 bouncing balls, ph.sweep, a ball",
        other="one by one",
        compared="a sweep of all against a sweep of one: final states and events",
        measure=many_balls,
        required=20.0,
    ),
]
