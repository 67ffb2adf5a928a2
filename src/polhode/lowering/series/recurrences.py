"""Recurrences of normalised Taylor coefficients, order by order.

    u(t + s) = sum u_k s^k

Each kind of series has its value (order zero) and its coefficient of order k from those
of its arguments up to k and its own below k (Jorba and Zou, A software package for the
numerical integration of ODEs by means of high-order Taylor methods, Exp. Math. 14
(2005) 99, proposition 2.1; Moore 1966). A coefficient that is known to vanish is the
number zero, and costs nothing.
"""

from __future__ import annotations

from typing import Any

from polhode.lowering.ir.fold import Arithmetic
from polhode.lowering.ir.graph import Element
from polhode.lowering.series.expressions import Expressions, Series, Value

DOUBLE = "float64"
PARTNER = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh"}


class Coefficients:  # limit: one method a kind of series
    """Coefficients of series, found in order; `of[series.number]` is a list."""

    def __init__(self, make: Expressions, variables: list[Element]):
        self.make, self.build = make, make.build
        self.variables = [[x] for x in variables]
        self.of: dict[int, list[Element]] = {}
        self.rates: dict[int, list[Element]] = {}  # k u_k, where they are asked
        self.kept: dict[Any, Element] = {}  # reciprocals of leading coefficients

    def solve(self, slopes: list[Value], order: int) -> list[list[Element]]:
        """Coefficients up to an order of variables whose slopes are these series."""
        build = self.build
        needed = _below([v.series for v in slopes if v.series is not None])
        # The partner of a sine is needed with it.
        for series in [s for s in needed if s.kind == "wave"]:
            partner = self._partner(series)
            if partner not in needed:
                needed.insert(needed.index(series), partner)
        for k in range(order):
            for series in needed:
                own = self.of.setdefault(series.number, [])
                own.append(self._value(series) if k == 0 else self._next(series, k))
            for variable, slope in zip(self.variables, slopes, strict=True):
                if slope.series is None:
                    rate = slope.scale if k == 0 else 0.0
                else:
                    rate = build.mul(slope.scale, self.of[slope.series.number][k])
                variable.append(build.mul(1.0 / (k + 1), rate))
        return self.variables

    # ------------------------------------------------------------ order zero

    def _value(self, s: Series) -> Element:
        build, args = self.build, [self.of[a.number][0] for a in s.args]
        if s.kind == "variable":
            return self.variables[s.data][0]
        if s.kind == "sum":
            return self._weighted(s, 0)
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
        if s.kind == "angle":
            return build.apply("atan2", DOUBLE, args[0], args[1])
        names = {"exponential": "exp", "tanh": "tanh"}
        return build.apply(names.get(s.kind, s.data), DOUBLE, args[0])

    # ---------------------------------------------------------- higher orders

    def _next(self, s: Series, k: int) -> Element:
        build = self.build
        if s.kind == "variable":
            return self.variables[s.data][k]
        if s.kind == "sum":
            return self._weighted(s, k)
        if s.kind == "scaled":
            return build.mul(s.data, self.of[s.args[0].number][k])
        if s.kind == "choice":
            yes, no = (self.of[a.number][k] for a in s.args)
            return build.select(s.data, yes, no, DOUBLE)
        return getattr(self, f"_{s.kind}")(s, k)

    def _weighted(self, s: Series, k: int) -> Element:
        weights, shift = s.data
        build = self.build
        pairs = zip(weights, s.args, strict=True)
        terms = [build.mul(w, self.of[a.number][k]) for w, a in pairs]
        return build.sum([*terms, shift] if k == 0 else terms)

    def _product(self, s: Series, k: int) -> Element:
        a, b = (self.of[x.number] for x in s.args)
        if a is b:
            return self._square(a, k)
        return self._dot(a[: k + 1], b[k::-1])

    def _square(self, a: list[Element], k: int) -> Element:
        """Of order k, each pair taken once."""
        build, half = self.build, (k + 1) // 2
        pairs = self._dot(a[:half], a[k : k - half : -1])
        twice = build.mul(2.0, pairs)
        return twice if k % 2 else build.add(twice, build.mul(a[k // 2], a[k // 2]))

    def _quotient(self, s: Series, k: int) -> Element:
        build = self.build
        a, b = (self.of[x.number] for x in s.args)
        known = self._dot(b[1 : k + 1], self.of[s.number][k - 1 :: -1])
        return build.mul(build.sub(a[k], known), self._reciprocal(b[0]))

    def _power(self, s: Series, k: int) -> Element:
        u, c = self.of[s.args[0].number], self.of[s.number]
        if s.data == 0.5:
            return self._root(u, c, k)
        build = self.build
        if s.data == -1.0:
            known = self._dot(u[1 : k + 1], c[k - 1 :: -1])
            return build.neg(build.mul(known, self._reciprocal(u[0])))
        # k u_0 c_k = sum_j (a j - (k - j)) u_j c_(k-j)
        rates, own = self._rates(s.args[0], k), self._rates(s, k - 1)
        known = build.sub(
            build.mul(s.data, self._dot(rates[1 : k + 1], c[k - 1 :: -1])),
            self._dot(u[1:k], own[k - 1 : 0 : -1]),
        )
        return build.mul(build.mul(1.0 / k, known), self._reciprocal(u[0]))

    def _root(self, u: list[Element], c: list[Element], k: int) -> Element:
        build, half = self.build, (k - 1) // 2
        known = build.mul(2.0, self._dot(c[1 : half + 1], c[k - 1 : k - 1 - half : -1]))
        if k % 2 == 0:
            known = build.add(known, build.mul(c[k // 2], c[k // 2]))
        return build.mul(build.sub(u[k], known), self._reciprocal(build.mul(2.0, c[0])))

    def _wave(self, s: Series, k: int) -> Element:
        other = self.of[self._partner(s).number]
        found = self._integral_of(s.args[0], other, k)
        return self.build.neg(found) if s.data == "cos" else found

    def _exponential(self, s: Series, k: int) -> Element:
        return self._integral_of(s.args[0], self.of[s.number], k)

    def _integral(self, s: Series, k: int) -> Element:
        return self._integral_of(s.args[0], self.of[s.args[1].number], k)

    def _integral_of(self, u: Series, g: list[Element], k: int) -> Element:
        """Of theta' = g u': k theta_k = sum_j j u_j g_(k-j)."""
        rates = self._rates(u, k)
        return self.build.mul(1.0 / k, self._dot(rates[1 : k + 1], g[k - 1 :: -1]))

    def _primitive(self, s: Series, k: int) -> Element:
        u, w = s.args
        return self._divided(self._rates(u, k)[k], s, self.of[w.number], k)

    def _angle(self, s: Series, k: int) -> Element:
        y, x, square = s.args
        a, b = self._rates(y, k), self._rates(x, k)
        first = self._dot(a[1 : k + 1], self.of[x.number][k - 1 :: -1])
        second = self._dot(b[1 : k + 1], self.of[y.number][k - 1 :: -1])
        area = self.build.sub(first, second)
        return self._divided(area, s, self.of[square.number], k)

    def _divided(self, rate: Element, s: Series, w: list[Element], k: int) -> Element:
        """Of theta' w = rate: what the lower terms of theta leave."""
        build, own = self.build, self._rates(s, k - 1)
        known = build.sub(rate, self._dot(own[1:k], w[k - 1 : 0 : -1]))
        return build.mul(build.mul(1.0 / k, known), self._reciprocal(w[0]))

    def _tanh(self, s: Series, k: int) -> Element:
        """theta' = g u' with g = 1 - theta^2, found on the way."""
        own, build = self.of[s.number], self.build
        g = self.kept.setdefault(("tanh", s.number), [])
        while len(g) < k:
            square = self._square(own, len(g))
            g.append(build.sub(0.0 if g else 1.0, square))
        return self._integral_of(s.args[0], g, k)

    # ----------------------------------------------------------------- shared

    def _dot(self, a: list[Element], b: list[Element]) -> Element:
        return self.build.dot(a, b, DOUBLE)

    def _rates(self, s: Series, k: int) -> list[Element]:
        """j u_j up to order k."""
        known, own = self.rates.setdefault(s.number, []), self.of[s.number]
        for j in range(len(known), k + 1):
            known.append(self.build.mul(float(j), own[j]) if j else 0.0)
        return known

    def _reciprocal(self, a: Element) -> Element:
        return self.build.div(1.0, a)

    def _partner(self, s: Series) -> Series:
        return self.make.make("wave", s.args, PARTNER[s.data])


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
