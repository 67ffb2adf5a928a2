"""Drivers that would have to strike: prescribed motions that jump.

A place prescribed as a step needs an infinite speed, a speed prescribed as a step an
impulse. Projection would carry the system there without a word, so both are sought
along the law before a run, and refused with the time and the size of the jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.constraints.prescribed_motion import PrescribedMotion
from polhode.double import doubled
from polhode.errors import ConstraintError

if TYPE_CHECKING:
    from polhode.system.system import System

LOOKS = 1025
SUSPECTS = 4
# Of the size of the law: a change within rounding of the time is a jump above this.
JUMP = 1e-6


def require_smooth_drivers(system: System, start: float, until: float) -> None:
    """Refuse prescribed motions whose place or speed jumps between two times."""
    if start == until:
        return
    for driver in system.constraints:
        if isinstance(driver, PrescribedMotion):
            look = _law_of(system, driver)
            times = np.linspace(start, until, LOOKS)
            for order, word in enumerate(("place", "speed")):
                found = _jump(look, times, order)
                if found is not None:
                    _refuse(system, driver, word, found)


def _law_of(system: System, driver: PrescribedMotion) -> Callable[..., Any]:
    """times (n,) -> place, speed and acceleration, (3, n, coordinates)."""

    def place(t: Scalar) -> Any:
        return driver.wanted(t, system.table())

    speed = jax.jacfwd(place)
    acceleration = jax.jacfwd(speed)

    def look(times: Array) -> Any:
        each = [jax.vmap(f)(times) for f in (place, speed, acceleration)]
        return jax.numpy.stack(each)

    return system.remembered(f"driver {driver.name}", lambda: doubled(look))


def _jump(
    look: Callable[..., Any], times: np.ndarray, order: int
) -> tuple[float, float] | None:
    """The time and size of a jump of the law or of its rate, if it has one."""
    seen = look(times)
    size = max(float(np.max(np.abs(seen[order]))), float(np.ptp(seen[order])))
    missed = _missed(times, seen, order)
    for k in np.argsort(missed)[::-1][:SUSPECTS]:
        if missed[k] <= JUMP * size / LOOKS:
            break
        a, b = times[k], times[k + 1]
        while True:
            middle = a + (b - a) / 2
            if middle in (a, b):
                break
            three = np.array([a, middle, b])
            halves = _missed(three, look(three), order)
            a, b = (a, middle) if halves[0] >= halves[1] else (middle, b)
        ends = look(np.array([a, b]))[order]
        if np.max(np.abs(ends[1] - ends[0])) > JUMP * size:
            # At the corner itself a rate is often half of its jump: ask beside it.
            beside = np.array([-1e-9, 1e-9]) * (times[-1] - times[0]) + b
            ends = look(beside)[order]
            return float(b), float(np.max(np.abs(ends[1] - ends[0])))
    return None


def _missed(times: np.ndarray, seen: np.ndarray, order: int) -> np.ndarray:
    """By how much a change is not what the rates at both ends say (intervals,)."""
    value, rate = seen[order], seen[order + 1]
    h = np.diff(times)[:, None]
    said = h * (rate[1:] + rate[:-1]) / 2
    return np.max(np.abs(np.diff(value, axis=0) - said), axis=1)


def _refuse(
    system: System, driver: PrescribedMotion, word: str, found: tuple[float, float]
) -> None:
    t, change = found
    unit = driver.joint.units[0] if word == "place" else driver.joint.speed_units[0]
    need = "an infinite speed" if word == "place" else "an impulse"
    raise ConstraintError(
        f"{driver.name!r} of {system.name!r} cannot be followed: its {word} jumps by"
        f" {change:.6g} {unit} at t = {t:.9g} s.",
        f"No finite force does that: it would need {need}.",
        "Give a law with a continuous rate, such as a ramp with rounded ends; or run"
        " to the jump, and go on from a state with the speeds after it.",
    )
