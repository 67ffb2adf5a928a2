"""Loose tolerances and long steps: a run that is far out of balance says so.

A model of the gallery, a method, its tolerance or step and a length of time are drawn.
Where energy is missed by more than a tenth of what moves, and neither the run nor its
ledger warns, the attack has succeeded.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import polhode as ph
from attacks.attack import Attack

MODELS = (
    *("double_pendulum", "cart_pendulum", "spherical_pendulum", "heavy_top"),
    *("four_bar", "chaplygin_sleigh", "atwood", "pendulum", "billiard_ball"),
)
MISSED = 0.1  # of the energy that moves


def trial(seed: int) -> str | None:
    """One run, and what its ledger says."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(MODELS))
    start, method = ph.models.start(name), _method(rng)
    until = 10.0 ** rng.uniform(0.5, 3.0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            motion = ph.simulate(start.system, start, until=until, method=method)
        except ph.PolhodeError:
            return None  # refused in words
        ledger = motion.ledger()
    worst = float(np.max(np.abs(ledger.balance)))
    if worst <= MISSED * ledger.scale or told:
        return None
    return (
        f"{name} by {method} to {until:.6g} s is out of balance by {worst:.3g} J of"
        f" {ledger.scale:.3g} J, {ledger.promise:.3g} J are promised, and nothing is"
        " said"
    )


def _method(rng: np.random.Generator) -> Any:
    kind = rng.integers(5)
    if kind < 2:
        loose = {} if rng.random() < 0.5 else {"atol": 10.0 ** rng.uniform(-6, 1)}
        family = (ph.methods.DormandPrince, ph.methods.DormandPrince8)[kind]
        return family(rtol=10.0 ** rng.uniform(-5, -1), **loose)
    step = 10.0 ** rng.uniform(-2.5, -0.3)
    methods = (ph.methods.RungeKutta4, ph.methods.SemiImplicitEuler)
    return (*methods, ph.methods.GaussLegendre4)[kind - 2](step)


ATTACKS = (Attack("promises of loose runs", 100, trial),)
