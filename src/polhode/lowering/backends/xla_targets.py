"""Native code that XLA calls by its foreign-function interface, by name.

A name stands for one content, in every process: an executable of XLA that was kept on
disk finds what it calls by the names in it, once they are registered here.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from polhode.lowering.backends import cache as disk
from polhode.lowering.backends.llvm.native import Code, machine_code
from polhode.lowering.backends.llvm.xla_handler import write_handler
from polhode.lowering.trace.trace import ClosedJaxpr, equations_within

NATIVE = "polhode_native"  # the primitive of calls to native code
# The name of a part of a trace that has no native code, which the user is told of
# wherever it is traced: what has such a part is not found without a trace.
UNTOLD = "polhode_without_native_code"

_LOCK = threading.Lock()
# What XLA may still call, by the name it knows: an executable holds an address, and
# nobody tells when the last executable has gone, so nothing here is ever given back.
_REGISTERED: dict[str, list[Any]] = {}

Variant = tuple[Code, int]  # code, and the bytes of scratch memory that it needs


class Target(NamedTuple):
    """Code that XLA knows by a name, and what a handler must know of its calls.

    one     entry of the cache with the code for one system
    many    and for lanes
    inputs  how many arrays it takes
    ranks   of the results of one system
    """

    name: str
    one: str
    many: str
    inputs: int
    ranks: list[int]


def register(target: Target, find: Callable[[str], Variant]) -> None:
    """Let XLA know the code by its name; `find` gives that of an entry."""
    with _LOCK:
        if target.name in _REGISTERED:
            return
        one, many = find(target.one), find(target.many)
        text = write_handler(
            _address(one[0]),
            _address(many[0]),
            scratch=max(one[1], many[1]),
            inputs=target.inputs,
            ranks=target.ranks,
        )
        handler = Code(machine_code(text))
        capsule = jax.ffi.pycapsule(handler.run)
        jax.ffi.register_ffi_target(target.name, capsule, platform="cpu")
        _REGISTERED[target.name] = [one, many, handler, capsule]


def register_kept(target: Target) -> bool:
    """The same with code from the disk; False where it is not there."""
    if target.name in _REGISTERED:
        return True
    found: dict[str, Variant] = {}
    for name in {target.one, target.many}:
        entry = disk.load(name)
        if entry is None:
            return False
        facts, code = entry
        found[name] = Code(code), facts["scratch"]
    register(target, found.__getitem__)
    return True


def targets_within(jaxpr: ClosedJaxpr) -> list[Target] | None:
    """What an executable of a trace calls; None if another process does not know it."""
    found: dict[str, Target] = {}
    for equation in equations_within(jaxpr):
        word = equation.primitive.name
        if word == "ffi_call" or equation.params.get("name") == UNTOLD:
            return None
        if word == NATIVE:
            target = equation.params["function"].target
            found[target.name] = target
    return list(found.values())


def _address(code: Code) -> int:
    found = ctypes.cast(code.run, ctypes.c_void_p).value
    assert found is not None
    return found
