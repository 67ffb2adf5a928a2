"""From LLVM text to machine code in this process, and the calling of it."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from polhode.errors import CompileError

VARIABLE = "POLHODE_LLVM_EFFORT"
_LOCK = threading.Lock()  # LLVM's global context is not thread-safe
_COUNT = itertools.count()


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def host() -> tuple[str, str]:
    """The processor's name and features, as LLVM spells them."""
    _initialise()
    features = llvm.get_host_cpu_features()
    return llvm.get_host_cpu_name(), features.flatten()


@cache
def host_lanes() -> int:
    """Doubles in the widest vector register of this machine."""
    features = host()[1].split(",")
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


def least_effort() -> bool:
    """Whether this process wants its code soon rather than quick.

    POLHODE_LLVM_EFFORT=0 leaves out what LLVM does to make code quick. Roundings are
    decided before LLVM and nothing in its text lets it choose others: no bit changes.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if text not in ("", "0"):
        raise CompileError(
            f"{VARIABLE} is {text!r}; there is only 0, the least effort.",
            "How much LLVM does for a program is otherwise chosen by its length.",
            f"Set {VARIABLE}=0 to have code sooner that runs slower, or unset it.",
        )
    return text == "0"


def target_machine(effort: int = 2) -> Any:
    name, features = host()
    target = llvm.Target.from_default_triple()
    kind = {"reloc": "pic", "codemodel": "default", "jit": False}
    return target.create_target_machine(cpu=name, features=features, opt=effort, **kind)


def machine_code(
    text: str, pack: bool = False, effort: int = 2, passes: int = 2
) -> bytes:
    """An object file. LLVM may not reorder arithmetic: the text has no such flags.

    `pack` lets it put equal operations side by side in one vector, which changes no bit
    and pays in short loop bodies. Less `effort` (1) in choosing instructions changes no
    bit either: long straight code runs as quickly, and is there a third sooner. With no
    `passes` (0) LLVM only chooses instructions and registers; with few (1) it does most
    of what is worth doing in short loops. All three give way to `least_effort`.
    """
    _initialise()
    if least_effort():
        effort, passes = 0, 0
    with _LOCK:
        module = llvm.parse_assembly(text)
        machine = target_machine(effort)
        if not passes:
            return machine.emit_object(module)
        options = llvm.create_pipeline_tuning_options(speed_level=passes)
        options.loop_vectorization = False
        options.slp_vectorization = pack
        options.loop_unrolling = False
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)


@cache
def _linker() -> Any:
    """One linker for the process; it lays each program out in one piece of memory."""
    return llvm.create_lljit_compiler(target_machine(), use_jit_link=True)


class Code:
    """Machine code that lives as long as this object."""

    def __init__(self, image: bytes):
        _initialise()
        with _LOCK:
            library = llvm.JITLibraryBuilder().add_object_img(image)
            library.add_current_process().export_symbol("run")
            self._library = library.link(_linker(), f"program{next(_COUNT)}")
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        kind = ctypes.CFUNCTYPE(number, pointer, pointer, pointer, number, number)
        self.run = kind(self._library["run"])  # the call releases Python's lock
        self.size = len(image)
