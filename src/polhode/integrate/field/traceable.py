"""Whether a user's function can be part of a compiled program.

A program traces a function once and never asks it again. A function may be traced if
that makes no difference: it takes arguments without values, gives what it should, gives
the same twice, and leaves nothing changed of all that it can reach. Any other is plain
Python, and is asked by the host.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.lowering.trace.trace import closed_jaxpr
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

Checked = Callable[..., list[Any]]
CONTAINERS = (list, dict, set, np.ndarray)
MOST = 1000  # of them are copied: a law that writes into more is rare


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
        restore = _reachable(function)
        same = _gives_the_same(checked, system, extra)
        known[key] = same and _is(function, before)
        if not known[key]:
            restore()  # a list to which it appends has none of our arguments
    return before if known[key] else None


def traceable_reset(reset: Callable[..., Any], system: System) -> bytes | None:
    """The digest of a reset of an event that may be traced."""

    def checked(t: Scalar, q: Array, z: Array) -> list[Any]:
        after = reset(t, State(system, t, q, z))
        if not isinstance(after, State) or after.system is not system:
            raise TypeError("a reset gives a state of the system")
        return [after.q, after.z]

    return traceable_digest(reset, system, checked)


def _reachable(function: Callable[..., Any]) -> Callable[[], None]:
    """What puts back all that a function reaches directly, as it is now.

    What it closes over, the globals that it names, and the object whose method it is;
    of lists, dictionaries and arrays among them also what they hold.
    """
    plain = inspect.unwrap(getattr(function, "__func__", function))
    owner = getattr(function, "__self__", function)
    cells = [c for c in getattr(plain, "__closure__", None) or () if _is_full(c)]
    names = getattr(getattr(plain, "__code__", None), "co_names", ())
    spaces = [(getattr(plain, "__globals__", {}), names)]
    spaces += [(vars(owner), tuple(vars(owner)))] if hasattr(owner, "__dict__") else []
    before = [c.cell_contents for c in cells]
    own = [{n: space[n] for n in some if n in space} for space, some in spaces]
    each = [*before, *(value for part in own for value in part.values())]
    held = [(v, copy.copy(v)) for v in _containers(each)]

    def restore() -> None:
        for cell, value in zip(cells, before, strict=True):
            cell.cell_contents = value
        for (space, _), part in zip(spaces, own, strict=True):
            for name, value in part.items():
                if space[name] is not value:
                    space[name] = value
        for value, content in held:
            _refill(value, content)

    return restore


def _containers(values: list[Any]) -> list[Any]:
    """Lists, dictionaries, sets and arrays among some values and inside of these."""
    found: dict[int, Any] = {}
    left = [value for value in values if isinstance(value, CONTAINERS)]
    while left and len(found) < MOST:
        value = left.pop()
        if id(value) in found:
            continue
        found[id(value)] = value
        inner = value.values() if isinstance(value, dict) else value
        if not isinstance(value, np.ndarray):
            left += [each for each in inner if isinstance(each, CONTAINERS)]
    return list(found.values())


def _is_full(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:  # of a function that names itself, say, and is not bound yet
        return False
    return True


def _refill(container: Any, content: Any) -> None:
    if isinstance(container, np.ndarray):
        if container.flags.writeable:
            container[...] = content
        return
    container.clear()
    grow = container.extend if isinstance(container, list) else container.update
    grow(content)


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
