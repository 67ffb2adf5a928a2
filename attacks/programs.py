"""Random programs, and functions at special values, against XLA.

The programs are those of `tests/support/random_programs.py`, the differences that are
allowed those of the page on the compiler.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from attacks.attack import Attack

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from lowering_cases import Case, check
from random_programs import as_function, blocks
from special_functions import Program, differences, programs

EXAMPLES = 3  # random programs a try


@cache
def _arguments() -> tuple[np.ndarray, ...]:
    chance = np.random.default_rng(11)
    whole = np.array([0, 3, -7, 12, 101])
    return chance.uniform(-1, 1, 5), chance.uniform(-1, 1, (5, 3)), whole


def _tried(seed: int, strategy: Any, law: Any) -> str | None:
    """A law at a few examples that follow from the seed; the first is the least."""

    @seeded(seed)
    @settings(
        max_examples=1 + EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def once(example: Any) -> None:
        law(*example)

    try:
        once()
    except AssertionError as error:
        return str(error)[:400]
    return None


def straight(seed: int) -> str | None:
    """Arithmetic, indices, sorting and selections."""

    def law(block: list, fold: str) -> None:
        case = Case("straight", as_function(block), _arguments(), rtol=1e-12)
        check(case, fold=fold)

    pairs = st.tuples(blocks(0, most=12), st.sampled_from(["zeros", "ieee"]))
    return _tried(seed, pairs, law)


def nested(seed: int) -> str | None:
    """Loops, branches, maps and derivatives inside each other."""

    def law(block: list, unroll: int) -> None:
        case = Case("nested", as_function(block), _arguments(), rtol=1e-10)
        check(case, unroll=unroll)

    pairs = st.tuples(blocks(2), st.sampled_from([0, 2000]))
    return _tried(seed, pairs, law)


@cache
def _functions() -> list[tuple[Program, str]]:
    return [(each, fold) for each in programs() for fold in ("ieee", "zeros")]


def special(seed: int) -> str | None:
    """One function at all its special values."""
    program, fold = _functions()[seed % len(_functions())]
    found = differences(program, fold)
    return f"{fold}: {'; '.join(found[:3])}" if found else None


ATTACKS = (
    Attack("programs: straight", 200, straight),
    Attack("programs: nested", 130, nested),
    Attack("programs: special values", 2 * len(list(programs())), special),
)
