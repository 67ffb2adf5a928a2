"""Whether a user's function can be part of a compiled program.

A program traces a function once and never asks it again. A function may be traced if
that makes no difference: it takes arguments without values, gives what it should, gives
the same twice, and leaves nothing changed of all that it can reach. Any other is plain
Python, and is asked by the host.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.lowering.trace.trace import closed_jaxpr
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

Checked = Callable[..., list[Any]]


def traceable_digest(
    function: Callable[..., Any],
    system: System,
    checked: Checked,
    extra: tuple[Any, ...] = (),
) -> bytes | None:
    """The digest of a function that may be traced; None of plain Python.

    `checked(t, q, z, *extra)` asks it and gives arrays, or raises where the answer is
    not what it should be. The digest is of the code of the function and of the values
    that it closes over, as they are now: a program with other values is another one.
    """
    try:
        before = fingerprint(function)
    except NoFingerprint:
        return None  # such as one that draws random numbers
    known = system.compiled.setdefault("traceable", {})
    key = (function, before, *(np.shape(each) for each in extra))
    if key not in known:
        same = _gives_the_same(checked, system, extra)
        known[key] = same and _is(function, before)
    return before if known[key] else None


def traceable_reset(reset: Callable[..., Any], system: System) -> bytes | None:
    """The digest of a reset of an event that may be traced."""

    def checked(t: Any, q: Any, z: Any) -> list[Any]:
        after = reset(t, State(system, t, q, z))
        if not isinstance(after, State) or after.system is not system:
            raise TypeError("a reset gives a state of the system")
        return [after.q, after.z]

    return traceable_digest(reset, system, checked)


def _is(function: Callable[..., Any], digest: bytes) -> bool:
    try:
        return fingerprint(function) == digest
    except NoFingerprint:
        return False


def _gives_the_same(checked: Checked, system: System, extra: tuple[Any, ...]) -> bool:
    """Whether two traces of it are one program."""

    def fresh() -> Callable[..., Any]:  # JAX would not trace one function twice
        def traced(*arguments: Any) -> list[Any]:
            return checked(*arguments)

        return traced

    example = (0.0, np.zeros(system.coordinates), np.zeros(system.speeds), *extra)
    try:
        # What a function warns of it says each time that the host asks it.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one, other = (closed_jaxpr(fresh(), *example)[0] for _ in range(2))
    except Exception:
        return False
    pairs = zip(one.consts, other.consts, strict=False)
    same = all(np.array_equal(a, b) for a, b in pairs)
    return same and str(one) == str(other)
