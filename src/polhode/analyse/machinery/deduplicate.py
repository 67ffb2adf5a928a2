"""Which balances are one: duplicates, members of a family, whole turns of an angle.

A balance may be one of a family: moved along a direction in which nothing changes, it
balances again. Balances are members of one family if a walk along it leads from one to
the other. Two that have the same energy, rates and stiffness are one also where the
walk leads to the same places of all mass: a body turned by half a turn about a
principal axis is such a pair, two arms out to one side and to both sides are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from polhode.analyse.machinery.carried import carried_speeds
from polhode.analyse.machinery.damped_newton import Settled
from polhode.analyse.machinery.search import (
    ACCEPTED,
    SAME,
    Search,
    free_motions,
    one_of,
)
from polhode.geometry.rotations import so3
from polhode.matter.principal import principal_axes
from polhode.matter.spatial_inertia import moments_of
from polhode.system.system import System

STRIDES = (0.05, -0.05, 0.02)  # radians, or lengths: trial steps along a family
LEVEL = 1e-6  # of what the largest force does over a natural displacement
PACES = 40  # of a walk from one member to another
# Radians, or lengths, from a place that is nearest and not the wanted one: round a
# circle every place is within 0.7 rad of one of these.
KICKS = (2.4, -2.4, 1.2, -1.2, np.pi)
LEAP = 0.05  # of natural rates: those that change more beside a step are another's
HALVINGS = 5  # of a pace: a family is curved, and Newton's method arrives from nearby
HALF_TURNS = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))


class Balanced(NamedTuple):
    """A balance, and the directions (nz + free, d) of its family."""

    place: Settled
    family: np.ndarray


def distinct(
    search: Search, reached: Settled, known: Sequence[Balanced] = ()
) -> list[Balanced]:
    """Balances that differ, after those that are known."""
    kept = list(known)
    for k in np.flatnonzero(reached.worst <= ACCEPTED):
        found = unwound(search, search.verified(one_of(reached, int(k))))
        if found.worst > ACCEPTED:
            continue
        if any(search.is_same(found, other) for other, _ in kept):
            continue
        family = directions(search, found)
        members = [o for o, f in kept if f.shape[1] and f.shape[1] == family.shape[1]]
        if any(is_member(search, found, other, family) for other in members):
            continue
        kept.append(Balanced(found, family))
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
    from polhode.formulation.questions.determinacy import row_echelon

    names = (*system.speed_names, *extra)
    words = []
    for row in row_echelon(np.asarray(family).T):
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
    held, pull = S.T @ M @ S, S.T @ J[:n, :n] @ S
    try:
        return np.linalg.solve(held, pull)
    except np.linalg.LinAlgError:  # a motion without mass there, as a rod about itself
        return np.linalg.lstsq(held, pull, rcond=None)[0]


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


def is_member(search: Search, one: Settled, other: Settled, family: np.ndarray) -> bool:
    """Whether two balances belong to one family, half turns of bodies aside."""
    if is_alike(search, one, other):
        return leads_to(search, one, other, family, places=mass_places(search))
    return leads_to(search, one, other, family, places=pose_places(search))


class Places(NamedTuple):
    """How places of all bodies are compared.

    gap    (search, one, other) -> (6 n + free,), from one to the other
    turns  (n, 3, 3), what of a small turn of each body, in its axes, changes its place
    """

    gap: Callable[[Search, Settled, Settled], np.ndarray]
    turns: np.ndarray


def pose_places(search: Search) -> Places:
    """Places are the same where all poses are."""
    count = len(search.balance.system.bodies)
    return Places(Search.between, np.tile(np.eye(3), (count, 1, 1)))


def mass_places(search: Search) -> Places:
    """Places are the same where all mass is."""
    inertias = np.asarray(search.balance.system.inertias(search.table))
    return Places(mass_gap, np.array([_projector_on_turns(one) for one in inertias]))


def leads_to(
    search: Search,
    one: Settled,
    other: Settled,
    neutral: np.ndarray,
    *,
    places: Places,
) -> bool:
    """Whether a walk along the family of one comes to the place of the other."""
    if is_stationary(search, one) and not _is_level(search, one, other):
        return False
    rng, before = np.random.default_rng(0), np.inf
    kicks = cycle(KICKS)
    for _ in range(PACES):
        gap = places.gap(search, one, other)
        left = float(np.linalg.norm(gap))
        if left < SAME:
            return search.is_level(one, other)
        if left > 0.98 * before:  # the straight way leads nowhere: from elsewhere
            way = np.asarray(rng.normal(size=neutral.shape[1:]))
            way *= np.sign(way[0]) / np.linalg.norm(way)  # signs are those of kicks
            step = next(kicks) * neutral @ way
            before = np.inf
        else:
            step = _pace(search, one, neutral, gap=gap, turns=places.turns)
            before = left
        one = _walk(search, one, step)
        neutral = search.neutral(one)
        if one.worst > ACCEPTED or not neutral.shape[1]:
            return False
    return False


def _walk(search: Search, one: Settled, step: np.ndarray) -> Settled:
    """The balance a step further; less far where that is no balance, or another's.

    Newton's method from far away may come to a balance that is no member of the family:
    its rates then change by more than the step says.
    """
    sizes, n = search.sizes(one), search.balance.system.speeds
    free = np.array(search.balance.free, int)
    for halvings in range(HALVINGS):
        part = step / 2**halvings
        there = search.moved(one, part)
        gained = np.abs((there.rates - one.rates)[free] - part[n:]) / sizes[n:]
        if there.worst <= ACCEPTED and np.max(gained, initial=0.0) <= LEAP:
            break
    return there


def mass_gap(search: Search, one: Settled, other: Settled) -> np.ndarray:
    """From the mass of one to that of the other, like `Search.between`.

    Of all poses of the other that place its mass alike, about its mass centre, the one
    nearest to the first counts.
    """
    system = search.balance.system
    here, there = (system.poses(search.t, s.q, search.table) for s in (one, other))
    found = search.between(one, other)
    for k, inertia in enumerate(np.asarray(system.inertias(search.table))):
        if not _has_mass(inertia):
            continue
        _, centre, central = moments_of(inertia)
        R, R_there = np.asarray(here.rotations[k]), np.asarray(there.rotations[k])
        turn = R.T @ R_there
        away = R.T @ np.asarray(there.origins[k] - here.origins[k])
        angle = np.asarray(so3.log(nearest_turn(turn, central)))
        shift = away + turn @ centre - centre - np.cross(angle, centre)
        found[6 * k : 6 * k + 3] = angle
        found[6 * k + 3 : 6 * k + 6] = shift / search.length
    return found


def nearest_turn(turn: np.ndarray, central: np.ndarray) -> np.ndarray:
    """The least turn (3, 3) that places a body's mass as a given one does.

    Half turns about principal axes change nothing; where two moments are equal, nor
    does any turn about the third axis; where all are, no turn does.
    """
    axes, equal = _principal(central)
    if np.all(equal):
        return np.eye(3)
    turns = [axes @ np.diag(signs) @ axes.T for signs in HALF_TURNS]
    if np.any(equal):
        axis = axes[:, 2 if equal[0] else 0]
        turns = [half @ _turn_back(turn @ half, axis) for half in turns]
    return max((turn @ each for each in turns), key=np.trace)


def _projector_on_turns(inertia: np.ndarray) -> np.ndarray:
    """The projector (3, 3) on small turns that place a body's mass elsewhere."""
    if not _has_mass(inertia):
        return np.eye(3)
    axes, equal = _principal(moments_of(inertia)[2])
    if np.all(equal):
        return np.zeros((3, 3))
    axis = axes[:, 2 if equal[0] else 0]
    return np.eye(3) - (np.outer(axis, axis) if np.any(equal) else 0.0)


def _has_mass(inertia: np.ndarray) -> bool:
    """Massless bodies have no mass centre: their places are their poses."""
    return bool(np.trace(inertia[3:, 3:]) > 0)


def _principal(central: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axes (3, 3) of ascending moments; which neighbours of them are equal (2,)."""
    moments, axes = principal_axes(np.asarray(central))
    size = max(float(moments[-1]), np.finfo(float).tiny)
    return axes, np.abs(np.diff(moments)) <= SAME * size


def _turn_back(turn: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The turn about an axis after which the trace of `turn` is largest."""
    # trace(T exp(s [a])) = const + p cos(s) + r sin(s)
    p = np.trace(turn) - axis @ turn @ axis
    r = np.trace(turn @ np.cross(np.eye(3), axis))
    return np.asarray(so3.exp(np.arctan2(r, p) * axis))


def is_stationary(search: Search, found: Settled) -> bool:
    """Whether balances are where V - T of the carried motion is stationary.

    So it is where rates are given and all that acts has a potential; along a family
    V - T is then one number.
    """
    balance = search.balance
    z = np.zeros(balance.system.speeds)
    acts = balance.system.nonconservative_wrenches(search.t, found.q, z, search.table)
    return not (balance.free or any(balance.pushes) or np.any(np.asarray(acts)))


def _is_level(search: Search, one: Settled, other: Settled) -> bool:
    """Whether two places have the same V - T of the carried motion."""
    balance, system = search.balance, search.balance.system
    amended = []
    for found in (one, other):
        z = np.zeros(system.speeds)
        if len(found.rates):
            z = carried_speeds(balance.carriers, found.q, found.rates)
        V = system.potential_energy(search.t, found.q, search.table)
        T = system.kinetic_energy(search.t, found.q, z, search.table)
        amended.append(float(V) - float(T))
    scale = float(np.max(search.scales[: system.speeds] * search.reach))
    return abs(amended[0] - amended[1]) <= LEVEL * scale


def _pace(
    search: Search,
    one: Settled,
    neutral: np.ndarray,
    *,
    gap: np.ndarray,
    turns: np.ndarray,
) -> np.ndarray:
    """The step along a family that closes most of a gap, shortened to 0.5 rad."""
    system, n = search.balance.system, search.balance.system.speeds
    J = np.array(system.jacobians(search.t, one.q, search.table))
    J[:, :3] = turns @ J[:, :3]
    J[:, 3:] /= search.length
    moves = np.concatenate([J.reshape(-1, n) @ neutral[:n], neutral[n:]])
    along = np.linalg.lstsq(moves, gap, rcond=1e-9)[0]
    step = neutral @ along
    angles = np.array([u == "rad/s" for j in system.joints for u in j.speed_units])
    longest = np.where(angles, 0.5, 3 * search.length)
    return step / max(1.0, np.max(np.abs(step[:n]) / longest, initial=0.0))
