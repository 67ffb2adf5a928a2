"""The invariance audit of constraints: whatever moves must be among the bodies.

A rigid motion superposed on all bodies of a constraint, and a shift of time, change
nothing in what the bodies do to each other:

    x+ = S(t) x + s(t),     Q+ = S Q,     t+ = t + a,     Pi+ = Pi

For rows Pi = sum f . v + sum g . w, moments g about the places x, this holds exactly if

    f+ = S f,  g+ = S g,  sum f = 0,  sum g + sum x x f = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.constraints.constraint import Constraint, Moving, Placed
from polhode.geometry.rotations import so3
from polhode.geometry.vector import cross

TOLERANCE = 1e-9


@final
@dataclass(frozen=True)
class ConstraintAudit:
    """The largest changes of a constraint's rows under superposed motions.

    Each is zero to rounding where the invariance holds, and relative to how much the
    rows vary from one random motion to another.
    """

    constraint: Constraint
    motion: float
    time: float

    @property
    def depends_on_time(self) -> bool:
        """Whether a shift of time changes the rows."""
        return self.time > TOLERANCE

    @property
    def is_invariant(self) -> bool:
        """Whether the rows are about the bodies' motion relative to each other."""
        return max(self.motion, self.time) <= TOLERANCE

    def __str__(self) -> str:
        name = self.constraint.name
        if self.is_invariant:
            return f"{name!r} is invariant: it is about its own bodies only."
        if self.depends_on_time:
            return (
                f"{name!r} is not invariant: it depends on time explicitly.\n\n"
                "  Something moves that is not among its bodies: a hinge, a driver.\n\n"
                "  Make it a body with ph.PrescribedMotion, and write the constraint\n"
                "  relative to it; its reaction and power are then known."
            )
        return (
            f"{name!r} is not invariant: moving all its bodies together changes it.\n\n"
            "  What holds them is not among its bodies: the ground, a wall.\n\n"
            "  Give that body, too, and write the constraint relative to it."
        )


def audit_constraint(
    constraint: Constraint, *, samples: int = 12, scale: float = 1.0, seed: int = 0
) -> ConstraintAudit:
    """Try a constraint on random poses and motions, superposed motions, time shifts.

    `scale` is the length and the time over which it varies, in m and s. Constraints on
    joints alone are about relative motion, and only their time is tried.
    """
    rng = np.random.default_rng(seed)
    values, moved, later = [], [], []
    for _ in range(samples):
        placed, moving = _random(constraint, rng, scale)
        t = scale * rng.normal()
        values.append(_rows(constraint, placed, moving, t))
        together = _superpose(placed, moving, rng, scale)
        moved.append(_rows(constraint, *together, t))
        later.append(_rows(constraint, placed, moving, t + scale * rng.normal()))
    size = np.max(np.abs(values)) or 1.0
    return ConstraintAudit(
        constraint,
        float(np.max(np.abs(np.subtract(moved, values))) / size),
        float(np.max(np.abs(np.subtract(later, values))) / size),
    )


def _rows(constraint: Any, placed: Placed, moving: Moving, t: float) -> np.ndarray:
    if constraint.is_holonomic:
        return np.asarray(constraint.position(placed, t))
    return np.asarray(constraint.velocity(placed, moving, t))


def _random(
    constraint: Constraint, rng: np.random.Generator, scale: float
) -> tuple[Placed, Moving]:
    n = len(constraint.bodies)
    q, z = [], []
    for joint in constraint.joints:
        z.append(rng.normal(size=joint.speeds) / scale)
        away = scale * rng.uniform(-1, 1, joint.speeds)
        q.append(joint.normalised(joint.local(joint.neutral(), away)))
    rotations = so3.exp(rng.normal(size=(n, 3)))
    placed = Placed(rotations, scale * rng.normal(size=(n, 3)), tuple(q))
    return placed, Moving(rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), tuple(z))


def _superpose(
    placed: Placed, moving: Moving, rng: np.random.Generator, scale: float
) -> tuple[Placed, Moving]:
    """All bodies carried along: x+ = S x + s,  v+ = S v + W x (S x) + s_dot."""
    S = so3.exp(rng.normal(size=3))
    spin, shift, drift = rng.normal(size=(3, 3))
    carried = placed.origins @ S.T
    velocities = moving.linear @ S.T + cross(spin, carried) + drift
    angular = moving.angular @ S.T + spin
    return (
        Placed(S @ placed.rotations, carried + scale * shift, placed.coordinates),
        Moving(angular, velocities, moving.speeds),
    )
