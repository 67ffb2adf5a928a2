"""Functions of equations: what else they are given is refused, with what to write."""

from __future__ import annotations

from typing import Any

from polhode.formulation.equations import Equations
from polhode.system.checked_argument import Function, taking
from polhode.system.system import System


def equations_argument(function: Function) -> Function:
    """A function that takes equations first, and says so to who gives another thing."""
    why = "The answer depends on the form, or is the same in every one of them."
    return taking(lambda: Equations, "equations of a system", why, _how)(function)


def _how(value: Any) -> str:
    if isinstance(value, System):
        return "Choose a form: ph.recursive(system), ph.lagrange(system) or their kin."
    if isinstance(getattr(value, "system", None), System):
        kind = type(value).__name__
        return (
            f"Choose a form for its system: ph.recursive(...) of this {kind}'s .system."
        )
    return "Give what ph.recursive(system), ph.lagrange(system) and their kin return."
