"""All contact with CuPy: is there a device, arrays on it, kernels for it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from polhode.errors import CompileError
from polhode.lowering.backends import cache
from polhode.lowering.backends.cuda.prelude import THREADS_A_BLOCK

# Rounding is decided in the program: nothing is fused or approximated. (CuPy adds
# -ftz=true, which flushes subnormals in single precision alone: we have none.)
OPTIONS = (
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
)
CUPY_FOLDER = "CUPY_CACHE_DIR"  # CuPy asks for it whenever it compiles
_ENVIRONMENT = threading.Lock()  # the environment is one for all threads
THREADS_A_PROCESSOR = 2048  # that CUDA keeps ready at once, at the most

Kernel = Callable[[list[Any], int], None]  # arguments and threads


class Device:
    """The current GPU, through CuPy."""

    def __init__(self, cupy: Any):
        self.cupy: Any = cupy
        device = cupy.cuda.Device()
        self.threads: int = (
            device.attributes["MultiProcessorCount"] * THREADS_A_PROCESSOR
        )
        # One double takes as long as so many singles: 2 on cards for computing, 64 on
        # those for pictures.
        self.singles_a_double: int = device.attributes.get(
            "SingleToDoublePrecisionPerfRatio", 0
        )
        self.free_bytes: int = device.mem_info[0]

    def kernel(self, text: str) -> Kernel:
        """The compiled function `run` of a text."""
        try:
            with _cupy_cache():
                module = self.cupy.RawModule(code=text, options=OPTIONS)
                function = module.get_function("run")
        except Exception as error:
            raise CompileError(
                "CUDA's compiler did not accept the program.",
                "CuPy found a GPU, but NVRTC could not build a kernel for it.",
                "See by `cupy.show_config()` whether its CUDA fits the driver.",
                str(error).strip().split("\n")[0],
            ) from error

        def launch(arguments: list[Any], threads: int) -> None:
            blocks = -(-threads // THREADS_A_BLOCK)
            function((blocks,), (THREADS_A_BLOCK,), tuple(arguments))

        return launch

    def synchronise(self) -> None:
        """Return when the device has done all that it was given, Ctrl-C or not.

        It is for those on whom something was raised: what the device has to say
        against its work would hide that.
        """
        while True:
            try:
                with contextlib.suppress(Exception):
                    self.cupy.cuda.Device().synchronize()
                return
            except KeyboardInterrupt:
                continue

    def empty(self, shape: tuple[int, ...], type: str) -> Any:
        """An array on the device, not yet written."""
        return self.cupy.empty(shape, type)

    def send(self, array: Any) -> Any:
        """An array on the device, its elements in the order of their indices."""
        return self.cupy.ascontiguousarray(self.cupy.asarray(array))

    def fetch(self, array: Any) -> np.ndarray:
        """The array in the machine's own memory."""
        return self.cupy.asnumpy(array, order="C")


@contextlib.contextmanager
def _cupy_cache() -> Iterator[None]:
    """CuPy looks for compiled kernels in a folder that nobody else can write.

    It loads what it finds after a plain hash, wherever its own folder lies.
    """
    with _ENVIRONMENT, cache.kernel_folder() as folder:
        before = os.environ.get(CUPY_FOLDER)
        os.environ[CUPY_FOLDER] = str(folder)
        try:
            yield
        finally:
            if before is None:
                del os.environ[CUPY_FOLDER]
            else:
                os.environ[CUPY_FOLDER] = before


def in_memory(array: Any) -> Any:
    """An array of a GPU (CuPy, PyTorch, JAX) in the machine's memory; others as is."""
    if not hasattr(array, "__cuda_array_interface__"):
        return array
    import cupy

    return cupy.asnumpy(cupy.asarray(array), order="C")


def current_device() -> Device:
    """The GPU, or an error that says what is missing and how to get it."""
    try:
        import cupy
    except ImportError as error:
        raise CompileError(
            'backend="cuda" needs CuPy, which is not installed.',
            "Kernels are compiled and run on the GPU through CuPy.",
            'Install it by `pip install "polhode[gpu]"`, or use backend="llvm".',
            str(error),
        ) from error
    try:
        count, reason = cupy.cuda.runtime.getDeviceCount(), "CUDA counts 0 devices."
    except Exception as error:
        count, reason = 0, str(error)
    if count == 0:
        raise CompileError(
            'backend="cuda" needs an NVIDIA GPU, and CUDA finds none here.',
            "CuPy is installed, but there is no device or no driver for it.",
            'Run on a machine with a GPU, or use backend="llvm".',
            reason,
        )
    return Device(cupy)
