"""Many adaptive runs against diffrax and SciPy; a run to disk against one in memory."""

from __future__ import annotations

import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.measure import paired, race, require_agreement
from benchmarks.peers.pendulum_solvers import LENGTH, MASS, G, ScipyPool, by_diffrax
from benchmarks.table import Claim, Measured, times_slower
from polhode.models.mechanisms.arm import arm

COUNT, UNTIL, RTOL = 10_000, 3.0, 1e-8
FEW = 64  # SciPy's share: it takes about as long as the others need for all
LONG = 300.0  # seconds of the arm's motion: some hundred megabytes


@cache
def double_pendulum() -> ph.System:
    """Two thin rods on parallel hinges."""
    rods = [
        ph.Body(name, ph.solids.rod(mass=MASS, length=LENGTH, along=ph.Z))
        for name in ("upper", "lower")
    ]
    ends = [(rod.point(0, 0, LENGTH / 2), rod.point(0, 0, -LENGTH / 2)) for rod in rods]
    shoulder = ph.Revolute("shoulder", ph.World().origin, ends[0][0], axis=ph.Y)
    elbow = ph.Revolute("elbow", ends[0][1], ends[1][0], axis=ph.Y)
    return ph.System([shoulder, elbow], [ph.Weight(G)], name="double pendulum")


def against_solvers(rounds: int) -> Measured:
    """Seconds a system, all cores, each solver with the same tolerances."""
    system, rng = double_pendulum(), np.random.default_rng(0)
    q = rng.uniform(-2.0, 2.0, (COUNT, 2))
    states, start = ph.States(system, 0.0, q, 0 * q), np.concatenate([q, 0 * q], axis=1)
    wish: dict[str, Any] = {"until": UNTIL, "rtol": RTOL, "atol": RTOL}

    def ours() -> np.ndarray:
        found = ph.sweep(system, states, **wish)
        return np.concatenate([found.final_q, found.final_z], axis=1)

    theirs, pool = by_diffrax(start, UNTIL, RTOL), ScipyPool(UNTIL, RTOL)
    known = ours()
    for name, run in theirs.items():
        require_agreement(f"pendulums, {name}", run(), known, 1e-4)
    few = start[:FEW]
    require_agreement("pendulums, SciPy", pool.run(few), known[:FEW], 1e-4)
    result = race({"ours": ours, **theirs}, max(3, rounds // 6), COUNT)
    scipy = race({"SciPy": lambda: pool.run(few)}, 3, FEW).seconds["SciPy"]
    pool.close()
    best = {**result.seconds, "SciPy": scipy}
    quickest = min(theirs, key=best.__getitem__)
    rates = ", ".join(f"{name} {1 / s:.0f}" for name, s in best.items())
    other = min(best[quickest], scipy)
    doubt = result.doubt("ours", quickest)
    return Measured(best["ours"], other, f"systems a second: {rates}", doubt)


def streamed(rounds: int) -> Measured:
    """Minutes of the arm with every step and its dense output, to disk or kept."""
    system = arm()
    start, wish = system.rest(), {"until": LONG, "rtol": 1e-9}

    def kept() -> ph.results.Trajectory:
        return ph.simulate(system, start, **wish)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.nc"

        def written() -> ph.results.Trajectory:
            return ph.simulate(system, start, **wish, to=path)

        require_agreement("streaming", list(written().steps), list(kept().steps), 0.0)
        size = path.stat().st_size / 1e6
        # To remove a file takes a tenth of the time to write it, and is no part of it.
        clear = partial(path.unlink, missing_ok=True)
        turns = max(3, rounds // 3)
        found = paired({"disk": written, "memory": kept}, turns, clear)
    seconds = found.seconds
    note = f"{size:.0f} MB in {seconds['disk']:.2f} s"
    doubt = found.doubt("disk", "memory")
    return Measured(seconds["disk"], seconds["memory"], note, doubt)


CLAIMS = [
    Claim(
        name="pendulums",
        work="10^4 double pendulums for 3 s, adaptive, all cores, a system",
        other="diffrax, SciPy",
        compared=(
            "rtol = atol = 1e-8, final states; ours ph.sweep with Dormand-Prince, "
            "diffrax Dopri5 under vmap of all and of blocks on a thread a core, from "
            "the textbook's closed form; SciPy DOP853 in a process a core: the "
            "quickest counts"
        ),
        measure=against_solvers,
        required=10,
    ),
    Claim(
        name="streaming",
        work="the 7-link arm for 300 s, every step and its dense output, to disk",
        other="in memory",
        compared="the same run kept in memory; the same bits come back",
        measure=streamed,
        required=1.1,
        judge=times_slower,
    ),
]
