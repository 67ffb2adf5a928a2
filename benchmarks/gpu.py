"""`python -m benchmarks.gpu`: kernels on a GPU, their bits and their speed.

    python -m benchmarks.gpu                           all
    python -m benchmarks.gpu --bits                    every program of the zoo
    python -m benchmarks.gpu --sweeps                  ph.sweep, its bits and rates
    python -m benchmarks.gpu --motions                 ph.simulate, its bits, Ctrl-C
    python -m benchmarks.gpu --contact                 contact, its bits and rates
    python -m benchmarks.gpu --speeds                  ensembles, body-steps a second
    python -m benchmarks.gpu --humanoids               not of all: its build takes long

First come rows about bits, several at once: each is a process of its own. Rows whose
time counts follow, one by one: `ph.sweep` against all cores, the Lorenz ensemble beside
`vmap`, body-steps a second against XLA on the same GPU, rates of controlled and of
bouncing runs, of boxes in contact. After the seconds of --within what
has not begun is left out and what is under way is ended, and the table says so. Rows
are printed as they come; they go to the path of --json too, and to $OUT/gpu.json if OUT
is set. The exit code is 1 where bits differ or something failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # CuPy needs some too

from benchmarks import (
    device_bits,
    device_contact,
    device_motions,
    device_speed,
    device_sweeps,
)
from benchmarks.device_bits import attempt
from benchmarks.rows_apart import Stage, rows_of

SHARE_OF_BITS = 0.5  # of the time: rows about speed begin after it at the latest
THREADS = 2  # of native code in each of several processes at once
GROUPS = ("bits", "sweeps", "motions", "contact", "speeds")
DEAR = "humanoids"  # their kernel takes longer to build than all other rows
Facts = dict[str, Any]
Rows = dict[str, Callable[[], Facts]]


def rows(chosen: argparse.Namespace) -> tuple[Rows, Rows]:
    """Rows about bits, and rows whose time counts; the most valuable first."""
    groups = [g for g in (*GROUPS, DEAR) if getattr(chosen, g)] or GROUPS
    bits: Rows = {}
    alone: Rows = {}
    if "sweeps" in groups:
        bits |= device_sweeps.bits()
    if "motions" in groups:
        bits |= device_motions.rows()
    if "contact" in groups:
        bits |= device_contact.bits()
    if "bits" in groups:
        bits |= device_bits.rows()
    if "speeds" in groups:
        alone |= device_speed.rows(chosen)
    if "sweeps" in groups:
        alone |= device_sweeps.rates()
    if "contact" in groups:
        alone |= device_contact.rates()
    if "speeds" in groups:
        alone["layout, GB/s"] = partial(device_speed.records, min(chosen.craft, 200000))
    if DEAR in groups:
        alone |= device_contact.humanoid_rates()
    return bits, alone


def table(chosen: argparse.Namespace, words: Sequence[str]) -> Facts:
    """All rows, printed and written as they come."""
    bits, alone = rows(chosen)
    begun = time.perf_counter()
    end = begun + chosen.within
    half = end if not alone else begun + SHARE_OF_BITS * chosen.within
    command = [sys.executable, "-m", "benchmarks.gpu", *words]
    found: Facts = {}

    def make(names: Sequence[str], at_once: int, until: float) -> None:
        stage = Stage(names, at_once, until)
        threads = THREADS if at_once > 1 else 0
        for name, facts in rows_of(stage, command, threads):
            found[name] = facts
            show(name, facts, time.perf_counter() - begun)
            write(chosen, found)

    make(["machine"], 1, end)
    make(list(bits), chosen.at_once, half)
    make(list(alone), 1, end)
    make([name for name in bits if name not in found], chosen.at_once, end)
    for name in [*bits, *alone]:
        if name not in found:
            found[name] = f"left out: {chosen.within:.0f} s were spent"
            show(name, found[name], time.perf_counter() - begun)
    write(chosen, found)
    return found


def write(chosen: argparse.Namespace, found: Facts) -> None:
    """After every row: a run that is cut short leaves its rows."""
    paths = [chosen.json] if chosen.json else []
    if os.environ.get("OUT"):
        paths.append(Path(os.environ["OUT"], "gpu.json"))
    for path in paths:
        path.write_text(json.dumps(found, indent=2))


def spelt(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def show(name: str, facts: Facts | str, seconds: float) -> None:
    pairs = facts.items() if isinstance(facts, dict) else [("", facts)]
    text = [f"    {word:22} {spelt(value)}" for word, value in pairs]
    print("\n".join([f"{name}  ({seconds:.0f} s)", *text]), flush=True)


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """What is asked on the command line."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.gpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for group in (*GROUPS, DEAR):
        parser.add_argument(f"--{group}", action="store_true", help="of all, these")
    parser.add_argument("--json", type=Path, metavar="PATH", help="all rows, as JSON")
    parser.add_argument(
        "--within", type=float, default=400.0, help="seconds for all rows"
    )
    few = max(1, min(10, (os.cpu_count() or 1) * 2 // 3))
    parser.add_argument("--at-once", type=int, default=few, help="rows about bits")
    parser.add_argument("--pendulums", type=int, default=1_000_000)
    parser.add_argument("--on-cores", type=int, default=131_072)
    parser.add_argument("--lorenz", type=int, default=8_388_608)
    parser.add_argument("--craft", type=int, default=1_000_000)
    parser.add_argument("--arms", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--row", help="make this row, in this process")
    parser.add_argument("--into", type=Path, metavar="PATH", help="its facts, as JSON")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    chosen = arguments(words)
    if chosen.row is None:
        text = json.dumps(table(chosen, words))
        return int("WRONG" in text or "FAILED" in text)
    bits, alone = rows(chosen)
    facts = attempt(({"machine": device_speed.machine} | bits | alone)[chosen.row])
    if chosen.into:
        chosen.into.write_text(json.dumps(facts))
    else:
        show(chosen.row, facts, 0.0)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
