"""Processes that write to one path at once, and readers of a file under way.

A few worker processes live as long as the attack. In each try all are sent to the same
path at the same moment; what they say and what lies there afterwards is compared with
what one process alone makes.
"""

from __future__ import annotations

import atexit
import hashlib
import multiprocessing as mp
import random
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from attacks.attack import Attack
from polhode.integrate.storage import recorder

WORKERS = 3
PATIENCE = 300.0  # seconds after which a worker is said to hang


def _system(length: float = 1.0) -> ph.System:
    first = ph.Body("upper", ph.solids.rod(mass=1.0, length=length, along=ph.Z))
    second = ph.Body("lower", ph.solids.rod(mass=0.5, length=0.7, along=ph.Z))
    shoulder = ph.Revolute("shoulder", ph.World().origin, first.origin, axis=ph.Y)
    elbow = ph.Revolute("elbow", first.point(0, 0, -0.5), second.origin, axis=ph.Y)
    return ph.System([shoulder, elbow], [ph.Weight(9.81)], name="pair")


def _start(system: ph.System, angle: float) -> ph.State:
    return system.state(shoulder=angle, elbow=0.5)


def _digest(motion: Any) -> str:
    found = hashlib.sha256()
    for part in motion.steps:
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


# ------------------------------------------------------------------ what workers do


def _simulate(path: str, number: int) -> str:
    system = _system()
    motion = ph.simulate(system, _start(system, 1.0 + number), until=3.0, to=path)
    return f"{motion.outcome.code} {_digest(motion)}"


def _stream(path: str, number: int) -> str:
    """A run that writes a part after every chunk."""
    usual, recorder.SECONDS = recorder.SECONDS, 0.0
    try:
        system = _system()
        motion = ph.simulate(system, _start(system, 1.0), until=60.0, to=path)
    finally:
        recorder.SECONDS = usual
    return f"{motion.outcome.code} {_digest(motion)}"


def _save_model(path: str, number: int) -> str:
    ph.save_model(_system(1.0 + number), path)
    return "DONE"


def _sweep(path: str, number: int) -> str:
    """Two of three sweeps are the same, the third is another."""
    system = _system()
    angles = np.linspace(0.1, 1.0 + (number == 2), 12)
    states = ph.States(
        system, 0.0, np.stack([angles, angles], axis=1), np.zeros((12, 2))
    )
    found = ph.sweep(system, states, until=0.5, to=path).whole()
    return f"DONE {hashlib.sha256(found.q.tobytes()).hexdigest()}"


def _read(path: str, number: int) -> str:
    """Read a file again and again while it is written."""
    looks, until = 0, time.monotonic() + 0.6
    while time.monotonic() < until:
        if Path(path).exists():
            ph.load_motion(path)
            looks += 1
    return f"READ {looks}"


JOBS = {"simulate": _simulate, "model": _save_model, "sweep": _sweep, "read": _read}
JOBS["stream"] = _stream


def _serve(number: int, pipe: Any) -> None:
    while True:
        job, path, moment = pipe.recv()
        time.sleep(max(0.0, moment - time.time()))
        try:
            pipe.send(("ok", JOBS[job](path, number)))
        except ph.errors.FileError as error:
            pipe.send(("refused", str(error)))
        except BaseException as error:
            pipe.send(("raised", f"{type(error).__name__}: {error}"))


class _Workers:
    def __init__(self) -> None:
        context = mp.get_context("spawn")
        self._pipes, self._processes = [], []
        for number in range(WORKERS):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(number, theirs), daemon=True)
            process.start()
            self._pipes.append(ours)
            self._processes.append(process)
        atexit.register(self.end)
        with tempfile.TemporaryDirectory() as folder:  # compile everything once
            for k in range(WORKERS):
                for job in ("simulate", "model", "sweep"):
                    self.send(k, job, f"{folder}/{job}{k}", 0.0)
                    self.receive(k)

    def send(self, k: int, job: str, path: str, moment: float) -> None:
        self._pipes[k].send((job, path, moment))

    def receive(self, k: int) -> tuple[str, str]:
        if not self._pipes[k].poll(PATIENCE):
            raise TimeoutError(f"worker {k} gave no answer within {PATIENCE:g} s")
        return self._pipes[k].recv()

    def all_at(self, jobs: list[str], path: str, chance: random.Random) -> list:
        moment = time.time() + 0.01
        for k, job in enumerate(jobs):
            self.send(k, job, path, moment + chance.choice((0.0, 0.0, 0.002, 0.02)))
        return [self.receive(k) for k in range(len(jobs))]

    def end(self) -> None:
        for process in self._processes:
            process.kill()


@cache
def _workers() -> _Workers:
    return _Workers()


@cache
def _alone(job: str, number: int) -> str:
    """What one process makes where no other is."""
    folder = tempfile.mkdtemp()
    try:
        return JOBS[job](f"{folder}/alone", number)
    finally:
        shutil.rmtree(folder)


# ----------------------------------------------------------------------------- tries


def _runs_at_one_path(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/motion.nc"
        chance = random.Random(seed)
        jobs = ["simulate"] * (2 + seed % 2)
        said = _workers().all_at(jobs, path, chance)
        won = [k for k, (how, _) in enumerate(said) if how == "ok"]
        for k, (how, words) in enumerate(said):
            told = "being written" in words or "older file" in words
            if how != "ok" and not (how == "refused" and told and path in words):
                return f"worker {k} {how}: {words[:200]}"
        if len(won) != 1:
            return f"{len(won)} of {len(jobs)} runs took the path"
        if said[won[0]][1] != _alone("simulate", won[0]):
            return "the run that took the path has other numbers"
        found = f"DONE {_digest(ph.load_motion(path).of())}"
        if found != said[won[0]][1]:
            return "the file has other numbers than its run"
        left = sorted(p.name for p in Path(folder).iterdir())
        return None if left == ["motion.nc"] else f"left behind: {left}"


def _models_at_one_path(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.toml"
        ph.save_model(_system(), path)
        said = _workers().all_at(["model"] * WORKERS, path, random.Random(seed))
        for k, (how, words) in enumerate(said):
            if how != "ok":
                return f"worker {k} {how}: {words[:200]}"
        ph.load_model(path)
        texts = [_model_text(k) for k in range(WORKERS)]
        if Path(path).read_text() not in texts:
            return "the file is none of those that were written"
        left = [p.name for p in Path(folder).iterdir()]
        return None if left == ["model.toml"] else f"left behind: {left}"


@cache
def _model_text(number: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        _save_model(f"{folder}/a.toml", number)
        return Path(f"{folder}/a.toml").read_text()


def _sweeps_in_one_folder(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/runs"
        said = _workers().all_at(["sweep"] * WORKERS, path, random.Random(seed))
        done = {k for k, (how, _) in enumerate(said) if how == "ok"}
        for k, (how, words) in enumerate(said):
            if how == "raised" or (how == "refused" and "another sweep" not in words):
                return f"worker {k} {how}: {words[:200]}"
            if how == "ok" and words != _alone("sweep", k):
                return f"worker {k} has numbers of another sweep"
        if done not in ({0, 1}, {2}):
            return f"workers {sorted(done)} took the folder"
        left = sorted(p.name for p in Path(path).iterdir())
        known = ["part-00000000.nc", "sweep.json", "sweep.nc"]
        return None if left == known else f"left behind: {left}"


def _readers_of_a_run(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/motion.nc"
        jobs = ["stream", *["read"] * (WORKERS - 1)]
        said = _workers().all_at(jobs, path, random.Random(seed))
        for k, (how, words) in enumerate(said):
            if how != "ok":
                return f"worker {k} {how}: {words[:200]}"
        return None


ATTACKS = (
    Attack("races-runs", 60, _runs_at_one_path),
    Attack("races-models", 60, _models_at_one_path),
    Attack("races-sweeps", 40, _sweeps_in_one_folder),
    Attack("races-readers", 40, _readers_of_a_run),
)
