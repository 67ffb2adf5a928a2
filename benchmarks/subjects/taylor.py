"""Series against series: `ph.methods.Taylor` and heyoka at equal error, to 1e-12."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

import polhode as ph
from benchmarks.curves import Curves, Error, Run, common_levels, timed
from benchmarks.models import outer_solar_system as solar
from benchmarks.models.motions import MOTIONS
from benchmarks.peers import require
from benchmarks.table import Claim, Measured

TOLERANCES = (1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16)
LEVELS = (1e-12, 1e-6)  # errors that are compared
FINE = 1e-10
RUNS = {"kepler": 512, "pendulum": 512, "solar": 64}
UNTIL = {"kepler": 200 * np.pi, "pendulum": 30.0, "solar": 1e4}
UNTIL_IN_LANES = {"kepler": 20 * np.pi, "pendulum": 10.0, "solar": 200.0}
CHECKED = 16  # runs of a batch whose ends are compared
WIDTHS = (4, 8)  # of heyoka's batches


@dataclass(frozen=True)
class Case:
    """Starts y = [q; z] as heyoka has them, and the ways between its order and ours."""

    system: ph.System
    starts: np.ndarray
    ours: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    theirs: Callable[[np.ndarray, np.ndarray], np.ndarray]


def case_of(name: str, runs: int) -> Case:
    """The first start is the motion's own; others are near it."""
    spread = 1e-3 if name == "solar" else 0.05
    draw = 1 + spread * np.random.default_rng(0).uniform(-1, 1, (runs, 1))
    draw[0] = 1.0
    if name == "solar":
        q = solar.PLACES.reshape(1, -1) * draw
        z = np.repeat(solar.SPEEDS.reshape(1, -1), runs, axis=0)
        return Case(solar.system(), _by_body(q, z), _of_bodies, _by_body)
    motion = MOTIONS[name]()
    q, z = motion.q * draw, np.repeat(motion.z[None], runs, axis=0)
    n = 2 if name == "kepler" else len(motion.q)
    flat = np.zeros((runs, len(motion.q) - n))  # heyoka's Kepler lies in the plane

    def ours(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rest = flat[: len(y)]
        return np.hstack([y[:, :n], rest]), np.hstack([y[:, n:], rest])

    def theirs(q: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.hstack([q[:, :n], z[:, :n]])

    return Case(motion.system, theirs(q, z), ours, theirs)


def _by_body(q: np.ndarray, z: np.ndarray) -> np.ndarray:
    parts = [v.reshape(len(q), 6, 3) for v in (q, z)]
    return np.concatenate(parts, axis=2).reshape(len(q), 36)


def _of_bodies(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    parts = y.reshape(len(y), 6, 6)
    return parts[:, :, :3].reshape(len(y), 18), parts[:, :, 3:].reshape(len(y), 18)


def by_sweep(case: Case, until: float, tolerance: float) -> Run:
    """Our ends of all runs, in the order that heyoka has."""
    states = ph.States(case.system, 0.0, *case.ours(case.starts))
    method = ph.methods.Taylor(rtol=tolerance, atol=tolerance)

    def run() -> np.ndarray:
        end = ph.sweep(case.system, states, until=until, method=method)
        return case.theirs(end.final_q, end.final_z)

    return run


@cache
def curves_of(name: str, is_alone: bool, rounds: int) -> tuple[Curves, Curves]:
    """Ours and heyoka's, timed by turns on one thread each."""
    require("heyoka")
    from benchmarks.peers import heyoka_motion as peer

    case = case_of(name, 1 if is_alone else RUNS[name])
    until = (UNTIL if is_alone else UNTIL_IN_LANES)[name]
    true = peer.truth(name, case.starts[:CHECKED], until)
    size = np.max(np.abs(true))
    error = Error(lambda y: float(np.max(np.abs(y[: len(true)] - true)) / size), 1e-14)
    mine, theirs = Curves(), Curves()
    runs = {tol: by_sweep(case, until, tol) for tol in TOLERANCES}
    mine.follow("Taylor", runs, error)
    for width in (1,) if is_alone else WIDTHS:
        if is_alone:
            make = partial(peer.alone, name, case.starts[0], until)
        else:
            make = partial(_lanes, peer.in_lanes, (name, case.starts, until), width)
        theirs.follow(f"heyoka {width}", {tol: make(tol) for tol in TOLERANCES}, error)
    timed([mine, theirs], max(2, rounds // 3))
    return mine, theirs


def _lanes(make: Callable[..., Run], given: tuple, width: int, tolerance: float) -> Run:
    return make(*given, tolerance, width)


def at_equal_error(name: str, is_alone: bool, finest: float, rounds: int) -> Measured:
    """The decade of error, down from the finest asked, at which we gain least."""
    mine, theirs = curves_of(name, is_alone, rounds)
    times = {
        level: (mine.seconds_at(level), theirs.seconds_at(level))
        for level in common_levels(mine, theirs)
        if LEVELS[0] <= 1.001 * level and level <= 1.001 * finest
    }
    ratios = {level: other / own for level, (own, other) in times.items()}
    worst = min(ratios, key=ratios.__getitem__)
    said = ", ".join(f"{level:.0e} {ratio:.3g}x" for level, ratio in ratios.items())
    return Measured(*times[worst], f"error and ratio: {said}")


WORK = {
    "kepler": "Kepler's ellipse, 100 turns",
    "pendulum": "double pendulum for 30 s",
    "solar": "outer solar system for 10^4 years",
}
IN_LANES = {
    "kepler": "512 Kepler ellipses, 10 turns",
    "pendulum": "512 double pendulums for 10 s",
    "solar": "64 outer solar systems for 200 years",
}
ROWS = (
    # word, alone, errors up to, required
    ("", True, LEVELS[1], 1.0),
    ("-fine", True, FINE, 1.3),
    ("-lanes", False, LEVELS[1], 1.5),
)
CLAIMS = [
    Claim(
        name=f"taylor-{name}{word}",
        work=f"{(WORK if alone else IN_LANES)[name]}, at equal error up to {finest:g}",
        other="heyoka",
        compared=(
            "ph.sweep by ph.methods.Taylor, bodies and joints, against heyoka's "
            f"{'taylor_adaptive' if alone else 'taylor_adaptive_batch of 4 or 8'}, "
            "equations by hand and compiled before; processor time at the decade of "
            "error where we gain least"
        ),
        measure=partial(at_equal_error, name, alone, finest),
        required=required,
    )
    for name in WORK
    for word, alone, finest, required in ROWS
]
