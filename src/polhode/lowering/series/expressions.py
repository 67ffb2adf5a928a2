"""Expressions of power series: what x_dot is made of, each once.

A value is scale * node with a known number as its scale, so that a - b and b - a, and
their squares, are one node. Powers of one base are one node for each exponent: the
1/r, 1/r^2 and 1/r^3 of a law of gravitation cost one recurrence. What does not depend
on the state or the time is a constant, an element of the scalar program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from polhode.lowering.ir.fold import Arithmetic
from polhode.lowering.ir.graph import Element, key_of


@dataclass(eq=False)
class Series:
    """One series: a kind of recurrence, its arguments, and what else it needs.

    variable    data: its number among the variables
    sum         data: weights of the arguments, and a constant
    scaled      data: a constant element
    product     of two
    quotient    of two
    power       data: the exponent, a number
    wave        data: sin, cos, sinh or cosh, found with its partner
    exponential e' = u' e
    primitive   data: the operation of order zero; theta' w = u'
    integral    the same with theta' = g u'
    tanh        theta' = (1 - theta^2) u'
    angle       atan2(y, x)
    choice      data: the predicate; of two series
    """

    kind: str
    args: tuple[Series, ...]
    data: Any
    number: int


class Value(NamedTuple):
    """scale * series; a constant has no series, and its scale is any element."""

    scale: Element
    series: Series | None


class Expressions:  # limit: one method an operation is the vocabulary
    """Makes series, each once."""

    def __init__(self, build: Arithmetic):
        self.build = build
        self.known: dict[Any, Series] = {}
        self.equalities: dict[Any, Element] = {}
        # Of sums of angles, by their number: u, v, sign of u + sign v.
        self.turns: dict[int, tuple[Series, Series, float]] = {}

    def make(self, kind: str, args: tuple[Series, ...], data: Any = None) -> Series:
        """The one series of this kind, of these arguments."""
        key = (kind, *(a.number for a in args), _key(data))
        if key not in self.known:
            self.known[key] = Series(kind, args, data, len(self.known))
        return self.known[key]

    def function(self, kind: str, args: tuple[Series, ...], data: Any = None) -> Value:
        return Value(1.0, self.make(kind, args, data))

    def variable(self, number: int) -> Value:
        return self.function("variable", (), number)

    def constant(self, element: Element) -> Value:
        return Value(element, None)

    def bare(self, value: Value) -> Series:
        """A series with the scale in it."""
        assert value.series is not None
        if value.scale == 1.0:
            return value.series
        return self.make("sum", (value.series,), ((value.scale,), 0.0))

    # ----------------------------------------------------------------- choices

    def equality(self, which: Element, sides: tuple[Value, ...]) -> Element:
        """The first predicate that asks whether these two values are equal.

        The distance from i to j and that from j to i are one series and two nodes.
        """
        numbers = (v.series and v.series.number for v in sides)
        key = tuple(zip((key_of(v.scale) for v in sides), numbers, strict=True))
        return self.equalities.setdefault(key, which)

    def choice(self, which: Element, yes: Value, no: Value) -> Value:
        """`yes` where the predicate holds, else `no`; what it has decided it is not
        asked again."""
        sides = self.decided(which, yes, 0), self.decided(which, no, 1)
        args = tuple(self._whole(side) for side in sides)
        if args[0] is args[1]:
            return Value(1.0, args[0])
        return self.function("choice", args, which)

    def decided(self, which: Element, value: Value, side: int) -> Value:
        """What a value is on one side (0 yes, 1 no) of a predicate."""
        series = value.series
        if series is None or series.kind != "choice" or series.data is not which:
            return value
        return self.scale(_value_of(series.args[side]), value.scale)

    def _whole(self, value: Value) -> Series:
        """A series with its scale in it, of a constant too."""
        if value.series is None:
            return self.make("sum", (), ((), value.scale))
        return self.bare(value)

    def _lifted(self, function: Callable[..., Value], *values: Value) -> Value | None:
        """f(choice of a constant and u) as the choice of f(constant) and f(u).

        Guards against a quotient by zero then stand around what they guard, and powers
        of one base beneath them find one another.
        """
        guards = [v.series for v in values if v.series is not None]
        which = guards[0].data
        if not all(s.kind == "choice" and s.data is which for s in guards):
            return None
        if any(_value_of(s.args[0]).series is not None for s in guards):
            return None
        sides = ([self.decided(which, v, side) for v in values] for side in (0, 1))
        yes, no = (function(*side) for side in sides)
        return self.choice(which, yes, no)

    # -------------------------------------------------------------- arithmetic

    def add(self, a: Value, b: Value) -> Value:
        build = self.build
        if a.series is None and b.series is None:
            return self.constant(build.add(a.scale, b.scale))
        if a.series is None:
            a, b = b, a
        assert a.series is not None
        if b.series is None:
            if b.scale.__class__ is float and b.scale == 0.0:
                return a
            shift = build.mul(1.0 / a.scale, b.scale)
            made = self._sum([(1.0, a.series)], shift)
            return Value(a.scale * made.scale, made.series)
        if a.series is b.series:
            scale = a.scale + b.scale
            return self.constant(0.0) if scale == 0.0 else Value(scale, a.series)
        if _is_unit_circle(a, b):
            return self.constant(a.scale)
        turned = self._turned(a, b)
        if turned is not None:
            return turned
        return self._sum([(a.scale, a.series), (b.scale, b.series)], 0.0)

    def _turned(self, a: Value, b: Value) -> Value | None:
        """sin u cos v + cos u sin v as sin(u + v), and its like.

        Where axes are parallel each turn is a product of turns: of both components four
        products for a pair of waves.
        """
        first, second = _waves(a.series), _waves(b.series)
        if first is None or second is None or abs(a.scale) != abs(b.scale):
            return None
        if [u for u, _ in first] != [u for u, _ in second]:
            return None
        (u, one), (v, other) = first
        names = ((one, other), tuple(name for _, name in second))
        is_same = a.scale == b.scale
        if names == (("sin", "cos"), ("cos", "sin")):
            name, sign, scale = "sin", 1.0 if is_same else -1.0, a.scale
        elif names == (("cos", "sin"), ("sin", "cos")):
            name, sign, scale = "sin", 1.0 if is_same else -1.0, b.scale
        elif names == (("cos", "cos"), ("sin", "sin")):
            name, sign, scale = "cos", -1.0 if is_same else 1.0, a.scale
        elif names == (("sin", "sin"), ("cos", "cos")):
            name, sign, scale = "cos", -1.0 if is_same else 1.0, b.scale
        else:
            return None
        angle = self._sum([(1.0, u), (sign, v)], 0.0).series
        assert angle is not None
        self.turns[angle.number] = (u, v, sign)
        return Value(scale, self.make("wave", (angle,), name))

    def _sum(self, terms: list[tuple[float, Series]], shift: Element) -> Value:
        """Terms in the order of their numbers, the first with weight one."""
        terms.sort(key=lambda term: term[1].number)
        lead = terms[0][0]
        weights = tuple(weight / lead for weight, _ in terms)
        if lead != 1.0 and not (shift.__class__ is float and shift == 0.0):
            shift = self.build.mul(1.0 / lead, shift)
        args = tuple(series for _, series in terms)
        return Value(lead, self.make("sum", args, (weights, shift)))

    def scale(self, value: Value, factor: float) -> Value:
        if value.series is None:
            return self.constant(self.build.mul(factor, value.scale))
        return Value(factor * value.scale, value.series)

    def mul(self, a: Value, b: Value) -> Value:
        if a.series is None and b.series is None:
            return self.constant(self.build.mul(a.scale, b.scale))
        if a.series is None:
            a, b = b, a
        assert a.series is not None
        if b.series is None:
            return self._times(a, b.scale)
        if a.series.kind == "choice":
            lifted = self._lifted(self.mul, a, b)
            if lifted is not None:
                return lifted
        scale, merged = a.scale * b.scale, self._merged(a.series, b.series)
        if merged is not None:
            return self.scale(merged, scale)
        first, second = sorted((a.series, b.series), key=lambda s: s.number)
        return Value(scale, self.make("product", (first, second)))

    def _times(self, a: Value, factor: Element) -> Value:
        """A series by a constant: a number goes to the scale, a parameter does not."""
        assert a.series is not None
        if factor.__class__ is float:
            if factor == 0.0:
                return self.constant(0.0)
            if math.isfinite(factor) and 1e-150 < abs(factor * a.scale) < 1e150:
                return Value(factor * a.scale, a.series)
        return Value(a.scale, self.make("scaled", (a.series,), factor))

    def _merged(self, a: Series, b: Series) -> Value | None:
        """A product of two powers of one base."""
        (u, m), (v, n) = _as_power(a), _as_power(b)
        if u is not v or (a is b and a.kind != "power"):
            return None
        return self.power(Value(1.0, u), m + n)

    def div(self, a: Value, b: Value) -> Value:
        if b.series is None:
            return self.mul(a, self.constant(self.build.div(1.0, b.scale)))
        if a.series is None or b.series.kind == "power":
            return self.mul(a, self.power(b, -1.0))
        if b.series.kind == "choice" and b.series.data is a.series.data:
            lifted = self._lifted(self.div, a, b)
            if lifted is not None:
                return lifted
        u, _ = _as_power(b.series)
        if _as_power(a.series)[0] is u:
            return self.mul(a, self.power(b, -1.0))
        return Value(a.scale / b.scale, self.make("quotient", (a.series, b.series)))

    def power(self, a: Value, exponent: float) -> Value:
        """a^exponent, a number; of a power it multiplies where no sign is lost."""
        if a.series is None:
            return self.constant(self.build.apply("pow", "float64", a.scale, exponent))
        if exponent == 0.0:
            return self.constant(1.0)
        if exponent == 1.0:
            return a
        if a.series.kind == "choice":
            lifted = self._lifted(lambda u: self.power(u, exponent), a)
            if lifted is not None:
                return lifted
        is_whole = float(exponent).is_integer()
        if not is_whole and a.scale < 0.0:
            return self.function("power", (self.bare(a),), exponent)
        base, scale = a.series, float(a.scale) ** exponent
        if base.kind == "power" and (is_whole or not _is_whole(base.data)):
            base, exponent = base.args[0], base.data * exponent
            return self.scale(self.power(Value(1.0, base), exponent), scale)
        if exponent == 2.0:
            return Value(scale, self.make("product", (base, base)))
        return Value(scale, self.make("power", (base,), exponent))

    # --------------------------------------------------------------- functions

    def exp(self, u: Value) -> Value:
        return self.function("exponential", (self.bare(u),))

    def log(self, u: Value) -> Value:
        base = self.bare(u)
        return self.function("primitive", (base, base), "log")

    def one_plus(self, scale: float, u: Value) -> Value:
        """1 + scale u^2."""
        return self.add(self.constant(1.0), self.scale(self.mul(u, u), scale))


def _value_of(series: Series) -> Value:
    """A series as a value; of one without terms the constant."""
    if series.kind == "sum" and not series.args:
        return Value(series.data[1], None)
    return Value(1.0, series)


def _as_power(a: Series) -> tuple[Series, float]:
    return (a.args[0], a.data) if a.kind == "power" else (a, 1.0)


def _is_whole(exponent: float) -> bool:
    return float(exponent).is_integer()


def _is_unit_circle(a: Value, b: Value) -> bool:
    """Whether it is sin^2 + cos^2 of one angle, equally scaled."""
    assert a.series is not None
    assert b.series is not None
    if a.scale != b.scale:
        return False
    squares = [s.args[0] for s in (a.series, b.series) if _is_square(s)]
    if len(squares) < 2 or any(s.kind != "wave" for s in squares):
        return False
    one, other = squares
    return one.args == other.args and {one.data, other.data} == {"sin", "cos"}


def _waves(series: Series | None) -> list[tuple[Series, str]] | None:
    """Of a product of sines and cosines of two angles: each angle and which it is."""
    if series is None or series.kind != "product":
        return None
    if any(s.kind != "wave" or s.data not in ("sin", "cos") for s in series.args):
        return None
    found = sorted(
        ((s.args[0], s.data) for s in series.args), key=lambda wave: wave[0].number
    )
    return None if found[0][0] is found[1][0] else found


def _is_square(series: Series) -> bool:
    return series.kind == "product" and series.args[0] is series.args[1]


def _key(data: Any) -> Any:
    if isinstance(data, tuple):
        return tuple(map(_key, data))
    return key_of(data)
