"""Disks that are full: writes that fail at a random size of the file.

A limit on the size of files (RLIMIT_FSIZE) makes writes fail where a full disk would;
/dev/full is a full disk as it is. What was there before stays, what is said is ours,
and a run goes on where it was once there is room, bit for bit.
"""

from __future__ import annotations

import hashlib
import random
import resource
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from attacks.attack import Attack
from attacks.worker import Worker
from polhode.errors import PolhodeError
from polhode.integrate.storage import recorder

UNTIL = 40.0


def _system(length: float = 1.0) -> ph.System:
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=length, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    return ph.System([hinge], [ph.Weight(9.81)], name="rod")


def _digest(motion: Any) -> str:
    parts = b"".join(np.ascontiguousarray(part).tobytes() for part in motion.steps)
    return hashlib.sha256(parts).hexdigest()


@contextmanager
def _full(size: int) -> Iterator[None]:
    """Files end at this many bytes."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    usual, recorder.SECONDS = recorder.SECONDS, 0.0
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        recorder.SECONDS = usual


# ----------------------------------------------------------------- what the worker does


def run(path: str, size: int) -> str:
    """A run whose file cannot grow; then the rest of it with room."""
    system = _system()
    start = system.state(hinge=1.0)
    with _full(size):
        try:
            said = ph.simulate(system, start, until=UNTIL, to=path).outcome.sentence
        except PolhodeError as error:
            said = str(error)
    if not Path(path).exists():
        return f"nothing: {said}"
    ph.load_motion(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _digest(ph.resume(path))


def run_whole() -> str:
    """The same run with room."""
    system = _system()
    return _digest(ph.simulate(system, system.state(hinge=1.0), until=UNTIL))


def over_older(path: str, size: int, word: str) -> str:
    """Write over what is there, which fails or is whole."""
    system = _system(2.0)
    motion = ph.simulate(system, system.state(hinge=1.0), until=UNTIL)
    work: dict[str, Callable[[], Any]] = {
        "model": lambda: ph.save_model(system, path),
        "motion": lambda: motion.save(path),
        "csv": lambda: motion.save(path),
    }
    with _full(size):
        try:
            work[word]()
        except PolhodeError as error:
            return f"refused: {error}"
    return "written"


def sweep(path: str, size: int) -> str:
    """A sweep whose parts cannot be written, then again with room."""
    system = _system()
    angles = np.linspace(0.1, 1.0, 50)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)
    wish: dict[str, Any] = {"until": 0.5, "samples": 20}
    with _full(size), suppress(PolhodeError):
        ph.sweep(system, states, **wish, to=path)
    found = ph.sweep(system, states, **wish, to=path).whole()
    alone = ph.sweep(system, states, **wish)
    return "same" if np.array_equal(found.q, alone.q) else "other numbers"


def full_device(word: str) -> str:
    """/dev/full itself."""
    system = _system()
    if word == "model":
        ph.save_model(system, "/dev/full")
    else:
        ph.simulate(system, system.state(hinge=1.0), until=1.0, to="/dev/full")
    return "written"


def warm() -> None:
    """Compile all that tries use."""
    run_whole()
    with tempfile.TemporaryDirectory() as folder:
        sweep(f"{folder}/a", 10**9)


# ----------------------------------------------------------------------------- tries


@cache
def _worker() -> Worker:
    return Worker("attacks.disks", seconds=60.0)


@cache
def _whole() -> str:
    return _worker().call("run_whole")[1]


def _run(seed: int) -> str | None:
    chance = random.Random(seed)
    size = int(10 ** chance.uniform(0, 5.3))
    with tempfile.TemporaryDirectory() as folder:
        how, words = _worker().call("run", f"{folder}/motion.nc", size)
        if how != "ok":
            return f"files of {size} bytes: {how} {words[:300]}"
        if words.startswith("nothing: ") or words == _whole():
            return None
        return f"files of {size} bytes: the run that went on has other numbers"


def _older(word: str, ending: str, seed: int) -> str | None:
    chance = random.Random(seed)
    size = int(10 ** chance.uniform(0, 4))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"older{ending}"
        path.write_bytes(b"older")
        how, words = _worker().call("over_older", str(path), size, word)
        if how != "ok":
            return f"files of {size} bytes: {how} {words[:300]}"
        content = path.read_bytes() if path.exists() else b""
        if words.startswith("refused") and content != b"older":
            return f"files of {size} bytes: refused, and the older file is not there"
        if words == "written" and len(content) > size:
            return f"a file of {len(content)} bytes came through a limit of {size}"
        left = [p.name for p in Path(folder).iterdir() if p.name != path.name]
        return f"left behind: {left}" if left else None


def _sweep(seed: int) -> str | None:
    size = int(10 ** random.Random(seed).uniform(0, 4.5))
    with tempfile.TemporaryDirectory() as folder:
        how, words = _worker().call("sweep", f"{folder}/runs", size)
        return None if words == "same" else f"files of {size} bytes: {how} {words}"


def _device(seed: int) -> str | None:
    how, words = _worker().call("full_device", ("model", "run")[seed % 2])
    return None if how == "refused" else f"{how} {words}"


def _over(word: str, ending: str) -> Callable[[int], str | None]:
    return lambda seed: _older(word, ending, seed)


ATTACKS = (
    Attack("full disk: run", 60, _run),
    Attack("full disk: sweep", 40, _sweep),
    Attack("full disk: model", 40, _over("model", ".toml")),
    Attack("full disk: motion", 40, _over("motion", ".nc")),
    Attack("full disk: csv", 40, _over("csv", ".csv")),
    Attack("full disk: device", 2, _device),
)
