"""Which constraints on velocities are linear in them.

Virtual velocities, those that a linear row a z = b leaves free, satisfy a z' = 0. A row
that is not linear in the speeds leaves no such space, and forms that test with virtual
velocities have nothing to say of it; Gauss's principle, which varies accelerations,
has, for every row is linear in those.
"""

from __future__ import annotations

import numpy as np

from polhode.errors import ModelError
from polhode.system import numeric_constraints
from polhode.system.system import System

LINEAR = 1e-6  # of a row's size: what differences of five values cannot blur
DRAWS = 4


def nonlinear_rows(system: System) -> tuple[str, ...]:
    """The names of the constraint rows phi(t, q, z) whose slope d phi/dz varies."""
    if all(constraint.is_holonomic for constraint in system.constraints):
        return ()
    rng = np.random.default_rng(0)
    now = numeric_constraints.scene(system, 0.0, system.rest().q)
    drawn = [
        numeric_constraints.velocities(system, now, rng.normal(size=system.speeds))
        for _ in range(DRAWS)
    ]
    slopes = np.stack([rows.slopes for rows in drawn])
    size = np.max([rows.sizes for rows in drawn], axis=0)
    spread = np.max(np.ptp(slopes, axis=0), axis=1)
    pairs = zip(system.row_names, ~(spread <= LINEAR * size), strict=True)
    return tuple(name for name, varies in pairs if varies)


def require_linear(system: System, whose: str) -> None:
    """Refuse constraints that are not linear in the speeds, by name."""
    curved = nonlinear_rows(system)
    if curved:
        raise ModelError(
            f"{whose} equations do not apply to {system.name!r}:"
            f" {', '.join(map(repr, curved))} is not linear in the speeds.",
            "They ask what virtual velocities a' z = 0 feel, and a constraint that is"
            " not linear in the velocities leaves no such space of them.",
            "Use ph.gauss, which compares accelerations: every constraint is linear in"
            " those.",
        )
