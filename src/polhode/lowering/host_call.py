"""Functions of NumPy arrays on the host, called from inside programs that XLA runs.

XLA calls a handler of its foreign-function interface, as it does for native code
([`native_jax`](native_jax.py)), and that enters Python with the addresses of the
arrays. `jax.pure_callback` is not used: it hands arrays over in the precision of the
thread that it runs on, which is single.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from polhode.lowering.backends.llvm.native import Code, machine_code
from polhode.lowering.backends.llvm.xla_handler import write_handler

_SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
)
_NUMBERS = itertools.count()
_LOCK = threading.Lock()
# An executable holds addresses, and nobody tells when the last one has gone.
_REGISTERED: list[Any] = []

Kind = jax.ShapeDtypeStruct


def host_function(
    function: Callable[..., None], inputs: Sequence[Kind], results: Sequence[Kind]
) -> Callable[..., Any]:
    """A function for use inside traces that calls `function(*inputs, *results)`.

    `function` gets arrays of one system, those of results to be written, and depends on
    nothing else. It must not raise: nobody could hear it. Of many systems, as under
    `vmap`, it is called once for each.
    """

    def enter(into: Any, out: Any, memory: Any, first: int, systems: int) -> int:
        given = [_array(into[k], kind, systems) for k, kind in enumerate(inputs)]
        found = [_array(out[k], kind, systems) for k, kind in enumerate(results)]
        for k in range(systems):
            function(*(each[k, ...] for each in (*given, *found)))
        return systems

    entry = _SIGNATURE(enter)
    address = ctypes.cast(entry, ctypes.c_void_p).value
    assert address is not None
    ranks = [len(kind.shape) for kind in results]
    text = write_handler(address, address, 0, len(inputs), ranks)
    with _LOCK:
        name = f"polhode_host_{next(_NUMBERS)}"
        handler = Code(machine_code(text))
        capsule = jax.ffi.pycapsule(handler.run)
        jax.ffi.register_ffi_target(name, capsule, platform="cpu")
        _REGISTERED.append((entry, handler, capsule))
    return jax.ffi.ffi_call(name, list(results), vmap_method="broadcast_all")


def _array(address: int, kind: Kind, systems: int) -> np.ndarray:
    """The numbers at an address, of all systems, without a copy."""
    shape, dtype = (systems, *kind.shape), np.dtype(kind.dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    if not size:
        return np.zeros(shape, dtype)
    memory = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape)
