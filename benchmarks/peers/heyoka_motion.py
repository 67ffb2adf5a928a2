"""Equations by hand in heyoka, a Taylor integrator: alone, in batches, as truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import heyoka as hy
import numpy as np

from benchmarks.models.chain import GRAVITY
from benchmarks.models.outer_solar_system import GRAVITATION, MASSES

Run = Callable[[], np.ndarray]


def kepler() -> Any:
    """In the plane."""
    x, y, u, v = hy.make_vars("x", "y", "u", "v")
    pull = -((x**2 + y**2) ** (-3 / 2))
    return [(x, u), (y, v), (u, pull * x), (v, pull * y)]


def pendulum() -> Any:
    """Two thin bars of unit mass and length; angles relative to the bar before."""
    a, b, u, v = hy.make_vars("a", "b", "u", "v")
    c, s = hy.cos(b), hy.sin(b)
    m11, m12, m22 = 5 / 3 + c, 1 / 3 + c / 2, 1 / 3
    f1 = s / 2 * v * (2 * u + v) - GRAVITY / 2 * (3 * hy.sin(a) + hy.sin(a + b))
    f2 = -s / 2 * u * u - GRAVITY / 2 * hy.sin(a + b)
    inverse = 1 / (m11 * m22 - m12 * m12)
    du, dv = (m22 * f1 - m12 * f2) * inverse, (m11 * f2 - m12 * f1) * inverse
    return [(a, u), (b, v), (u, du), (v, dv)]


def solar() -> Any:
    """Its own equations of n bodies."""
    return hy.model.nbody(6, masses=MASSES, Gconst=GRAVITATION)


EQUATIONS = {"kepler": kepler, "pendulum": pendulum, "solar": solar}


def truth(name: str, starts: np.ndarray, until: float) -> np.ndarray:
    """Ends (runs, n) in long double."""
    wide = np.longdouble
    run = hy.taylor_adaptive(
        EQUATIONS[name](),
        starts[0].astype(wide),
        fp_type=wide,
        tol=wide(1e-20),
        high_accuracy=True,
    )
    found = []
    for start in starts:
        run.time = wide(0)
        run.state[:] = start
        run.propagate_until(wide(until))
        found.append(np.array(run.state, float))
    return np.array(found)


def alone(name: str, start: np.ndarray, until: float, tolerance: float) -> Run:
    """One run after another with one integrator, made before."""
    run = hy.taylor_adaptive(EQUATIONS[name](), start.copy(), tol=tolerance)

    def end() -> np.ndarray:
        run.time = 0.0
        run.state[:] = start
        run.propagate_until(until)
        return np.array(run.state)[None]

    return end


def in_lanes(
    name: str, starts: np.ndarray, until: float, tolerance: float, width: int
) -> Run:
    """Batches of so many runs with one integrator, made before."""
    blocks = starts.reshape(-1, width, starts.shape[1]).transpose(0, 2, 1)
    blocks = np.ascontiguousarray(blocks)
    run = hy.taylor_adaptive_batch(
        EQUATIONS[name](), blocks[0].copy(), tol=tolerance, force_avx512=width == 8
    )

    def end() -> np.ndarray:
        out = np.empty_like(blocks)
        for k, block in enumerate(blocks):
            run.set_time(0.0)
            run.state[:] = block
            run.propagate_until(until)
            out[k] = run.state
        return out.transpose(0, 2, 1).reshape(starts.shape)

    return end
