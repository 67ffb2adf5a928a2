"""The registry of cases against the rules: nothing is lowered untested."""

from __future__ import annotations

from collections import Counter

from lowering_cases import CASES, primitives_of
from polhode.lowering.rules import RULES, newer

# Our own primitives: `test_native_jax.py` takes calls from JAX into a program, and
# `series/` holds the coefficients of Taylor series against derivatives.
OWN = {"polhode_native", "polhode_taylor"}


def test_every_rule_is_exercised():
    """Each primitive that has a rule occurs in the trace of some case.

    What only other versions of JAX have is shown where those versions run.
    """
    seen = set().union(*(primitives_of(c.function, *c.system(0)) for c in CASES))
    assert set(RULES) - seen - set(newer.RULES) - OWN == set()


def test_cases_have_names_of_their_own():
    """A failure names one case."""
    names = Counter(case.name for case in CASES)
    assert [name for name, count in names.items() if count > 1] == []
