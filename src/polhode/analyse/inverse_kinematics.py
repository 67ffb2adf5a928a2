"""`ph.inverse_kinematics`: coordinates at which frames are where they should be.

Damped least squares on the motions of the joints, so that quaternions stay ones:

    min |e(q)|^2,     (J^T J + d^2 1) dz = J^T e,     q <- local(q, dz)

e are differences of places, in metres, and rotation vectors of differences of turns.
The damping d falls while steps succeed. A joint that a step would take beyond a limit
is held there, and the step is found anew without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from polhode.analyse.robot_kinematics import (
    Placed,
    RobotFrame,
    frame_jacobian,
    frame_pose,
    kinematics,
)
from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.rotation_admission import admit_matrix
from polhode.lowering.compile import compile
from polhode.lowering.repeated_call import RepeatedCall
from polhode.system import rows
from polhode.system.checked_argument import system_argument
from polhode.system.state import State, require_layout
from polhode.system.system import System

FIRST, LEAST, MOST = 1e-2, 1e-12, 1e4  # of the damping d^2, of J of size one


@final
@dataclass(frozen=True, eq=False, repr=False)
class Posture:
    """What inverse kinematics found.

    state        the coordinates, at rest
    is_reached   whether all targets are met to the tolerance
    misses       by target: the distance in metres and the angle in radians
    iterations   of all attempts together
    """

    state: State
    is_reached: bool
    misses: Mapping[str, tuple[float, float]]
    iterations: int

    @property
    def q(self) -> np.ndarray:
        """The coordinates (nq,)."""
        return np.asarray(self.state.q)

    def __repr__(self) -> str:
        far = max((miss[0] for miss in self.misses.values()), default=0.0)
        off = max((miss[1] for miss in self.misses.values()), default=0.0)
        word = "reached" if self.is_reached else "not reached"
        return (
            f"Posture({word}: off by {far:.1e} m and {off:.1e} rad"
            f" after {self.iterations} iterations)"
        )


@system_argument
def inverse_kinematics(
    system: System,
    targets: Mapping[Any, Any],
    start: State | None = None,
    *,
    held: Sequence[str] = (),
    tolerance: float = 1e-10,
    iterations: int = 200,
    attempts: int = 10,
    seed: int = 0,
) -> Posture:
    """A posture in which frames are where they should be, within joints' limits.

    targets     by frame (a body's name, or `ph.kinematics(system).frame(...)`): a place
                (3,), or a place and a turn: (R_WF (3, 3), place (3,))
    start       from where it is looked for first; rest if none is given
    held        joints that stay where they are at the start
    tolerance   metres and radians
    attempts    how many starts are tried: after the first, random ones by `seed`

    Where no posture meets all targets, the nearest found is given, and says so.
    Constraints such as gears and loops are kept.

    >>> import numpy as np, polhode as ph
    >>> arm = ph.models.arm()
    >>> hand = ph.kinematics(arm).frame(arm.bodies[-1].name)
    >>> wanted = hand.pose(np.linspace(0.1, 0.7, 7))
    >>> ph.inverse_kinematics(arm, {hand: wanted}).is_reached
    True
    """
    if not isinstance(targets, Mapping):
        raise ModelError(
            f"{targets!r} is no table of targets.",
            "Which frame is to be where, is said by name.",
            'Give targets={"hand": (x, y, z)}, with the name of a body.',
        )
    begin = system.rest() if start is None else start
    require_layout(system, begin)
    goals = [_goal(system, frame, target) for frame, target in targets.items()]
    if not goals:
        raise ModelError(
            f"no frame of {system.name!r} has a target.",
            "Every posture meets none.",
            'Give targets={"hand": (x, y, z)}.',
        )
    search = _Search(system, goals, tuple(held), np.asarray(begin.q, float))
    rng, best, count = np.random.default_rng(seed), None, 0
    for attempt in range(max(int(attempts), 1)):
        q = search.first if attempt == 0 else search.drawn(rng)
        q, size, used = search.descent(q, tolerance, iterations)
        count += used
        if best is None or size < best[1]:
            best = (q, size)
        if size <= tolerance:
            break
    assert best is not None
    q, size = best
    state = State(system, float(begin.t), q, np.zeros(system.speeds))
    return Posture(state, bool(size <= tolerance), search.misses(q), count)


@final
@dataclass(frozen=True, eq=False)
class _Goal:
    """A frame, the place it should have, and its turn if one is asked for."""

    name: str
    frame: RobotFrame
    place: np.ndarray
    turn: np.ndarray | None


def _goal(system: System, frame: Any, target: Any) -> _Goal:
    own = frame if isinstance(frame, RobotFrame) else kinematics(system).frame(frame)
    name = frame if isinstance(frame, str) else own.body
    if isinstance(target, Placed) or (
        isinstance(target, tuple) and len(target) == 2 and np.shape(target[0]) == (3, 3)
    ):
        turn = np.asarray(
            admit_matrix(np.asarray(target[0], float), f"the turn asked of {name!r}")
        )
        place = target[1]
    else:
        turn, place = None, target
    column = np.asarray(place, dtype=float)
    if column.shape != (3,) or not np.all(np.isfinite(column)):
        raise ModelError(
            f"the target of {name!r} is not a place: {target!r}.",
            "A frame is sent to a place, or to a place with a turn.",
            "Give three numbers, or (R, place) with R (3, 3).",
        )
    return _Goal(name, own, column, turn)


class _Search:
    """The errors of all goals, and descents from a start."""

    def __init__(
        self, system: System, goals: list[_Goal], held: tuple[str, ...], first: Any
    ):
        self.system, self.goals, self.first = system, goals, first
        self.low, self.high = np.full((2, system.speeds), np.inf) * [[-1], [1]]
        self.loose = np.ones(system.speeds, dtype=bool)
        flat: list[tuple[int, int]] = []  # where coordinates move as speeds do
        for edge in system.tree.edges:
            joint = edge.joint
            if joint.coordinates == joint.speeds:
                self.low[edge.z], self.high[edge.z] = joint.limits
                pairs = (
                    range(edge.q.start, edge.q.stop),
                    range(edge.z.start, edge.z.stop),
                )
                flat += zip(*pairs, strict=True)
        self.flat_q, self.flat_z = np.array(flat, dtype=int).reshape(-1, 2).T
        for name in held:
            self.loose[system.edge(name).z] = False
        self.call, self.wanted = self._program(), self._targets()

    def _program(self) -> RepeatedCall:
        """q, wanted places and turns -> e (m,) and J (m, nz).

        The wanted places and turns are arguments: other targets of the same frames use
        the same program.
        """
        system, goals = self.system, self.goals
        ties = [c for c in system.constraints if c.is_holonomic]
        keeps = np.array([c.is_holonomic for c in system.constraints for _ in c.rows])

        def errors(q: Array, places: Any, turns: Any) -> tuple[Any, Any]:
            e, J = [], []
            for k, goal in enumerate(goals):
                R, p = frame_pose(goal.frame, q)
                own = frame_jacobian(goal.frame, q)
                e.append(places[k] - p)
                J.append(own[3:])
                if goal.turn is not None:
                    e.append(so3.log(turns[k] @ R.T))
                    J.append(own[:3])
            if ties:
                still = jnp.zeros(system.speeds)
                A, _ = system.constraint_rows(0.0, q, still)
                e.append(-jnp.asarray(rows.positions(system, 0.0, q)))
                J.append(A[np.flatnonzero(keeps)])
            return jnp.concatenate(e), jnp.concatenate(J)

        seats = tuple(
            (
                g.frame.body,
                g.frame.place.tobytes(),
                g.frame.turn.tobytes(),
                g.turn is None,
            )
            for g in goals
        )
        key = ("inverse kinematics", *seats)
        return system.remembered(
            key, lambda: RepeatedCall(compile(errors, self.first, *self._targets()))
        )

    def _targets(self) -> tuple[np.ndarray, np.ndarray]:
        turns = [np.eye(3) if g.turn is None else g.turn for g in self.goals]
        return np.stack([g.place for g in self.goals]), np.stack(turns)

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e and J."""
        return self.call(q, *self.wanted)

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """A random posture: within the limits, or half a turn about the first."""
        system, q = self.system, self.first.copy()
        away = np.zeros(system.speeds)
        for edge in system.tree.edges:
            joint, z = edge.joint, edge.z
            if not joint.speeds or not np.all(self.loose[z]):
                continue
            if joint.coordinates != joint.speeds:
                away[z] = rng.uniform(-1.0, 1.0, joint.speeds)
                continue
            low = np.maximum(self.low[z], q[edge.q] - np.pi)
            high = np.minimum(self.high[z], q[edge.q] + np.pi)
            away[z] = rng.uniform(low, np.maximum(low, high)) - q[edge.q]
        return np.asarray(system.local(q, away))

    def descent(
        self, q: np.ndarray, tolerance: float, iterations: int
    ) -> tuple[np.ndarray, float, int]:
        """From a start to where no step helps: coordinates, largest error, steps."""
        q, damping = self.cut(q), FIRST
        e, J = self.at(q)
        for used in range(1, int(iterations) + 1):
            if np.max(np.abs(e)) <= tolerance:
                return q, float(np.max(np.abs(e))), used
            step = self.step(q, e, J, damping)
            new = self.moved(q, step)
            e_new, J_new = self.at(new)
            if e_new @ e_new < e @ e:
                gain = 1 - (e_new @ e_new) / (e @ e)
                q, e, J = new, e_new, J_new
                damping = max(damping * (0.1 if gain > 0.5 else 0.5), LEAST)
                if gain < 1e-9:
                    break
            else:
                damping *= 5.0
                if damping > MOST:
                    break
        return q, float(np.max(np.abs(e))), used

    def step(
        self, q: np.ndarray, e: np.ndarray, J: np.ndarray, damping: float
    ) -> np.ndarray:
        """The damped step, joints at their limits held where it would leave them."""
        place = self._by_speed(q)
        free = self.loose.copy()
        while True:
            dz = np.zeros(len(free))
            own = J[:, free]
            if own.shape[1]:
                normal = own.T @ own + damping * np.eye(own.shape[1])
                dz[free] = np.linalg.solve(normal, own.T @ e)
            out = free & (
                ((place <= self.low) & (dz < 0)) | ((place >= self.high) & (dz > 0))
            )
            if not np.any(out):
                return dz
            free &= ~out

    def cut(self, q: np.ndarray) -> np.ndarray:
        """The coordinates within the limits, those held as they are."""
        q = np.array(q, dtype=float)
        own = q[self.flat_q]
        q[self.flat_q] = np.where(
            self.loose[self.flat_z],
            np.clip(own, self.low[self.flat_z], self.high[self.flat_z]),
            own,
        )
        return q

    def moved(self, q: np.ndarray, dz: np.ndarray) -> np.ndarray:
        """The coordinates moved along the joints, and cut to their limits."""
        if len(self.flat_q) == len(q):
            return self.cut(q + dz)
        return self.cut(np.asarray(self.system.local(q, dz)))

    def _by_speed(self, q: np.ndarray) -> np.ndarray:
        """The coordinate of each speed; those of quaternions have no limits."""
        place = np.zeros(self.system.speeds)
        place[self.flat_z] = q[self.flat_q]
        return place

    def misses(self, q: np.ndarray) -> dict[str, tuple[float, float]]:
        """By goal: metres and radians."""
        e, _ = self.at(q)
        found, first = {}, 0
        for goal in self.goals:
            far = float(np.linalg.norm(e[first : first + 3]))
            first += 3
            off = 0.0
            if goal.turn is not None:
                off = float(np.linalg.norm(e[first : first + 3]))
                first += 3
            found[goal.name] = (far, off)
        return found
