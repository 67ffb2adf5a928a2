"""From a function to its first result, in a fresh process.

Everything heavy is imported inside the functions: they run in processes of their own,
and the clock starts when their imports are done.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.table import Claim, Measured, seconds

ROOT = Path(__file__).parents[2]
ANGLE = 0.3


def native() -> None:
    """In a fresh process: compile the step of the 7-link chain and call it once."""
    import polhode as ph
    from benchmarks.models.chain import Chain, step

    compile = ph.compile  # loads the compiler
    chain = Chain(7)
    tell(lambda q, v: compile(lambda q, v: step(chain, q, v), q, v)(q, v))


def xla() -> None:
    """The same by `jax.jit`."""
    import jax

    from benchmarks.models.chain import Chain, step

    jax.config.update("jax_enable_x64", True)
    chain = Chain(7)
    run = jax.jit(lambda q, v: step(chain, q, v))
    tell(lambda q, v: jax.block_until_ready(run(q, v)))


def tell(first_result) -> None:
    """Time it, and print the time and the result for the parent."""
    import numpy as np

    q, v = np.full(7, ANGLE), np.zeros(7)
    start = time.perf_counter()
    out = first_result(q, v)
    taken = time.perf_counter() - start
    print(json.dumps({"seconds": taken, "result": np.asarray(out[1]).tolist()}))


def in_fresh_process(name: str, cache: Path) -> dict:
    """Run `native` or `xla` in a new Python, with its own cache of compiled code."""
    code = f"from benchmarks.subjects.startup import {name}; {name}()"
    environment = {**os.environ, "POLHODE_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def tries(rounds: int) -> int:
    """Processes are slow to start: fewer rounds."""
    return max(2, rounds // 6)


def cold(rounds: int) -> Measured:
    from benchmarks.measure import require_agreement

    times: dict[str, list[float]] = {"native": [], "xla": []}
    for _ in range(tries(rounds)):
        answers = {}
        for name in times:
            with tempfile.TemporaryDirectory() as cache:
                answers[name] = in_fresh_process(name, Path(cache))
            times[name].append(answers[name]["seconds"])
        ours, other = answers["native"]["result"], answers["xla"]["result"]
        require_agreement("first result", ours, other, 1e-11)
    return Measured(min(times["native"]), min(times["xla"]))


def warm(rounds: int) -> Measured:
    with tempfile.TemporaryDirectory() as cache:
        in_fresh_process("native", Path(cache))
        times = [
            in_fresh_process("native", Path(cache))["seconds"]
            for _ in range(tries(rounds))
        ]
    return Measured(min(times), None)


CLAIMS = [
    Claim(
        name="start-cold",
        work="7-link chain, function to first result, cold",
        other="XLA",
        compared=(
            "fresh process, after imports, empty cache: ph.compile and one call "
            "against jax.jit and one call of the same step function; each sets up what "
            "it needs of JAX within its time"
        ),
        measure=cold,
        required=1,
    ),
    Claim(
        name="start-warm",
        work="7-link chain, function to first result, warm",
        other="limit",
        compared="the same in a fresh process that finds the code in the disk cache",
        measure=warm,
        required=0.3,
        judge=seconds,
    ),
]
