"""A steady motion as it goes on: every place is carried along, nothing is integrated
but the way.

    q_dot = N(q) Y(q) xi(t),      xi(t) = xi(0) + p t

No force is asked: what makes the motion leave an unstable one is not in these rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.analyse.machinery.mode_motion import rows_of
from polhode.analyse.symmetries import Carriers, pick
from polhode.errors import AnalysisError
from polhode.lowering.compile import compile
from polhode.matter.parameter import NOMINAL
from polhode.system.lengths import coordinate_lengths, natural_length
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.analyse.equilibria.steady_motion import SteadyMotion
    from polhode.integrate.results.trajectory import Trajectory

FRAMES = 121


def carried_speeds(carriers: Carriers, q: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """z = Y(q) xi (nz,)."""
    system = carriers.system
    key = ("carried speeds", carriers.names)
    if key not in system.compiled:
        system.compiled[key] = compile(
            lambda q, xi: carriers.speeds(q, xi, NOMINAL), q, xi
        )
    return np.asarray(system.compiled[key](q, xi), float)


def carried_motion(steady: SteadyMotion, seconds: float | None) -> Trajectory:
    """The rows of a steady motion over some seconds; without, of one slow turn."""
    from scipy.integrate import solve_ivp

    first, system = steady.state, steady.state.system
    span = _turn(steady) if seconds is None else float(seconds)
    _require_forward(steady, span)
    carriers = pick(system, tuple(steady.rates))
    xi = np.array([*steady.rates.values()])
    push = np.array([steady.pushes.get(name, 0.0) for name in steady.rates])

    def speeds(t: float, q: np.ndarray) -> np.ndarray:
        return carried_speeds(carriers, q, xi + (t - float(first.t)) * push)

    def slope(t: float, q: np.ndarray) -> np.ndarray:
        return np.asarray(system.rates(t, q, speeds(t, q)))

    times = float(first.t) + np.linspace(0.0, span, FRAMES)
    ends = (times[0], times[-1])
    start = np.asarray(first.q, float)
    atol = 1e-12 * coordinate_lengths(system, natural_length(system, start))
    options = {"method": "DOP853", "rtol": 1e-10, "atol": atol, "t_eval": times}
    rows = solve_ivp(slope, ends, start, **options).y.T
    places = [np.asarray(system.normalised(q)) for q in rows]
    states = [
        State(system, float(t), q, speeds(float(t), q))
        for t, q in zip(times, places, strict=True)
    ]
    return rows_of(states, times, "carried along, steadily")


def _turn(steady: SteadyMotion) -> float:
    """The time of one turn at the slowest rate that is not zero; without one, 1 s."""
    rates = [abs(rate) for rate in steady.rates.values() if rate]
    return 2 * np.pi / min(rates) if rates else 1.0


def _require_forward(steady: SteadyMotion, seconds: float) -> None:
    if not 0 < seconds < np.inf:
        raise AnalysisError(
            f"the steady motion of {steady.state.system.name!r} has no rows over"
            f" {seconds:g} s.",
            "It is carried along from its state on, for some time.",
            "Give seconds above zero.",
        )
