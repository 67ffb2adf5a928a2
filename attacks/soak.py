"""Ten minutes of everything at once, in one process: memory and numbers stay.

A try is a minute. Runs, sweeps, steps, files and readings follow each other at random;
each gives the bits that it gave before, and memory and open files do not grow.
"""

from __future__ import annotations

import gc
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from attacks.attack import Attack

SECONDS = 60.0
GROWTH = 60e6  # bytes in a minute that no round should leave


@cache
def _system() -> ph.System:
    first = ph.Body("upper", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    second = ph.Body("lower", ph.solids.rod(mass=0.5, length=0.7, along=ph.Z))
    shoulder = ph.Revolute("shoulder", ph.World().origin, first.origin, axis=ph.Y)
    elbow = ph.Revolute("elbow", first.point(0, 0, -0.5), second.origin, axis=ph.Y)
    return ph.System([shoulder, elbow], [ph.Weight(9.81)], name="pair")


def _start() -> ph.State:
    return _system().state(shoulder=1.0, elbow=0.5)


def _run() -> Any:
    return ph.simulate(_system(), _start(), until=5.0).steps.x


def _sweep() -> Any:
    angles = np.linspace(0, 1, 40)
    places = np.stack([angles, angles], axis=1)
    states = ph.States(_system(), 0.0, places, 0 * places)
    return ph.sweep(_system(), states, until=1.0).q


def _steps() -> Any:
    step, state = ph.stepper(_system(), dt=0.01), _start()
    for _ in range(50):
        state = step(state)
    return state.q


def _file() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        ph.simulate(_system(), _start(), until=2.0, to=f"{folder}/m.nc")
        return ph.load_motion(f"{folder}/m.nc").of(_system()).steps.x


def _built() -> Any:
    """A system made anew, as a notebook does: its programs come from the cache."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(9.81)], name="rod")
    return ph.simulate(system, system.state(hinge=1.0), until=0.2).steps.x


def _table() -> Any:
    motion = ph.simulate(_system(), _start(), until=1.0)
    return ph.reaction_table(motion).forces["elbow"]


JOBS: tuple[Callable[[], Any], ...] = (_run, _sweep, _steps, _file, _built, _table)


def _digest(job: Callable[[], Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(job()).tobytes()).hexdigest()


@cache
def _known() -> dict[Callable[[], Any], str]:
    return {job: _digest(job) for job in JOBS}


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def trial(seed: int) -> str | None:
    """One minute."""
    chance, known = random.Random(seed), _known()
    for job in JOBS * 3:
        job()
    gc.collect()
    memory, files, end = _resident(), _open_files(), time.monotonic() + SECONDS
    while time.monotonic() < end:
        job = chance.choice(JOBS)
        if _digest(job) != known[job]:
            return f"{job.__name__} has other numbers than at first"
    gc.collect()
    if _open_files() > files:
        return f"{_open_files() - files} files are left open"
    grown = _resident() - memory
    return f"memory grew by {grown / 1e6:.0f} MB" if grown > GROWTH else None


ATTACKS = (Attack("soak, a minute a try", 10, trial),)
