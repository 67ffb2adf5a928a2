"""What JAX remembers of the NumPy arrays that functions close over.

JAX keeps its own copy of such an array, rounded to the precision of the trace that met
it first, and serves that copy to every later trace while something holds it. These
questions are asked of the constants of a trace in double precision.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import getweakrefcount

import numpy as np

from polhode.errors import CompileError

INTEGERS = (np.dtype(np.int32), np.dtype(np.uint32))
ROUNDED = (np.dtype(np.float32), np.dtype(np.complex64))
_LOOK: ContextVar[dict[frozenset[type], set[complex]] | None] = ContextVar(
    "look", default=None
)
WIDE = tuple(map(np.dtype, (np.float64, np.complex128, np.int64, np.uint64)))


def is_doubtful(constants: Iterable[Any]) -> bool:
    """Whether one of the constants may be a rounded copy.

    It is narrow itself, or a number without axes that equals a narrow copy: JAX
    widens such copies while it traces, and then their precision does not show.
    """
    arrays = [c for c in constants if isinstance(c, np.ndarray)]
    if any(map(_is_narrow, arrays)):
        return True
    numbers = _numbers(arrays)
    if not numbers:
        return False
    return bool(numbers & _narrow_numbers(map(type, arrays)))


@contextmanager
def one_look() -> Iterator[None]:
    """Within, all copies that JAX holds are looked for once, for many traces.

    To look goes through all objects of the process. It is for a verb that makes many
    programs while nobody else traces.
    """
    token = _LOOK.set({})
    try:
        yield
    finally:
        _LOOK.reset(token)


def _narrow_numbers(kinds: Iterable[type]) -> set[complex]:
    """The numbers without axes among the narrow copies that JAX holds."""
    chosen, known = frozenset(kinds), _LOOK.get()
    if known is not None and chosen in known:
        return known[chosen]
    numbers = map(_number, narrow_copies(chosen))
    found = {number for number in numbers if number is not None}
    if known is not None:
        known[chosen] = found
    return found


def narrow_copies(kinds: Iterable[type]) -> list[Any]:
    """All copies in JAX's own kinds of array that are narrow and still held."""
    own = {kind for kind in kinds if issubclass(kind, np.ndarray)} - {np.ndarray}
    return [
        item
        for kind in own
        for item in gc.get_referrers(kind)
        if type(item) is kind and _is_narrow(item)
    ]


def refuse_rounded(constants: Iterable[Any], held: list[Any]) -> None:
    """Refuses constants that are, or were widened from, copies held by the user."""
    arrays = [c for c in constants if isinstance(c, np.ndarray)]
    known = {id(copy) for copy in held}
    numbers = _numbers(arrays)
    rounded = [copy for copy in held if _is_cut(copy) and _number(copy) in numbers]
    if rounded or any(id(array) in known and _is_cut(array) for array in arrays):
        raise CompileError(
            "JAX holds a constant of the function in single precision.",
            "It met this NumPy array with jax_enable_x64 off, and a trace that is "
            "still kept makes it remember the rounded values.",
            "Drop that trace (a jaxpr, a lowered function), or copy the array.",
        )


def _is_narrow(array: Any) -> bool:
    """In 32 bits, and not because the array itself was so.

    What JAX remembers bears a weak reference. The base of a copy is the array itself,
    which is then remembered too, or the outcome of rounding, which nobody knows.
    JAX's own indices are short integers that are copies of nothing.
    """
    if array.size == 0 or array.dtype not in (*ROUNDED, *INTEGERS):
        return False
    if not getweakrefcount(array):
        return array.dtype in ROUNDED
    return array.base is None or not getweakrefcount(array.base)


def _numbers(arrays: list[np.ndarray]) -> set[complex]:
    """The short numbers without axes that came from NumPy, not from Python."""
    return {
        complex(array)
        for array in arrays
        if array.ndim == 0 and array.dtype in WIDE
        if not getattr(array, "weak_type", type(array) is np.ndarray)
        if _is_short(array)
    }


def _is_short(array: np.ndarray) -> bool:
    """Whether a number could have been widened from 32 bits."""
    if array.dtype.kind in "iu":
        return abs(int(array)) < 2**32
    short = np.complex64 if array.dtype.kind == "c" else np.float32
    with np.errstate(over="ignore"):
        return bool(array.astype(short) == array)


def _number(copy: Any) -> complex | None:
    return complex(copy) if copy.ndim == 0 else None


def _is_cut(copy: Any) -> bool:
    """Whether its numbers look rounded: longer in double than in single precision."""
    if copy.dtype not in ROUNDED:
        return True
    return any(str(value) != str(value.item()) for value in np.ravel(copy).view("f4"))
