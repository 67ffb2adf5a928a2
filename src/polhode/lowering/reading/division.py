"""Exact division and factors of polynomials, the relations of the ring included."""

from __future__ import annotations

from sympy import QQ
from sympy.polys.rings import ring as polynomial_ring

from polhode.lowering.reading.ring import (
    Generator,
    Monomial,
    Number,
    Polynomial,
    Ring,
    content,
    ratio,
    whole,
)

TERMS = 3_000  # larger dividends are not tried
FACTORED = 40  # nor are larger polynomials factored
VARIABLES = 10
FACTOR = 60  # operations of the ring that a term and variable cost SymPy's factoring


def lowest(ring: Ring, p: Polynomial) -> Monomial:
    """The greatest monomial, of negative powers too, that divides every term."""
    least: dict[Generator, int] = {}
    for k, m in enumerate(p):
        pairs = dict(ring.factors(m))
        if k == 0:
            least = pairs
            continue
        for g in [*least, *pairs]:
            least[g] = min(least.get(g, 0), pairs.get(g, 0))
    return sum(g.to(e) for g, e in least.items())


def common(ring: Ring, p: Polynomial) -> Monomial:
    """What every term has, above the line or below it."""
    low = dict(ring.factors(lowest(ring, p)))
    high = dict(ring.factors(lowest(ring, {-m: c for m, c in p.items()})))
    above = sum(g.to(e) for g, e in low.items() if e > 0)
    return above - sum(g.to(e) for g, e in high.items() if e > 0)


def primitive(ring: Ring, p: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(one term, rest) whose product is p; the rest has coprime integers and a sign."""
    low, number = lowest(ring, p), content(p.values())
    number *= leading_sign(ring, {m - low: c for m, c in p.items()})
    return {low: number}, {m - low: ratio(c, number) for m, c in p.items()}


def leading_sign(ring: Ring, p: Polynomial) -> int:
    """The sign of most of the terms that mix most generators, as a c in a c - b^2."""
    mixed = {m: len(ring.factors(m)) for m in p}
    most = max(mixed.values())
    chosen = [c for m, c in p.items() if mixed[m] == most] if most > 1 else []
    for numbers in (chosen, p.values(), [p.get(0, 0)], [p[max(p)]]):
        votes = sum(1 if c > 0 else -1 for c in numbers if c)
        if votes:
            return 1 if votes > 0 else -1
    return 1


def divide(ring: Ring, p: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """p / divisor if that is a Laurent polynomial, else None.

    A divisor d0 + d1 g with a rule g^2 -> v is first made free of g: numerator and
    divisor are multiplied by d0 - d1 g, which makes the divisor d0^2 - d1^2 v.
    """
    if not p:
        return {}
    for g in ring.used(divisor):
        if not g.power or g.kind in ("over", "held"):
            continue
        if g.power != 2 or len(p) * len(divisor) > TERMS:
            return None
        conjugate = {m: -c if _has(ring, m, g) else c for m, c in divisor.items()}
        p = ring.expand(p, conjugate)
        divisor = ring.expand(divisor, conjugate)
        if not divisor or len(p) > TERMS:
            return None
    return _divide_freely(ring, p, divisor)


def _has(ring: Ring, m: Monomial, g: Generator) -> bool:
    return any(h is g and e % 2 for h, e in ring.factors(m))


def _divide_freely(ring: Ring, p: Polynomial, d: Polynomial) -> Polynomial | None:
    """Division as if no generator had a rule; packed integers order the monomials."""
    low, under = lowest(ring, p), lowest(ring, d)
    rest = {m - low: c for m, c in p.items()}
    d = {m - under: c for m, c in d.items()}
    lead, quotient = max(d), {}
    if not _is_whole(ring, min(rest) - min(d)):
        return None
    while rest:
        top = max(rest)
        if not _is_whole(ring, top - lead):
            return None
        factor = ratio(rest[top], d[lead])
        quotient[top - lead] = factor
        ring.spend(len(d))
        for m, c in d.items():
            m += top - lead
            left = rest.get(m, 0) - factor * c
            if left:
                rest[m] = left
            else:
                del rest[m]
    return ring.reduce({m + low - under: c for m, c in quotient.items()})


def _is_whole(ring: Ring, m: Monomial) -> bool:
    return m >= 0 and all(e > 0 for _, e in ring.factors(m))


def factors(ring: Ring, p: Polynomial) -> tuple[Number, list[tuple[Polynomial, int]]]:
    """A number and the irreducible factors of p with their powers, if p is small."""
    used = ring.used(p)
    if len(p) > FACTORED or len(used) > VARIABLES or ring.is_spent():
        return 1, [(p, 1)]
    ring.spend(FACTOR * len(p) * len(used))
    places = {g: k for k, g in enumerate(used)}
    names = polynomial_ring([f"x{k}" for k in range(len(used))], QQ)[0]
    terms = {}
    for m, c in p.items():
        exponents = [0] * len(used)
        for g, e in ring.factors(m):
            exponents[places[g]] = e
        terms[tuple(exponents)] = QQ(c)
    number, found = names.from_dict(terms).factor_list()
    out = []
    for factor, power in found:
        back = {
            sum(g.to(e) for g, e in zip(used, exponents, strict=True)): c
            for exponents, c in factor.terms()
        }
        (scale,), rest = primitive(ring, back)[0].values(), primitive(ring, back)[1]
        number *= scale**power
        out.append((rest, power))
    return whole(number), out
