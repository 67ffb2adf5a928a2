"""Work and precision: what solvers take for the error they make, held side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import SHORTEST, without_collection

PICTURES = Path(__file__).parents[1] / "build" / "bench"
Run = Callable[[], np.ndarray]


@dataclass
class Point:
    """One setting of one method: its error, and its best time so far (s of a core)."""

    run: Run
    error: float
    calls: int = 1
    seconds: float = float("inf")

    def sample(self) -> None:
        """Time it once more, by the processor: other work on the machine is not its."""
        start = time.process_time()
        for _ in range(self.calls):
            self.run()
        self.seconds = min(self.seconds, (time.process_time() - start) / self.calls)


@dataclass
class Curves:
    """The points of one contender, by method."""

    points: dict[str, list[Point]] = field(default_factory=dict)

    def add(self, method: str, run: Run, error_of: Callable[[Any], float]) -> None:
        """A new point; its error is found, and how often to call it in a sample."""
        point = Point(run, error_of(run()))
        point.sample()
        point.calls = max(1, round(SHORTEST / max(point.seconds, 1e-6)))
        point.seconds = float("inf")
        self.points.setdefault(method, []).append(point)

    def all(self) -> list[Point]:
        return [point for line in self.points.values() for point in line]

    def seconds_at(self, error: float) -> float:
        """The least time for an error, between points of one method or of a finer one.

        Infinite where no setting is that fine.
        """
        found = [p.seconds for p in self.all() if p.error <= error]
        for line in self.points.values():
            known = sorted((p.error, p.seconds) for p in line if p.error > 0)
            e, s = np.log(known).T
            if e[0] <= np.log(error) <= e[-1]:
                found.append(float(np.exp(np.interp(np.log(error), e, s))))
        return min(found, default=float("inf"))


def timed(contenders: list[Curves], rounds: int) -> None:
    """Every point of every contender, by turns."""
    points = [point for curves in contenders for point in curves.all()]
    with without_collection():
        for _ in range(rounds):
            for point in points:
                point.sample()


def common_levels(ours: Curves, theirs: Curves) -> list[float]:
    """Decades of error that both reach and neither leaves far behind."""
    finest = max(min(p.error for p in c.all()) for c in (ours, theirs))
    coarsest = max(p.error for p in theirs.all())
    decades = 10.0 ** np.arange(-12, 0)
    return [float(e) for e in decades if finest <= e <= min(coarsest, 1e-2)]


def pictures(since: float) -> list[Path]:
    """Those drawn since a time (s of the system's clock), by name."""
    found = sorted(PICTURES.glob("*.png"))
    return [path for path in found if path.stat().st_mtime >= since - 1.0]


def drawn(title: str, contenders: dict[str, Curves]) -> Path:
    """A picture of all curves; its path."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, curves in contenders.items():
        for method, line in curves.points.items():
            known = sorted((p.error, p.seconds) for p in line)
            axes.loglog(*zip(*known, strict=True), "o-", label=f"{name} {method}")
    axes.set_xlabel("relative error at the end")
    axes.set_ylabel("processor time of one trajectory, s")
    axes.set_title(title)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"precision-{title.replace(' ', '-')}.png"
    figure.savefig(path, dpi=120)
    return path
