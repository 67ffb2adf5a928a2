"""A stand-in for CuPy: kernels compiled as C++ run on this machine, thread by thread.

The text is the one that goes to a GPU; only the few lines under `#ifdef __CUDACC__` in
its prelude differ. `-ffp-contract=off` is the host's word for `--fmad=false`.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np

COMPILER = shutil.which("g++") or shutil.which("clang++")
FLAGS = ["-std=c++17", "-O0", "-ffp-contract=off", "-shared", "-fPIC"]
WITHOUT_COMPILER = "no g++ or clang++ here: kernels cannot run on the host"


class ndarray(np.ndarray):
    """An array that counts as being on the device."""

    def get(self) -> np.ndarray:
        return np.array(self)


class RawModule:
    """C++ made into a library of this process; `run` checks what it is given."""

    def __init__(self, code: str, options: tuple[str, ...]):
        assert "--fmad=false" in options
        self.code = code

    def get_function(self, name: str) -> Callable[..., None]:
        function = getattr(built(self.code), name)

        def launch(grid: tuple[int], block: tuple[int], arguments: tuple) -> None:
            threads = int(arguments[-2])
            assert 0 < threads <= grid[0] * block[0] < threads + block[0]
            function(*map(spelt, arguments))

        return launch


def host_cupy(processors: int = 1, free_bytes: int = 2**30) -> Any:
    """What stands in for the module `cupy`; `.fetched` counts copies to NumPy,
    `.synchronised` waits for the device."""

    def asnumpy(array: np.ndarray, order: str = "C") -> np.ndarray:
        module.fetched += 1
        return np.array(array, order=order)

    def empty(shape: tuple[int, ...], type: str) -> np.ndarray:
        """Full of nonsense, so that what is never written is seen."""
        size = int(np.prod(shape)) * np.dtype(type).itemsize
        return np.full(size, 0xA5, np.uint8).view(type).reshape(shape).view(ndarray)

    def synchronize() -> None:
        module.synchronised += 1

    card = SimpleNamespace(
        attributes={"MultiProcessorCount": processors},
        mem_info=(free_bytes, 2**40),
        synchronize=synchronize,
    )
    module = SimpleNamespace(
        ndarray=ndarray,
        RawModule=RawModule,
        # What comes from NumPy is copied, as to a device.
        asarray=lambda a: a if isinstance(a, ndarray) else np.array(a).view(ndarray),
        ascontiguousarray=lambda a: np.ascontiguousarray(a).view(ndarray),
        asnumpy=asnumpy,
        empty=empty,
        where=np.where,
        sign=np.sign,
        moveaxis=np.moveaxis,
        flatnonzero=lambda a: np.flatnonzero(a).view(ndarray),
        arange=lambda n: np.arange(n).view(ndarray),
        fetched=0,
        synchronised=0,
        cuda=SimpleNamespace(
            Device=lambda: card, runtime=SimpleNamespace(getDeviceCount=lambda: 1)
        ),
    )
    return module


def built(text: str) -> ctypes.CDLL:
    """The text as a library in this process."""
    assert COMPILER is not None, WITHOUT_COMPILER
    with TemporaryDirectory() as folder:
        source, library = Path(folder, "kernel.cpp"), Path(folder, "kernel.so")
        source.write_text(text)
        command = [COMPILER, *FLAGS, "-o", str(library), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return ctypes.CDLL(str(library))


def spelt(argument: Any) -> Any:
    """An argument of a kernel, as C takes it; arrays must be on the device."""
    if isinstance(argument, np.int64):
        return ctypes.c_int64(argument)
    assert isinstance(argument, ndarray)
    assert argument.flags.c_contiguous
    return ctypes.c_void_p(argument.ctypes.data)
