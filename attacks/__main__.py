"""`python -m attacks [--only NAME] [--tries N]`: all attacks, then a table."""

from __future__ import annotations

import argparse
import sys
import time

from attacks.register import ATTACKS


def main() -> int:
    """Try every attack; 1 where one of them found a failure."""
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__)
    parser.add_argument("--only", action="append", help="names, or how they begin")
    parser.add_argument("--tries", type=int, help="tries a kind, in place of its own")
    asked = parser.parse_args()
    words = tuple(asked.only or [""])
    chosen = [attack for attack in ATTACKS if attack.name.startswith(words)]
    if not chosen:
        names = ", ".join(attack.name for attack in ATTACKS)
        parser.error(f"no attack begins with {', '.join(words)}: {names}")
    lines, failed = [], 0
    for attack in chosen:
        begun = time.monotonic()
        tries = asked.tries or attack.tries
        count = 0
        for sentence in attack.failures(tries):
            print(sentence, flush=True)
            count += 1
        failed += count
        seconds = time.monotonic() - begun
        line = f"{attack.name:32}{tries:8}{count:10}{seconds:10.0f}"
        print(line, flush=True)
        lines.append(line)
    print(f"\n{'attack':32}{'tries':>8}{'failures':>10}{'seconds':>10}")
    print("\n".join(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
