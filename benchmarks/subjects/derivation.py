"""From a described system to its first step, against SymPy's derivation.

What is measured runs in processes of its own, and its clock starts after imports.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.table import Claim, Measured, seconds

ROOT = Path(__file__).parents[2]
LINKS = 10
ANGLE = 0.3
STEP = 1e-3  # seconds
LIMIT = 300  # seconds that SymPy gets
ALIKE = 0.9  # of a core that a process should have had


def ours() -> None:
    """In a fresh process: describe, derive, compile, and make one step."""
    import polhode as ph
    from benchmarks.models.systems import planar_pendulum

    loaded = ph.compile, ph.recursive, ph.stepper
    assert all(loaded)
    start, busy = time.perf_counter(), time.process_time()
    system = planar_pendulum(LINKS)
    state = system.state({joint.name: ANGLE for joint in system.joints})
    step = ph.stepper(system, dt=STEP)
    after = step(state)
    taken, busy = time.perf_counter() - start, time.process_time() - busy
    tell(taken, busy, [*after.q, *after.z])


def sympy(links: int) -> None:
    """In a fresh process: derive by Kane's method, lambdify, and make one step."""
    from benchmarks.peers.sympy_kane import first_step

    tell(*first_step(links, ANGLE, STEP))


def tell(taken: float, busy: float, found) -> None:
    """Seconds by the clock and by the processor, and the state, for the parent."""
    state = [float(x) for x in found]
    print(json.dumps({"seconds": taken, "busy": busy, "state": state}))


def doubt(*answers: dict) -> str:
    """Why times are not to be trusted: a process had less than a core."""
    shares = [answer["busy"] / answer["seconds"] for answer in answers]
    if min(shares) >= ALIKE:
        return ""
    busy = ", ".join(f"{answer['busy']:.2f} s" for answer in answers)
    return f"unsteady: a process had {min(shares):.2f} cores; processor time {busy}"


def apart(call: str, cache: str, limit: float | None = None) -> dict | None:
    """The answer of a call in a new Python; None if it does not end in time."""
    code = f"from benchmarks.subjects import derivation as d; d.{call}"
    environment = {**os.environ, "POLHODE_CACHE": cache}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def best(call: str, times: int, limit: float | None = None) -> dict | None:
    """The quickest of several, each with an empty cache; None if one takes too long."""
    answers = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as cache:
            answers.append(apart(call, cache, limit))
        if answers[-1] is None:
            return None
    return min(answers, key=lambda answer: answer["seconds"])


def cold(rounds: int) -> Measured:
    quickest = best("ours()", max(2, rounds // 10))
    assert quickest is not None
    return Measured(quickest["seconds"], None, doubt=doubt(quickest))


def against_sympy(rounds: int) -> Measured:
    """SymPy as many links as it can within its limit, up to ours."""
    from benchmarks.measure import require_agreement

    mine = best("ours()", max(2, rounds // 10))
    assert mine is not None
    for links in (LINKS, 8, 6, 5):
        theirs = best(f"sympy({links})", max(1, rounds // 15), LIMIT)
        if theirs is not None:
            break
    else:
        return Measured(mine["seconds"], LIMIT, f"SymPy: not 5 links in {LIMIT} s")
    note = ""
    if links == LINKS:
        states = (np.asarray(answer["state"]) for answer in (mine, theirs))
        require_agreement("first step", *states, 1e-12)
    else:
        note = f"SymPy did not end {LINKS} links in {LIMIT} s: its time is for {links}"
    pair = mine["seconds"], theirs["seconds"]
    return Measured(*pair, note, doubt(mine, theirs))


CLAIMS = [
    Claim(
        name="derive-cold",
        work="planar 10-link pendulum, system to first step, cold",
        other="limit",
        compared=(
            "fresh process, after imports, empty cache: describe the system, derive, "
            "compile a stepper and make one step"
        ),
        measure=cold,
        required=5,
        judge=seconds,
    ),
    Claim(
        name="derive-sympy",
        work="planar 10-link pendulum, system to first step, cold",
        other="SymPy KanesMethod",
        compared=(
            "fresh process, after imports, empty cache: describe, derive, compile, one "
            "step of order 4; theirs KanesMethod and lambdify(cse=True) of mass matrix "
            "and forcing, solved by NumPy, one Runge-Kutta step; states equal"
        ),
        measure=against_sympy,
        required=20,
    ),
]
