r"""Whether a body that rolls would slip: the friction that its contact needs.

   N ^
     |  /           mu needed = |F_t| / N
_____|_/____ F_t    it rolls while that is below the coefficient mu_s
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.constraints.rolling import NoSlip, Touching
from polhode.errors import ModelError
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State


@equations_argument
def needed_friction(
    equations: Equations, state: State, name: str = "rolling", table: Table = NOMINAL
) -> float:
    """The least coefficient of friction at which a contact rolls and does not slip.

        mu = |F_t| / N

    `name` is that of `ph.rolling`. Infinite where the plane would have to pull: the
    constraint holds the body from both sides, a floor does not.
    """
    rows = _rows_of(equations, name)
    intensities = equations.multipliers(state, table)
    own = intensities[len(intensities) - len(equations.system.row_names) :]
    normal, *tangential = (own[row] for row in rows)
    if normal <= 0:
        return float("inf")
    return float(np.hypot(*tangential) / normal)


def _rows_of(equations: Equations, name: str) -> list[int]:
    """The places of the rows of a contact: its height, then its two slips."""
    system = equations.system
    rolls = {c.name: c for c in system.constraints if isinstance(c, NoSlip)}
    if name not in rolls:
        raise ModelError(
            f"{system.name!r} has no rolling contact {name!r}.",
            "Only a body that rolls needs friction to do so.",
            suggestion(name, rolls),
        )
    touches = [
        c.name
        for c in system.constraints
        if isinstance(c, Touching) and c.contact is rolls[name].contact
    ]
    if not touches:
        raise ModelError(
            f"the contact {name!r} of {system.name!r} is not held by its plane.",
            "Friction needs a normal force, and nothing says what presses.",
            "Give both constraints of ph.rolling to the system.",
        )
    names, places = system.row_names, []
    for wanted in (touches[0], f"{name}: along", f"{name}: across"):
        places.append(names.index(wanted))
    return places
