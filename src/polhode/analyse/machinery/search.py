"""A search for balances: its data, and what it evaluates at a place.

Places are compared by the poses of all bodies, so that whole turns and the two signs of
a quaternion are the same; the energy tells windings of a spring apart. Which balances
are one is in `deduplicate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from polhode.analyse.machinery.damped_newton import (
    Balance,
    Settled,
    find_rests,
    load_sizes,
    natural_rows,
)
from polhode.analyse.machinery.scales import row_scales
from polhode.analyse.symmetries import draw
from polhode.formulation.shared.dense_form import refuse_many_bodies
from polhode.geometry.rotations import so3
from polhode.integrate.field.scales import displacements, lengths
from polhode.matter.parameter import Table
from polhode.system.numeric_constraints import ZERO_ROW
from polhode.system.system import System

ACCEPTED = 1e-10  # of the scale of a row: what rounding leaves
VERIFIED = 1e-8  # the same, with intensities found apart
SAME = 1e-6  # radians, or of the system's length
NEUTRAL = 1e-7  # a singular value of scaled slopes below it resists nothing


@final
@dataclass(frozen=True, eq=False, repr=False)
class Search:
    """A balance, the scales of its rows, and what is given: time and parameters.

    `reach` (nz,) is what a displacement along each speed is measured by, `length` what
    a distance is, `load_scale` (m,) what an intensity could do to the forces.
    """

    balance: Balance
    scales: np.ndarray
    reach: np.ndarray
    length: float
    load_scale: np.ndarray
    t: float
    table: Table

    def settled(self, starts: Settled) -> Settled:
        """Every start brought to balance, or as near as it gets."""
        return find_rests(self.balance, starts, self.scales, t=self.t, table=self.table)

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

        system = self.balance.system
        arguments = (self.t, *found[:3], dict(self.table))
        name = ("slopes", self.balance.key)
        r, J = system.program(name, self.balance.slopes, arguments)(*arguments)
        return r / self.scales, self.cleared(J / self.scales[:, None])

    def cleared(self, J: np.ndarray) -> np.ndarray:
        """Slopes in which intensities that move nothing have no rounding either."""
        n, m = self.balance.system.speeds, len(self.load_scale)
        sizes = np.linalg.norm(J[:n, n : n + m], axis=0)
        keep = np.ones(J.shape[1], dtype=bool)
        keep[n : n + m] = sizes > ZERO_ROW * self.load_scale
        return np.where(keep, J, 0.0)

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


def refuse_large_search(system: System, what: str) -> None:
    """Refuses a search among the places of very many bodies."""
    refuse_many_bodies(
        system,
        what,
        "It moves all {} speeds at once, from many starts, with matrices of the whole",
        "Let the system settle: give it dampers, and simulate it. Or search in a system"
        " of fewer like parts.",
    )


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
    natural = natural_rows(balance.system, t, starts.q[0])
    load_scale = load_sizes(natural, reach, scales[: balance.system.speeds])
    return Search(balance, scales, reach, float(length), load_scale, t, table)
