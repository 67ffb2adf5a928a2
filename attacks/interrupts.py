"""Ctrl-C in every phase: nothing is changed that is not ours, and all goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import cache, partial
from pathlib import Path

from attacks.attack import Attack

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
TOGETHER = 25  # tries in one process: most of a try would else be its beginning
PATIENCE = 1800  # seconds for so many tries
LEAVE = 10  # seconds in which a process ends on a busy machine
KINDS = (
    "compile",
    "batch",
    "one_thread",
    "endless",
    "sweep",
    "ledger",
    "chunk",
    "append",
    "events",
    "save",
    "line",
)


def _process(*words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(SUPPORT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, str(SUPPORT / "pressed_run.py"), *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": path},
    )


@cache
def _tries(kind: str, first: int) -> dict[int, str]:
    """What went wrong in each try of a process; one without an entry did not end."""
    made = _process(kind, str(first), str(TOGETHER))
    found = {}
    for line in made.stdout.splitlines():
        _, seed, _, *fault = line.split(maxsplit=3)
        found[int(seed)] = fault[0] if fault else ""
    end = f"the process ended with {made.returncode}: {made.stderr[-300:]}"
    return {seed: found.get(seed, end) for seed in range(first, first + TOGETHER)}


def pressed(kind: str, seed: int) -> str | None:
    """Ctrl-C at a random instant of something."""
    return _tries(kind, seed - seed % TOGETHER)[seed] or None


def exited(seed: int) -> str | None:
    """The interpreter exits while threads are in native code, perhaps by Ctrl-C."""
    made = _process("exit", str(seed), "1")
    ended = time.time()
    if made.returncode not in (0, 1, -2, 130):
        return f"the process ended with {made.returncode}: {made.stderr[-300:]}"
    late = ended - float(made.stdout)
    return f"it took {late:.1f} s to exit" if late > LEAVE else None


ATTACKS = (
    *(Attack(f"interrupt {kind}", 50, partial(pressed, kind)) for kind in KINDS),
    Attack("interrupt exit", 50, exited),
)
