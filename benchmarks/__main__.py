"""`python -m benchmarks [--only NAME] [--rounds N] [--json out/bench.json]`."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import Disagreement
from benchmarks.peers import PeerMissing
from benchmarks.subjects import CLAIMS
from benchmarks.table import Claim, Row, machine, text_of, write_json


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


def main(words: Sequence[str] | None = None) -> int:
    names = [claim.name for claim in CLAIMS]
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=names, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=30, help="repetitions, best of")
    parser.add_argument("--json", type=Path, metavar="PATH")
    chosen = parser.parse_args(words)
    print(", ".join(f"{k} {v}" for k, v in machine().items()), flush=True)
    rows = []
    for claim in CLAIMS:
        if chosen.only is None or claim.name in chosen.only:
            print(f"measuring {claim.name} ...", file=sys.stderr, flush=True)
            rows.append(measured(claim, chosen.rounds))
    print(text_of(rows))
    if chosen.json:
        write_json(rows, chosen.json)
    return int(any(row.failure.startswith(("WRONG", "BROKEN")) for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
