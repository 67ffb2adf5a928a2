"""A first state that is looked for: moved along the joints and in speed from a guess.

q = local(q0, d),      z = z0 + e,      local(q0, d + u) = local(q, E u) for small u
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.system.state import State
from polhode.system.system import System


def move_state(start: State, move: np.ndarray) -> State:
    """The state moved by (2 nz,): along the joints, then of the speeds."""
    if not np.any(move):
        return start
    system, n = start.system, start.system.speeds
    q = np.asarray(system.normalised(system.local(start.q, move[:n])))
    return State(system, start.t, q, start.z + move[n:])


def move_chart(start: State, d: np.ndarray) -> np.ndarray:
    """E (nz, nz): a move at the place local(q, d) is E times a change of d.

    It is 1, but for rotations.
    """
    system, t = start.system, float(start.t)

    def function(q: Array, d: Array) -> Any:
        def along(rate: Scalar) -> Any:
            place, moved = jax.jvp(lambda d: system.local(q, d), (d,), (rate,))
            return system.speeds_from(t, place, moved)

        return jax.vmap(along, out_axes=1)(np.eye(len(d)))

    program = system.program("errors at a place", function, (start.q, d))
    return np.asarray(program(start.q, d))


def require_free_start(system: System) -> None:
    """Refuse a search for a first state that constraints hold."""
    if system.constraints:
        raise AnalysisError(
            f"the first state of {system.name!r} cannot be found with its parameters.",
            "Constraints hold it, and they may change with the parameters.",
            "Give the start, or ask a model whose joints do not close a loop.",
        )
