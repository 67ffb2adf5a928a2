"""`python -m attacks [--only NAME] [--tries N] [--jobs N]`: all attacks, then a table.

With jobs, so many kinds go on at once, each in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from attacks.attack import Attack
from attacks.register import ATTACKS

HEADS = f"{'attack':32}{'tries':>8}{'failures':>10}{'seconds':>10}"


def main() -> int:
    """Try every attack; 1 where one of them found a failure."""
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__)
    parser.add_argument("--only", action="append", help="names, or how they begin")
    parser.add_argument("--exactly", help="the whole name of one")
    parser.add_argument("--tries", type=int, help="tries a kind, in place of its own")
    parser.add_argument("--jobs", type=int, default=1, help="kinds at once")
    asked = parser.parse_args()
    if asked.exactly:
        chosen = [attack for attack in ATTACKS if attack.name == asked.exactly]
    else:
        words = tuple(asked.only or [""])
        chosen = [attack for attack in ATTACKS if attack.name.startswith(words)]
    if not chosen:
        names = ", ".join(attack.name for attack in ATTACKS)
        parser.error(f"no attack has such a name: {names}")
    if asked.jobs > 1:
        with ThreadPoolExecutor(asked.jobs) as pool:
            found = list(pool.map(lambda each: _apart(each, asked.tries), chosen))
    else:
        found = [_tried(attack, asked.tries or attack.tries) for attack in chosen]
    print("\n" + "\n".join([HEADS, *(line for line, _ in found)]))
    return 1 if any(failed for _, failed in found) else 0


def _tried(attack: Attack, tries: int) -> tuple[str, bool]:
    """The line of one kind, and whether it found a failure."""
    begun, count = time.monotonic(), 0
    for sentence in attack.failures(tries):
        print(sentence, flush=True)
        count += 1
    seconds = time.monotonic() - begun
    line = f"{attack.name:32}{tries:8}{count:10}{seconds:10.0f}"
    print(line, flush=True)
    return line, count > 0


def _apart(attack: Attack, tries: int | None) -> tuple[str, bool]:
    """The same, by a process of its own; what it says is printed when it ends."""
    command = [sys.executable, "-m", "attacks", "--exactly", attack.name]
    if tries:
        command += ["--tries", str(tries)]
    ended = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said, _, line = ended.stdout.rstrip().rpartition("\n")
    if ended.returncode and not line.startswith(attack.name):
        said, line = ended.stdout, f"{attack.name:32}  ended without a count"
    print(said.partition(f"\n\n{HEADS}")[0], flush=True)
    return line, ended.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
