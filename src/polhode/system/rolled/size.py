"""Which systems are loops over tables, and why: by their description alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.actions.contact.carried_friction import ConstraintFriction, JointFriction
from polhode.errors import ModelError
from polhode.system.rolled.kinds import ALIKE, KINDS

if TYPE_CHECKING:
    from polhode.system.system import System

# Bodies above which a tree is walked in loops. Below, straight code is up to twice as
# quick, and takes at most some seconds to be made: docs/decisions/0022.
LARGE = 48
# Speeds and constraint rows above which closed loops are: what eliminates them grows
# quicker than bodies do.
COUPLED_UNKNOWNS = 36
# Constraints of kinds that no loop serves: so few may be written on their own.
FEW_OTHERS = 8
# Speeds that one constraint feels: fronts of the elimination are straight code.
COUPLED = 24


# Speeds up to which matrices of the whole are made: of more they take longer to fill
# than a motion takes, and memory by the gigabyte in what is made of them.
DENSE = 2000


SPARSE = (
    "Ask what stays sparse: motions, steps, ledgers, reactions, energies. Or ask it of"
    " a part of the system, or of fewer like parts."
)


def refuse_dense(
    system: System, what: str, most: int = DENSE, how: str = SPARSE
) -> None:
    """Refuses what is dense by nature, of a system of more speeds than it is for."""
    n = system.speeds
    if n <= most:
        return
    raise ModelError(
        f"{what} of {system.name!r} is dense, and {system.name!r} has"
        f" {len(system.bodies)} bodies and {n} speeds.",
        f"What couples each speed with every other has {n} x {n} numbers or more;"
        f" it is made for up to {most} speeds.",
        how,
    )


def _is_small(system: System) -> str:
    """Why straight code is the better one; nothing where it is not."""
    count = len(system.bodies)
    if count > LARGE:
        return ""
    if not system.constraints:
        return f"it has {count} bodies, and up to {LARGE} straight code is quicker"
    unknowns = system.speeds + len(system.row_names)
    if unknowns > COUPLED_UNKNOWNS:
        return ""
    return (
        f"it has {count} bodies, and {unknowns} speeds and constraint rows; up to"
        f" {COUPLED_UNKNOWNS} straight code is quicker"
    )


def is_rolled(system: System) -> bool:
    """Whether a system's equations are loops over tables."""
    if "is rolled" not in system.compiled:
        system.compiled["is rolled"] = not reason_against(system)
    return system.compiled["is rolled"]


def reason_against(system: System) -> str:
    """Why a system is written out body by body; nothing where it is not."""
    small = _is_small(system)
    if small:
        return small
    others = {
        type(e.joint).__name__ for e in system.tree.edges if type(e.joint) not in KINDS
    }
    if others:
        return f"no loop walks joints of the kinds {', '.join(sorted(others))}"
    if system.supports:
        return "it has supports, whose contacts are written one by one"
    return _against_rows(system) if system.constraints else ""


def _against_rows(system: System) -> str:
    """Why constraints are written out one by one."""
    if any(body.carries_fluid for body in system.bodies):
        return "it has constraints, and bodies that carry fluid"
    if any(isinstance(a, JointFriction | ConstraintFriction) for a in system.actions):
        return "it has constraints, and friction that reads what they carry"
    kinds = [type(c).__name__ for c in system.constraints if not isinstance(c, ALIKE)]
    if len(kinds) > FEW_OTHERS:
        return f"no loop serves constraints of the kinds {', '.join(sorted({*kinds}))}"
    most = max(coupled_speeds(system))
    if most > COUPLED:
        return (
            f"a joint or a constraint has {most} speeds on its way to the world, and"
            f" loops serve up to {COUPLED}"
        )
    return ""


def coupled_speeds(system: System) -> list[int]:
    """How many speeds move each body, and how many each constraint feels."""
    feels: list[frozenset[int]] = []
    for edge in system.tree.edges:
        above = feels[edge.parent] if edge.parent >= 0 else frozenset()
        feels.append(above | set(range(edge.z.start, edge.z.stop)))
    counts = [len(own) for own in feels]
    n = len(system.bodies)
    for constraint in system.constraints:
        held = [b % (n + 1) for b in system.places_of(constraint.bodies)]
        counts.append(len(frozenset().union(*(feels[b] for b in held if b < n))))
    return counts
