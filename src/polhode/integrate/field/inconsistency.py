"""How a state breaks the constraints of a system, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.errors import InconsistentState, PolhodeError
from polhode.system.check import require_consistent
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System


def inconsistency(
    system: System, at: StateArrays, parameters: dict[str, Any]
) -> PolhodeError:
    """How a state breaks the constraints of a system with other parameters."""
    own = system.with_({n: float(v) for n, v in parameters.items()})
    try:
        require_consistent(State(own, *at))
    except PolhodeError as error:
        if not parameters:
            return error
        values = ", ".join(f"{n} = {v:g}" for n, v in parameters.items())
        repair = (
            "Find a state that keeps them with these values:"
            " ph.assemble(system.with_({...}), ...), and run that system from it."
        )
        return type(error)(error.what, error.why, repair, f"With {values}.")
    return InconsistentState(
        f"the state of {system.name!r} at t = {at[0]:g} s breaks its constraints.",
        "It misses them by as little as states are refused for.",
        "Let ph.assemble(system.with_({...}), ...) find one that keeps them.",
    )
