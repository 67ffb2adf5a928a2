"""Processes that fill one cache of compiled code together, and are killed on the way.

Every process loads and saves entries whose content follows from their key; what it
loads is right or is none. Entries are trimmed and the whole cache is emptied meanwhile.
Afterwards a process that begins finds a cache that works.
"""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attacks.attack import Attack

WORKER = """
import random, sys
from polhode.lowering.backends import cache

seed, rounds, most = map(int, sys.argv[1:4])
chance = random.Random(seed)
cache.LARGEST = most

def content(key):
    own = random.Random(key)
    return {"key": key}, own.randbytes(own.randrange(10, 60_000))

hits = 0
for _ in range(rounds):
    key = chance.randrange(12)
    found = cache.load(f"program {key}")
    if found is not None:
        hits += 1
        if found != content(key):
            sys.exit(f"entry {key} has other content")
    elif chance.random() < 0.01:
        cache.empty()
    else:
        note = cache.save(f"program {key}", *content(key))
        if note and "No such file" not in note:
            sys.exit(f"not kept: {note}")
print(hits)
"""


def trial(seed: int) -> str | None:
    """Two to four processes, of which some are killed, then one alone."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        count = chance.randrange(2, 5)
        most = chance.choice([100_000, 10**9])
        running = [_worker(place, seed * 10 + k, 60, most) for k in range(count)]
        killed = running[: chance.randrange(count + 1)]
        for process in killed:
            time.sleep(chance.random() * 0.4 / len(killed))
            process.kill()
        for process in running:
            _, said = process.communicate(timeout=120)
            if process not in killed and process.returncode:
                return f"a process ended with {said.strip()[-300:]!r}"
        last = _worker(place, seed, 60, 10**9)
        hits, said = last.communicate(timeout=120)
        if last.returncode:
            return f"the process after them ended with {said.strip()[-300:]!r}"
        if int(hits) < 10:
            return f"the process after them found {hits.strip()} entries"
        return _unsound(Path(place))


def _worker(place: str, seed: int, rounds: int, most: int) -> subprocess.Popen[str]:
    own = {"POLHODE_CACHE": f"{place}/code", "XDG_STATE_HOME": f"{place}/state"}
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(seed), str(rounds), str(most)],
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _unsound(place: Path) -> str | None:
    secret = place / "state" / "polhode" / "cache-secret"
    if stat.S_IMODE(secret.stat().st_mode) != 0o600 or secret.stat().st_size != 32:
        return f"the secret is {secret.stat()}"
    for path in (place / "code").iterdir():
        if stat.S_IMODE(path.stat().st_mode) != 0o600:
            return f"{path.name} has mode {path.stat().st_mode:o}"
    return None


ATTACKS = (Attack("cache: races and kills", 200, trial),)
