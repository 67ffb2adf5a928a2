"""Named numbers: what a model can be asked to vary, and what equations are read in.

A noun of this room is a function of a table of parameters. Three rules:

- `Parameter("m", 1.2)` names a number, and arithmetic on it makes a derived one; the
  number may be a text with a unit, "1.2 kg", whose dimension is then checked;
- a bare number takes the name of its place, such as `rod.mass`, when the noun that
  holds it gets a name; a bare zero is structure and stays a zero;
- `noun.parameters` lists what it depends on, and `noun.moments(table)` or
  `point.at(table)` evaluates it: a table maps names to numbers or to tracers, and
  names that it leaves out keep their nominal values.

Nominal values are checked at the door. Inside a trace nothing is checked, so
`m l^2/12` stays `m l^2/12` when it is read.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, final

import numpy as np

from polhode.arrays import Scalar
from polhode.dimension import (
    Measured,
    combined,
    has_unit,
    measured,
    require_dimension,
)
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import is_name

Table: TypeAlias = Mapping[str, Any]

NOMINAL: Table = MappingProxyType({})


@final
@dataclass(frozen=True)
class Parameter:
    """A number with a name, or one that follows from others.

    >>> m, l = Parameter("m", 1.2), Parameter("l", 0.5)
    >>> m * l**2 / 12
    Parameter('m * l ** 2 / 12', 0.025)
    >>> (m * l).at({"m": 3.0})
    1.5

    With the extra `units`, Parameter("m", "1200 g") is 1.2, and no length.
    """

    name: str
    value: Any
    sources: tuple[Any, ...] = field(default=(), repr=False)
    law: Callable[..., Any] | None = field(default=None, repr=False)
    unit: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise ModelError(
                f"a parameter cannot be named {self.name!r}.",
                "Tables and printed equations call a parameter by its name.",
                'Give it a short text, such as Parameter("m", 1.2).',
            )
        who = f"parameter {self.name!r}"
        if has_unit(self.value):
            found = measured(self.value, who)
            object.__setattr__(self, "unit", found.unit or "1")
            object.__setattr__(self, "value", found.value)
        object.__setattr__(self, "value", number(self.value, who))

    @staticmethod
    def derived(name: str, law: Callable[..., Any], *sources: Any) -> Parameter:
        """The parameter law(*sources), where sources are parameters or numbers."""
        value = law(*(at(source, NOMINAL) for source in sources))
        return Parameter(name, value, sources, law)

    @property
    def roots(self) -> tuple[Parameter, ...]:
        """The named numbers that this one follows from: itself, if from none."""
        return parameters_in(self.sources) if self.law else (self,)

    def at(self, table: Table) -> Any:
        """The value that a table gives, or the nominal one where it gives none."""
        if self.law is None:
            return table.get(self.name, self.value)
        return self.law(*(at(source, table) for source in self.sources))

    def __add__(self, other: Any) -> Parameter:
        return _combine("+", operator.add, self, other)

    def __radd__(self, other: Scalar) -> Parameter:
        return _combine("+", operator.add, other, self)

    def __sub__(self, other: Any) -> Parameter:
        return _combine("-", operator.sub, self, other)

    def __rsub__(self, other: Scalar) -> Parameter:
        return _combine("-", operator.sub, other, self)

    def __mul__(self, other: Any) -> Parameter:
        return _combine("*", operator.mul, self, other)

    def __rmul__(self, other: Scalar) -> Parameter:
        return _combine("*", operator.mul, other, self)

    def __truediv__(self, other: Any) -> Parameter:
        return _combine("/", operator.truediv, self, other)

    def __rtruediv__(self, other: Scalar) -> Parameter:
        return _combine("/", operator.truediv, other, self)

    def __pow__(self, power: int) -> Parameter:
        return _combine("**", operator.pow, self, power)

    def __neg__(self) -> Parameter:
        inner = _operand_text(self, "*", left=False)
        return Parameter.derived(f"-{inner}", operator.neg, self)

    def __repr__(self) -> str:
        shown = self.value if is_traced(self.value) else f"{self.value:g}"
        return f"Parameter({self.name!r}, {shown})"


Quantity: TypeAlias = float | Parameter
# What a place of a model takes: a number, also traced, a text with a unit, a parameter.
Amount: TypeAlias = Scalar | str | Parameter


def number(value: Scalar, what: str) -> Any:
    """A real finite number as a float; a tracer passes as it is."""
    if is_traced(value):
        return value
    given = np.asarray(value)
    if given.dtype.kind not in "fiu" or given.ndim:
        raise ModelError(
            f"{what} is not a number: {value!r}.",
            "A quantity of a model is one real number, in SI units.",
            "Give a number or a ph.Parameter.",
        )
    if not np.isfinite(given):
        raise ModelError(
            f"{what} is not finite: {value}.",
            "NaN and infinity measure nothing.",
            "Look where the number comes from: a division by zero or a missing value.",
        )
    return float(given)


def quantity(value: Any, what: str, unit: str = "") -> Any:
    """A parameter as it is, and anything else as a checked number.

    Where the place has a unit, a text such as "12 cm" is read, and what is known to
    have another dimension is refused.
    """
    if isinstance(value, Parameter):
        own = unit_of(value) if unit else None
        if own is not None:
            require_dimension(own, unit, f"{what}, parameter {value.name!r},")
        return value
    if unit and has_unit(value):
        found = measured(value, what)
        require_dimension(found.unit, unit, what)
        return found.value
    return number(value, what)


def unit_of(parameter: Parameter) -> str | None:
    """The unit of a parameter, in SI; None where a number in it came without one."""
    if parameter.law is None:
        return parameter.unit or None
    if not any(root.unit for root in parameter.roots):
        return None
    sources: list[Measured | float] = []
    for source in parameter.sources:
        own = unit_of(source) if isinstance(source, Parameter) else None
        if isinstance(source, Parameter) and own is None:
            return None
        value = at(source, NOMINAL)
        sources.append(value if own is None else Measured(value, own))
    try:
        return combined(parameter.law, sources)
    except (TypeError, ValueError, AttributeError) as reason:
        if not all(isinstance(source, Measured) for source in sources):
            return None  # a bare number beside it may be in any unit
        raise ModelError(
            f"parameter {parameter.name!r} joins what has different dimensions:"
            f" {reason}.",
            "Only quantities of one dimension can be added.",
            "Look at the units of the parameters in it.",
        ) from None


def at(value: Any, table: Table = NOMINAL) -> Any:
    """The number behind a quantity: a parameter is looked up, a number is itself."""
    return value.at(table) if isinstance(value, Parameter) else value


def named(value: Any, place: str) -> Any:
    """A bare number as the parameter of its place; zeros, arrays, tracers as they are.

    >>> named(1.2, "rod.mass"), named(0.0, "rod.tip.x")
    (Parameter('rod.mass', 1.2), 0.0)
    """
    if isinstance(value, float) and value != 0.0:
        return Parameter(place, value)
    return value


def parameters_in(values: Iterable[Any]) -> tuple[Parameter, ...]:
    """The named numbers on which any of the values depends, each once, in order."""
    found = [v.roots for v in values if isinstance(v, Parameter)]
    return distinct(root for roots in found for root in roots)


def distinct(parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """Each name and value once, in order; tracers are told apart by identity."""
    found: dict[Any, Parameter] = {}
    for p in parameters:
        value = id(p.value) if is_traced(p.value) else p.value
        found.setdefault((p.name, value), p)
    return tuple(found.values())


def table_of(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The nominal table: one value a name, and one only.

    >>> table_of([Parameter("m", 1.2), Parameter("l", 0.8)])
    {'m': 1.2, 'l': 0.8}
    """
    table: dict[str, Any] = {}
    for parameter in parameters:
        known = table.setdefault(parameter.name, parameter.value)
        if not is_traced(known, parameter.value) and known != parameter.value:
            raise ModelError(
                f"parameter {parameter.name!r} has two values, {known:g} and"
                f" {parameter.value:g}.",
                "A name stands for one number in a model.",
                "Rename one of them, or make the parameter once and use it twice.",
            )
    return table


def _combine(sign: str, law: Callable[..., Any], one: Any, other: Any) -> Parameter:
    left, right = (
        _operand_text(one, sign, left=True),
        _operand_text(other, sign, left=False),
    )
    return Parameter.derived(f"{left} {sign} {right}", law, one, other)


def _operand_text(value: Any, sign: str, *, left: bool) -> str:
    """The operand as text, in brackets where its own sign binds less strongly."""
    if not isinstance(value, Parameter):
        return f"{value:g}" if isinstance(value, (int, float)) else str(value)
    rank = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}
    inner = min((rank[word] for word in value.name.split() if word in rank), default=4)
    inner, outer = (1 if value.name.startswith("-") else inner), rank[sign]
    keep = inner > outer or (left and inner == outer and sign != "**")
    return value.name if keep else f"({value.name})"
