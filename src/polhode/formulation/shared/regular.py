"""Forms that divide by the mass matrix, and systems that leave them nothing to divide.

Where only constraints hold a body without mass, the motion is unique, but M has no
inverse: momenta p = M z do not determine z, and there is no free motion to begin from.
"""

from __future__ import annotations

import numpy as np

from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.system.check import is_regular, rest_coordinates
from polhode.system.lengths import natural_length, speed_lengths
from polhode.system.system import System

DRAWS = 3


def require_regular(system: System, form: str) -> None:
    """Refuse a form for a system whose mass matrix is singular wherever it is."""
    if not system.constraints:
        return  # refused when it was built
    if is_traced(system.mass_matrix(0.0, system.neutral())):
        return
    rng, rest = np.random.default_rng(2), rest_coordinates(system)
    along = speed_lengths(system, natural_length(system, rest))
    for size in (0.0, *[1.0] * DRAWS):
        q = system.local(rest, size * along * rng.uniform(-1, 1, system.speeds))
        M = np.asarray(system.mass_matrix(0.0, system.normalised(q)))
        if is_regular(M):
            return
    loosest = np.linalg.svd(M * np.outer(along, along))[2][-1]
    name = system.speed_names[int(np.argmax(np.abs(loosest)))]
    raise ModelError(
        f"{form} not apply to {system.name!r}: its mass matrix is singular"
        f" along {name}.",
        "Only constraints hold what has no mass there, and this form divides by the"
        " mass matrix before they are felt.",
        "Use ph.gauss, ph.lagrange or any other that ph.compare shows, or give the body"
        " a mass and a moment of inertia.",
    )
