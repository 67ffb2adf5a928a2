"""Claims, what was measured for them, and how both are printed."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    *("polhode", "jax", "jaxlib", "llvmlite", "numpy", "mujoco", "pin", "drake"),
    *("diffrax", "heyoka", "exudyn"),
)


@dataclass(frozen=True)
class Measured:
    """Seconds of ours and of the other, for one unit of work; or in a claim's unit."""

    ours: float
    other: float | None
    note: str = ""
    doubt: str = ""  # why the numbers are not to be trusted


def times_faster(m: Measured) -> float:
    assert m.other is not None
    return m.other / m.ours


def times_slower(m: Measured) -> float:
    assert m.other is not None
    return m.ours / m.other


def seconds(m: Measured) -> float:
    return m.ours


def itself(m: Measured) -> float:
    """What was measured, where it is no time."""
    return m.ours


@dataclass(frozen=True)
class Claim:
    """One row: what is done, what it is held against, and how good it must be."""

    name: str
    work: str
    other: str
    compared: str
    measure: Callable[[int], Measured]
    required: float
    stretch: float | None = None
    judge: Callable[[Measured], float] = times_faster
    unit: str = ""  # of what was measured, where it is no time

    def amount(self, value: float | None) -> str:
        if self.unit and value is not None:
            return f"{value:.3g}{self.unit}"
        return duration(value)

    def sense(self) -> str:
        return "at least" if self.judge is times_faster else "at most"

    def meets(self, value: float, bound: float) -> bool:
        return value >= bound if self.sense() == "at least" else value <= bound


@dataclass(frozen=True)
class Row:
    """A claim with its outcome; `failure` says why there are no numbers."""

    claim: Claim
    measured: Measured | None
    failure: str = ""

    def value(self) -> float | None:
        return None if self.measured is None else self.claim.judge(self.measured)

    def verdict(self) -> str:
        value = self.value()
        if value is None or self.measured is None:
            return self.failure
        return self.judged(value) + (", UNSTEADY" if self.measured.doubt else "")

    def judged(self, value: float) -> str:
        claim = self.claim
        if not claim.meets(value, claim.required):
            return "SHORT"
        if claim.stretch is not None and claim.meets(value, claim.stretch):
            return "pass, stretch too"
        return "pass"

    def cells(self) -> list[str]:
        m, claim = self.measured, self.claim
        unit = claim.unit or (" s" if claim.judge is seconds else "x")
        value = self.value()
        return [
            claim.name,
            claim.work,
            claim.amount(m.ours if m else None),
            f"{claim.other} {claim.amount(m.other if m else None)}",
            "-" if value is None else f"{value:.3g}{unit}",
            f"{claim.sense()} {claim.required:g}{unit}",
            "" if claim.stretch is None else f"{claim.stretch:g}{unit}",
            self.verdict(),
        ]

    def facts(self) -> dict[str, Any]:
        claim = self.claim
        return {
            "name": claim.name,
            "work": claim.work,
            "other": claim.other,
            "compared": claim.compared,
            "measured": asdict(self.measured) if self.measured else None,
            "value": self.value(),
            "sense": claim.sense(),
            "required": claim.required,
            "stretch": claim.stretch,
            "verdict": self.verdict(),
        }


HEADINGS = ["row", "work", "ours", "other", "ratio", "required", "stretch", "verdict"]


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def line_of(row: Row, taken: float) -> str:
    """One row by itself, and how long it took to measure."""
    name, _, ours, other, ratio, required, _, verdict = row.cells()
    if row.measured is None:
        return f"{name}: {verdict} ({taken:.0f} s)"
    held = f"ours {ours}, {other}: {ratio}, {required} is required"
    return f"{name}: {held}: {verdict} ({taken:.0f} s)"


def text_of(rows: list[Row]) -> str:
    """The table, then what each row compares."""
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADINGS))]
    table = [
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    rule = "  ".join("-" * w for w in widths)
    notes = ["", "What is compared", ""]
    for row in rows:
        notes.append(f"{row.claim.name}: {row.claim.compared}")
        if row.measured:
            said = (row.measured.note, row.measured.doubt)
            notes += [f"    {words}" for words in said if words]
    return "\n".join([table[0], rule, *table[1:], *notes])


def machine() -> dict[str, Any]:
    """Where this was measured, and what else ran there."""
    return {
        "processor": processor(),
        "cores": cores(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        **{name: version_of(name) for name in PACKAGES},
    }


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name()


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def write_json(rows: list[Row], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine(), "rows": [row.facts() for row in rows]}
    path.write_text(json.dumps(content, indent=2) + "\n")
