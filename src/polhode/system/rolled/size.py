"""Which systems are loops over tables, and why: by their description alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.system.rolled.walk import KINDS

if TYPE_CHECKING:
    from polhode.system.system import System

# Bodies above which a tree is walked in loops. Below, straight code is up to twice as
# quick, and takes at most some seconds to be made: docs/decisions/0022.
LARGE = 48


def is_large(system: System) -> bool:
    """Whether a system has so many bodies that its programs are made as large ones."""
    return len(system.bodies) > LARGE


def is_rolled(system: System) -> bool:
    """Whether a system's equations are loops over tables."""
    if "is rolled" not in system.compiled:
        system.compiled["is rolled"] = not reason_against(system)
    return system.compiled["is rolled"]


def reason_against(system: System) -> str:
    """Why a system is written out body by body; nothing where it is not."""
    count = len(system.bodies)
    if not is_large(system):
        return f"it has {count} bodies, and up to {LARGE} straight code is quicker"
    others = {
        type(e.joint).__name__ for e in system.tree.edges if type(e.joint) not in KINDS
    }
    if others:
        return f"no loop walks joints of the kinds {', '.join(sorted(others))}"
    if system.constraints:
        return "it has constraints, whose rows are written one by one"
    if system.supports:
        return "it has supports, whose contacts are written one by one"
    return ""
