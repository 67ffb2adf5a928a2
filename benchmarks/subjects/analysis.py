"""Questions about a system: many equilibria in one call, and linearising large models.

Programs are compiled before the clock starts: what is timed is a second question.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.table import Claim, Measured, seconds
from polhode.models.gallery import start

MANY = 10_000


def swept(rounds: int) -> Measured:
    """Seconds for all equilibria, and for SciPy's root finder, one after another."""
    from scipy.optimize import root

    system = ph.models.cart_pendulum()
    weight = 0.8 * 9.81 * 0.9  # mB g l
    couples = np.linspace(-0.95, 0.95, MANY) * weight
    rest = system.rest()

    def ours() -> ph.results.EquilibriumSweep:
        return ph.sweep_equilibria(rest, {"C": couples})

    def theirs() -> list[float]:
        def gap(x: np.ndarray, C: float) -> list[float]:
            return [5.0 * x[0], weight * np.sin(x[1]) - C]

        return [root(gap, [0.0, 0.0], (C,)).x[1] for C in couples[::50]]

    require_agreement("equilibria", ours().q[::50, 1], np.array(theirs()), 1e-7)
    result = race({"ours": ours, "scipy": theirs}, rounds)
    best = result.seconds
    note = f"{MANY / best['ours']:.3g} equilibria a second"
    return Measured(
        best["ours"], 50 * best["scipy"], note, result.doubt("ours", "scipy")
    )


def linearised(name: str, rounds: int) -> Measured:
    """Seconds to linearise a model of the gallery again."""
    state = start(name)
    system = state.system
    result = race({"ours": lambda: ph.linearise(system, state)}, rounds)
    linear = ph.linearise(system, state)
    note = f"{len(linear.coordinates)} places, {len(linear.speeds)} speeds"
    return Measured(result.seconds["ours"], None, note)


CLAIMS = [
    Claim(
        name="equilibria",
        work="10^4 equilibria of a parameter sweep, one call",
        other="SciPy root",
        compared=(
            "cart-pendulum, 10^4 couples, from rest: ours the model's own forces by "
            "damped Newton, all lanes at once; theirs the two closed equations, one "
            "call of scipy.optimize.root each (every fiftieth timed)"
        ),
        measure=swept,
        required=10,
    ),
    Claim(
        name="linearise-tree",
        work="30-body tree, linearised",
        other="a limit",
        compared="mass, damping, stiffness, spectrum and state space, compiled before",
        measure=partial(linearised, "tree"),
        required=0.1,
        judge=seconds,
    ),
    Claim(
        name="linearise-bicycle",
        work="bicycle rolling at 4.6 m/s, linearised",
        other="a limit",
        compared="with its eight velocity constraints, about a steady motion",
        measure=partial(linearised, "bicycle"),
        required=0.1,
        judge=seconds,
    ),
]
