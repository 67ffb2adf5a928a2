"""Starts from what a search has found: its joints' places in every other combination.

Where joints hardly feel each other, as two arms on a shaft, balances are nearly all
combinations of the places of each. Random starts find most of them; those that are left
out are near combinations of the places that were found.
"""

from __future__ import annotations

from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np

from polhode.analyse.machinery.damped_newton import Settled
from polhode.analyse.machinery.deduplicate import Balanced, distinct
from polhode.analyse.machinery.search import ACCEPTED, SAME, Search

MOST = 64  # starts of a round: as many as a search draws
ROUNDS = 4  # each begins from what the one before has found
LISTED = 20_000  # combinations that are gone through, of which starts are drawn


class Combined(NamedTuple):
    """Balances that differ, of how many starts, and how many of these balanced."""

    found: list[Balanced]
    starts: int
    arrived: int


def every_distinct(search: Search, reached: Settled, seed: int) -> Combined:
    """The balances reached, and those near combinations of them."""
    found, starts, arrived = distinct(search, reached), len(reached.q), _count(reached)
    for turn in range(ROUNDS):
        others = recombined(search, found, seed + turn)
        if others is None:
            break
        before, reached = len(found), search.settled(others)
        starts, arrived = starts + len(others.q), arrived + _count(reached)
        found = distinct(search, reached, found)
        if len(found) == before:
            break
    return Combined(found, starts, arrived)


def _count(reached: Settled) -> int:
    return int(np.sum(reached.worst <= ACCEPTED))


def recombined(search: Search, found: list[Balanced], seed: int) -> Settled | None:
    """Places that no balance has, of which each joint is placed as in some balance."""
    if len(found) < 2:
        return None
    joints = _moved_joints(search, found)
    turns = np.array([a for j in search.balance.system.joints for a in j.angles])
    rows = [[one.q[place] for place in joints] for one, _ in found]
    rows = [[*row, one.rates] for row, (one, _) in zip(rows, found, strict=True)]
    values, numbers = [], []
    periods: list[Any] = [np.where(turns[place], 2 * np.pi, 0.0) for place in joints]
    for column, period in zip(zip(*rows, strict=True), [*periods, 0.0], strict=True):
        some, which = _apart(np.array(column), period, SAME * max(1.0, search.length))
        values.append(some)
        numbers.append(which)
    known = set(zip(*numbers, strict=True))
    every = product(*(range(len(some)) for some in values))
    others = [way for way in islice(every, LISTED) if way not in known]
    if not others:
        return None
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(others))[:MOST]
    q = np.repeat(found[0][0].q[None], len(drawn), axis=0)
    for row, k in zip(q, drawn, strict=True):
        for place, which, some in zip(joints, others[k], values, strict=False):
            row[place] = some[which]
    xi = np.array([values[-1][others[k][-1]] for k in drawn])
    m = len(search.balance.system.row_names)
    return Settled(q, np.zeros((len(q), m)), xi, np.zeros(len(q)))


def _moved_joints(search: Search, found: list[Balanced]) -> list[slice]:
    """Where the coordinates are of joints that not every family moves."""
    kept = []
    for edge in search.balance.system.tree.edges:
        is_carried = all(np.any(np.abs(f[edge.z]) > SAME) for _, f in found)
        if not is_carried and edge.joint.coordinates:
            kept.append(edge.q)
    return kept


def _apart(
    places: np.ndarray, period: Any, near: float
) -> tuple[list[np.ndarray], list[int]]:
    """Values that differ, and which of them each place has.

    The period of an angle is a whole turn, that of a length none: 0.
    """
    values: list[np.ndarray] = []
    which = []
    for place in places:
        for k, value in enumerate(values):
            gap = place - value
            gap = gap - period * np.round(gap / (2 * np.pi))
            if np.max(np.abs(gap), initial=0.0) < near:
                which.append(k)
                break
        else:
            which.append(len(values))
            values.append(place)
    return values, which
