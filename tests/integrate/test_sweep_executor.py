"""Sweeps by workers that die: every part has the bytes of a lone run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import (
    FileError,
    IntegrationError,
    IntegrationWarning,
    StateError,
)
from polhode.integrate import sweep_executor
from swept_by import (
    RUNS,
    SLAB,
    begun,
    ensemble,
    hashes,
    killed,
    local_cluster,
    pool,
    swept,
)

PARTS = RUNS // SLAB
KILLS = (
    5  # instants of each kind, twenty in all: a cluster takes 15 s to begin and to die
)


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, str]:
    """The parts of a lone run."""
    folder = tmp_path_factory.mktemp("alone") / "sweep"
    swept(folder)
    return hashes(folder)


class Here(Executor):
    """An executor that does what it is given at once; some tasks it loses."""

    def __init__(self, lost: int = 0):
        self.lost, self.tasks = lost, 0

    def submit(self, work, /, *given, **more):
        import pickle

        self.tasks += 1
        task: Future = Future()
        try:
            if self.lost >= self.tasks:
                raise ConnectionResetError("the worker was lost")
            work, given = pickle.loads(pickle.dumps((work, given)))
            task.set_result(work(*given, **more))
        except Exception as reason:
            task.set_exception(reason)
        return task


def wait_for_parts(folder: Path, count: int, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while len(list(folder.glob("part-*"))) < count and time.monotonic() < end:
        time.sleep(0.005)


def build() -> ph.System:
    """A model with a law of Python, which no file holds."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    brake = ph.Motor(hinge, push)
    return ph.System([hinge], [ph.Weight(9.81), brake], name="braked")


def push(t, angle, speed):
    """A law at the top level."""
    return -0.3 * speed**3


def test_an_executor_makes_the_parts_of_a_lone_run(tmp_path, alone):
    """Drawn runs and given arrays, with lost tasks tried again."""
    executor = Here(lost=2)
    parts = swept(tmp_path / "a", executor)
    assert executor.tasks == PARTS + 2
    assert hashes(parts.folder) == alone
    assert parts.missing == []
    drawn = ensemble().part(0, 70)
    given = {"until": 1.0, "slab": 32, "samples": 3, "audited": True}
    one = ph.sweep(drawn.states.system, drawn.states, **given, to=tmp_path / "one")
    two = ph.sweep(
        drawn.states.system, drawn.states, **given, to=tmp_path / "two", executor=Here()
    )
    assert hashes(one.folder) == hashes(two.folder)
    assert len(hashes(one.folder)) == 3


def test_a_folder_begun_alone_is_gone_on_with_by_workers(tmp_path, alone):
    """No part shows which engine made it; what is missing is a listing."""
    parts = swept(tmp_path / "a")
    for first in parts.missing or (0, 96, 448):
        (parts.folder / f"part-{first:08d}.nc").unlink()
    assert parts.missing == [0, 96, 448]
    executor = Here()
    assert hashes(swept(parts.folder, executor).folder) == alone
    assert executor.tasks == 3


def test_a_function_builds_models_that_no_file_holds(tmp_path):
    """Laws of Python go to workers by the name of the function that has them."""
    system = build()
    states = ph.States(system, 0.0, np.linspace(-1, 1, 9)[:, None], np.zeros((9, 1)))
    with pytest.raises(IntegrationError, match="cannot be handed to other processes"):
        ph.sweep(system, states, until=1.0, to=tmp_path / "a", executor=Here())
    found = ph.sweep(build, states, until=1.0, to=tmp_path / "b", executor=Here())
    kept = ph.sweep(system, states, until=1.0)
    assert np.array_equal(found.whole().q, kept.q)
    with pytest.raises(IntegrationError, match="the function that builds the model"):
        ph.sweep(lambda: system, states, until=1.0, to=tmp_path / "c", executor=Here())
    other = double_pendulum().rest()
    with pytest.raises(StateError, match="belongs to another system"):
        ph.sweep(build, other, until=1.0, to=tmp_path / "d", executor=Here())


def usual() -> ph.System:
    """A model that a file can hold."""
    return double_pendulum()


def test_a_function_may_build_a_model_that_a_file_holds(tmp_path):
    """Workers build it, and their note of the sweep is that of who called."""
    q = np.linspace(-1, 1, 9)[:, None] * np.ones(2)
    states = ph.States(usual(), 0.0, q, np.zeros((9, 2)))
    given = {"until": 1.0, "slab": 4}
    one = ph.sweep(usual, states, to=tmp_path / "one", **given)
    two = ph.sweep(usual, states, to=tmp_path / "two", executor=Here(), **given)
    assert hashes(one.folder) == hashes(two.folder)
    assert len(hashes(one.folder)) == 3


class Bound(Here):
    """An executor of whose tasks none can be taken back, and the third fails."""

    def submit(self, work, /, *given, **more):
        task = super().submit(work, *given, **more)
        task.cancel = self._refused
        if self.tasks == 3:
            task._exception = IntegrationError("of the model.", "Why.", "How.")
        return task

    def _refused(self):
        raise NotImplementedError("Cancel not implemented")


def test_tasks_that_cannot_be_taken_back_do_not_hide_the_reason(tmp_path):
    """What a model is to blame for is told by engines without cancelling, too."""
    with pytest.raises(IntegrationError, match="of the model"):
        swept(tmp_path / "a", Bound())


def test_workers_of_another_version_are_refused(tmp_path, monkeypatch):
    """Their parts may have other bits: the folder says with what it was begun."""
    swept(tmp_path / "a", Here())
    (tmp_path / "a" / "part-00000000.nc").unlink()
    from polhode.integrate.storage import header

    sweep_executor._prepared.cache_clear()

    class Older(Here):
        def submit(self, *work):
            with monkeypatch.context() as patch:
                patch.setattr(header, "__version__", "0.0.1")
                return super().submit(*work)

    with pytest.raises(FileError, match="versions of Polhode differ"):
        swept(tmp_path / "a", Older())
    sweep_executor._prepared.cache_clear()


def test_what_cannot_be_spread_is_refused(tmp_path):
    """An executor that is none, no folder, a lambda for an event, lost workers."""
    drawn = ensemble()
    given = {"until": 1.0, "slab": SLAB}
    with pytest.raises(IntegrationError, match="cannot make parts"):
        ph.sweep(drawn.system, drawn, **given, to=tmp_path / "a", executor=3)
    with pytest.raises(IntegrationError, match="needs a folder"):
        ph.sweep(drawn.system, drawn, **given, executor=Here())
    low = ph.Event("low", lambda t, state: state["elbow"])
    with pytest.raises(IntegrationError, match="a law of an event or an input"):
        ph.sweep(
            drawn.system, drawn, **given, events=low, to=tmp_path / "b", executor=Here()
        )
    with pytest.raises(
        IntegrationError, match=f"{PARTS} of its {PARTS} parts are miss"
    ):
        swept(tmp_path / "c", Here(lost=1000))


def test_a_killed_pool_and_a_killed_driver_lose_their_parts_alone(tmp_path, alone):
    """kill -9 of a worker, then of driver and workers, at instants of chance."""
    folder, chance = tmp_path / "a", random.Random(time.time_ns())

    def kill_one(executor):
        wait_for_parts(folder, 1)
        time.sleep(chance.uniform(0.0, 0.1))
        os.kill(next(iter(executor._processes)), signal.SIGKILL)

    with pool() as executor:
        threading.Thread(target=kill_one, args=(executor,), daemon=True).start()
        # Where the worker dies at the very end, nothing is missing.
        with suppress(IntegrationError):
            swept(folder, executor)
    process = begun("pool", folder)
    there = len(hashes(folder))
    wait_for_parts(folder, min(PARTS, there + 1))
    time.sleep(chance.uniform(0.0, 0.1))
    killed(process)
    assert hashes(folder).items() <= alone.items()
    assert hashes(swept(folder).folder) == alone


@pytest.mark.long
@pytest.mark.parametrize("seed", range(KILLS))
def test_dask_workers_that_are_killed(tmp_path, alone, seed):
    """One of two worker processes dies at some instant: its slab is made again."""
    pytest.importorskip("dask.distributed")
    folder, chance = tmp_path / "a", random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of dask and its sockets, not ours
        with local_cluster() as client:
            executor = client.get_executor(pure=False, retries=3)

            def kill_one():
                wait_for_parts(folder, 1 + seed)
                time.sleep(chance.uniform(0.0, 0.3))
                pids = list(client.run(os.getpid).values())
                os.kill(chance.choice(pids), signal.SIGKILL)

            threading.Thread(target=kill_one, daemon=True).start()
            swept(folder, executor)
    assert hashes(folder) == alone


@pytest.mark.long
@pytest.mark.parametrize("seed", range(KILLS))
def test_all_of_a_dask_cluster_is_killed(tmp_path, alone, seed):
    """Driver, scheduler and workers die at once, twice; the same call ends it."""
    pytest.importorskip("dask.distributed")
    folder, chance = tmp_path / "a", random.Random(100 + seed)
    for _ in range(2):
        process = begun("dask", folder)
        wait_for_parts(folder, chance.randint(1, PARTS - 4), 60.0)
        time.sleep(chance.uniform(0.0, 0.3))
        killed(process)
        assert hashes(folder).items() <= alone.items()
    assert hashes(swept(folder).folder) == alone


@pytest.mark.long
@pytest.mark.parametrize("seed", range(KILLS))
def test_the_scheduler_is_killed(tmp_path, alone, seed):
    """A driver whose scheduler is gone says so, and does not wait for ever."""
    pytest.importorskip("dask.distributed")
    folder, chance = tmp_path / "a", random.Random(seed)
    facts = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    at = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*command, "scheduler", "--port", "0", "--host", "127.0.0.1",
         "--no-dashboard", "--scheduler-file", str(at)], **facts
    )  # fmt: skip
    wait_until(at.exists)
    support = str(Path(sys.modules["swept_by"].__file__).parent)
    paths = os.pathsep.join([support, os.environ.get("PYTHONPATH", "")])
    workers = [
        subprocess.Popen(
            [
                *command,
                "worker",
                "--scheduler-file",
                str(at),
                "--nthreads",
                "1",
                "--no-dashboard",
                "--death-timeout",
                "10",
            ],
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,
            **facts,
        )
        for _ in range(2)
    ]
    import json

    driver = begun("client", folder, json.loads(at.read_text())["address"])
    try:
        wait_for_parts(folder, 2)
        time.sleep(chance.uniform(0.0, 0.3))
        scheduler.kill()
        assert driver.wait(timeout=600) != 0
    finally:
        for process in (driver, *workers):
            killed(process)
        scheduler.wait()
    assert hashes(folder).items() <= alone.items()
    assert hashes(swept(folder).folder) == alone


def wait_until(is_so, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)


@pytest.mark.long
def test_two_hosts_write_to_one_folder(tmp_path, alone):
    """Two pid namespaces with host names of their own: equal pids, one set of parts."""
    unshare = shutil.which("unshare")
    names = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--uts"]
    words = [unshare, *names, "sh", "-c"]
    tried = (
        subprocess.run([*words, "hostname a"], capture_output=True) if unshare else 1
    )
    if not unshare or tried.returncode:
        pytest.skip("this machine allows no namespaces")
    support = str(Path(sys.modules["swept_by"].__file__).parent)
    paths = os.pathsep.join([support, os.environ.get("PYTHONPATH", "")])
    script = sys.modules["swept_by"].__file__
    folder = tmp_path / "a"
    hosts = [
        subprocess.Popen(
            [*words, f"hostname {name} && {sys.executable} {script} alone {folder}"],
            env={**os.environ, "PYTHONPATH": paths},
        )
        for name in ("first", "second")
    ]
    assert [host.wait(timeout=600) for host in hosts] == [0, 0]
    assert hashes(folder) == alone
    assert not [p for p in folder.iterdir() if p.name.startswith(".")]


def test_parts_that_no_worker_leaves_are_told_of(tmp_path, monkeypatch):
    """Workers that write elsewhere: a warning says what is missing."""
    monkeypatch.setattr(sweep_executor, "make_part", _made_elsewhere)
    executor, drawn = Here(), ensemble()
    wish = {"until": 0.1, "slab": SLAB, "to": tmp_path / "a"}
    words = f"{PARTS} of the {PARTS} parts of the sweep are missing after 3 rounds"
    with pytest.warns(IntegrationWarning, match=words):
        parts = ph.sweep(drawn.system, drawn, **wish, executor=executor)
    assert len(parts.missing) == PARTS
    assert executor.tasks == 3 * PARTS


def _made_elsewhere(*given):
    return 0


def test_workers_know_contacts(tmp_path):
    """A system with supports has the bits, and the impacts, of a lone sweep."""
    start = ph.models.start("bouncing_ball")
    z = start.z + 0.1 * np.random.default_rng(4).normal(size=(6, len(start.z)))
    states = ph.States(start.system, 0.0, np.repeat(start.q[None], 6, axis=0), z)
    lone = ph.sweep(start.system, states, until=0.6)
    to = tmp_path / "a"
    parts = ph.sweep(start.system, states, until=0.6, to=to, slab=4, executor=Here())
    whole = parts.whole()
    assert np.array_equal(whole.q, lone.q)
    assert np.array_equal(whole.events.told, lone.events.told)
    assert len(whole.events.impacts(5)) == len(lone.events.impacts(5)) > 0
    assert np.array_equal(ph.load_sweep(to).whole().events.t, lone.events.t)
