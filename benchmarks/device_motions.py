"""Motions of `simulate` on a GPU: their bits, and what Ctrl-C leaves of them."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.device_bits import Facts, same_bits
from benchmarks.measure import Disagreement

EIGHT = ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9)
PRESSED = 1.0  # seconds of the interrupted run


def pendulums(runs: int) -> tuple[ph.System, ph.States]:
    """Double pendulums that swing high, none like another."""
    start, draw = ph.models.start("double_pendulum"), np.random.default_rng(1)
    q = start.q + draw.normal(size=(runs, 2))
    return start.system, ph.States(start.system, 0.0, q, np.zeros((runs, 2)))


def cart() -> tuple[ph.System, ph.States, Facts]:
    """Blocks that rebound from a wall under a controller in plain Python."""
    body = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, body.origin, axis=ph.X)
    system = ph.System([track], [ph.Motor(track, 0.0, name="motor")], name="cart")

    def rebounds(t: float, state: ph.State) -> ph.State:
        return state.changed(speeds={"track": -0.8 * state.speed("track")})

    wall = ph.Event("wall", lambda t, s: s["track"] - 1.0, +1, reset=rebounds)
    push = ph.Sampled(lambda t, state: 2.0 - float(state["track"]), 0.25)
    q, z = np.random.default_rng(2).uniform(0, 0.9, (2, 16, 1))
    given = {"until": 2.0, "events": wall, "inputs": {"motor": push}}
    return system, ph.States(system, 0.0, q, z), given


def content(motions: Any) -> list[Any]:
    """All that a motion is: rows, how it ended, what happened, where it can go on."""
    found: list[Any] = []
    for motion in motions:
        words = [str(motion.outcome), *map(str, motion.events)]
        text = np.frombuffer("\n".join(words).encode(), np.uint8)
        cursor = [np.asarray(leaf) for leaf in motion.checkpoint.stepper_state]
        found += [motion.t, motion.q, motion.z, text, *cursor]
    return found


def check(runs: int, **wish: Any) -> Facts:
    """Motions of double pendulums on the card and here."""
    given = {"until": 4.0, **wish}
    ours = ph.simulate(*pendulums(runs), backend="cuda", **given)
    theirs = ph.simulate(*pendulums(runs), **given)
    return {"bits of native code": same_bits(content(ours), content(theirs))}


def check_events() -> Facts:
    """Motions with resets and a controller that the host asks."""
    system, states, given = cart()
    ours = ph.simulate(system, states, backend="cuda", **given)
    theirs = ph.simulate(system, states, **given)
    return {"bits of native code": same_bits(content(ours), content(theirs))}


def check_interrupted(runs: int = 20_000) -> Facts:
    """A signal while all are on the card: samples so far, and those of whole runs."""
    system, states = pendulums(runs)
    # Long enough that no card is at the end of it when Ctrl-C comes.
    given: Facts = {"until": 2e4, "samples": 2000, "method": EIGHT}
    ph.simulate(system, states, backend="cuda", **{**given, "until": 0.1})
    press = partial(os.kill, os.getpid(), signal.SIGINT)
    threading.Timer(PRESSED, press).start()
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ph.simulate(system, states, backend="cuda", **given)
    seconds = time.perf_counter() - begun
    codes = {motion.outcome.code for motion in found}
    counts = np.array([len(motion) for motion in found])
    if codes != {"INTERRUPTED"} or not counts.max() > 1:
        raise Disagreement(f"outcomes {sorted(codes)}, samples up to {counts.max()}")
    few = np.flatnonzero(counts > 1)[:16]
    some = ph.States(system, 0.0, states.q[few], states.z[few])
    whole = ph.simulate(system, some, **given)
    for k, other in zip(few.tolist(), whole, strict=True):
        same_bits(found[k].q, other.q[: counts[k]])
    return {
        "bits of native code": "equal",
        "samples kept of each": f"{counts.min()} to {counts.max()} of 2000",
        "seconds until they came": seconds,
    }


def rows() -> dict[str, Callable[[], Facts]]:
    """A check of every kind of motion."""
    return {
        "check motions, 200 samples": partial(check, 512, samples=200, method=EIGHT),
        "check motions, 2000 samples": partial(check, 64, samples=2000),
        "check motions, fixed steps": partial(
            check, 64, samples=50, method=ph.methods.RungeKutta4(0.01)
        ),
        "check motions, all rows": partial(check, 64),
        "check motions, events and a controller": check_events,
        "check motions, Ctrl-C": check_interrupted,
    }
