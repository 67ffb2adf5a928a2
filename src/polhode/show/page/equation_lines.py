"""Equations as lines for a page: in closed form where it is short, else as laws.

Every system has lines that can be read in bounded time: its energies and constraints
where those are short, and the laws of its bodies with the names of all that acts.
"""

from __future__ import annotations

import warnings
from math import isinf
from typing import TYPE_CHECKING, Any, NamedTuple

from polhode.errors import PolhodeError, UnfinishedReading
from polhode.formulation.gauss import gauss
from polhode.formulation.lagrange import lagrange
from polhode.formulation.reading.contact_reading import contact_reading
from polhode.formulation.reading.energies import placed, short_energies
from polhode.formulation.reading.read import needed, rounded, symbols_of
from polhode.formulation.shared.body_laws import body_laws
from polhode.formulation.shared.dense_form import MOST
from polhode.lowering.reading.sympy_reader import effort, latex_lines, letters, to_latex
from polhode.system.contacts import names

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.system import System

FEW = 3  # speeds, for which more effort is worth while
EASY, FAIR = 380, 700  # effort, up to which equations are read: of many, of few speeds
LONGEST, ASKED = 1800, 6000  # letters of LaTeX in one equation; more if asked for
WIDE = 72  # letters on a line
TOO_WIDE = 110  # of a line that cannot be broken
SHOWN = 6  # bodies whose laws are written out
OPERATIONS = 2_500_000  # on terms, for the shortest form
MOST_CONTACTS = 3  # points whose forces stand in the equations
CONTACT_WORDS = (
    "N and T are push and friction of a contact, g its gap, v its slip; an impact"
    " changes the speeds at once."
)
WORDS = (
    "p and L are momentum and angular momentum about the world's origin, r the place of"
    " the mass centre. F and M are force and moment of an action, R and Q those of a"
    " joint or constraint; a joint's on its first body are the opposite ones."
)


class Written(NamedTuple):
    """Formulas in LaTeX, and a sentence that says what they are."""

    formulas: list[str]
    words: str


def equation_text(
    system: System, source: Any = None, *, form: Equations | None = None
) -> Written:
    """The equations of a system in lines that can be read.

    `source` is a Reading, or Equations to be read whatever time it takes. Without one
    the closed form is taken where it is short, of `form` or Lagrange's; else energies
    and the laws of bodies.
    """
    if system.supports:
        return _with_contacts(system)
    if source is None and not is_easy(system):
        return laws(system)
    try:
        reading = _reading(source or form or usual(system))
    except PolhodeError:
        return laws(system)
    if source is None and is_vast(reading):
        return laws(system)
    formulas = closed(reading)
    if max(map(len, formulas)) > (LONGEST if source is None else ASKED):
        latex_of = laws(system)
        return latex_of._replace(
            words=f"{reading.name}: too long for a page. {latex_of.words}"
        )
    words = f"{reading.name}: the Lagrangian, then the equations of motion"
    words += ", then the constraints." if reading.constraints else "."
    return Written(formulas, words)


def _with_contacts(system: System) -> Written:
    """The equations with pushes and friction, and the laws of contacts."""
    try:
        reading = _contact_reading(system) if is_easy(system) else None
    except PolhodeError:
        reading = None
    if reading is not None:
        formulas = [
            *closed(reading),
            *(f for law in reading.laws for f in law.formulas()),
        ]
        if max(map(len, formulas)) <= LONGEST:
            words = f"{reading.name}: the Lagrangian, then the equations of motion."
            return Written(formulas, f"{words} {CONTACT_WORDS}")
    bare = laws(system.without_supports)
    listed = ", ".join(repr(support.name) for support in system.supports)
    more = r"0 \le g \perp N \ge 0, \quad |T| \le \mu_s N, \quad T = -\mu_d N v/|v|"
    words = (
        f"{bare.words} Supports {listed} push as the last line says. {CONTACT_WORDS}"
    )
    return Written([*bare.formulas, more], words)


def _contact_reading(system: System) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedReading)  # right, if not its shortest
        return contact_reading(system, usual, operations=OPERATIONS)


def is_vast(reading: Any) -> bool:
    """Whether it has more parts than a page has letters; typesetting takes minutes."""
    for expression in (reading.lagrangian, *reading.said()):
        stack, count = [expression], 0
        while stack:
            stack.extend(stack.pop().args)
            count += 1
            if count > LONGEST:
                return True
    return False


def closed(reading: Any) -> list[str]:
    """The lines of a reading; places that are named by their numbers are numbers."""
    origin = getattr(reading, "reading", reading).origin
    system, table = origin.equations.system, origin.symbols.table
    numbers = {s: placed(system, name, s) for name, s in table.items()}

    def latex_of(expression: Any) -> Any:
        return rounded(expression.subs(numbers))

    said = [latex_of(each) for each in reading.said()]
    lines = [break_lines(each, after="= 0") for each in said if each != 0]
    used = needed(reading.where, [reading.lagrangian, *reading.said()])
    named = [
        break_lines(latex_of(each), before=f"{to_latex(name)} =") for name, each in used
    ]
    return [break_lines(latex_of(reading.lagrangian), before="L ="), *lines, *named]


def break_lines(expression: Any, before: str = "", after: str = "") -> str:
    """One formula, over several lines where it is wider than a page."""
    lines = latex_lines(expression, WIDE)
    lines[-1] = f"{lines[-1]} {after}".rstrip()
    if len(lines) == 1:
        return f"{before} {lines[0]}".lstrip()
    inside = r" \\ & ".join(lines)
    return rf"\begin{{split}} {before} & {inside} \end{{split}}"


def laws(system: System) -> Written:
    """Energies and positions where they are short, and who acts on each body."""
    energies, bodies = short_energies(system), body_laws(system)
    words = WORDS
    if len(bodies.laws) > SHOWN:
        words += f" {len(bodies.laws) - SHOWN} more bodies obey laws like these."
    if energies.has_numbers and energies.kinetic is not None:
        words += " In T are the numbers of this model."
    read = [("T =", energies.kinetic), ("V =", energies.potential)]
    lines = [break_lines(rounded(e), before=word) for word, e in read if e is not None]
    lines += [break_lines(rounded(each), after="= 0") for each in energies.positions]
    lines = [line for line in lines if _widest(line) <= TOO_WIDE]
    return Written([*bodies.formulas(SHOWN), *lines], words)


def _widest(formula: str) -> int:
    return max(letters(line) for line in formula.split(r"\\"))


def is_easy(system: System) -> bool:
    """Whether the closed form can be read soon; few speeds may have choices."""
    if system.supports and len(names(system)) > MOST_CONTACTS:
        return False
    system = system.without_supports
    if len(system.bodies) > MOST:
        return False
    equations = gauss(system)
    t, q, _, y, _, _, table = symbols_of(equations, {})

    def terms(at: Any, table: Any) -> Any:
        return equations.functions.terms(*at, table)

    found = effort(terms, (t, q, y), table)
    return found <= EASY or (system.speeds <= FEW and (found <= FAIR or isinf(found)))


def usual(system: System) -> Equations:
    """Lagrange's equations of few speeds, as in books; else Gauss's."""
    if system.speeds > FEW:
        return gauss(system)
    try:
        return lagrange(system)
    except PolhodeError:
        return gauss(system)


def _reading(source: Any) -> Any:
    if hasattr(source, "motion") and hasattr(source, "lagrangian"):
        return source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedReading)  # right, if not its shortest
        return source.read(operations=OPERATIONS)
