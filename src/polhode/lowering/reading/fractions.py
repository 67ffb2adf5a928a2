"""Denominators: which terms share one, and what cancels against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from polhode.lowering.reading.division import divide
from polhode.lowering.reading.ring import Generator, Monomial, Polynomial, Ring, plus

BELOW = ("over", "root", "sin")  # symbols and cosines cancel by themselves
Fraction = tuple[Polynomial, Monomial]  # numerator, denominator


def separate(ring: Ring, p: Polynomial) -> list[Fraction]:
    """One fraction for every denominator that occurs."""
    groups: dict[Monomial, Polynomial] = defaultdict(dict)
    for m, c in p.items():
        under = sum(g.to(-e) for g, e in ring.factors(m) if e < 0 and g.kind in BELOW)
        groups[under][m + under] = c
    reduced = [cancel(ring, top, under) for under, top in groups.items()]
    merged: dict[Monomial, Polynomial] = {}
    for top, under in reduced:
        merged[under] = plus(merged.get(under, {}), top)
    return [(top, under) for under, top in merged.items() if top]


def together(ring: Ring, p: Polynomial) -> list[Fraction]:
    """One fraction in all, or one for each odd power of a root."""
    groups: dict[Hashable, Polynomial] = defaultdict(dict)
    for m, c in p.items():
        pairs = [(g, e % g.power) for g, e in ring.factors(m) if g.kind == "root"]
        groups[tuple(pairs)][m] = c
    out = []
    for group in groups.values():
        under = _common(ring, group)
        top = ring.reduce({m + under: c for m, c in group.items()})
        out.append(cancel(ring, top, under))
    return [(top, under) for top, under in out if top]


def _common(ring: Ring, p: Polynomial) -> Monomial:
    most: dict[Generator, int] = {}
    for m in p:
        for g, e in ring.factors(m):
            if e < 0 and g.kind in BELOW:
                most[g] = max(most.get(g, 0), -e)
    return sum(g.to(e) for g, e in most.items())


def cancel(ring: Ring, top: Polynomial, under: Monomial) -> Fraction:
    """The fraction in lowest terms, as far as exact division goes."""
    for g, e in ring.factors(under):
        step = g.power if g.kind == "root" else 1
        while e >= step and not ring.is_spent():
            by_sine = g.kind == "sin"
            raised = ring.shift(top, g.monomial) if by_sine else top
            quotient = divide(ring, raised, g.value)
            if quotient is None:
                break
            top, under, e = quotient, under - g.to(step), e - step
    return top, under
