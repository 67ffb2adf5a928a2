"""Functions of a motion: what else they are given is refused."""

from __future__ import annotations

from typing import Any

from polhode.integrate.results.trajectory import Trajectory
from polhode.system.checked_argument import Function, taking


def motion_argument(function: Function) -> Function:
    """A function that takes a motion first, and says so to who gives another thing.

    >>> @motion_argument
    ... def count(motion):
    ...     return len(motion)
    >>> count("pendulum")
    Traceback (most recent call last):
    polhode.errors.ModelError: count takes a motion, and was given 'pendulum'.
    <BLANKLINE>
      The question is one about the rows of one run.
    <BLANKLINE>
      Give what ph.simulate returns for one state.
    """
    why = "The question is one about the rows of one run."
    return taking(lambda: Trajectory, "a motion", why, _how)(function)


def _how(value: Any) -> str:
    if hasattr(value, "of") and hasattr(value, "names"):
        return "Give the motion of this recording: recording.of(system)."
    return "Give what ph.simulate returns for one state."
