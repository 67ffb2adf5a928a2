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


ATTACKS = (Attack("kill", 50, killed),)
