"""Equations for people: the terms of a formulation in the symbols of its system.

What reads well: Lagrange, Gauss, Kane, Gibbs-Appell, Boltzmann-Hamel and the recursive
form of hinges, slides and one or two rotations, with few bodies. Loops read as rows
with multipliers. Longer ones have names for what stands in several places, such as
rotations R_11 and entries of the mass matrix, which a list at their end defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import sympy

from polhode.actions.contact.carried_friction import REAL, JointFriction
from polhode.arrays import Array, Scalar
from polhode.errors import UnreadableProgram
from polhode.formulation.reading.canonical import canonical_balance
from polhode.formulation.reading.place_names import place_names
from polhode.formulation.reading.where_lines import (
    Writing,
    quantities,
    warn_unfinished,
    written,
)
from polhode.lowering.reading.definitions import Definition
from polhode.lowering.reading.ring import ALLOWED
from polhode.lowering.reading.symbols import escaped
from polhode.lowering.reading.sympy_reader import read, to_latex
from polhode.lowering.reading.unread import UnreadFunction
from polhode.matter.parameter import Table
from polhode.system import rows

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.formulation.reading.coordinates import Chart, Coordinates
    from polhode.system.system import System

nan = sympy.nan
STOP = re.compile(r"\.(?!\d)")  # of a name, not of a number in it
CANONICAL = "Hamilton"  # the form whose velocities are momenta of coordinates
AXES = ("torque x", "torque y", "torque z", "force x", "force y", "force z")


@final
@dataclass(frozen=True, repr=False)
class Reading:
    """The equations of motion as SymPy expressions; each is equal to zero.

    motion       M y_dot + b - f - A^T l
    constraints  A y_dot - g
    mass_matrix  M
    lagrangian   L = T - V in the system's own coordinates and speeds
    positions    g(t, q) of the holonomic constraints
    is_shortest  whether all was brought to its shortest form
    where        names and what they stand for, each of those before it; empty where
                 the equations are short without
    unread       functions f(x) in it that have no closed form, such as searched tables
    """

    name: str
    motion: tuple[sympy.Expr, ...]
    constraints: tuple[sympy.Expr, ...]
    mass_matrix: sympy.Matrix
    lagrangian: sympy.Expr
    positions: tuple[sympy.Expr, ...]
    is_shortest: bool
    origin: Origin = field(repr=False)
    unread: tuple[UnreadFunction, ...] = ()
    where: tuple[Definition, ...] = ()

    def said(self) -> list[sympy.Expr]:
        """The equations of motion, and those rows that say something: not 0 = 0."""
        return [*self.motion, *(each for each in self.constraints if each != 0)]

    def said_positions(self) -> list[sympy.Expr]:
        """Those equations of position that say something: not 0 = 0, as in a plane."""
        return [each for each in self.positions if each not in (0, nan)]

    def reactions(self) -> dict[str, dict[str, sympy.Expr]]:
        """What each joint exerts on its second body, part by part, where not zero.

        About the joint's point, along the axes of its second frame, as functions of the
        symbols of `motion`: accelerations and multipliers too.
        """
        return reactions_of(self.origin)

    def c(self) -> str:
        """C source of the accelerations and multipliers: the folded program."""
        from polhode.lowering.backends.source.c import to_c

        called = {**_called(self.origin), "linkage": "extern"}
        return to_c(*_accelerations(self.origin.equations), **called)

    def matlab(self) -> str:
        """MATLAB source of the accelerations and multipliers: the folded program."""
        from polhode.lowering.backends.source.matlab import to_matlab

        return to_matlab(*_accelerations(self.origin.equations), **_called(self.origin))

    def latex(self) -> str:
        """All of it in LaTeX: Lagrangian, mass matrix, equations, constraints."""
        held = [to_latex(each) + " &= 0" for each in self.said_positions()]
        lines = [
            f"L &= {to_latex(self.lagrangian)}",
            f"M &= {to_latex(self.mass_matrix)}",
            *self._equations(),
            *held,
            *where_formulas(self.where),
        ]
        return r"\begin{aligned}" + r"\\ ".join(lines) + r"\end{aligned}"

    def picture(self) -> Any:
        """The equations typeset as a picture; see `show.charts`."""
        from polhode.show.plots.charts import reading_picture

        return reading_picture(self)

    def text(self) -> str:
        """All of it in plain text."""
        lines = [f"L = {self.lagrangian}", f"M = {self.mass_matrix.tolist()}"]
        held = [f"{each} = 0" for each in self.said_positions()]
        more = (self.lagrangian, *self.mass_matrix, *self.said_positions())
        used = needed(self.where, [*self.said(), *more])
        return "\n".join([*self._lines(), *lines, *held, *where_texts(used)])

    def __repr__(self) -> str:
        used = needed(self.where, self.said())
        return "\n".join([*self._lines(), *where_texts(used)])

    def _lines(self) -> list[str]:
        """Name, equations, and what is to be said of them."""
        lines = [f"{each} = 0" for each in self.said()]
        if not self.is_shortest:
            lines.append(f"(right, but not in its shortest form: {self._too_long()})")
        used = {s for each in self.motion for s in each.free_symbols}
        lines += [
            f"({symbol} is the push that {name.removesuffix('.load')!r} is under)"
            for name, symbol in pushes(self.origin.equations.system).items()
            if symbol in used
        ]
        lines += [f"({each})" for each in self.unread]
        return [self.name, *lines]

    def _repr_html_(self) -> str:
        """What a notebook shows: MathML, which needs no script."""
        from polhode.show.notebook import reading_html

        return reading_html(self)

    def equation_lines(self) -> list[str]:
        """The equations in LaTeX, one a line, aligned at their equals signs."""
        lines = self._equations()
        lines += where_formulas(needed(self.where, self.said()))
        if not self.is_shortest:
            lines.append(rf"&\text{{(not in its shortest form: {self._too_long()})}}")
        for each in self.unread:
            lines.append(rf"&\text{{({escaped(str(each))})}}")
        return lines

    def _repr_latex_(self) -> str:
        lines = self.equation_lines()
        return r"$$\begin{aligned}" + r"\\ ".join(lines) + r"\end{aligned}$$"

    def _equations(self) -> list[str]:
        return [to_latex(each) + " &= 0" for each in self.said()]

    def _too_long(self) -> str:
        return f"too long for {self.origin.operations:g} operations"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """What a reading was made from."""

    equations: Equations
    symbols: Symbols
    operations: float


class Symbols(NamedTuple):
    """The symbols of time, coordinates, speeds, velocities, their rates, and so on."""

    t: Any
    q: list[Any]
    z: list[Any]
    y: list[Any]
    y_dot: list[Any]
    held: list[Any]
    table: dict[str, Any]


def reading_of(
    equations: Equations, names: Mapping[str, str], operations: float = ALLOWED
) -> Reading:
    """The equations with a symbol for every coordinate, velocity and parameter.

    `names` calls coordinates, velocities and parameters otherwise: {"hinge": "theta"}.
    """
    system, core = equations.system, equations.functions
    symbols = symbols_of(equations, names)

    def balance(
        at: tuple[Any, Any, Any], z: Array, y_dot: Array, held: Array, table: Table
    ) -> Any:
        t, q, y = at
        M, b, f, A, g = core.terms(t, q, y, table)
        T = system.kinetic_energy(t, q, z, table)
        energies = T - system.potential_energy(t, q, table)
        named = quantities(system, system.poses(t, q, table).rotations, M)
        if not held.shape[0]:
            return (M @ y_dot + b - f, 0.0 * y_dot, M, energies, 0.0 * y_dot), named
        places = rows.positions(system, t, q, table)
        motion = M @ y_dot + b - f - A.T @ held
        return (motion, A @ y_dot - g, M, energies, places), named

    balance.__name__ = f"{equations.name}, {system.name}"  # as errors call it
    t, q, z, y, y_dot, held, table = symbols
    given = ((t, q, y), z, y_dot, held, table)
    units = unit_quaternions(system, q)
    found = written(balance, given, system, operations=operations, units=units)
    return _reading(balance.__name__, found, Origin(equations, symbols, operations))


def _reading(name: str, found: Writing, origin: Origin) -> Reading:
    """What was found as a reading; refused where it is not finite."""
    motion, on_rates, M, L, places = found.parts
    held = bool(origin.symbols.held)
    _require_numbers(origin.equations, motion, on_rates, [e for _, e in found.where])
    warn_unfinished(found, name, origin.operations)
    return Reading(
        name,
        tuple(motion),
        tuple(on_rates) if held else (),
        sympy.Matrix(M.tolist()),
        L,
        tuple(places) if held else (),
        found.is_shortest,
        origin,
        found.unread,
        found.where,
    )


def reading_in(
    equations: Equations,
    coordinates: Coordinates,
    names: Mapping[str, str],
    operations: float = ALLOWED,
) -> Reading:
    """The equations in coordinates of one's choice, s; see `coordinates`.

    Its mass matrix is E^T M E, its Lagrangian of s and s_dot.
    """
    system, core = equations.system, equations.functions
    is_canonical = equations.name == CANONICAL
    if core.start is not core.speeds and not is_canonical:
        raise UnreadableProgram(
            f"{equations.name!r} cannot be read in other coordinates.",
            "Its velocities are its own, not rates of coordinates.",
            "Read ph.lagrange(system), ph.hamilton(system) or ph.kane(system) in them.",
        )
    chart = coordinates.of(system)
    if is_canonical:
        return _canonical_reading(equations, chart, names, operations)
    own = symbols_of(equations, names)
    s = _symbols(chart.names, names)
    s_dot, s_ddot = ([_rate(each, dots) for each in s] for dots in ("dot", "ddot"))

    def balance(
        at: tuple[Any, Any, Any], s_ddot: Any, held: Array, table: Table
    ) -> Any:
        t, s, s_dot = at
        z, z_dot = jax.jvp(
            lambda s, s_dot: chart.speeds(t, s, s_dot), (s, s_dot), (s_dot, s_ddot)
        )
        E = jax.jacfwd(lambda s_dot: chart.speeds(t, s, s_dot))(s_dot)
        q = chart.place(s)
        M, b, f, A, g = core.terms(t, q, z, table)
        L = system.kinetic_energy(t, q, z, table) - system.potential_energy(t, q, table)
        own = E.T @ M @ E
        named = quantities(system, system.poses(t, q, table).rotations, own)
        if not held.shape[0]:
            motion = E.T @ (M @ z_dot + b - f)
            return (motion, 0.0 * s_dot, own, L, 0.0 * s_dot), named
        motion = E.T @ (M @ z_dot + b - f - A.T @ held)
        places = rows.positions(system, t, q, table)
        return (motion, A @ z_dot - g, own, L, places), named

    balance.__name__ = f"{equations.name}, {system.name}"  # as errors call it
    given = ((own.t, s, s_dot), s_ddot, own.held, own.table)
    found = written(balance, given, system, operations=operations)
    symbols = own._replace(q=s, z=s_dot, y=s_dot, y_dot=s_ddot)
    name = f"{balance.__name__}, in {', '.join(chart.names)}"
    return _reading(name, found, Origin(equations, symbols, operations))


def _canonical_reading(
    equations: Equations, chart: Chart, names: Mapping[str, str], operations: float
) -> Reading:
    """Hamilton's equations, of coordinates s and of their momenta p(s)."""
    system, own = equations.system, symbols_of(equations, names)
    s = _symbols(chart.names, names)
    s_dot = [_rate(each, "dot") for each in s]
    p = _symbols(tuple(f"p({each.name})" for each in s), names)
    p_dot = [_rate(each, "dot") for each in p]
    balance = canonical_balance(system, chart)
    balance.__name__ = f"{equations.name}, {system.name}"  # as errors call it
    given = ((own.t, s, p), s_dot, p_dot, own.held, own.table)
    found = written(balance, given, system, operations=operations)
    symbols = own._replace(q=s, z=s_dot, y=p, y_dot=p_dot)
    name = f"{balance.__name__}, in {', '.join(chart.names)}"
    return _reading(name, found, Origin(equations, symbols, operations))


def _require_numbers(equations: Equations, *parts: Any) -> None:
    """Refuse what is no equation: 0/0 of a singularity that was not removed."""
    if not any(sympy.sympify(each).has(nan) for part in parts for each in part):
        return
    raise UnreadableProgram(
        f"{equations.system.name!r} cannot be read in the form {equations.name!r}.",
        "At its very places a closed form divides by nothing, 0/0, though the equations"
        " have a limit there and run.",
        "Read another form, or what acts on each body: polhode equations MODEL.",
    )


def reactions_of(origin: Origin) -> dict[str, dict[str, sympy.Expr]]:
    """By joint and part: what it exerts on its second body, in symbols."""
    core, system = origin.equations.functions, origin.equations.system
    t, q, _, y, y_dot, held, table = origin.symbols

    def wrenches(
        at: tuple[Any, Any, Any], y_dot: Array, held: Any, table: Table
    ) -> Any:
        own = held if origin.symbols.held else held[:0]
        return core.joint_wrenches(*at, (y_dot, own), table)

    wrenches.__name__ = f"reactions, {system.name}"  # as errors call them
    found = read(
        wrenches,
        (t, q, y),
        y_dot,
        held or [0],
        table,
        operations=origin.operations,
        unread=[],
        units=unit_quaternions(system, q),
    )
    return {
        joint.name: {
            axis: part for axis, part in zip(AXES, found[k], strict=True) if part != 0
        }
        for k, joint in enumerate(system.joints)
    }


def unit_quaternions(system: System, q: list[Any]) -> list[list[Any]]:
    """The symbols of each unit quaternion: w^2 + x^2 + y^2 + z^2 = 1."""
    units = []
    for edge in system.tree.edges:
        names = edge.joint.coordinate_names
        parts = [
            symbol
            for symbol, name in zip(q[edge.q], names, strict=True)
            if name.rpartition(".")[2] in ("qw", "qx", "qy", "qz")
        ]
        if len(parts) == 4:
            units.append(parts)
    return units


def needed(
    where: tuple[Definition, ...], expressions: Iterable[sympy.Expr]
) -> tuple[Definition, ...]:
    """The definitions that expressions need, in their order."""
    used = {s for each in expressions for s in each.free_symbols}
    found = []
    for name, expression in reversed(where):  # each needs only those before it
        if name in used:
            used |= expression.free_symbols
            found.append((name, expression))
    return tuple(reversed(found))


def where_texts(where: tuple[Definition, ...]) -> list[str]:
    """Definitions in plain text, one a line."""
    lines = [f"  {name} = {expression}" for name, expression in where]
    return ["where", *lines] if lines else []


def where_formulas(where: tuple[Definition, ...]) -> list[str]:
    """Definitions in LaTeX, one a line, aligned at their equals signs."""
    return [f"{to_latex(name)} &= {to_latex(each)}" for name, each in where]


def rounded(expression: Any, digits: int = 6) -> Any:
    """The expression with its decimals in so many digits, for people."""
    floats = expression.atoms(sympy.Float)
    return expression.xreplace({x: sympy.Float(x, digits) for x in floats})


def symbols_of(equations: Equations, names: Mapping[str, str]) -> Symbols:
    """The symbols in which equations are read; `names` calls some otherwise."""
    system = equations.system
    q = _symbols(system.coordinate_names, names)
    speeds, rates = system.speed_names, equations.velocity_names
    # A speed that is called as a coordinate is its rate, whatever stands beside it.
    own = dict(zip(system.coordinate_names, q, strict=True))

    def of(word: str) -> sympy.Symbol:
        return _rate(own[word], "dot") if word in own else _symbol(word, names)

    def rate_of(word: str) -> sympy.Symbol:
        return _rate(own[word], "ddot") if word in own else _rate(of(word), "dot")

    # A joint and its body may have one name, and twists of the form other axes: then
    # the speed of the joint, in the Lagrangian, is z_craft_vx.
    core = equations.functions
    is_of_bodies = len(rates) == 6 * len(system.bodies)
    others = {*rates} if is_of_bodies and core.start is not core.speeds else set()

    def speed_of(word: str) -> sympy.Symbol:
        own = of(word)
        return sympy.Symbol(f"z_{own.name}") if word in others else own

    t, held = (
        sympy.Symbol("t"),
        [sympy.Symbol(f"lambda_{k + 1}") for k, _ in enumerate(equations.row_names)],
    )
    z, y = [speed_of(word) for word in speeds], [of(word) for word in rates]
    y_dot = [rate_of(word) for word in rates]
    moving = {symbol.name for symbol in (t, *q, *z, *y, *y_dot, *held)}
    table = _parameters(system, names, moving)
    return Symbols(t, q, z, y, y_dot, held, table | pushes(system))


def _parameters(
    system: System, names: Mapping[str, str], moving: set[str]
) -> dict[str, sympy.Symbol]:
    """The symbols of parameters, each its own and none that of a motion.

    The side x of a box "A" and the place x of the craft "A" are both A.x: then the
    side is p_A_x. Places on bodies have shorter names than theirs.
    """
    own = (*system.coordinate_names, *system.speed_names, *system.parameters)
    others = {*names.values(), *(STOP.sub("_", name) for name in own)}
    called = {**place_names(system.parameters, others), **names}
    found: dict[str, sympy.Symbol] = {}
    taken = set(moving)
    for name in system.parameters:
        symbol = _symbol(name, called, positive=True)
        while symbol.name in taken:
            symbol = sympy.Symbol(f"p_{symbol.name}", positive=True)
        taken.add(symbol.name)
        found[name] = symbol
    return found


def pushes(system: System) -> dict[str, sympy.Symbol]:
    """The push that each friction is under, by its name in the table: N_hinge.

    It is of the ideal reaction, which friction changes: no closed form has both.
    """
    return {
        action.load_name: sympy.Symbol(f"N_{_held_by(action)}", positive=True)
        for action in system.actions
        if isinstance(action, REAL)
    }


def _held_by(action: Any) -> str:
    of = action.joint if isinstance(action, JointFriction) else action.constraint
    return STOP.sub("_", of.name)


def _rate(symbol: sympy.Symbol, dots: str) -> sympy.Symbol:
    """The symbol of a rate: thetadot; `end_dot`, since `enddot` were two dots on en."""
    apart = "_" if symbol.name.endswith("d") else ""
    return sympy.Symbol(f"{symbol.name}{apart}{dots}")


def _accelerations(equations: Equations) -> tuple[Any, ...]:
    """The function of (t, q, y), and examples of its arguments."""
    core, rest = equations.functions, equations.system.rest()

    def accelerations(t: Scalar, q: Array, y: Array) -> Any:
        y_dot, held = core.accelerations(t, q, y, {})
        return (y_dot, held) if equations.row_names else y_dot

    return accelerations, rest.t, rest.q, equations.velocities(rest)


def _called(origin: Origin) -> dict[str, Any]:
    held = ("y_dot", "multipliers") if origin.equations.row_names else ("y_dot",)
    return {"name": f"{origin.equations.system.name} accelerations", "results": held}


def _symbols(names: tuple[str, ...], called: Mapping[str, str]) -> list[sympy.Symbol]:
    return [_symbol(name, called) for name in names]


def _symbol(name: str, called: Mapping[str, str], **kind: bool) -> sympy.Symbol:
    word = STOP.sub("_", name)
    if word[:1].isdigit():  # a joint called "2": length**2 would be a power
        word = f"p_{word}" if kind.get("positive") else f"q_{word}"
    return sympy.Symbol(called.get(name, word), **kind)
