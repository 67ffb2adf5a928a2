"""Work along paths, and power of what moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.actions.fields.field import ForceField
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ForceError
from polhode.geometry.vector import dot, norm

Path = Callable[..., Any]

CLOSED = 1e-9  # of the length of a loop: what it may be open by
ROUNDING = 64 * np.finfo(float).eps  # of distances from the origin
LOOKS = 9  # places at which the length of a loop is taken


def force_power(forces: Array, velocities: Array) -> Any:
    """The power of forces on the material points they act at, summed.

        P = sum_n F_n . v_n

    The velocity is the material point's: that of the place of contact, which moves over
    the body, does not count.
    """
    return dot(forces, velocities).sum(-1)


def couple_power(couple: Array, angular_velocity: Array) -> Any:
    """The power of a couple on a rigid body.   P = C . omega"""
    return dot(couple, angular_velocity)


def pair_power(force: Array, first_velocity: Array, second_velocity: Array) -> Any:
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
    """F . x' and |F| |x'|, compiled, by s and what else the path depends on."""
    import jax

    def rate(s: Scalar, *shape: Any) -> Any:
        def place(at: Array) -> Any:
            return jax.numpy.asarray(path(at, *shape))

        x, v = jax.jvp(place, (s,), (jax.numpy.ones_like(s),))
        force = field.force(x, v, s)
        return dot(force, v), norm(force) * norm(v)

    return doubled(rate)


def circulation(field: ForceField, loop: Path, *, rtol: float = 1e-11) -> float:
    """The work of a field round a closed path, x(0) = x(1).

    Zero for every loop if the field is conservative.
    """
    import jax

    x = doubled(lambda s: jax.numpy.asarray(loop(s)))
    gap = float(np.max(np.abs(x(0.0) - x(1.0))))
    # Of how far the path leads, in any units; places far away round as they are far.
    places = np.stack([x(s) for s in np.linspace(0.0, 1.0, LOOKS)])
    reach = float(np.max(np.ptp(places, axis=0)))
    rounding = ROUNDING * float(np.max(np.abs(places)))
    if gap > CLOSED * reach + rounding:
        raise ForceError(
            f"the loop for {field.name!r} does not close: a gap of {gap:.3g}.",
            "Circulation is the work round a closed path.",
            "Give a path with x(0) = x(1).",
        )
    return work(field, loop, 0.0, 1.0, rtol=rtol)


def work_of_power(power: Callable[[float], Any], start: float, end: float) -> float:
    """The work done between two times.   W = integral P dt"""

    def rate(t: float) -> tuple[Any, Any]:
        value = power(t)
        return value, abs(value)

    return integral(rate, start, end, 1e-11, "the work of a power")


def integral(
    rate: Callable[[float], Any], start: float, end: float, rtol: float, what: str
) -> float:
    """An adaptive integral of a rate, to `rtol` of the integral of its size.

    `rate` gives both: the rate at s, and the size to which it is rounded.
    """
    from scipy.integrate import quad_vec

    def height(s: float) -> float:
        value = float(rate(s)[0])
        if not np.isfinite(value):
            _refuse(what, f"At {s:.6g} the power is {value}.")
        return value

    samples = [float(rate(s)[1]) for s in np.linspace(start, end, 33)]
    finite = [size for size in samples if np.isfinite(size)]
    size = max(float(np.mean(finite or [0.0])) * abs(end - start), 1e-300)
    value, error, info = quad_vec(
        height, start, end, epsrel=0.0, epsabs=rtol * size, limit=500, full_output=True
    )
    # Rounding may keep the estimate above the wish; that is as good as it gets.
    if not info.success and error > 1e3 * rtol * size:
        _refuse(what, f"After {info.neval} samples the error is still {error:.3g}.")
    return float(value)


def _refuse(what: str, fact: str) -> None:
    raise ForceError(
        f"{what} has no settled value.",
        "The path meets a place where the force is infinite or jumps.",
        "Move the path away from that place, or split it there.",
        fact,
    )
