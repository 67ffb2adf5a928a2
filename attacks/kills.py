"""kill -9 of a run to a file: what was in the file stays, and the run goes on."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from attacks.attack import Attack

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
UNTIL = 1200.0


@cache
def _whole(samples: int) -> list[bytes]:
    """The rows of the run in one piece."""
    import polhode as ph

    start = _system().state(shoulder=1.0, elbow=0.5)
    whole = ph.simulate(_system(), start, until=UNTIL, samples=samples or None)
    return [part.tobytes() for part in whole.steps]


@cache
def _system():  # type: ignore[no-untyped-def]
    sys.path.append(str(SUPPORT))
    from moving import double_pendulum

    return double_pendulum()


def _begun(verb: str, folder: Path, samples: int) -> subprocess.Popen[bytes]:
    paths = [str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    words = [str(folder / "m.nc"), str(folder / "rows"), str(UNTIL), str(samples)]
    return subprocess.Popen(
        [sys.executable, str(SUPPORT / "killed_run.py"), verb, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


def killed(seed: int) -> str | None:
    """A run that is killed, and gone on with in another process."""
    import polhode as ph

    chance = random.Random(seed)
    samples = chance.choice([0, 3000])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, told = folder / "m.nc", folder / "rows"
        process = _begun("begin", folder, samples)
        while process.poll() is None and not (told.exists() and told.read_bytes()):
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.3))
        process.kill()
        process.wait()
        if not path.exists():
            return None
        written = int(told.read_bytes()) if told.exists() else 0
        rows = len(ph.load_motion(path).t)
        if rows < written:
            return f"{rows} rows are left of {written}"
        code = _begun("resume", folder, samples).wait()
        if code:
            return f"the run could not go on: exit code {code}"
        steps = ph.load_motion(path).of(_system()).steps
        is_same = [part.tobytes() for part in steps] == _whole(samples)
        return None if is_same else "the run that went on has other bytes"


SWEEP = """
import sys, numpy as np, polhode as ph
from moving import double_pendulum
from polhode.integrate import sweep as sweeping
sweeping.SLAB = 4
system = double_pendulum()
places = np.stack([np.linspace(0.1, 1.0, 60)] * 2, axis=1)
states = ph.States(system, 0.0, places, 0 * places)
open(sys.argv[2], "w").write("ready")
ph.sweep(system, states, until=4.0, samples=50, to=sys.argv[1])
"""
MODEL = """
import sys, polhode as ph
from moving import double_pendulum
system = double_pendulum()
ph.save_model(system, sys.argv[1])
open(sys.argv[2], "w").write("ready")
while True:
    ph.save_model(system, sys.argv[1])
"""


def _killed_program(text: str, folder: Path, path: Path, chance: float) -> None:
    """A program that is killed some time after it says that it is ready."""
    told = folder / "ready"
    paths = [str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, "-c", text, str(path), str(told)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    while process.poll() is None and not told.exists():
        time.sleep(0.002)
    time.sleep(chance)
    process.kill()
    process.wait()


@cache
def _whole_sweep() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        return _swept(Path(name) / "runs")


def _swept(folder: Path) -> bytes:
    import numpy as np

    import polhode as ph
    from polhode.integrate import sweep as sweeping

    system = _system()
    places = np.stack([np.linspace(0.1, 1.0, 60)] * 2, axis=1)
    states = ph.States(system, 0.0, places, 0 * places)
    usual, sweeping.SLAB = sweeping.SLAB, 4
    try:
        wish = {"until": 4.0, "samples": 50}
        return ph.sweep(system, states, **wish, to=folder).whole().q.tobytes()
    finally:
        sweeping.SLAB = usual


def killed_sweep(seed: int) -> str | None:
    """A sweep to a folder that is killed, and run again there."""
    chance, known = random.Random(seed).uniform(0.0, 1.0), _whole_sweep()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "runs"
        _killed_program(SWEEP, Path(name), folder, chance)
        same = _swept(folder) == known
        return None if same else "the sweep that went on has other bytes"


def killed_model(seed: int) -> str | None:
    """`save_model` again and again: the file is one of those that were written."""
    import polhode as ph

    chance = random.Random(seed).uniform(0.0, 0.2)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.toml"
        _killed_program(MODEL, Path(name), path, chance)
        found = path.read_text()
        ph.save_model(_system(), Path(name) / "right.toml")
        right = (Path(name) / "right.toml").read_text()
        return None if found == right else "the file is not a whole model"


ATTACKS = (
    Attack("kill", 50, killed),
    Attack("kill sweep", 50, killed_sweep),
    Attack("kill model", 50, killed_model),
)
