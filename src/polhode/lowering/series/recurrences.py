"""Recurrences of normalised Taylor coefficients, order by order.

    u(t + s) = sum u_k s^k

Each kind of series has its coefficient of order k from those of its arguments up to k
and its own below k (Jorba and Zou, A software package for the numerical integration of
ODEs by means of high-order Taylor methods, Exp. Math. 14 (2005) 99, proposition 2.1;
Moore 1966). What is known before order k is summed first, so that the next order waits
for one or two operations of each series; a coefficient that is known to vanish is the
number zero, and costs nothing.
"""

from __future__ import annotations

from typing import Any, Protocol

from polhode.lowering.ir.graph import Element
from polhode.lowering.series.expressions import Series
from polhode.lowering.series.groups import Group
from polhode.lowering.series.plan import Plan

AHEAD = 4  # orders whose sums are begun together: as many as have registers
Token = Any  # a number that is known, or what a `Writer` calls a value
Column = list[Token]  # coefficients by their order


class Writer(Protocol):
    """The words of one kind of code; arguments that are numbers are folded before."""

    def leading(self, element: Element) -> Token: ...
    def add(self, a: Token, b: Token) -> Token: ...
    def sub(self, a: Token, b: Token) -> Token: ...
    def mul(self, a: Token, b: Token) -> Token: ...
    def fma(self, a: Token, b: Token, c: Token) -> Token: ...
    def fnma(self, a: Token, b: Token, c: Token) -> Token: ...
    def select(self, which: Token, yes: Token, no: Token) -> Token: ...
    def pack(self, parts: list[Token]) -> Token: ...
    def part(self, whole: Token, lane: int, count: int) -> Token: ...
    def pause(self) -> None: ...


class Recurrences:  # limit: one method a kind of series
    """Finds the coefficients of a plan with the words of a writer."""

    def __init__(self, plan: Plan, writer: Writer, width: int):
        self.plan, self.w = plan, Folded(writer)
        self.groups = plan.groups if width > 1 else _single(plan.groups)
        self.of: dict[tuple[int, ...], Column] = {}
        self.rates: dict[tuple[int, ...], Column] = {}
        self.fixed: dict[Any, Token] = {}  # packed leading values and divisors
        self.variables = [[self.w.leading(e)] for e in plan.variables]

    def solve(self) -> list[Column]:
        """Coefficients of the variables, from order zero on."""
        w, plan = self.w, self.plan
        for k in range(plan.order):
            for group in self.groups:
                self._append(
                    group, self._lead(group) if k == 0 else self._next(group, k)
                )
                w.pause()
            for column, slope in zip(self.variables, plan.slopes, strict=True):
                if slope.series is None:
                    rate = w.leading(slope.scale) if k == 0 else 0.0
                    column.append(w.mul(1.0 / (k + 1), rate))
                else:
                    scale = slope.scale / (k + 1)
                    column.append(w.mul(scale, self.of[(slope.series.number,)][k]))
        return self.variables

    # ----------------------------------------------------------------- columns

    def _append(self, group: Group, token: Token) -> None:
        numbers = tuple(s.number for s in group.members)
        self.of.setdefault(numbers, []).append(token)
        if len(numbers) > 1:
            for lane, number in enumerate(numbers):
                part = self.w.part(token, lane, len(numbers))
                self.of.setdefault((number,), []).append(part)

    def _column(self, lanes: tuple[Series, ...]) -> Column:
        """The coefficients of series side by side; gathered where they are not."""
        key = tuple(s.number for s in lanes)
        column = self.of.setdefault(key, [])
        if len(key) > 1:
            known = min(len(self.of[(number,)]) for number in key)
            for k in range(len(column), known):
                column.append(self.w.pack([self.of[(n,)][k] for n in key]))
        return column

    def _rates(self, lanes: tuple[Series, ...], k: int) -> Column:
        """j u_j up to order k."""
        key = tuple(s.number for s in lanes)
        known, own = self.rates.setdefault(key, [0.0]), self._column(lanes)
        for j in range(len(known), k + 1):
            known.append(self.w.mul(float(j), own[j]))
        return known

    def _lead(self, group: Group) -> Token:
        return self._constant("leading", group, self.plan.leading)

    def _divisor(self, group: Group) -> Token:
        return self._constant("divisors", group, self.plan.divisors)

    def _constant(self, word: str, group: Group, of: dict[int, Element]) -> Token:
        """Elements of order zero, side by side."""
        key = (word, group)
        if key not in self.fixed:
            parts = [self.w.leading(of[s.number]) for s in group.members]
            self.fixed[key] = parts[0] if len(parts) == 1 else self.w.pack(parts)
        return self.fixed[key]

    # ---------------------------------------------------------- higher orders

    def _next(self, group: Group, k: int) -> Token:
        return getattr(self, f"_{group.kind}")(group, k)

    def _variable(self, group: Group, k: int) -> Token:
        return self.variables[group.data][k]

    def _sum(self, group: Group, k: int) -> Token:
        total: Token = 0.0
        for weight, arg in zip(group.data[0], group.args, strict=True):
            total = self.w.fma(weight, self._column(arg)[k], total)
        return total

    def _scaled(self, group: Group, k: int) -> Token:
        factor = self.w.leading(group.data)
        return self.w.mul(factor, self._column(group.args[0])[k])

    def _choice(self, group: Group, k: int) -> Token:
        yes, no = (self._column(a)[k] for a in group.args)
        return self.w.select(self.w.leading(group.data), yes, no)

    def _product(self, group: Group, k: int) -> Token:
        a, b = map(self._column, group.args)
        if group.members[0].args[0] is group.members[0].args[1]:
            return self._square(a, k)
        known = self._inner(a, b, k)
        return self.w.fma(a[k], b[0], self.w.fma(b[k], a[0], known))

    def _square(self, a: Column, k: int) -> Token:
        known = self._inner_square(a, k)
        return self.w.fma(self._twice(a), a[k], known)

    def _twice(self, a: Column) -> Token:
        key = ("twice", id(a))
        if key not in self.fixed:
            self.fixed[key] = self.w.mul(2.0, a[0])
        return self.fixed[key]

    def _quotient(self, group: Group, k: int) -> Token:
        w, (a, b), c = self.w, map(self._column, group.args), self._own(group)
        known = w.sub(a[k], self._inner(b, c, k))
        return w.mul(w.fnma(b[k], c[0], known), self._divisor(group))

    def _power(self, group: Group, k: int) -> Token:
        w, u, c = self.w, self._column(group.args[0]), self._own(group)
        divisor, exponent = self._divisor(group), group.data
        if exponent == 0.5:
            return w.mul(w.sub(u[k], self._inner_square(c, k)), divisor)
        # k u_0 c_k = sum_j (a j - (k - j)) u_j c_(k-j)
        known = self._inner(u, c, k)
        if exponent == -1.0:
            known = w.mul(known, w.mul(-1.0, divisor))
        else:
            rates = self._inner(self._rates(group.args[0], k - 1), c, k)
            known = w.mul(w.sub(w.mul((exponent + 1) / k, rates), known), divisor)
        key = ("lead", group)
        if key not in self.fixed:
            self.fixed[key] = w.mul(exponent, w.mul(c[0], divisor))
        return w.fma(self.fixed[key], u[k], known)

    def _wave(self, group: Group, k: int) -> Token:
        partners = tuple(self.plan.partners[s.number] for s in group.members)
        other = self._column(partners)
        found = self._integral_of(group, other, k)
        return self.w.mul(-1.0, found) if group.data == "cos" else found

    def _exponential(self, group: Group, k: int) -> Token:
        return self._integral_of(group, self._own(group), k)

    def _integral(self, group: Group, k: int) -> Token:
        return self._integral_of(group, self._column(group.args[1]), k)

    def _integral_of(self, group: Group, g: Column, k: int) -> Token:
        """Of theta' = g u': k theta_k = sum_j j u_j g_(k-j)."""
        u = self._column(group.args[0])
        rates = self._rates(group.args[0], k - 1)
        known = self.w.mul(1.0 / k, self._inner(rates, g, k))
        return self.w.fma(u[k], g[0], known)

    def _primitive(self, group: Group, k: int) -> Token:
        u, divisor = self._column(group.args[0]), self._column(group.args[1])
        return self._divided(u[k], group, divisor, k)

    def _angle(self, group: Group, k: int) -> Token:
        w, (y, x, square) = self.w, map(self._column, group.args)
        first = self._inner(self._rates(group.args[0], k - 1), x, k)
        second = self._inner(self._rates(group.args[1], k - 1), y, k)
        area = w.mul(1.0 / k, w.sub(first, second))
        area = w.fnma(x[k], y[0], w.fma(y[k], x[0], area))
        return self._divided(area, group, square, k)

    def _divided(self, rate: Token, group: Group, divisor: Column, k: int) -> Token:
        """Of theta' w = u': what the lower terms of theta leave."""
        own = self._rates(group.members, k - 1)
        known = self.w.fnma(1.0 / k, self._inner(own, divisor, k), rate)
        return self.w.mul(known, self._divisor(group))

    def _tanh(self, group: Group, k: int) -> Token:
        """theta' = g u' with g = 1 - theta^2, found on the way."""
        own, w = self._own(group), self.w
        g = self.fixed.setdefault(("tanh", group), [])
        while len(g) < k:
            j = len(g)
            square = self._square(own, j) if j else w.mul(own[0], own[0])
            g.append(w.sub(0.0 if j else 1.0, square))
        return self._integral_of(group, g, k)

    # ----------------------------------------------------------------- sums

    def _own(self, group: Group) -> Column:
        return self.of[tuple(s.number for s in group.members)]

    def _inner(self, a: Column, b: Column, k: int) -> Token:
        """sum a_j b_(k-j) for 0 < j < k."""
        return self._sums(a, b, k, is_square=False)

    def _inner_square(self, a: Column, k: int) -> Token:
        """The same of a with itself, each pair once."""
        w, half = self.w, self._sums(a, a, k, is_square=True)
        twice = w.add(half, half)
        return twice if k % 2 else w.fma(a[k // 2], a[k // 2], twice)

    def _sums(self, a: Column, b: Column, k: int, is_square: bool) -> Token:
        """The products that several orders share are summed at once, the rest here.

        Every so many orders all pairs that are known go to the sums of the orders
        ahead: a coefficient is fetched once for several products.
        """
        first = k - k % AHEAD
        key = ("sums", id(a), id(b), is_square)
        if k == first or key not in self.fixed:
            first = self.fixed[(*key, "first")] = k
            self.fixed[key] = self._ahead(a, b, k, is_square)
        first = self.fixed[(*key, "first")]
        total = self.fixed[key][k - first]
        for j in _pairs(k, is_square):
            if max(j, k - j) >= first:
                total = self.w.fma(a[j], b[k - j], total)
        return total

    def _ahead(self, a: Column, b: Column, first: int, is_square: bool) -> Column:
        """Of orders first, first + 1, ...: the sums of pairs below the first."""
        count = min(AHEAD - first % AHEAD, self.plan.order - first)
        totals: Column = [0.0] * count
        for j in range(1, first):
            for r in range(count):
                m = first + r - j
                if m < first and (j < m or not is_square):
                    totals[r] = self.w.fma(a[j], b[m], totals[r])
        return totals


def _pairs(k: int, is_square: bool) -> list[int]:
    """The j of all a_j b_(k-j), the latest coefficients last."""
    every = (j for j in range(1, k) if 2 * j < k or not is_square)
    return sorted(every, key=lambda j: (max(j, k - j), j))


def _single(groups: list[Group]) -> list[Group]:
    """The same series one by one, their arguments in the same places."""
    return [
        Group((s,), tuple((lanes[i],) for lanes in group.args))
        for group in groups
        for i, s in enumerate(group.members)
    ]


class Folded:
    """The words of a writer, where known numbers are computed before it is called."""

    def __init__(self, writer: Writer):
        self.writer, self.pause = writer, writer.pause
        self.leading, self.part = writer.leading, writer.part
        self.pack = writer.pack

    def add(self, a: Token, b: Token) -> Token:
        if a.__class__ is float and b.__class__ is float:
            return a + b
        if a.__class__ is float and a == 0.0:
            return b
        if b.__class__ is float and b == 0.0:
            return a
        return self.writer.add(a, b)

    def sub(self, a: Token, b: Token) -> Token:
        if a.__class__ is float and b.__class__ is float:
            return a - b
        if b.__class__ is float and b == 0.0:
            return a
        if a.__class__ is float and a == 0.0:
            return self.mul(-1.0, b)
        return self.writer.sub(a, b)

    def mul(self, a: Token, b: Token) -> Token:
        if b.__class__ is float:
            a, b = b, a
        if b.__class__ is float:
            return a * b
        if a.__class__ is float and a in (0.0, 1.0):
            return b if a else 0.0
        return self.writer.mul(a, b)

    def fma(self, a: Token, b: Token, c: Token) -> Token:
        if b.__class__ is float:
            a, b = b, a
        if a.__class__ is float:
            if a == 0.0 or b.__class__ is float:
                return self.add(a * b if b.__class__ is float else 0.0, c)
            if a == 1.0:
                return self.add(b, c)
            if a == -1.0:
                return self.sub(c, b)
        if c.__class__ is float and c == 0.0:
            return self.mul(a, b)
        return self.writer.fma(a, b, c)

    def fnma(self, a: Token, b: Token, c: Token) -> Token:
        """c - a b."""
        if a.__class__ is float or b.__class__ is float:
            a, b = (b, a) if b.__class__ is float else (a, b)
            return self.fma(-a, b, c)
        if c.__class__ is float and c == 0.0:
            return self.mul(-1.0, self.mul(a, b))
        return self.writer.fnma(a, b, c)

    def select(self, which: Token, yes: Token, no: Token) -> Token:
        if yes.__class__ is float and no.__class__ is float and yes == no:
            return yes
        return self.writer.select(which, yes, no)
