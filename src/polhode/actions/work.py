"""Work along paths, and power of what moves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.actions.double import doubled
from polhode.actions.field import ForceField
from polhode.errors import ForceError
from polhode.geometry.vector import dot

Path = Callable[..., Any]


def force_power(forces: Any, velocities: Any) -> Any:
    """The power of forces on the material points they act at, summed.

        P = sum_n F_n . v_n

    The velocity is the material point's: that of the place of contact, which moves over
    the body, does not count.
    """
    return dot(forces, velocities).sum(-1)


def couple_power(couple: Any, angular_velocity: Any) -> Any:
    """The power of a couple on a rigid body.   P = C . omega"""
    return dot(couple, angular_velocity)


def pair_power(force: Any, first_velocity: Any, second_velocity: Any) -> Any:
    """The power of F at one point and -F at another.   P = F . (v1 - v2)"""
    return dot(force, first_velocity - second_velocity)


def work(
    field: ForceField, path: Path, start: float, end: float, *, rtol: float = 1e-11
) -> float:
    """The work of a field on what follows a path x(s), from s = start to end.

        W = integral F(x, x', s) . x'(s) ds

    `path` is traceable; for a velocity-dependent or unsteady field s is the time.

    >>> from polhode.geometry.frame import Frame
    >>> pull = ForceField.of_place(lambda x: [0.0, 0.0, -2.0], Frame("world"))
    >>> round(work(pull, lambda s: s * np.array([1.0, 0.0, 3.0]), 0.0, 1.0), 12)
    -6.0
    """
    what = f"the work of {field.name!r} from {start:.6g} to {end:.6g}"
    return integral(power_along(field, path), start, end, rtol, what)


def power_along(field: ForceField, path: Path) -> Callable[..., Any]:
    """F . x' as a compiled function of s, and of what else the path depends on."""
    import jax

    def rate(s: Any, *shape: Any) -> Any:
        def place(at: Any) -> Any:
            return jax.numpy.asarray(path(at, *shape))

        x, v = jax.jvp(place, (s,), (jax.numpy.ones_like(s),))
        return dot(field.force(x, v, s), v)

    return doubled(rate)


def circulation(field: ForceField, loop: Path, *, rtol: float = 1e-11) -> float:
    """The work of a field round a closed path, x(0) = x(1).

    Zero for every loop if the field is conservative.
    """
    import jax

    x = doubled(lambda s: jax.numpy.asarray(loop(s)))
    gap = float(np.max(np.abs(x(0.0) - x(1.0))))
    if gap > 1e-9 * (1.0 + float(np.max(np.abs(x(0.0))))):
        raise ForceError(
            f"the loop for {field.name!r} does not close: a gap of {gap:.3g}.",
            "Circulation is the work round a closed path.",
            "Give a path with x(0) = x(1).",
        )
    return work(field, loop, 0.0, 1.0, rtol=rtol)


def work_of_power(power: Callable[[float], Any], start: float, end: float) -> float:
    """The work done between two times.   W = integral P dt"""
    return integral(power, start, end, 1e-11, "the work of a power")


def integral(
    rate: Callable[[float], Any], start: float, end: float, rtol: float, what: str
) -> float:
    """An adaptive integral, to `rtol` of the integral of |rate|."""
    from scipy.integrate import IntegrationWarning, quad

    def height(s: float) -> float:
        return float(rate(s))

    coarse = np.linspace(start, end, 33)
    size = float(np.mean([abs(height(s)) for s in coarse])) * abs(end - start)
    with warnings.catch_warnings():
        warnings.simplefilter("error", IntegrationWarning)
        try:
            value, error = quad(
                height, start, end, epsrel=rtol, epsabs=rtol * size, limit=400
            )
        except IntegrationWarning as trouble:
            raise ForceError(
                f"{what} has no settled value.",
                "The integral does not converge: the path meets a place where the"
                " force is infinite or jumps, or swings too often.",
                "Move the path away from the singular place, or split it there.",
                str(trouble).split("\n")[0],
            ) from trouble
    if not np.isfinite(value):
        raise ForceError(
            f"{what} is {value}.",
            "The force is not finite somewhere on the path.",
            "Move the path away from the singular place.",
            f"error estimate {error:.3g}",
        )
    return float(value)
