"""One motion by SciPy and by diffrax: y at its end, for a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.curves import Stopped
from benchmarks.models.motions import Motion
from benchmarks.peers import PeerMissing, require

Solve = Callable[[], np.ndarray]
# Ten times what any needs that arrives: Tsit5 at 1e-3 lets a planet fall into its sun,
# and would follow it for ever.
MOST_STEPS = 1_000_000


def by_scipy(motion: Motion, rtol: float, atol: float | None = None) -> Solve:
    """DOP853; of the arm, with Pinocchio's forward dynamics called from Python."""
    from scipy.integrate import solve_ivp

    rates = motion.rates or pinocchio_rates(motion)
    span, y = (0.0, motion.until), motion.start
    wish: dict[str, Any] = {"rtol": rtol, "atol": rtol if atol is None else atol}

    def run() -> np.ndarray:
        found = solve_ivp(rates, span, y, method="DOP853", **wish)
        if not found.success:
            raise Stopped(found.message)
        return found.y[:, -1]

    return run


def pinocchio_rates(motion: Motion) -> Callable:
    """[v; a] of a chain from [q; v]."""
    require("pinocchio")
    import pinocchio

    from benchmarks.peers.pinocchio_chain import model_of

    assert motion.chain is not None
    model, n = model_of(motion.chain), motion.chain.links
    data, free, aba = model.createData(), np.zeros(n), pinocchio.aba

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        found = np.empty_like(y)
        found[:n] = y[n:]
        found[n:] = aba(model, data, y[:n], y[n:], free)
        return found

    return rates


def by_diffrax(motion: Motion) -> dict[str, Callable[[float], Solve]]:
    """Solvers by name; each gives a run for a tolerance, compiled once."""
    require("diffrax")
    import diffrax
    import jax
    import jax.numpy as jnp

    from polhode.lowering.trace.trace import double_precision

    rates = jax_rates(motion)

    def compiled(solver: Any) -> Callable[[float], Solve]:
        def solve(y: Any, tolerance: Any) -> Any:
            control = diffrax.PIDController(rtol=tolerance, atol=tolerance)
            found = diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, _: rates(t, y)), solver,
                0.0, motion.until, None, y,
                stepsize_controller=control, max_steps=MOST_STEPS, throw=False,
                saveat=diffrax.SaveAt(t1=True), adjoint=diffrax.ForwardMode(),
            )  # fmt: skip
            return found.ys[0], found.result == diffrax.RESULTS.successful

        with double_precision():
            once, y = jax.jit(solve), jnp.asarray(motion.start)

        def at(tolerance: float) -> Solve:
            def run() -> np.ndarray:
                with double_precision():
                    end, arrived = once(y, tolerance)
                    if not arrived:
                        raise Stopped(f"not at the end after {MOST_STEPS} steps")
                    return np.asarray(end)

            return run

        return at

    return {s.__name__: compiled(s()) for s in (diffrax.Dopri8, diffrax.Tsit5)}


def jax_rates(motion: Motion) -> Callable:
    """The closed form, or the hand-written articulated bodies of a chain."""
    import jax.numpy as jnp

    from benchmarks.models.chain import forward_dynamics

    closed, chain = motion.rates, motion.chain
    if closed is not None:
        return lambda t, y: closed(t, y, jnp)
    if chain is None:
        raise PeerMissing(f"equations of the {motion.name}")
    n = chain.links

    def rates(t: Any, y: Any) -> Any:
        a = forward_dynamics(chain, y[:n], y[n:], jnp.zeros(n))
        return jnp.concatenate([y[n:], a])

    return rates
