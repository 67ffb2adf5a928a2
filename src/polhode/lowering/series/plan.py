"""What is to be computed for a series: leading values, recurrences, and their order.

Values of order zero are elements of the scalar program. All that follows is one node of
it, `series`, with this plan: each kind of code writes the recurrences in its own words
(`recurrences`), and all of them round alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from polhode.lowering.ir.fold import Arithmetic
from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.series.expressions import Expressions, Series, Value
from polhode.lowering.series.groups import Group, grouped

DOUBLE = "float64"
PARTNER = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh"}
# What divides a recurrence: by kind, which argument's leading value.
DIVISORS = {"quotient": 1, "power": 0, "primitive": 1, "angle": 2}


@dataclass(frozen=True)
class Slope:
    """The slope of a variable: scale * series, or a constant element."""

    scale: Element
    series: Series | None


@dataclass(eq=False)
class Plan:
    """Series in an order in which each follows its arguments.

    turns       of angles that are sums u + sign v: those two, and the sign
    leading     values of order zero, by the number of a series
    divisors    reciprocals of what divides a recurrence, likewise
    groups      series of one kind, side by side
    """

    order: int
    series: list[Series]
    variables: list[Element]
    slopes: list[Slope]
    groups: list[Group]
    partners: dict[int, Series]
    leading: dict[int, Element] = field(default_factory=dict)
    divisors: dict[int, Element] = field(default_factory=dict)
    turns: dict[int, tuple[Series, Series, float]] = field(default_factory=dict)
    operations: int = 0

    def elements(self) -> list[Node]:
        """All nodes of the program that it computes with, each once."""
        found: list[Any] = [*self.variables, *self.leading.values()]
        found += self.divisors.values()
        found += [slope.scale for slope in self.slopes]
        found += [s.data for s in self.series if s.kind in ("scaled", "choice")]
        return list(dict.fromkeys(e for e in found if isinstance(e, Node)))


def plan_of(
    make: Expressions, variables: list[Element], slopes: list[Value], order: int
) -> Plan:
    """The plan of variables with these slopes, leading values made."""
    needed = _below([v.series for v in slopes if v.series is not None])
    partners = {}
    for s in [s for s in needed if s.kind == "wave"]:
        partners[s.number] = make.make("wave", s.args, PARTNER[s.data])
        if partners[s.number] not in needed:
            needed.insert(needed.index(s), partners[s.number])
    for s in [s for s in needed if s.kind == "wave"]:
        partners[s.number] = make.make("wave", s.args, PARTNER[s.data])
    rates = [Slope(v.scale, v.series) for v in slopes]
    needed = _divided(needed, [slope.series for slope in rates])
    plan = Plan(order, needed, variables, rates, grouped(needed), partners)
    plan.turns = make.turns
    for s in needed:
        _lead(plan, make.build, s)
    return plan


def _divided(needed: list[Series], roots: list[Series | None]) -> list[Series]:
    """A product with a reciprocal that nothing else asks for is one quotient."""
    uses = Counter(a.number for s in needed for a in s.args)
    uses.update(s.number for s in roots if s is not None)
    gone = set()
    for s in needed:
        for place in (0, 1) if s.kind == "product" else ():
            divisor = s.args[place]
            is_once = uses[divisor.number] == 1 and divisor.data == -1.0
            if divisor.kind == "power" and is_once:
                s.kind, s.args = "quotient", (s.args[1 - place], divisor.args[0])
                gone.add(divisor.number)
                break
    return [s for s in needed if s.number not in gone]


def _lead(plan: Plan, build: Arithmetic, s: Series) -> None:
    """The value of order zero, and the reciprocal that its recurrence asks."""
    args = [plan.leading[a.number] for a in s.args]
    plan.leading[s.number] = value = _value(plan, build, s, args)
    if s.kind == "power" and s.data == 0.5:
        plan.divisors[s.number] = build.div(0.5, value)
    elif s.kind in DIVISORS:
        plan.divisors[s.number] = build.div(1.0, args[DIVISORS[s.kind]])


def _value(plan: Plan, build: Arithmetic, s: Series, args: list[Element]) -> Element:
    if s.kind == "variable":
        return plan.variables[s.data]
    if s.kind == "sum":
        weights, shift = s.data
        terms = [build.mul(w, a) for w, a in zip(weights, args, strict=True)]
        return build.sum([*terms, shift])
    if s.kind == "scaled":
        return build.mul(s.data, args[0])
    if s.kind == "product":
        return build.mul(*args)
    if s.kind == "quotient":
        return build.div(*args)
    if s.kind == "power":
        return power_value(build, args[0], s.data)
    if s.kind == "choice":
        return build.select(s.data, args[0], args[1], DOUBLE)
    if s.kind == "wave":
        return _wave_value(plan, build, s.data, s.args[0])
    if s.kind == "angle":
        return build.apply("atan2", DOUBLE, args[0], args[1])
    names = {"exponential": "exp", "tanh": "tanh"}
    return build.apply(names.get(s.kind, s.data), DOUBLE, args[0])


def _wave_value(plan: Plan, build: Arithmetic, name: str, angle: Series) -> Element:
    """Its sine or cosine; of a sum of angles by theirs, which are known."""
    if angle.number not in plan.turns or name not in ("sin", "cos"):
        return build.apply(name, DOUBLE, plan.leading[angle.number])
    u, v, sign = plan.turns[angle.number]
    sines = [_wave_value(plan, build, "sin", of) for of in (u, v)]
    cosines = [_wave_value(plan, build, "cos", of) for of in (u, v)]
    if name == "sin":  # sin u cos v + sign cos u sin v
        late = build.mul(sign, build.mul(cosines[0], sines[1]))
        return build.add(build.mul(sines[0], cosines[1]), late)
    late = build.mul(-sign, build.mul(*sines))
    return build.add(build.mul(*cosines), late)


def power_value(build: Arithmetic, u: Element, exponent: float) -> Element:
    """u^exponent by roots and products where that is exact to a rounding or two."""
    twice = 2 * exponent
    if not twice.is_integer() or abs(exponent) > 16:
        return build.apply("pow", DOUBLE, u, exponent)
    whole, is_half = divmod(abs(int(twice)), 2)
    found = build.power(u, whole) if whole else None
    if is_half:
        root = build.apply("sqrt", DOUBLE, u)
        found = root if found is None else build.mul(found, root)
    return build.div(1.0, found) if exponent < 0 else found


def _below(roots: list[Series]) -> list[Series]:
    """All series that these are made of, arguments first."""
    order: list[Series] = []
    seen: set[int] = set()
    stack = [(s, False) for s in reversed(roots)]
    while stack:
        series, is_done = stack.pop()
        if is_done:
            order.append(series)
        elif series.number not in seen:
            seen.add(series.number)
            stack.append((series, True))
            stack += [(a, False) for a in series.args]
    return order
