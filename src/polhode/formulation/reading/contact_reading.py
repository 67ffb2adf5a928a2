r"""Equations of a system with supports for people, contact forces as unknowns.

M y_dot + b = f + A_N^T N + A_T^T T
0 <= g(q)  _|_  N >= 0                     open, or pressed
|T| <= mu_s N   at rest,     T = -mu_d N v/|v|   where it slips
u_N+ = -e u_N-                             where it strikes, of a central impact
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import sympy

from polhode.actions.contact.friction_laws import Stribeck
from polhode.constraints.rolling import NoTurn
from polhode.errors import ModelError
from polhode.formulation.contact.in_mode import TwoSided, two_sided
from polhode.formulation.lagrange import lagrange
from polhode.formulation.reading.read import (
    STOP,
    Reading,
    needed,
    reading_of,
    rounded,
    where_formulas,
    where_texts,
)
from polhode.lowering.reading.definitions import Definition
from polhode.lowering.reading.ring import ALLOWED
from polhode.lowering.reading.sympy_reader import to_latex
from polhode.matter.parameter import Parameter, at
from polhode.supports.joint_supports import JointCandidates, Stop
from polhode.supports.rolling_friction import CoupleCandidates
from polhode.system.checked_argument import system_argument
from polhode.system.contacts import names as names_of
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

RESTITUTIONS = {
    "Stronge": "W_r = -{e}^2 W_c",
    "Poisson": "P_r = {e} P_c",
    "Newton": "u_N+ = -{e} u_N-",
}


@final
@dataclass(frozen=True, eq=False)
class ContactLaw:
    """What a candidate point obeys, in symbols.

    gap         g(t, q), or None where it is too long to be read
    push        N
    friction    T along the two tangents; empty of a smooth one
    dynamic, static, restitution   symbols or numbers; two of an ellipse
    law         name of the law of restitution
    fall        of Stribeck's law: the speed and the viscous part; else empty
    presses     of what only rubs: what its push is; empty of others, which have a gap
    """

    name: str
    gap: Any
    push: sympy.Symbol
    friction: tuple[sympy.Symbol, ...]
    dynamic: Any
    static: Any
    restitution: Any
    law: str
    fall: tuple[Any, ...] = ()
    presses: str = ""

    def texts(self) -> list[str]:
        """Complementarity, friction and restitution in plain text."""
        N, T = self.push, ", ".join(map(str, self.friction))
        gap = "g" if self.gap is None else rounded(self.gap)
        lines = [self.presses or f"0 <= {gap}  _|_  {N} >= 0"]
        if self.friction and isinstance(self.dynamic, tuple):
            lines += self._ellipse()
        elif self.friction:
            lines.append(f"|({T})| <= {self.static}*{N} where {self.name!r} sticks")
            lines.append(f"({T}) = -{self._sliding()}*{N} v/|v| where it slides")
        if self.presses:
            return lines
        if self.restitution == 0:
            return [*lines, "u_N+ = 0 where it strikes"]
        strikes = RESTITUTIONS[self.law].format(e=self.restitution)
        return [*lines, f"{strikes} where it strikes ({self.law})"]

    def _sliding(self) -> str:
        """mu of a slip."""
        if not self.fall:
            return f"{self.dynamic}"
        speed, viscous = self.fall
        low, high = self.dynamic, self.static
        grows = "" if viscous == 0 else f" + {viscous}*|v|"
        return f"({low} + ({high} - {low})*exp(-(|v|/{speed})^2){grows})"

    def _ellipse(self) -> list[str]:
        """Friction of two directions, T1 and T2 along and across its axis."""
        (d_1, d_2), (s_1, s_2), N = self.dynamic, self.static, self.push
        return [
            f"|(T_along/{s_1}, T_across/{s_2})| <= {N} where {self.name!r} sticks",
            f"T = -{N} D^2 v/|D v|, D = diag({d_1}, {d_2}), where it slides",
        ]

    def formulas(self) -> list[str]:
        """Complementarity and friction in LaTeX."""
        N = to_latex(self.push)
        gap = "g" if self.gap is None else to_latex(rounded(self.gap))
        lines = [rf"0 \le {gap} \perp {N} \ge 0"]
        if self.presses:
            lines = [rf"\text{{{self.presses}}}"]
        if self.friction and (self.fall or isinstance(self.dynamic, tuple)):
            said = self._ellipse() if isinstance(self.dynamic, tuple) else self.texts()
            lines += [rf"\text{{{line}}}" for line in said if "v|" in line]
        elif self.friction:
            T = ", ".join(map(to_latex, self.friction))
            mu_s, mu_d = (
                to_latex(sympy.sympify(m)) for m in (self.static, self.dynamic)
            )
            lines.append(
                rf"\left|\left({T}\right)\right| \le {mu_s} {N} \text{{ (sticks)}}"
            )
            lines.append(
                rf"\left({T}\right) = -{mu_d} {N} v / \left|v\right| \text{{ (slides)}}"
            )
        return lines


@final
@dataclass(frozen=True, repr=False, eq=False)
class ContactReading:
    """Equations of motion with the forces of contacts, and the laws that these obey.

    motion       each is zero: M y_dot + b - f - A^T (N, T)
    lagrangian   L = T - V
    laws         one a candidate point
    reading      of the same system with its contacts as constraints
    where        names and what they stand for, each of those before it
    """

    name: str
    motion: tuple[sympy.Expr, ...]
    lagrangian: sympy.Expr
    laws: tuple[ContactLaw, ...]
    reading: Reading
    where: tuple[Definition, ...] = ()

    @property
    def constraints(self) -> tuple[sympy.Expr, ...]:
        """Rows of constraints that are none of contacts; each is zero."""
        return self.reading.constraints[: len(self.reading.constraints) - self.rows]

    def said(self) -> list[sympy.Expr]:
        """The equations of motion, and those rows that say something: not 0 = 0."""
        return [*self.motion, *(each for each in self.constraints if each != 0)]

    @property
    def is_shortest(self) -> bool:
        """Whether all was brought to its shortest form."""
        return self.reading.is_shortest

    @property
    def rows(self) -> int:
        """How many rows of the reading are of contacts."""
        return sum((not law.presses) + len(law.friction) for law in self.laws)

    def c(self) -> str:
        """Refused: a program of one mode would let contacts pull."""
        return _refuse_source(self.name)

    def matlab(self) -> str:
        """Refused: a program of one mode would let contacts pull."""
        return _refuse_source(self.name)

    def text(self) -> str:
        """All of it in plain text."""
        used = needed(self.where, [*self._printed(), self.lagrangian])
        energy = f"L = {self.lagrangian}"
        return "\n".join([*self._lines(), energy, *where_texts(used)])

    def latex(self) -> str:
        """All of it in LaTeX."""
        lines = [f"L &= {to_latex(self.lagrangian)}"]
        lines += [f"{to_latex(each)} &= 0" for each in self.said()]
        lines += where_formulas(self.where)
        lines += [f"& {line}" for law in self.laws for line in law.formulas()]
        return r"\begin{aligned}" + r"\\ ".join(lines) + r"\end{aligned}"

    def _repr_html_(self) -> str:
        """What a notebook shows, without a script or the net."""
        from polhode.show.page.mathml import mathml

        return mathml(self.latex())

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def __repr__(self) -> str:
        used = needed(self.where, self._printed())
        return "\n".join([*self._lines(), *where_texts(used)])

    def _printed(self) -> list[sympy.Expr]:
        """Equations, and the gaps of the laws of contacts."""
        return [*self.said(), *(law.gap for law in self.laws if law.gap is not None)]

    def _lines(self) -> list[str]:
        lines = [f"{each} = 0" for each in self.said()]
        lines += [line for law in self.laws for line in law.texts()]
        return [self.name, *lines]


def _refuse_source(name: str) -> str:
    raise ModelError(
        f"{name!r} cannot be written as a program.",
        "Which contacts press, slide and stick is decided while it runs.",
        'Read one mode: ph.lagrange(ph.in_mode(system, {name: "sticks"})).read().c().',
    )


@system_argument
def contact_reading(
    system: System,
    form: Callable[[System], Equations] = lagrange,
    *,
    names: Mapping[str, str] | None = None,
    operations: float = ALLOWED,
) -> ContactReading:
    """The equations of a system with supports in a form, and the laws of its contacts.

    >>> import polhode as ph
    >>> print(contact_reading(ph.models.bouncing_ball()))
    Lagrange, second kind, bouncing ball
    ball_vxdot*m = 0
    ball_vydot*m = 0
    -N_floor + ball_vzdot*m + g*m = 0
    0 <= ball_z  _|_  N_floor >= 0
    W_r = -e^2 W_c where it strikes (Stronge)
    """
    upper = _upper_bounds(system)
    points = two_sided(system, [n for n in names_of(system) if n not in upper])
    rows = [row for p in points for row in (p.touching, p.no_slip) if row is not None]
    given = system.given
    held = (*given.constraints, *rows)
    closed = System(given.members, given.actions, held, name=system.name)
    values = {n: v for n, v in system.values.items() if n in closed.parameters}
    closed = closed.with_(values) if values else closed
    equations, forces = form(closed), _forces(points)
    _require_multipliers(equations, len(forces))
    reading = reading_of(equations, names or {}, operations)
    multipliers = reading.origin.symbols.held
    known = dict(
        zip(multipliers[len(multipliers) - len(forces) :], forces, strict=True)
    )
    motion = tuple(each.subs(known) for each in reading.motion)
    where = tuple((name, each.subs(known)) for name, each in reading.where)
    gaps = _gaps(reading, closed, points)
    laws = tuple(
        law
        for p, gap in zip(points, gaps, strict=True)
        for law in (_law(p, gap), *_upper_law(p, gap))
    )
    return ContactReading(
        reading.name, motion, reading.lagrangian, laws, reading, where
    )


def _require_multipliers(equations: Equations, forces: int) -> None:
    """Refuse a form that has no place for the forces of contacts."""
    if len(equations.row_names) >= forces:
        return
    raise ModelError(
        f"{equations.name!r} cannot be read with the forces of contacts.",
        "It eliminates the multipliers of constraints, and contact forces are such.",
        "Read ph.lagrange or ph.gauss with contacts, or one mode in this form:"
        ' ph.in_mode(system, {name: "sticks"}).',
    )


def _forces(points: list[TwoSided]) -> list[Any]:
    """N, T1 and T2 of all points, in the order of the rows."""
    found: list[Any] = []
    for p in points:
        if p.touching is None:
            pairs = zip(_arms(p), _friction(p), strict=True)
            found += [arm * T for arm, T in pairs]
        else:
            found += [_whole_push(p), *_friction(p)]
    return found


def _arms(point: TwoSided) -> list[Any]:
    """How long the arm of each friction of what only rubs is, in symbols."""
    own = point.support.candidates
    if isinstance(own, JointCandidates):
        return [_symbol(arm) for arm in own.arms]
    return [sympy.Integer(1) for _ in _friction(point)]


def _whole_push(point: TwoSided) -> Any:
    """N; of a stop on both sides the difference of its two."""
    stop = point.support
    if not isinstance(stop, Stop) or len(stop.candidates.names) == 1:
        return _push(point)
    return _push(point) - _push(point._replace(name=stop.candidates.names[1]))


def _upper_bounds(system: System) -> set[str]:
    """Of stops on both sides the second: no place keeps both as equations."""
    stops = [s for s in system.supports if isinstance(s, Stop)]
    return {name for s in stops for name in s.candidates.names[1:]}


def _upper_law(point: TwoSided, gap: Any) -> list[ContactLaw]:
    """The law of the upper bound of a stop that has both, from its lower one's."""
    stop = point.support
    if not isinstance(stop, Stop) or len(stop.candidates.names) == 1:
        return []
    other = None if gap is None else sympy.expand(_span(stop, gap) - gap)
    above = point._replace(name=stop.candidates.names[1])
    return [_law(above, other)]


def _span(stop: Stop, gap: Any) -> Any:
    """upper - lower, in the symbols that the gap of the lower one has."""
    known = {str(symbol): symbol for symbol in gap.free_symbols}

    def symbol(name: str) -> sympy.Symbol:
        return known.get(name, sympy.Symbol(name, real=True))

    low, high = (
        symbol(STOP.sub("_", bound.name))
        if isinstance(bound, Parameter)
        else sympy.Float(float(at(bound)), 6)
        for bound in stop.candidates.bounds
    )
    return high - low


def _push(point: TwoSided) -> sympy.Symbol:
    return sympy.Symbol(f"N_{_word(point.name)}")


def _friction(point: TwoSided) -> tuple[sympy.Symbol, ...]:
    if point.no_slip is None:
        return ()
    letter = "M" if isinstance(point.no_slip, NoTurn) else "T"
    count = len(point.no_slip.rows)
    numbers = [""] if count == 1 else range(1, count + 1)
    return tuple(sympy.Symbol(f"{letter}{k}_{_word(point.name)}") for k in numbers)


def _word(name: str) -> str:
    return STOP.sub("_", name).replace(" ", "_")


def _gaps(reading: Reading, closed: System, points: list[TwoSided]) -> list[Any]:
    """g of each point in symbols, None where it was not read."""
    of_place = [c.name for c in closed.constraints if c.is_holonomic for _ in c.rows]
    by_row = dict(zip(of_place, reading.positions, strict=True))
    found = [p.touching and by_row.get(p.touching.name) for p in points]
    return [None if g is None or g.has(sympy.nan) else g for g in found]


def _law(point: TwoSided, gap: Any) -> ContactLaw:
    support = point.support
    rubs = support.friction
    fall: tuple[Any, ...] = ()
    if isinstance(rubs, Stribeck):
        fall = (_symbol(rubs.speed), _symbol(rubs.viscous))
    N, presses = _pressed(point)
    return ContactLaw(
        point.name,
        gap,
        N,
        _friction(point),
        _symbols(rubs.dynamic) if rubs else 0,
        _symbols(rubs.static) if rubs else 0,
        _symbol(support.law.restitution),
        type(support.law).__name__,
        fall,
        presses,
    )


def _pressed(point: TwoSided) -> tuple[sympy.Symbol, str]:
    """N of a point, and in words what presses it where it only rubs."""
    if point.touching is not None:
        return _push(point), ""
    own, N = point.support.candidates, _push(point)
    if isinstance(own, CoupleCandidates):
        contact = own.support.candidates.names[own.names.index(point.name)]
        N = _push(point._replace(name=contact))
        return N, f"{N} presses {point.name!r} too"
    assert isinstance(own, JointCandidates)
    if own.load is not None:
        return N, f"{N} = {_symbol(own.load)}"
    couple = "" if own.span is None else f" + |M|/{_symbol(own.span)}"
    return N, f"{N} = |F|{couple} of {own.joint.name!r}"


def _symbols(value: Any) -> Any:
    return tuple(map(_symbol, value)) if isinstance(value, tuple) else _symbol(value)


def _symbol(value: Any) -> Any:
    """The symbol of a named number; 0 and what follows from others are numbers."""
    if at(value) == 0:
        return sympy.Integer(0)
    if isinstance(value, Parameter) and value.law is None:
        return sympy.Symbol(_word(value.name))
    return sympy.Float(float(at(value)), 6)
