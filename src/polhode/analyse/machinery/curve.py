"""One curve of equilibria: its points, its tangents, and the step from one to the next.

Everything is measured in the system's own sizes: places in radians and lengths, loads
by what acts, the parameter in shares of its range. Directions of a family, along which
nothing changes, are no part of the curve: steps are the least that reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.machinery.damped_newton import Balance, Settled
from polhode.analyse.machinery.search import Search, free_motions, search_of, starts_of
from polhode.analyse.symmetries import Carriers
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

SAMPLE = 16
NEWTON = 12
DONE = 1e-11
NEUTRAL = 1e-6
CROSSING = 1e-4  # near a bifurcation, where the point is known to 1e-9


class Point(NamedTuple):
    """An equilibrium at a value of the parameter; `falling` counts its softenings."""

    q: np.ndarray
    multipliers: np.ndarray
    parameter: float
    falling: int


@final
@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """Where forces balance, over a parameter between `low` and `high`.

    `loads` (m,) is what intensities of reactions are measured by.
    """

    search: Search
    parameter: str
    low: float
    high: float
    step: float
    loads: np.ndarray

    @staticmethod
    def of(
        state: State, parameter: str, ends: tuple[float, float], step: float
    ) -> Curve:
        """The curve through an equilibrium."""
        system = state.system
        balance = Balance(system, Carriers(system, (), ()))
        none = np.zeros((SAMPLE, 0))
        value = {parameter: float(system.parameters[parameter])}
        starts = starts_of(balance, np.asarray(state.q), none, SAMPLE, 0)
        search = search_of(balance, starts, float(state.t), value)
        n, m = system.speeds, len(system.row_names)
        here = _settled(state.q, np.zeros(m))
        columns = np.abs(search.slopes(here))[:, n : n + m]
        load_scale = np.max(columns, axis=0, initial=0.0)
        loads = 1 / np.where(load_scale > 0, load_scale, 1.0)
        return Curve(search, parameter, *ends, step, loads)

    @property
    def system(self) -> System:
        """Whose equilibria these are."""
        return self.search.balance.system

    def state(self, point: Point) -> State:
        """The state at a point, of the system with that value of the parameter."""
        there = self.system.with_({self.parameter: point.parameter})
        return State(there, self.search.t, point.q, np.zeros(there.speeds))

    def begin(self, state: State) -> Point:
        """The equilibrium nearest to a state, at the system's own value."""
        value = float(self.system.parameters[self.parameter])
        start = _settled(state.q, np.zeros(len(self.system.row_names)))
        many = Settled(*(np.asarray(part)[None] for part in start))
        found = self.search.settled(many)
        if found.worst[0] > 1e-9:
            raise AnalysisError(
                f"{self.system.name!r} does not come to rest near the given state.",
                f"At {self.parameter} = {value:g} forces there are out of balance by"
                f" {found.worst[0]:.2g} of their size.",
                "Begin at one of ph.equilibria(system).",
            )
        one = self.search.verified(Settled(*(part[0] for part in found)))
        return self._point(one.q, one.multipliers, value)

    def tangent(self, point: Point, before: np.ndarray | None) -> np.ndarray:
        """Along the curve (nz + m + 1,), as the tangent before; else p growing."""
        J = self._slopes(point)[1]
        null = _null(J)
        if before is None:
            before = np.eye(J.shape[1])[-1]
            family = np.pad(_null(J[:, :-1]), ((0, 0), (0, 1)))
            null = null - (null @ family.T) @ family
        along = null.T @ (null @ before)
        size = np.linalg.norm(along)
        return along / size if size > NEUTRAL else before

    def crossing(self, point: Point, trunk: np.ndarray) -> list[np.ndarray]:
        """Directions of other curves through a bifurcation of a trunk."""
        loose = _null(self._slopes(point)[1], CROSSING)
        others = loose - np.outer(loose @ trunk, trunk)
        _, sizes, rows = np.linalg.svd(others, full_matrices=False)
        return [row for row, size in zip(rows, sizes, strict=True) if size > 0.5]

    def next(self, here: Point, tangent: np.ndarray, length: float) -> Point | None:
        """The point in the plane across the tangent, at a length along it."""
        x = length * tangent
        units = np.concatenate([self.search.reach, self.loads, [self.high - self.low]])
        for _ in range(NEWTON):
            q, l, p = _after_step(self.system, here, x * units)
            r, J = self._slopes(Point(q, l, p, 0))
            rows = np.concatenate([J, tangent[None]])
            right = np.concatenate([-r, [length - tangent @ x]])
            change = np.linalg.lstsq(rows, right, rcond=1e-10)[0]
            x = x + change
            if np.max(np.abs(change)) > 10 * max(length, self.step):
                return None
            if np.max(np.abs(r)) < DONE and np.max(np.abs(change)) < 1e-9:
                q, l, p = _after_step(self.system, here, x * units)
                return self._point(q, l, p)
        return None

    def at_edge(self, here: Point, there: Point) -> Point | None:
        """The equilibrium at the end of the range between two points."""
        edge = self.high if there.parameter > self.high else self.low
        share = (edge - here.parameter) / (there.parameter - here.parameter)
        q = here.q + share * (there.q - here.q)
        l = here.multipliers + share * (there.multipliers - here.multipliers)
        start = _settled(np.asarray(self.system.normalised(q)), l)
        many = Settled(*(np.asarray(part)[None] for part in start))
        found = _at(self, edge).settled(many)
        if found.worst[0] > 1e-9:
            return None
        return self._point(found.q[0], found.multipliers[0], edge)

    def distance(self, one: Point, other: Point) -> float:
        """Along the curve, nearly: places and parameter, each by its size."""
        pair = [_settled(p.q, p.multipliers) for p in (one, other)]
        gap = self.search.between(*pair)
        share = (other.parameter - one.parameter) / (self.high - self.low)
        return float(np.hypot(np.linalg.norm(gap), share))

    def _point(self, q: np.ndarray, l: np.ndarray, p: float) -> Point:
        search, found = _at(self, p), _settled(q, l)
        n = self.system.speeds
        K = (search.slopes(found) * search.scales[:, None])[:n, :n]
        S = free_motions(search, found) if len(l) else np.eye(n)
        M = np.asarray(self.system.mass_matrix(search.t, q, search.table))
        values = np.linalg.eigvals(np.linalg.solve(S.T @ M @ S, S.T @ K @ S)).real
        edge = 1e-11 * np.max(np.abs(values), initial=0.0)
        return Point(q, l, float(p), int(np.sum(values < -edge)))

    def _slopes(self, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """r and its slopes by place, intensities and parameter, all by their sizes."""
        search = self.search
        given = (search.t, point.q, point.multipliers, float(point.parameter))
        function = _function(search.balance, self.parameter)
        r, J = self.system.program(("curve", self.parameter), function, given)(*given)
        units = np.concatenate([search.reach, self.loads, [self.high - self.low]])
        return r / search.scales, search.cleared(J / search.scales[:, None]) * units


def _function(balance: Balance, parameter: str) -> Any:
    import jax

    def slopes(t: Scalar, q: Array, l: Scalar, p: Array) -> Any:
        import jax.numpy as jnp

        none = jnp.zeros(0)
        r, J = balance.slopes(t, q, l, none, {parameter: p})
        by_p = jax.jacfwd(lambda p: balance.residual(t, q, l, none, {parameter: p}))(p)
        return r, jnp.concatenate([J, by_p[:, None]], axis=1)

    return slopes


def _at(curve: Curve, p: float) -> Search:
    """The search at another value of the parameter."""
    given, table = curve.search, {curve.parameter: float(p)}
    sizes = given.scales, given.reach, given.length, given.load_scale
    return Search(given.balance, *sizes, given.t, table)


def _after_step(
    system: System, here: Point, step: np.ndarray
) -> tuple[Any, Any, float]:
    """Place, intensities and parameter after a step (nz + m + 1,)."""
    n, m = system.speeds, len(system.row_names)
    q = np.asarray(system.normalised(system.local(here.q, step[:n])))
    return q, here.multipliers + step[n : n + m], here.parameter + float(step[-1])


def _null(J: np.ndarray, least: float = NEUTRAL) -> np.ndarray:
    """Directions (k, n) that slopes (r, n), each of size one, do not feel."""
    _, s, right = np.linalg.svd(J)
    rank = int(np.sum(s > least * max(1.0, float(np.max(s, initial=0.0)))))
    return right[min(rank, J.shape[1] - (0 if J.shape[1] == rank else 1)) :]


def _settled(q: np.ndarray, l: np.ndarray) -> Settled:
    return Settled(
        np.asarray(q, float), np.asarray(l, float), np.zeros(0), np.zeros(())
    )
