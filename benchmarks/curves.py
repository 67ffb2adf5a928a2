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
LONGEST = 3.0  # seconds of a run; one that would take longer is not tried
ENOUGH = 1.0  # seconds of samples, after which a point is not run again
Run = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Error:
    """How far an end is from the true one, and the least that can be told of it."""

    of: Callable[[np.ndarray], float]
    least: float


class Stopped(Exception):
    """A run that did not reach its end; says why."""


@dataclass
class Point:
    """One setting of one method: its error, and its best time so far (s of a core)."""

    run: Run
    error: float = float("inf")
    calls: int = 1
    seconds: float = float("inf")
    spent: float = 0.0

    def begin(self, error_of: Callable[[Any], float], is_first: bool) -> None:
        """Run it for its error, and see how often it is called in a sample.

        The first of a method may be compiled within its first run.
        """
        start = time.process_time()
        self.error = error_of(self.run())
        self.seconds = self.spent = time.process_time() - start
        if self.spent < ENOUGH or is_first:
            self.sample()
        self.calls = max(1, round(SHORTEST / max(self.seconds, 1e-6)))

    def sample(self) -> None:
        """Time it once more, by the processor: other work on the machine is not its."""
        start = time.process_time()
        for _ in range(self.calls):
            self.run()
        taken = time.process_time() - start
        self.spent += taken
        self.seconds = min(self.seconds, taken / self.calls)


@dataclass
class Curves:
    """The points of one contender, by method, and why others are not there."""

    points: dict[str, list[Point]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def follow(self, method: str, runs: dict[float, Run], error: Error) -> None:
        """Points from the coarsest setting on, as far as can be told and waited for.

        A setting with which the motion is lost before its end is left out.
        """
        self.points.setdefault(method, [])
        for setting, run in runs.items():
            point = Point(run)
            try:
                point.begin(error.of, is_first=not self.points[method])
            except Stopped as reason:
                self.left_out.append(f"{method} at {setting:g}: {reason}")
                continue
            if point.error < error.least:
                said = f"errs by less than the {error.least:.0e} that can be told"
                self.left_out.append(f"{method} from {setting:g} on: {said}")
                return
            self.points[method].append(point)
            ahead = next_seconds(self.points[method])
            if ahead > LONGEST:  # once more: a busy moment is no reason to stop
                for last in self.points[method][-2:]:
                    last.sample()
                ahead = next_seconds(self.points[method])
            if ahead > LONGEST and setting != [*runs][-1]:
                said = f"a run would take {ahead:.0f} s"
                self.left_out.append(f"{method} beyond {setting:g}: {said}")
                return

    def all(self) -> list[Point]:
        return [point for line in self.points.values() for point in line]

    def seconds_at(self, error: float) -> float:
        """The least time for an error, between points of one method or of a finer one.

        Infinite where no setting is that fine.
        """
        found = [p.seconds for p in self.all() if p.error <= error]
        for line in self.points.values():
            known = sorted((p.error, p.seconds) for p in line)
            e, s = np.log(known).T if known else (np.array([np.inf]), np.zeros(1))
            if e[0] <= np.log(error) <= e[-1]:
                found.append(float(np.exp(np.interp(np.log(error), e, s))))
        return min(found, default=float("inf"))


def next_seconds(line: list[Point]) -> float:
    """What the next finer setting is likely to take: as many times more as the last."""
    last = [point.seconds for point in line[-2:]]
    return last[-1] * max(last[-1] / last[0], 1.0)


def timed(contenders: list[Curves], rounds: int) -> None:
    """Every point of every contender, by turns; slow ones, which vary less, less."""
    points = [point for curves in contenders for point in curves.all()]
    with without_collection():
        for _ in range(rounds):
            for point in points:
                if point.spent < ENOUGH:
                    point.sample()


def common_levels(ours: Curves, theirs: Curves) -> list[float]:
    """Decades of error that both reach and neither leaves far behind."""
    finest = max(finest_of(c) for c in (ours, theirs))
    coarsest = max(p.error for p in theirs.all())
    decades = 10.0 ** np.arange(-12, 0)
    return [float(e) for e in decades if finest <= e <= min(coarsest, 1e-2)]


def pictures(since: float) -> list[Path]:
    """Those drawn since a time (s of the system's clock), by name."""
    found = sorted(PICTURES.glob("*.png"))
    return [path for path in found if path.stat().st_mtime >= since - 1.0]


def finest_of(curves: Curves) -> float:
    """The least error of all points."""
    return min((point.error for point in curves.all()), default=float("inf"))


def drawn(title: str, contenders: dict[str, Curves]) -> Path:
    """A picture of all curves; its path."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, curves in contenders.items():
        for method, line in curves.points.items():
            known = sorted((p.error, p.seconds) for p in line)
            if not known:
                continue
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
