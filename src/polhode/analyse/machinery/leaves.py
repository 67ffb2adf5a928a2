"""The functions of the place that rows on velocities keep: pi(q) = const.

Where fields D have only brackets among themselves, surfaces (leaves) contain them all.
In a chart q = local(q0, d), d = (a, b), about a place, the fields' a-part regular,

    db/da = F(a, b) = D_b D_a^-1        on a leaf, whichever way it is gone along

so that a place is carried along its leaf to a = 0: pi is the b at which it arrives. At
the place q0 itself pi = 0, and near it pi changes as b does. No integrating factor has
to be guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.analyse.machinery.distribution import Distribution, independent
from polhode.answer_table import Answer, AnswerTable, some
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.system.lengths import natural_length, speed_lengths
from polhode.system.state import State, require_layout

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System

NEAREST = 1e-14
TRIES = 50


@final
@dataclass(frozen=True, eq=False, repr=False)
class PositionIntegrals(Answer):
    """Functions pi of the place that all motions within the rows keep.

    state           the place about which they are known; pi is zero there
    along, across   speeds that span the leaf there, and those that pi begin as
    """

    state: State
    along: tuple[int, ...]
    across: tuple[int, ...]
    last: Distribution

    def __len__(self) -> int:
        return len(self.across)

    @property
    def names(self) -> tuple[str, ...]:
        """The displacement as which each begins, by the name of its speed."""
        return tuple(self.system.speed_names[k] for k in self.across)

    @property
    def system(self) -> System:
        """Whose rows are kept."""
        return self.state.system

    def __call__(self, state: State) -> np.ndarray:
        """pi (k,) at a place; places of one leaf give the same numbers."""
        from scipy.integrate import solve_ivp

        require_layout(self.system, state)
        d = self._displacement(state)
        along, across = list(self.along), list(self.across)
        if not across or not np.any(d):
            return d[across]
        a, here = d[along], np.zeros_like(d)

        def slope(s: float, b: np.ndarray) -> np.ndarray:
            here[along], here[across] = (1 - s) * a, b
            D = self._fields(here)
            return -D[across] @ np.linalg.solve(D[along], a)

        atol = 1e-14 * self._lengths[across]
        options: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": atol}
        return solve_ivp(slope, (0.0, 1.0), d[across], **options).y[:, -1]

    def rows(self, state: State) -> np.ndarray:
        """W (k, nz): pi is kept at a place exactly if W z = 0; W is 1 for `across`."""
        system, t = self.system, float(self.state.t)
        rates = self._program("fields")(np.asarray(state.q, float))
        D = np.stack([system.speeds_from(t, state.q, rate) for rate in rates.T], 1)
        W = np.zeros((len(self), system.speeds))
        W[:, list(self.across)] = np.eye(len(self))
        along = D[list(self.along)]
        W[:, list(self.along)] = -np.linalg.solve(along.T, D[list(self.across)].T).T
        return W

    def along_motion(self, motion: Trajectory, most: int = 41) -> Any:
        """Times (n,) and pi (n, k) at some rows of a motion, from its start."""
        shown = some(len(motion), most)
        values = [self(motion[int(k)]) for k in shown]
        return motion.t[shown], np.array(values).reshape(len(shown), len(self))

    def plot(self, motion: Trajectory) -> Any:
        """pi along a motion, level where its rows are kept: a `Picture`."""
        from polhode.show.plots.answers import leaf_picture

        return leaf_picture(self, motion)

    @property
    def _lengths(self) -> np.ndarray:
        """How large (nz,) a displacement is: 1 rad, or the system's length."""
        q = np.asarray(self.state.q)
        return speed_lengths(self.system, natural_length(self.system, q))

    def _fields(self, d: np.ndarray) -> np.ndarray:
        """The fields (n, r) in the chart."""
        q, E = self._program("chart")(d)
        rates = self._program("fields")(q)
        t = float(self.state.t)
        D = [self.system.speeds_from(t, q, rate) for rate in rates.T]
        return np.linalg.solve(E, np.stack(D, axis=1))

    def _displacement(self, state: State) -> np.ndarray:
        """d with local(q0, d) = q, by Newton's iteration."""
        system, t, d = self.system, float(self.state.t), np.zeros(self.system.speeds)
        target = np.asarray(system.normalised(state.q))
        for _ in range(TRIES):
            q, E = self._program("chart")(d)
            gap = _nearer(system, q, target) - q
            change = np.linalg.solve(E, system.speeds_from(t, q, gap))
            d = d + change
            size = np.max(np.abs(change) / self._lengths, initial=0.0)
            if size < NEAREST * (1 + np.max(np.abs(d) / self._lengths, initial=0.0)):
                return d
        if size < 1e-10:
            return d
        raise AnalysisError(
            f"{state!r} is too far for the integrals of {system.name!r}.",
            "They are known in a chart about the place at which they were found,"
            " in which nothing is turned by half a turn or more.",
            "Ask ph.questions.integrability at a place nearer by.",
        )

    def _program(self, word: str) -> Any:
        name = ("position integrals", self, word)
        if word == "fields":
            return self.system.program(name, self.last.fields, [self.state.q])
        return self.system.program(name, self._chart, [np.zeros(self.system.speeds)])

    def _chart(self, d: Array) -> tuple[Any, Any]:
        """The place local(q0, d), and E (n, n): speeds z = E d_dot there."""
        system, t = self.system, float(self.state.t)
        q = jnp.asarray(np.asarray(self.state.q, float))

        def speeds(rate: Scalar) -> Any:
            place, moved = jax.jvp(lambda d: system.local(q, d), (d,), (rate,))
            return system.speeds_from(t, place, moved)

        return system.local(q, d), jax.vmap(speeds, out_axes=1)(jnp.eye(len(d)))

    def as_table(self) -> AnswerTable:
        """What is printed."""
        rows = zip(self.names, self.rows(self.state), strict=True)
        return AnswerTable(
            f"PositionIntegrals({self.system.name!r}: {len(self)} kept)",
            ("", *self.system.speed_names),
            [(f"pi of {name}", *row) for name, row in rows],
        )


def integrals_of(last: Distribution) -> PositionIntegrals:
    """What is kept by a distribution whose brackets stay within it."""
    system = last.state.system
    along = tuple(sorted(independent(last.values.T, 1e-9)[: last.rank]))
    across = tuple(k for k in range(system.speeds) if k not in along)
    return PositionIntegrals(last.state, along, across, last)


def _nearer(system: System, place: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The target; of a quaternion and its opposite, one place, the nearer one."""
    parts = []
    for edge in system.tree.edges:
        one, other = place[edge.q], np.array(target[edge.q])
        if edge.joint.coordinates > edge.joint.speeds and one[:4] @ other[:4] < 0:
            other[:4] *= -1.0
        parts.append(other)
    return np.concatenate(parts)
