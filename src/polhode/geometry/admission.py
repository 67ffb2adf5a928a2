"""The door check of every noun: numbers in, one read-only float64 array out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from polhode.arrays import Scalar
from polhode.errors import FrameMismatch, StateError
from polhode.geometry.frame import Frame


def is_traced(*values: Any) -> bool:
    """Whether any of the values is a JAX tracer, whose numbers are not known yet."""
    jax = sys.modules.get("jax")
    return jax is not None and any(isinstance(v, jax.core.Tracer) for v in values)


def number_of(value: Scalar) -> Any:
    """The number in an array of none or one axis; a tracer as it is."""
    return value if is_traced(value) else float(value)


def admit(
    value: Any, shape: tuple[int, ...], what: str, frame: Frame | None = None
) -> Any:
    """A copy of `value` as float64 of this `shape`, finite and read-only.

    `what` names the quantity in the refusal: "the origin of pose 'arm'". A tracer
    passes by its shape: its numbers are not known yet. Lists that hold one are stacked.
    A value with a frame of its own must be written in `frame`, where one is given.

    >>> admit([1, 2, 3], (3,), "a point")
    array([1., 2., 3.])
    """
    if frame is not None:
        _require_axes(value, frame, what)
    traced = is_traced(*_entries(value))
    array = _stack(value) if traced else _as_float64(value, what)
    if array.shape != shape:
        raise StateError(
            f"{what} has shape {array.shape}, expected {shape}.",
            "Each entry is a component along one axis.",
            f"Give {' x '.join(map(str, shape)) or 'one'} real numbers.",
        )
    if traced:
        return array
    if not np.all(np.isfinite(array)):
        raise StateError(
            f"{what} is not finite: {np.array2string(array, separator=', ')}.",
            "NaN and infinity measure nothing: no place, direction, speed or force.",
            "Look where the numbers come from: a division by zero or a missing value.",
        )
    array.setflags(write=False)
    return array


def _require_axes(value: Any, frame: Frame, what: str) -> None:
    given = getattr(value, "frame", frame)
    if given is not frame:
        raise FrameMismatch(
            f"{what} is written in {given.name!r}, not in {frame.name!r}.",
            "The same three numbers are different vectors in different axes.",
            f"Re-express it first: vector.written_in(rotation) with a Rotation of"
            f" {given.name!r} seen from {frame.name!r}.",
        )


def _entries(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [entry for part in value for entry in _entries(part)]
    return [value]


def _stack(value: Any) -> Any:
    if isinstance(value, list | tuple):
        parts = [_stack(part) for part in value]
        return sys.modules["jax"].numpy.stack(parts)
    return sys.modules["jax"].numpy.asarray(value, dtype=float)


def _as_float64(value: Any, what: str) -> np.ndarray:
    given = np.asarray(value) if not _ragged(value) else None
    if given is None or given.dtype.kind not in "fiu":
        raise StateError(
            f"{what} is not made of real numbers: {value!r}.",
            "Components are real; complex numbers, truth values and text are not.",
            "Give numbers.",
        )
    return np.array(given, dtype=np.float64)


def _ragged(value: Any) -> bool:
    try:
        np.asarray(value)
    except ValueError:
        return True
    return False
