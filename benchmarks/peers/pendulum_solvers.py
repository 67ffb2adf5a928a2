"""The double pendulum by diffrax and by SciPy, from its textbook equations.

Two thin rods of mass m and length l on parallel hinges; angles are relative. The closed
form is the quickest that either can be given.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import util
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks.peers import PeerMissing
from benchmarks.table import cores

MASS, LENGTH, G = 1.0, 1.0, 9.81


def rates(t: float, y: Any, xp: Any = np) -> Any:
    """(a, b, a_dot, b_dot) -> its rate of change; b is relative to a."""
    a, b, u, v = y[0], y[1], y[2], y[3]
    c, s = xp.cos(b), xp.sin(b)
    m, l = MASS, LENGTH
    m11, m12, m22 = m * l * l * (5 / 3 + c), m * l * l * (1 / 3 + c / 2), m * l * l / 3
    bend = m * l * l / 2 * s
    turn = m * G * l / 2
    f1 = bend * v * (2 * u + v) - turn * (3 * xp.sin(a) + xp.sin(a + b))
    f2 = -bend * u * u - turn * xp.sin(a + b)
    inverse = 1 / (m11 * m22 - m12 * m12)
    du = (m22 * f1 - m12 * f2) * inverse
    dv = (m11 * f2 - m12 * f1) * inverse
    return xp.stack([u, v, du, dv]) if xp is not np else np.array([u, v, du, dv])


def by_diffrax(start: np.ndarray, until: float, rtol: float) -> dict[str, Callable]:
    """Dormand and Prince's pair under `vmap`, in several layouts, all cores."""
    if util.find_spec("diffrax") is None:
        raise PeerMissing("diffrax")
    import diffrax
    import jax
    import jax.numpy as jnp

    from polhode.lowering.trace.trace import double_precision

    def solve(y: Any) -> Any:
        term = diffrax.ODETerm(lambda t, y, _: rates(t, y, jnp))
        control = diffrax.PIDController(rtol=rtol, atol=rtol)
        found = diffrax.diffeqsolve(
            term, diffrax.Dopri5(), 0.0, until, None, y,
            stepsize_controller=control, max_steps=None,
            saveat=diffrax.SaveAt(t1=True), adjoint=diffrax.DirectAdjoint(),
        )  # fmt: skip
        return found.ys[0]

    many = jax.jit(jax.vmap(solve))

    def whole() -> np.ndarray:
        with double_precision():
            return np.asarray(many(start))

    def in_blocks(size: int) -> Callable:
        pool, parts = ThreadPoolExecutor(cores()), np.split(start, len(start) // size)

        def one(part: np.ndarray) -> np.ndarray:
            with double_precision():
                return np.asarray(many(part))

        return lambda: np.concatenate(list(pool.map(one, parts)))

    blocks = {f"threads, vmap of {n}": in_blocks(n) for n in (50, 250, 1000)}
    return {"vmap of all": whole, **blocks}


class ScipyPool:
    """Processes that wait for work."""

    def __init__(self, until: float, rtol: float):
        self._pool = ProcessPoolExecutor(cores(), mp_context=get_context("spawn"))
        self._wish = (until, rtol)

    def run(self, start: np.ndarray) -> np.ndarray:
        """Final states (n, 4)."""
        jobs = [(y, *self._wish) for y in start]
        return np.array(list(self._pool.map(_solved, jobs, chunksize=4)))

    def close(self) -> None:
        """Let the processes go."""
        self._pool.shutdown()


def _solved(job: tuple[np.ndarray, float, float]) -> np.ndarray:
    from scipy.integrate import solve_ivp

    y, until, rtol = job
    found = solve_ivp(rates, (0, until), y, method="DOP853", rtol=rtol, atol=rtol)
    return found.y[:, -1]
