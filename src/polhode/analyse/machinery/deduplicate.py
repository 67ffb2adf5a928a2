"""Which balances are one: duplicates, members of a family, whole turns of an angle.

A balance may be one of a family: moved along a direction in which nothing changes, it
balances again. Members of a family that are alike in energy, rates and stiffness are
told once, half turns of a body among them, and so are those to which a walk along the
family leads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.analyse.machinery.damped_newton import Settled
from polhode.analyse.machinery.search import (
    ACCEPTED,
    SAME,
    Search,
    free_motions,
    one_of,
)
from polhode.system.system import System

STRIDES = (0.05, -0.05, 0.02)  # radians, or lengths: trial steps along a family
PACES = 40  # of a walk from one member to another


def distinct(search: Search, reached: Settled) -> list[tuple[Settled, np.ndarray]]:
    """Balances that differ, each with the directions (nz + free, d) of its family."""
    kept: list[tuple[Settled, np.ndarray]] = []
    for k in np.flatnonzero(reached.worst <= ACCEPTED):
        found = unwound(search, search.verified(one_of(reached, int(k))))
        if found.worst > ACCEPTED:
            continue
        if any(search.is_same(found, other) for other, _ in kept):
            continue
        family = directions(search, found)
        members = [o for o, f in kept if f.shape[1] and f.shape[1] == family.shape[1]]
        if any(is_alike(search, found, other) for other in members):
            continue
        if any(leads_to(search, found, other, family) for other in members):
            continue
        kept.append((found, family))
    return kept


def family_note(family: tuple[str, ...]) -> list[str]:
    """A sentence on the family of a balance, if it has one."""
    return [f"one of a family, along {'; '.join(family)}"] if family else []


def directions(search: Search, found: Settled) -> np.ndarray:
    """Neutral directions along which the balance goes on, not only to first order."""
    neutral, sizes = search.neutral(found), search.sizes(found)
    lasting = [
        c for c in neutral.T if any(_lasts(search, found, s * c) for s in STRIDES)
    ]
    return np.array(lasting).reshape(-1, len(sizes)).T


def _lasts(search: Search, found: Settled, step: np.ndarray) -> bool:
    """Whether a balance moved by a step comes to rest about there."""
    there = search.moved(found, step)
    gap = np.max(np.abs(search.between(found, there)), initial=0.0)
    far = np.max(np.abs(step) / search.sizes(found))
    return bool(there.worst <= ACCEPTED and gap > 0.3 * far)


def unwound(search: Search, found: Settled) -> Settled:
    """The same balance with angles in (-pi, pi], if it is still one there."""
    system: System = search.balance.system
    flags = [a for joint in system.joints for a in joint.angles]
    angles = np.array(flags, dtype=bool)
    turns = np.round(found.q / (2 * np.pi)) * angles
    if not np.any(turns):
        return found
    start = found._replace(q=found.q - 2 * np.pi * turns)
    again = one_of(search.settled(Settled(*(np.array([x]) for x in start))), 0)
    stays = np.max(np.abs(again.q - start.q)) < SAME and again.worst <= ACCEPTED
    return again if stays and search.is_same(found, again) else found


def neutral_names(system: System, extra: tuple[str, ...], family: Any) -> list[str]:
    """The directions of a family in words, each with as few names as can be."""
    from polhode.formulation.questions.determinacy import reduced

    names = (*system.speed_names, *extra)
    words = []
    for row in reduced(np.asarray(family).T):
        terms = [(c, n) for c, n in zip(row, names, strict=True) if abs(c) > SAME]
        words.append(" ".join(_term(k, c, n) for k, (c, n) in enumerate(terms)))
    return words


def _term(place: int, factor: float, name: str) -> str:
    sign = "- " if factor < 0 else ("+ " if place else "")
    size = "" if abs(abs(factor) - 1) < SAME else f"{abs(factor):.4g} "
    return f"{sign}{size}{name}"


def stiffness(search: Search, found: Settled) -> np.ndarray:
    """The stiffness (f, f) of free motions in the measure of masses, in 1/s^2."""
    system, n = search.balance.system, search.balance.system.speeds
    J = search.slopes(found) * search.scales[:, None]
    M = np.asarray(system.mass_matrix(search.t, found.q, search.table))
    S = free_motions(search, found)
    return np.linalg.solve(S.T @ M @ S, S.T @ J[:n, :n] @ S)


def is_alike(search: Search, one: Settled, other: Settled) -> bool:
    """Whether two balances have the same energy, rates and stiffness."""
    if not search.is_level(one, other):
        return False
    free = search.sizes(one)[search.balance.system.speeds :]
    rates = (one.rates - other.rates)[np.array(search.balance.free, int)] / free
    pair = stiffness(search, one), stiffness(search, other)
    if len(pair[0]) != len(pair[1]) or np.any(np.abs(rates) > SAME):
        return False
    size = float(np.max(np.abs(np.linalg.eigvals(pair[0])), initial=0.0)) or 1.0
    # Coefficients of the characteristic polynomial: eigenvalues that meet are not
    # well determined.
    coefficients = [np.poly(matrix / size) for matrix in pair]
    return bool(np.max(np.abs(coefficients[0] - coefficients[1])) <= SAME)


def leads_to(search: Search, one: Settled, other: Settled, neutral: np.ndarray) -> bool:
    """Whether a walk along the family of one comes to the other."""
    if not np.any(_unstored(search, one)) and not search.is_level(one, other):
        return False
    rng, before = np.random.default_rng(0), np.inf
    for _ in range(PACES):
        gap = search.between(one, other)
        left = float(np.linalg.norm(gap))
        if left < SAME:
            return search.is_same(one, other)
        step = _pace(search, one, gap, neutral)
        if left > 0.98 * before:  # the straight way leads nowhere: elsewhere
            step = neutral @ rng.normal(size=neutral.shape[1])
        before = left
        one = search.moved(one, step)
        neutral = search.neutral(one)
        if one.worst > ACCEPTED or not neutral.shape[1]:
            return False
    return False


def _unstored(search: Search, found: Settled) -> np.ndarray:
    """What acts beside the potential energy, or holds bodies on their way."""
    system = search.balance.system
    z = np.zeros(system.speeds)
    acts = np.asarray(
        system.nonconservative_wrenches(search.t, found.q, z, search.table)
    )
    return np.concatenate([acts.ravel(), found.rates])


def _pace(
    search: Search, one: Settled, gap: np.ndarray, neutral: np.ndarray
) -> np.ndarray:
    system, n = search.balance.system, search.balance.system.speeds
    J = np.asarray(system.jacobians(search.t, one.q, search.table))
    L = search.length
    J = (J / np.array([1, 1, 1, L, L, L])[None, :, None]).reshape(-1, n)
    moves = np.concatenate([J @ neutral[:n], neutral[n:]])
    along = np.linalg.lstsq(moves, gap, rcond=1e-9)[0]
    step = neutral @ along
    turns = np.array([u == "rad/s" for j in system.joints for u in j.speed_units])
    longest = np.where(turns, 0.5, 3 * search.length)
    return step / max(1.0, np.max(np.abs(step[:n]) / longest, initial=0.0))
