"""Sweeps by workers against a plain loop; samples; a million runs read back."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.measure import require_agreement
from benchmarks.subjects.bulk import double_pendulum
from benchmarks.table import (
    Claim,
    Measured,
    itself,
    seconds,
    times_faster,
    times_slower,
)

RUNS, SLAB, UNTIL = 8192, 1024, 20.0
MANY = 1_000_000
WRITTEN = 65_536
WORKERS = 2


def ensemble(runs: int) -> ph.Ensemble:
    """Double pendulums from drawn states."""
    start = double_pendulum().state(shoulder=1.0)
    drawn = {
        "shoulder": ph.distributions.Uniform(-2.0, 2.0),
        "elbow": ph.distributions.Uniform(-2.0, 2.0),
    }
    return ph.Ensemble(start, runs, seed=1, coordinates=drawn)


def by_executor(rounds: int) -> Measured:
    """Workers that are warm, against one process with as many threads."""
    drawn = ensemble(RUNS)
    wish: dict[str, Any] = {"until": UNTIL, "slab": SLAB}
    best = {"ours": np.inf, "loop": np.inf}
    with (
        tempfile.TemporaryDirectory() as place,
        ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as executor,
    ):
        kinds: dict[str, dict[str, Any]] = {
            "ours": {"executor": executor},
            "loop": {"threads": WORKERS},
        }
        # The first of each imports, traces and compiles; a cluster does so once.
        for k in range(1 + max(2, rounds // 10)):
            for name, own in kinds.items():
                begun = time.perf_counter()
                parts = ph.sweep(
                    drawn.system, drawn, **wish, **own, to=Path(place) / f"{name}{k}"
                )
                if k:
                    best[name] = min(best[name], time.perf_counter() - begun)
                last = parts.whole().q
            if not k:
                known = last
        require_agreement("sweep by workers", last, known, 0.0)
    each = {name: RUNS / s for name, s in best.items()}
    note = ", ".join(f"{name} {rate:.0f} runs/s" for name, rate in each.items())
    return Measured(best["ours"], best["loop"], note)


def a_million() -> ph.results.Sweep:
    """Double pendulums where they begin: a table is as long whatever became of them."""
    q, z = np.random.default_rng(0).normal(size=(2, MANY, 2))
    system = double_pendulum()
    return ph.sweep(system, ph.States(system, 0.0, q, z), until=0.0)


def read_back(rounds: int) -> Measured:
    """Seconds in which polars has the mean of one column of a million runs."""
    import polars

    found = a_million()
    with tempfile.TemporaryDirectory() as place:
        folder = found.to_parquet(Path(place) / "table")
        times = []
        for _ in range(max(3, rounds // 10)):
            begun = time.perf_counter()
            scan = polars.scan_parquet(folder / "*.parquet")
            mean = scan.select(polars.col("elbow").mean()).collect().item()
            times.append(time.perf_counter() - begun)
        require_agreement("mean of a column", mean, found.final_q[:, 1].mean(), 1e-9)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    return Measured(min(times), None, f"{size:.0f} MB on disk")


# The largest resident set is asked of the process itself: `getrusage` would tell that
# of the one which started it.
READER = """
import sys
import polars

def most():
    lines = open("/proc/self/status").read().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM"))

begun = most()
scan = polars.scan_parquet(sys.argv[1])
mean = scan.select(polars.col("elbow").mean()).collect().item()
print(mean, most() - begun, begun)
"""


def memory_to_read(rounds: int) -> Measured:
    """Megabytes by which a process grows that reads one column of a million runs."""
    found = a_million()
    with tempfile.TemporaryDirectory() as place:
        table = found.to_parquet(Path(place) / "table") / "*.parquet"
        given = [sys.executable, "-c", READER, str(table)]
        told = subprocess.run(given, capture_output=True, text=True, check=True).stdout
    mean, grown, before = map(float, told.split())
    require_agreement("mean of a column", mean, found.final_q[:, 1].mean(), 1e-9)
    return Measured(grown / 1024, None, f"{before / 1024:.0f} MB before, with polars")


def written(rounds: int) -> Measured:
    """Processor time of a sweep to a folder, and of the same to memory.

    By the form that takes longer. Threads that write are counted with the rest.
    """
    drawn, wish = ensemble(WRITTEN), {"until": UNTIL, "slab": 8 * SLAB}
    best = dict.fromkeys(("memory", "netcdf", "parquet"), np.inf)
    for k in range(1 + max(2, rounds // 15)):
        for form in best:
            with tempfile.TemporaryDirectory() as place:
                own = {} if form == "memory" else {"to": f"{place}/a", "form": form}
                begun = time.process_time()
                ph.sweep(drawn.system, drawn, **wish, **own)
                if k:
                    best[form] = min(best[form], time.process_time() - begun)
    forms = {form: best[form] / best["memory"] for form in ("netcdf", "parquet")}
    note = ", ".join(f"{form} {ratio:.3f}" for form, ratio in forms.items())
    return Measured(max(best["netcdf"], best["parquet"]), best["memory"], note)


def sampled(rounds: int) -> Measured:
    """Processor time with 200 samples of each run, and with none, taking turns."""
    rng = np.random.default_rng(1)
    system, runs = double_pendulum(), 1024
    q = 1.0 + rng.normal(size=(runs, 2))
    states = ph.States(system, 0.0, q, np.zeros((runs, 2)))
    method = ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9)
    best = {200: np.inf, None: np.inf}
    for k in range(1 + max(3, rounds // 10)):
        for samples in best:
            begun = time.process_time()
            ph.sweep(system, states, until=UNTIL, method=method, samples=samples)
            if k:
                best[samples] = min(best[samples], time.process_time() - begun)
    return Measured(best[200], best[None], f"{runs} runs, processor time")


def controlled(rounds: int) -> Measured:
    """Processor time of a run under a 10 Hz controller: swept, and by the host.

    The host asks plain Python between chunks, as it did all sampled controllers. It
    makes few of the runs, for it takes so long.
    """
    system, runs, few = driven_pendulum(), 10_000, 24
    q = np.random.default_rng(2).normal(size=(runs, 1))
    states = ph.States(system, 0.0, q, np.zeros((runs, 1)))

    def law(t: Any, state: Any, x: Any) -> tuple[Any, Any]:
        return -20.0 * state["hinge"] - 4.0 * state.speed("hinge") - x[0], 0.9 * x

    def by_host(t: Any, state: Any, x: Any) -> tuple[Any, Any]:
        u, x = law(t, state, x)
        return float(u), x

    def wish(law: Any) -> dict[str, Any]:
        return {
            "until": 10.0,
            "inputs": {"motor": ph.Sampled(law, 0.1, state=[1.0])},
            "method": ph.methods.DormandPrince(rtol=1e-8),
        }

    some = states.part(slice(0, few))
    best = {"ours": np.inf, "host": np.inf}
    for k in range(1 + max(2, rounds // 10)):
        begun = time.process_time()
        ours = ph.sweep(system, states, **wish(law))
        swept = time.process_time()
        theirs = ph.simulate(system, some, **wish(by_host))
        ended = time.process_time()
        if k:
            best["ours"] = min(best["ours"], (swept - begun) / runs)
            best["host"] = min(best["host"], (ended - swept) / few)
    known = np.array([motion.q[-1] for motion in theirs])
    require_agreement("controlled runs", ours.final_q[:few], known, 1e-9)
    return Measured(best["ours"], best["host"], f"{runs} runs, processor time")


def driven_pendulum() -> ph.System:
    """A rod on a hinge with a motor."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8, along=ph.Z))
    world = ph.World()
    hinge = ph.Revolute("hinge", world.origin, rod.point(0, 0, 0.4), axis=ph.Y)
    motor = ph.Motor(hinge, 0.0, name="motor")
    return ph.System([hinge], actions=[ph.Weight(9.81), motor], name="driven pendulum")


CLAIMS = [
    Claim(
        name="controlled-sweep",
        work="a run of a sweep of 10^4 pendulums under a controller at 10 Hz",
        other="by the host",
        compared="ph.simulate of many states with the controller in plain Python",
        measure=controlled,
        required=50.0,
        judge=times_faster,
    ),
    Claim(
        name="sample-cost",
        work="a sweep of double pendulums by order 8 with 200 samples of each run",
        other="without samples",
        compared="the same sweep without samples, processor time",
        measure=sampled,
        required=1.3,
        judge=times_slower,
    ),
    Claim(
        name="sweep-executor",
        work=f"{RUNS} double pendulums to a folder by {WORKERS} worker processes",
        other="one process",
        compared=f"a plain loop over the same slabs with {WORKERS} threads; warm, wall",
        measure=by_executor,
        required=1.3,
        judge=times_slower,
    ),
    Claim(
        name="parquet-read",
        work="mean of a column of 10^6 runs",
        other="a limit",
        compared="polars.scan_parquet of what sweep.to_parquet wrote",
        measure=read_back,
        required=0.1,
        judge=seconds,
    ),
    Claim(
        name="parquet-memory",
        work="memory of a process that finds the mean of a column of 10^6 runs",
        other="a limit",
        compared="growth of its largest resident set, by polars",
        measure=memory_to_read,
        required=200.0,
        judge=itself,
        unit=" MB",
    ),
    Claim(
        name="sweep-write",
        work=f"a sweep of {WRITTEN} double pendulums to a folder",
        other="to memory",
        compared="netCDF or Parquet, whichever is slower; processor time",
        measure=written,
        required=1.1,
        judge=times_slower,
    ),
]
