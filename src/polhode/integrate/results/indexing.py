"""Rows and times that are requested of a motion, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Array
from polhode.errors import IntegrationError, PolhodeError, StateError
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

# Times such as 20 * 0.1 are a few units of rounding off the end they mean.
ROUNDING = 8 * np.finfo(float).eps


def require_rows(motion: Trajectory) -> None:
    """Refuse a part of a motion in which nothing is."""
    if not len(motion):
        raise IntegrationError(
            f"this slice of the motion of {motion.system.name!r} is empty.",
            "No time lies in it, so that there is no state to give.",
            "Take a part that is not empty, or simulate further.",
        )


def admit_times(motion: Trajectory, times: Array) -> np.ndarray:
    """Times (n,) within a motion; those beyond its ends by rounding are its ends."""
    try:
        found = np.atleast_1d(np.array(times, dtype=float))
    except (TypeError, ValueError):
        found = np.zeros((0, 0))
    if found.ndim != 1:
        raise IntegrationError(
            f"{times!r} are no times of the motion of {motion.system.name!r}.",
            "A time is a number of seconds; several are one list of them.",
            "Ask motion.at(1.5), or motion.resampled([0.1, 0.2, 0.3]).",
        )
    if len(found):
        require_rows(motion)
    low, high = _ends(motion) if len(found) else (0.0, 0.0)
    slack = ROUNDING * max(abs(low), abs(high))
    is_within = (found >= low - slack) & (found <= high + slack)
    if not np.all(is_within):
        raise IntegrationError(
            f"the motion of {motion.system.name!r} has no t ="
            f" {found[~is_within][0]:.12g} s.",
            f"It runs from {motion.t[0]:g} to {motion.t[-1]:g} s.",
            "Ask within, or simulate further.",
        )
    found = np.clip(found, low, high)
    if not motion.is_dense and not np.all(np.isin(found, motion.t)):
        other = found[~np.isin(found, motion.t)][0]
        raise IntegrationError(
            f"the motion of {motion.system.name!r} was not kept at t = {other:.12g} s.",
            "Only the requested samples were kept, and not the steps between them.",
            "Simulate without samples=..., or with that time among them.",
        )
    return found


def _ends(motion: Trajectory) -> tuple[float, float]:
    first, last = float(motion.t[0]), float(motion.t[-1])
    return min(first, last), max(first, last)


def is_choice(key: Any) -> bool:
    """Whether rows are chosen by a list of their numbers, or of truths for all."""
    return isinstance(key, np.ndarray | list)


def admit_choice(motion: Trajectory, key: Any) -> np.ndarray:
    """Numbers of rows (k,), or truths (n,)."""
    found = np.asarray(key)
    is_one = found.ndim == 1
    if is_one and found.dtype == bool and len(found) == len(motion):
        return found
    if is_one and np.issubdtype(found.dtype, np.integer):
        inside = (found >= -len(motion)) & (found < len(motion))
        if np.all(inside):
            return found
    raise not_asked(motion, key)


def no_controller(motion: Trajectory, name: Any) -> PolhodeError:
    """What to say of a controller that has no states, or is none."""
    known = [g.name for g in motion.inputs.inputs.drive.groups if g.width]
    return IntegrationError(
        f"the motion of {motion.system.name!r} has no states of a controller {name!r}.",
        "States are those of a ph.Controller(law, states=[...]) among its inputs.",
        suggestion(str(name), known) if known else "It had none.",
    )


def not_asked(motion: Trajectory, key: Any) -> PolhodeError:
    """What to say of something that no row, body or joint is called."""
    name, rows = motion.system.name, len(motion)
    if not isinstance(key, str):
        return IntegrationError(
            f"{key!r} chooses no rows of the motion of {name!r}.",
            f"It has {rows} rows, chosen by whole numbers; motion.at(t) is for times.",
            "Ask motion[3], motion[3:8], motion[motion.t > 1], motion.at(0.5), or by"
            ' name motion["hinge"].',
        )
    bodies = [body.name for body in motion.system.bodies]
    joints = [joint.name for joint in motion.system.joints]
    supports = [support.name for support in motion.system.supports]
    kinds = "body, joint or support" if supports else "body or joint"
    return StateError(
        f"{name!r} has no {kinds} {key!r}.",
        "A motion is indexed by the names of what moves or touches.",
        suggestion(key, [*bodies, *joints, *supports]),
    )
