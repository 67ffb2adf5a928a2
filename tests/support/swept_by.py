"""A sweep in a process of its own, by workers of an engine, all of which tests kill.

    python swept_by.py ENGINE FOLDER [SCHEDULER]

ENGINE is alone, pool (two spawned processes), dask (a LocalCluster of two), or client
(of a scheduler elsewhere, by its address).
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path

import polhode as ph
from moving import double_pendulum

RUNS, SLAB, UNTIL = 480, 32, 12.0


def ensemble() -> ph.Ensemble:
    """Double pendulums from drawn states."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    drawn = {
        "shoulder": ph.distributions.Uniform(-2.0, 2.0),
        "elbow": ph.distributions.Normal(0.0, 1.0),
    }
    speeds = {"elbow": ph.distributions.Normal(0.0, 0.5)}
    return ph.Ensemble(start, RUNS, seed=11, coordinates=drawn, speeds=speeds)


def swept(folder: Path, executor=None) -> ph.results.SweepParts:
    """The sweep, alone or by the workers of an executor."""
    drawn = ensemble()
    wish = {"until": UNTIL, "rtol": 1e-9, "slab": SLAB, "threads": 1}
    return ph.sweep(drawn.system, drawn, **wish, to=folder, executor=executor)


def pool(workers: int = 2) -> ProcessPoolExecutor:
    """Processes that share nothing with this one."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@contextmanager
def local_cluster(workers: int = 2):
    """A dask cluster of worker processes on this machine, and its client."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dask.distributed import Client, LocalCluster

        facts = {"dashboard_address": None, "memory_limit": 0, "silence_logs": 50}
        cluster = LocalCluster(
            workers, threads_per_worker=1, processes=True, host="127.0.0.1", **facts
        )
        client = Client(cluster)
        try:
            yield client
        finally:
            client.close()
            cluster.close()


def hashes(folder: Path) -> dict[str, str]:
    """Part -> its SHA-256."""
    parts = sorted(Path(folder).glob("part-*"))
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in parts}


def begun(engine: str, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """This file as a process that leads a group, so that all of it can be killed."""
    support = str(Path(__file__).parent)
    paths = [support, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return subprocess.Popen(
        [sys.executable, __file__, engine, str(folder), *more],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def killed(process: subprocess.Popen[bytes]) -> None:
    """kill -9 of a process and of all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(engine: str, folder: str, *more: str) -> None:
    """The sweep by an engine."""
    if engine == "alone":
        swept(Path(folder))
    elif engine == "pool":
        with pool() as executor:
            swept(Path(folder), executor)
    elif engine == "dask":
        with local_cluster() as client:
            swept(Path(folder), client.get_executor(pure=False, retries=3))
    else:
        from dask.distributed import Client

        with Client(more[0]) as client:
            swept(Path(folder), client.get_executor(pure=False, retries=3))


if __name__ == "__main__":
    main(*sys.argv[1:])
