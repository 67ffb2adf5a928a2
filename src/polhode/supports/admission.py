"""Numbers of supports that are given after they were made: in tables of parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Table


def require_contact_numbers(supports: Iterable[Any], table: Table) -> None:
    """Refuse what the laws of supports refuse when made: 0 <= e <= 1, mu_d <= mu_s.

    Silent inside a trace.
    """
    for support in supports:
        low, high, e = support.coefficients(table)
        if not is_traced(low, high, e):
            _require(support.name, *(float(np.asarray(x)) for x in (low, high, e)))


def _require(name: str, low: float, high: float, e: float) -> None:
    if not 0 <= e <= 1:
        raise ModelError(
            f"{name!r} cannot have the restitution {e:g}.",
            "Below 0 bodies would pass through one another, above 1 a push would"
            " give more energy back than it took.",
            "Give a number from 0 (no rebound) to 1 (all of it).",
        )
    if not low >= 0:
        raise ModelError(
            f"{name!r} cannot have the dynamic friction {low:g}.",
            "It is a size: friction is against the slip by its law.",
            "Give a number of zero or more.",
        )
    if not high >= low:
        raise ModelError(
            f"{name!r} has static friction {high:g} below dynamic {low:g}.",
            "What holds less at rest than while sliding could never come to rest.",
            f"Give {name}.static beside {name}.dynamic: static >= dynamic.",
        )
