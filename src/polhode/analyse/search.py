"""All balances that can be found: from many starts, those that are one merged.

A balance may be one of a family: moved along a direction in which nothing changes, it
balances again. Members of a family that are alike in energy, rates and stiffness are
told once, and so are those to which a walk along the family leads. Places are compared
by the poses of all bodies, so that whole turns and the two signs of a quaternion are
the same; the energy tells windings of a spring apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.analyse.carriers import draw
from polhode.analyse.scales import row_scales
from polhode.analyse.settle import Balance, Settled, settled
from polhode.geometry import so3
from polhode.integrate.scales import displacements, lengths
from polhode.matter.parameter import Table
from polhode.system.system import System

ACCEPTED = 1e-10  # of the scale of a row: what rounding leaves
VERIFIED = 1e-8  # the same, with intensities found apart
SAME = 1e-6  # radians, or of the system's length
NEUTRAL = 1e-7  # a singular value of scaled slopes below it resists nothing
STRIDES = (0.05, -0.05, 0.02)  # radians, or lengths: trial steps along a family
PACES = 40  # of a walk from one member to another


@final
@dataclass(frozen=True, eq=False, repr=False)
class Search:
    """A balance, the scales of its rows, and what is given: time and parameters.

    `reach` (nz,) is what a displacement along each speed is measured by, `length` what
    a distance is.
    """

    balance: Balance
    scales: np.ndarray
    reach: np.ndarray
    length: float
    t: float
    table: Table

    def settled(self, starts: Settled) -> Settled:
        """Every start brought to balance, or as near as it gets."""
        return settled(self.balance, starts, self.scales, t=self.t, table=self.table)

    def verified(self, found: Settled) -> Settled:
        """The same place with the least intensities that hold it, checked again.

        Near a place where rows become one, huge intensities could feign a balance.
        """
        n, m = self.balance.system.speeds, len(self.balance.system.row_names)
        if not m or found.worst > ACCEPTED:
            return found
        r, J = self._slopes(found)
        held = J[:n, n : n + m]
        sizes = np.linalg.norm(held, axis=0)
        units = np.maximum(sizes, NEUTRAL * max(np.max(sizes), 1e-300))
        loads = r[:n] - held @ found.multipliers
        l = np.linalg.lstsq(held / units, -loads, rcond=NEUTRAL)[0] / units
        left = float(np.max(np.abs(loads + held @ l), initial=0.0))
        worst = max(left if left > VERIFIED else 0.0, float(found.worst))
        return found._replace(multipliers=l, worst=np.asarray(worst))

    def slopes(self, found: Settled) -> np.ndarray:
        """Scaled slopes (r, nz + m + free) at one balance."""
        return self._slopes(found)[1]

    def residuals(self, found: Settled) -> np.ndarray:
        """What is left of every row (r,), by its scale."""
        return self._slopes(found)[0]

    def _slopes(self, found: Settled) -> tuple[np.ndarray, np.ndarray]:
        from polhode.lowering.compile import compile

        system = self.balance.system
        key = ("slopes", self.balance.key, tuple(sorted(self.table)))
        arguments = (self.t, *found[:3], dict(self.table))
        if key not in system.compiled:
            system.compiled[key] = compile(self.balance.slopes, *arguments)
        r, J = system.compiled[key](*arguments)
        return r / self.scales, J / self.scales[:, None]

    def neutral(self, found: Settled) -> np.ndarray:
        """Directions (nz + free, d), orthonormal by size, that disturb no balance."""
        system = self.balance.system
        n, m = system.speeds, len(system.row_names)
        J, sizes = self.slopes(found), self.sizes(found)
        forces = np.max(np.abs(J[:, n : n + m]), axis=0, initial=0.0)
        columns = np.concatenate([sizes[:n], 1 / np.where(forces > 0, forces, 1.0)])
        J = J * np.concatenate([columns, sizes[n:]])
        _, s, right = np.linalg.svd(J)
        rank = int(np.sum(s > NEUTRAL * max(1.0, s[0] if len(s) else 1.0)))
        moves = np.delete(right[rank:], np.arange(n, n + m), axis=1)
        left, s, _ = np.linalg.svd(moves.T, full_matrices=False)
        return left[:, s > SAME] * sizes[:, None]

    def sizes(self, found: Settled) -> np.ndarray:
        """What a move is measured by (nz + free,): 1 rad, a length, a rate."""
        rates = np.abs(found.rates)
        largest = float(np.max(rates, initial=0.0)) or 1.0
        free = np.array(self.balance.free, int)
        return np.concatenate([self.reach, np.where(rates > 0, rates, largest)[free]])

    def moved(self, found: Settled, step: np.ndarray) -> Settled:
        """The balance reached from one that is moved by a step (nz + free,)."""
        system, n = self.balance.system, self.balance.system.speeds
        q = system.normalised(system.local(found.q, step[:n]))
        rates = np.array(found.rates)
        rates[np.array(self.balance.free, int)] += step[n:]
        start = Settled(np.asarray(q), found.multipliers, rates, found.worst)
        return one_of(self.settled(Settled(*(np.array([x]) for x in start))), 0)

    def between(self, one: Settled, other: Settled) -> np.ndarray:
        """From one to the other: twists (6 a body) and rates, each by its size."""
        system = self.balance.system
        here, there = (system.poses(self.t, s.q, self.table) for s in (one, other))
        R = np.asarray(here.rotations)
        L = self.length
        parts = []
        for k in range(len(R)):
            parts.append(so3.log(R[k].T @ np.asarray(there.rotations[k])))
            parts.append(R[k].T @ (there.origins[k] - here.origins[k]) / L)
        free = np.array(self.balance.free, int)
        sizes = self.sizes(one)[system.speeds :]
        parts.append((other.rates - one.rates)[free] / sizes)
        return np.concatenate(parts)

    def is_same(self, one: Settled, other: Settled) -> bool:
        """Whether two balances are one: the same poses, rates and energy."""
        if np.max(np.abs(self.between(one, other)), initial=0.0) > SAME:
            return False
        return self.is_level(one, other)

    def is_level(self, one: Settled, other: Settled) -> bool:
        """Whether two places have the same potential energy."""
        system, n = self.balance.system, self.balance.system.speeds
        V = [system.potential_energy(self.t, s.q, self.table) for s in (one, other)]
        scale = float(np.max(self.scales[:n] * self.reach))
        return bool(abs(V[0] - V[1]) <= 1e-6 * scale)

    def stiffness(self, found: Settled) -> np.ndarray:
        """The stiffness (f, f) of free motions in the measure of masses, in 1/s^2."""
        system, n = self.balance.system, self.balance.system.speeds
        J = self.slopes(found) * self.scales[:, None]
        M = np.asarray(system.mass_matrix(self.t, found.q, self.table))
        S = free_motions(self, found)
        return np.linalg.solve(S.T @ M @ S, S.T @ J[:n, :n] @ S)

    def is_alike(self, one: Settled, other: Settled) -> bool:
        """Whether two balances have the same energy, rates and stiffness."""
        if not self.is_level(one, other):
            return False
        free = self.sizes(one)[self.balance.system.speeds :]
        rates = (one.rates - other.rates)[np.array(self.balance.free, int)] / free
        pair = self.stiffness(one), self.stiffness(other)
        if len(pair[0]) != len(pair[1]) or np.any(np.abs(rates) > SAME):
            return False
        size = float(np.max(np.abs(np.linalg.eigvals(pair[0])), initial=0.0)) or 1.0
        # Coefficients of the characteristic polynomial: eigenvalues that meet are not
        # well determined.
        coefficients = [np.poly(matrix / size) for matrix in pair]
        return bool(np.max(np.abs(coefficients[0] - coefficients[1])) <= SAME)

    def leads_to(self, one: Settled, other: Settled, neutral: np.ndarray) -> bool:
        """Whether a walk along the family of one comes to the other."""
        if not np.any(self._unstored(one)) and not self.is_level(one, other):
            return False
        rng, before = np.random.default_rng(0), np.inf
        for _ in range(PACES):
            gap = self.between(one, other)
            left = float(np.linalg.norm(gap))
            if left < SAME:
                return self.is_same(one, other)
            step = self._pace(one, gap, neutral)
            if left > 0.98 * before:  # the straight way leads nowhere: elsewhere
                step = neutral @ rng.normal(size=neutral.shape[1])
            before = left
            one = self.moved(one, step)
            neutral = self.neutral(one)
            if one.worst > ACCEPTED or not neutral.shape[1]:
                return False
        return False

    def _unstored(self, found: Settled) -> np.ndarray:
        """What acts beside the potential energy, or holds bodies on their way."""
        system = self.balance.system
        z = np.zeros(system.speeds)
        acts = np.asarray(system.unstored(self.t, found.q, z, self.table))
        return np.concatenate([acts.ravel(), found.rates])

    def _pace(self, one: Settled, gap: np.ndarray, neutral: np.ndarray) -> np.ndarray:
        system, n = self.balance.system, self.balance.system.speeds
        J = np.asarray(system.jacobians(self.t, one.q, self.table))
        L = self.length
        J = (J / np.array([1, 1, 1, L, L, L])[None, :, None]).reshape(-1, n)
        moves = np.concatenate([J @ neutral[:n], neutral[n:]])
        along = np.linalg.lstsq(moves, gap, rcond=1e-9)[0]
        step = neutral @ along
        turns = np.array([u == "rad/s" for j in system.joints for u in j.speed_units])
        longest = np.where(turns, 0.5, 3 * self.length)
        return step / max(1.0, np.max(np.abs(step[:n]) / longest, initial=0.0))


def free_motions(search: Search, found: Settled) -> np.ndarray:
    """The motions (nz, f), orthonormal, that the constraints leave free."""
    units = _unit_rows(search, found)
    if not len(units):
        return np.eye(units.shape[1])
    _, s, right = np.linalg.svd(units)
    return right[int(np.sum(s > NEUTRAL)) :].T


def shared_rows(search: Search, found: Settled) -> tuple[str, ...]:
    """The rows that share loads in no unique way: statics has one solution too many."""
    units = _unit_rows(search, found)
    left, s, _ = np.linalg.svd(units)
    spare = left[:, int(np.sum(s > NEUTRAL)) :]
    taking_part = np.any(np.abs(spare) > SAME, axis=1)
    names = search.balance.system.row_names
    return tuple(n for n, t in zip(names, taking_part, strict=True) if t)


def _unit_rows(search: Search, found: Settled) -> np.ndarray:
    """The constraint rows (m, nz) of unit length; those that vanish stay small."""
    n, m = search.balance.system.speeds, len(search.balance.system.row_names)
    rows = (search.slopes(found) * search.scales[:, None])[:n, n : n + m].T
    if not m:
        return rows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, NEUTRAL * max(np.max(lengths), 1e-300))


def one_of(many: Settled, k: int) -> Settled:
    """The k-th of many."""
    return Settled(*(part[k] for part in many))


def starts_of(
    balance: Balance, given: np.ndarray, xi: np.ndarray, count: int, seed: int
) -> Settled:
    """The given place (nq,) first, then places at random; rates xi (count, k)."""
    system, rng = balance.system, np.random.default_rng(seed)
    places = [given, *(draw(system, rng, given) for _ in range(count - 1))]
    m = len(system.row_names)
    return Settled(np.array(places), np.zeros((count, m)), xi, np.zeros(count))


def search_of(balance: Balance, starts: Settled, t: float, table: Table) -> Search:
    """A search whose scales come from its starts."""
    scales = row_scales(balance, starts.q, starts.rates, t, table)
    reach = np.asarray(displacements(balance.system, starts.q[0]), float)
    still = np.zeros((1, balance.system.speeds))
    (length,) = lengths(balance.system, starts.q[:1], still, np.ones(1))
    return Search(balance, scales, reach, float(length), t, table)


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
        if any(search.is_alike(found, other) for other in members):
            continue
        if any(search.leads_to(found, other, family) for other in members):
            continue
        kept.append((found, family))
    return kept


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
    from polhode.formulation.determinacy import reduced

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
