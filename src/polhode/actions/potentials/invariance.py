"""The invariance audit: does an energy depend on what no energy may depend on?

Superposed rigid motions and time shifts change nothing in an isolated system:

    x+ = S x + s,      Q+ = S Q,      t+ = t + a,      V+ = V

and this holds exactly if the wrenches obey the third law and time is not explicit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.actions.action import Action, third_law_residual
from polhode.actions.motion_arrays import Poses, Twists
from polhode.actions.potentials.invariant import superposed
from polhode.errors import ForceError, ModelError
from polhode.geometry.rotations import so3

TOLERANCE = 1e-9


@final
@dataclass(frozen=True)
class InvarianceReport:
    """Relative changes of an energy under random superposed motions, and third law.

    Each number is zero to rounding where the invariance holds; it is relative to how
    much the energy varies, or to the size of the forces and moments.
    """

    action: Action
    translation: float
    rotation: float
    time: float
    force: float
    moment: float

    @property
    def depends_on_time(self) -> bool:
        """Whether a shift of time changes the energy."""
        return self.time > TOLERANCE

    @property
    def obeys_third_law(self) -> bool:
        """Whether forces and moments on the bodies cancel."""
        return max(self.force, self.moment) <= TOLERANCE

    @property
    def failures(self) -> tuple[str, ...]:
        """The invariances that fail: of translation, rotation, time shift."""
        shares = {
            "translation": self.translation,
            "rotation": self.rotation,
            "time shift": self.time,
        }
        return tuple(name for name, share in shares.items() if share > TOLERANCE)

    @property
    def is_invariant(self) -> bool:
        """Whether the energy is that of bodies acting on each other only."""
        return not self.failures and self.obeys_third_law

    @property
    def lacks_a_body(self) -> bool:
        """Whether something that acts, or moves, is not among the bodies."""
        return not self.is_invariant

    def __str__(self) -> str:
        name = self.action.name
        if self.is_invariant:
            return f"{name!r} is properly invariant; its forces obey the third law."
        bodies = ", ".join(repr(body.name) for body in self.action.bodies)
        broken = " and ".join(self.failures)
        lines = [f"{name!r} is not invariant under {broken}.", ""]
        if not self.failures:
            lines = [f"{name!r} does not obey the third law.", ""]
        if not self.obeys_third_law:
            lines.append(
                f"  On {bodies} the forces leave {self.force:.3g} of their size"
                f" unanswered, the moments {self.moment:.3g}."
            )
        if self.depends_on_time:
            lines.append("  Its energy changes with time while all bodies rest.")
        return "\n".join([*lines, "", *("  " + line for line in self._repair())])

    def _repair(self) -> list[str]:
        if self.depends_on_time:
            return [
                "Make what moves (a hinge, a table, a driver) a body with prescribed",
                "motion, and write the energy relative to it; its reaction",
                "and power then appear in the ledger.",
            ]
        return [
            "Make what acts (the Earth, a wall) a body: seen_from(earth) writes the",
            "same energy relative to it, and gives it the reaction.",
        ]


def audit_invariance(
    action: Action, *, samples: int = 12, scale: float = 1.0, seed: int = 0
) -> InvarianceReport:
    """Try an action's energy and wrenches on random poses, motions and time shifts.

    `scale` is the length and the time over which the energy varies, in m and s.
    """
    _require_bodies(action)
    rng = np.random.default_rng(seed)
    count = len(action.bodies)
    draws = [_random_poses(rng, count, scale) for _ in range(samples)]
    times = scale * rng.normal(size=samples)
    values = [_value(action, poses, t) for poses, t in zip(draws, times, strict=True)]
    changes = np.zeros((samples, 3))
    for k, (poses, t, value) in enumerate(zip(draws, times, values, strict=True)):
        moves = _superpose(rng, poses, scale)
        tried = [_value(action, moved, t) for moved in moves]
        tried.append(_value(action, poses, t + scale * rng.normal()))
        changes[k] = np.abs(np.array(tried) - value)
    spread, size = float(np.ptp(values)), float(np.max(np.abs(values)))
    floor = 1e-12 * size / TOLERANCE
    translation, rotation, time = changes.max(axis=0) / max(spread, floor, 1e-300)
    # What depends on velocities is silent at rest.
    residuals = [
        third_law_residual(action, poses, twists, t)
        for poses, t in zip(draws, times, strict=True)
        for twists in (_rest(poses), _random_twists(rng, count))
    ]
    moment, force = np.max(residuals, axis=0)
    return InvarianceReport(
        action, float(translation), float(rotation), float(time), force, moment
    )


def _require_bodies(action: Any) -> None:
    if hasattr(action, "bodies") and hasattr(action, "wrenches"):
        return
    raise ModelError(
        f"{action!r} cannot be audited: it does not say on which bodies it acts.",
        "The audit moves the bodies, and looks at the wrenches on all of them.",
        "Give an action between bodies; of a weight, weight.on(masses, by=...), with"
        " the frame of what pulls.",
    )


def _value(action: Action, poses: Poses, t: float) -> float:
    value = float(action.energy(poses, t))
    if not np.isfinite(value):
        raise ForceError(
            f"the energy of {action.name!r} is {value} at a random position.",
            action.fault(),
            "Give the audit a scale at which the energy is defined.",
        )
    return value


def _superpose(rng: np.random.Generator, poses: Poses, scale: float) -> list[Poses]:
    """The poses shifted by a random vector, and turned by a random rotation."""
    rest = _rest(poses)
    still = Twists(np.zeros(3), np.zeros(3))
    shift = Poses(np.eye(3), scale * rng.normal(size=3))
    turn = Poses(so3.exp(rng.normal(size=3)), np.zeros(3))
    return [superposed(poses, rest, motion, still)[0] for motion in (shift, turn)]


def _random_poses(rng: np.random.Generator, count: int, scale: float) -> Poses:
    return Poses(
        so3.exp(rng.normal(size=(count, 3))), scale * rng.normal(size=(count, 3))
    )


def _random_twists(rng: np.random.Generator, count: int) -> Twists:
    return Twists(rng.normal(size=(count, 3)), rng.normal(size=(count, 3)))


def _rest(poses: Poses) -> Twists:
    return Twists(0.0 * poses.origins, 0.0 * poses.origins)
