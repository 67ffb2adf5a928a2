"""Whether a reset can be part of a compiled program.

A program traces a function once and never asks it again. A reset may be traced if that
makes no difference: it takes arguments without values, gives a state, gives the same
twice, and leaves nothing changed of all that it can reach. Any other is plain Python,
and is asked by the host at each event.
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


def is_traceable(reset: Callable[..., Any], system: System) -> bytes | None:
    """The digest of a reset that may be traced; None of plain Python.

    The digest is of its code and of the values that it closes over, as they are now: a
    program with other values is another program.
    """
    try:
        before = fingerprint(reset)
    except NoFingerprint:
        return None  # such as one that draws random numbers
    known = system.compiled.setdefault("resets", {})
    if (reset, before) not in known:
        known[reset, before] = _gives_the_same(reset, system) and _is(reset, before)
    return before if known[reset, before] else None


def _is(reset: Callable[..., Any], digest: bytes) -> bool:
    try:
        return fingerprint(reset) == digest
    except NoFingerprint:
        return False


def _gives_the_same(reset: Callable[..., Any], system: System) -> bool:
    """Whether two traces of it are one program."""

    def fresh() -> Callable[..., Any]:  # JAX would not trace one function twice
        def traced(t: Any, q: Any, z: Any) -> list[Any]:
            after = reset(t, State(system, t, q, z))
            if not isinstance(after, State) or after.system is not system:
                raise TypeError("a reset gives a state of the system")
            return [after.q, after.z]

        return traced

    example = (0.0, np.zeros(system.coordinates), np.zeros(system.speeds))
    try:
        # What a reset warns of it says at each event, on the host.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one, other = (closed_jaxpr(fresh(), *example)[0] for _ in range(2))
    except Exception:
        return False
    pairs = zip(one.consts, other.consts, strict=False)
    same = all(np.array_equal(a, b) for a, b in pairs)
    return same and str(one) == str(other)
