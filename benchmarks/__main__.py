"""`python -m benchmarks [--only NAME] [--rounds N] [--json out/bench.json]`.

Each row is printed as it comes, and all of them as a table at the end. Ctrl-C ends the
measuring: what is done by then is still told.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.curves import pictures
from benchmarks.measure import Disagreement
from benchmarks.peers import PeerMissing
from benchmarks.subjects import CLAIMS
from benchmarks.table import Claim, Row, line_of, machine, text_of, write_json

STOPPED = 130  # the exit status of what Ctrl-C ended


def measured(claim: Claim, rounds: int) -> Row:
    """The claim's row; whatever stops one row, the others are still measured."""
    try:
        return Row(claim, claim.measure(rounds))
    except PeerMissing as peer:
        return Row(claim, None, f"{peer} not installed")
    except Disagreement as error:
        return Row(claim, None, f"WRONG: {error}")
    except Exception as error:
        traceback.print_exc()
        return Row(claim, None, f"BROKEN: {type(error).__name__}")


def named(words: Sequence[str] | None) -> list[Claim]:
    """The claims of these names; a word that is no name picks all that begin so."""
    if words is None:
        return list(CLAIMS)
    names = {claim.name for claim in CLAIMS}
    picked = {
        name
        for word in words
        for name in names
        if name == word or (word not in names and name.startswith(word))
    }
    lost = [w for w in words if not any(name.startswith(w) for name in names)]
    if lost:
        raise SystemExit(f"no row begins with {', '.join(lost)}: {sorted(names)}")
    return [claim for claim in CLAIMS if claim.name in picked]


def all_measured(claims: Sequence[Claim], rounds: int) -> Iterator[Row]:
    """Row after row, each told as it comes, up to Ctrl-C.

    A run of ours that Ctrl-C ends gives back what it has, and its row would go on with
    that: the signal is remembered, and the row it fell into is none.
    """
    asked: list[int] = []

    def ask(number: int, frame: Any) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, ask)
    for claim in claims:
        print(f"measuring {claim.name} ...", file=sys.stderr, flush=True)
        start = time.perf_counter()
        row = measured(claim, rounds)
        if asked:
            raise KeyboardInterrupt
        print(line_of(row, time.perf_counter() - start), flush=True)
        yield row


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=30, help="repetitions, best of")
    parser.add_argument("--json", type=Path, metavar="PATH")
    chosen = parser.parse_args(words)
    claims, rows, began = named(chosen.only), [], time.time()
    print(", ".join(f"{k} {v}" for k, v in machine().items()), flush=True)
    try:
        for row in all_measured(claims, chosen.rounds):
            rows.append(row)
    except KeyboardInterrupt:
        print(f"stopped: {len(rows)} of {len(claims)} rows are done", file=sys.stderr)
    print(f"\n{text_of(rows)}")
    for path in pictures(since=began):
        print(f"picture: {path}")
    if chosen.json:
        write_json(rows, chosen.json)
    if len(rows) < len(claims):
        return STOPPED
    return int(any(row.failure.startswith(("WRONG", "BROKEN")) for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
