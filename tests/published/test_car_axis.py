"""The car axis: test set for IVP solvers (Mazzia, Magherini), problem of index 3.

Printed end values at t = 3 s: `R/ex_reference.R` of deTestSet. Rheonomic: the right
wheel rides on a road that moves, here a body whose motion is prescribed.
"""

from __future__ import annotations

import numpy as np

import polhode as ph
from held import car_axis

POSITIONS = (
    *(0.0493455784275402809, 0.496989460230171154),
    *(1.04174252488542152, 0.373911027265361257),
)
VELOCITIES = (
    *(-0.0770583684040972358, 0.00744686658723778553),
    *(0.0175568157537232222, 0.770341043779251976),
)
MULTIPLIERS = (-0.00473688659084893325, -0.00110468033125734369)


def start() -> ph.State:
    return car_axis().state(
        left=(0, 0, 0.5),
        right=(1, 0, 0.5),
        base=(1, 0, 0),
        speeds={"left": (-0.5, 0, 0), "right": (-0.5, 0, 0), "base": (0, 0, 1.0)},
    )


def misses(rtol: float) -> tuple[float, float, float]:
    """How far the end is from what is printed: positions, velocities, multipliers."""
    motion = ph.simulate(car_axis(), start(), until=3.0, rtol=rtol)
    end, planar = motion.final, (0, 2, 3, 5)
    loads = motion.equations.multipliers(end)[:2]
    ledger = motion.ledger()
    assert ledger.constraint_violation.max() < 1e-10
    assert ledger.velocity_miss.max() < 1e-10 * np.max(np.abs(motion.z))
    pairs = (end.q[list(planar)], POSITIONS), (end.z[list(planar)], VELOCITIES)
    found = (*pairs, (loads, MULTIPLIERS))
    return tuple(float(np.max(np.abs(a - np.array(b)))) for a, b in found)


def test_the_car_axis_to_its_printed_digits():
    """Positions to 1e-10, velocities to 1e-8, multipliers to 1e-10, and convergence."""
    loose, tight = misses(1e-10), misses(1e-12)
    assert tight[0] < 1e-10
    assert tight[1] < 1e-8
    assert tight[2] < 1e-10
    assert all(a > 10 * b for a, b in zip(loose, tight, strict=True))
