"""Homes that cannot be written, are missing, or are no folders: programs still run.

A process with such a home compiles, gives the numbers that it should, says in a warning
why nothing is kept, and ends without a traceback. A path there is refused by name.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from attacks.attack import Attack

PROGRAM = """
import sys, polhode as ph
rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
system = ph.System([hinge], [ph.Weight(9.81)], name="rod")
motion = ph.simulate(system, system.state(hinge=1.0), until=0.3)
print(motion.z[-1].tobytes().hex())
try:
    ph.simulate(system, system.state(hinge=1.0), until=0.3, to=sys.argv[1])
    print("written")
except ph.errors.PolhodeError as error:
    print("refused")
"""
NOWHERE = ("/proc", "/dev/null/home", "/sys")


@cache
def _right() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return _process({"HOME": folder}, f"{folder}/m.nc").stdout.split()[0]


def _process(own: dict[str, str], path: str) -> subprocess.CompletedProcess[str]:
    gone = ("POLHODE_CACHE", "XDG_CACHE_HOME", "XDG_STATE_HOME", "HOME")
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, path],
        env={**kept, **own},
        capture_output=True,
        text=True,
        timeout=300,
    )


def trial(seed: int) -> str | None:
    """One home, and one path in it."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        shut = Path(folder) / "shut"
        shut.mkdir(mode=0o555)
        home = chance.choice([*NOWHERE, str(shut), ""])
        names = chance.choice([("HOME",), ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")])
        own = dict.fromkeys(names, home) if home else {}
        if chance.random() < 0.3:
            own["POLHODE_CACHE"] = home or "/proc/cache"
        path = f"{home or '/proc'}/motion.nc"
        made = _process(own, path)
    what = f"with {own}"
    if made.returncode or "Traceback" in made.stderr:
        return f"{what}: exit code {made.returncode}: {made.stderr[-300:]}"
    numbers, written = made.stdout.split()
    if numbers != _right():
        return f"{what}: other numbers"
    may_write = home == str(shut) and os.geteuid() == 0
    return None if written == "refused" or may_write else f"{what}: {path} was written"


ATTACKS = (Attack("home that cannot be written", 20, trial),)
