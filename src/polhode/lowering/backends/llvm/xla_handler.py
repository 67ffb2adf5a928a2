"""A handler of XLA's foreign-function interface, written as LLVM text.

XLA calls it with one pointer, to an `XLA_FFI_CallFrame` (jaxlib's `c_api.h`): sizes and
places of arguments and results. The handler collects their addresses, counts the
systems of a batch by the leading axes of the first result, and calls `run` of the
module that `module.py` writes. No compiler is needed, and Python is not entered.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from polhode.errors import CompileError
from polhode.lowering.backends.threads import UNLIMITED

# Versions of the interface whose structures have the places below. Its fields only move
# when the first number changes, but a version that nobody has run is not trusted.
MAJOR, MINORS = 0, range(3, 6)
# Bytes from the start of an XLA_FFI_CallFrame.
FRAME_EXTENSION, FRAME_ARGUMENTS, FRAME_RESULTS = 8, 72, 112
# Bytes from the start of an XLA_FFI_Buffer.
BUFFER_DATA, BUFFER_RANK, BUFFER_SHAPE = 24, 32, 40
# Bytes from the start of an XLA_FFI_Extension_Base, and of what it leads to.
EXTENSION_TYPE, EXTENSION_METADATA, METADATA_MAJOR, METADATA_MINOR = 8, 24, 24, 28
METADATA = 1  # the type of the extension by which XLA asks for the version
ON_STACK = 65_536  # bytes of scratch memory above which it is taken from the heap


@cache
def interface_version() -> tuple[int, int]:
    """The version of the interface that this jaxlib has; refused if it is unknown."""
    import jax.ffi

    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    text = header.read_text() if header.is_file() else ""
    found = [
        re.search(rf"#define XLA_FFI_API_{word}\s+(\d+)", text)
        for word in ("MAJOR", "MINOR")
    ]
    numbers = tuple(int(hit[1]) for hit in found if hit is not None)
    if len(numbers) != 2 or numbers[0] != MAJOR or numbers[1] not in MINORS:
        said = ".".join(map(str, numbers)) or "unknown"
        raise CompileError(
            f"XLA's foreign-function interface has version {said} here.",
            f"Native code was tried inside JAX with versions {MAJOR}.{MINORS[0]} to"
            f" {MAJOR}.{MINORS[-1]}; another may lay out its calls otherwise.",
            "Use jax 0.10 to 0.12, or call the traced function: program.function.",
        )
    return numbers


def write_handler(
    code_of_one: int, code_of_many: int, scratch: int, inputs: int, ranks: list[int]
) -> str:
    """The text of `run(frame)`; `ranks` are those of the results of one system.

    `code_of_one` and `code_of_many` are addresses of the code for a system alone and
    for lanes; `scratch` is the memory that the greater of them needs.
    """
    lines = ["declare ptr @malloc(i64)", "declare void @free(ptr)"]
    lines += ["define ptr @run(ptr %frame) alignstack(64) {", "entry:"]
    lines += _version_answer()
    lines += ["work:"]
    lines += _field("args", "frame", FRAME_ARGUMENTS, "ptr")
    lines += _field("rets", "frame", FRAME_RESULTS, "ptr")
    outputs = len(ranks)
    lines += [
        f"  %in = alloca [{max(inputs, 1)} x ptr]",
        f"  %out = alloca [{outputs + 1} x ptr]",
    ]
    for word, source, count in (("in", "args", inputs), ("out", "rets", outputs)):
        for k in range(count):
            lines += _address(word, source, k)
    # Nobody listens for Ctrl-C inside an executable of XLA: it runs to its end.
    lines += [
        f"  %allowance = getelementptr i64, ptr %out, i64 {outputs}",
        f"  store i64 {UNLIMITED}, ptr %allowance",
    ]
    lines += _count_systems(ranks[0])
    lines += [
        "counted:",
        "  %none = icmp slt i64 %systems, 1",
        "  br i1 %none, label %return, label %call",
        "call:",
    ]
    lines += _scratch(scratch)
    lines += [
        "  %alone = icmp eq i64 %systems, 1",
        f"  %code = select i1 %alone, ptr inttoptr (i64 {code_of_one} to ptr),"
        f" ptr inttoptr (i64 {code_of_many} to ptr)",
        "  %done = call i64 %code(ptr %in, ptr %out, ptr %memory, i64 0, i64 %systems)",
        *(["  call void @free(ptr %block)"] if scratch > ON_STACK else []),
        "  br label %return",
        "return:",
        "  ret ptr null",
        "}",
    ]
    return "\n".join(lines)


def _field(name: str, base: str, offset: int, kind: str) -> list[str]:
    return [
        f"  %{name}.p = getelementptr i8, ptr %{base}, i64 {offset}",
        f"  %{name} = load {kind}, ptr %{name}.p",
    ]


def _version_answer() -> list[str]:
    """When it is registered, XLA asks for the version that the handler speaks."""
    major, minor = interface_version()
    return [
        *_field("extension", "frame", FRAME_EXTENSION, "ptr"),
        "  %asked = icmp ne ptr %extension, null",
        "  br i1 %asked, label %question, label %work",
        "question:",
        *_field("type", "extension", EXTENSION_TYPE, "i32"),
        f"  %version = icmp eq i32 %type, {METADATA}",
        "  br i1 %version, label %answer, label %work",
        "answer:",
        *_field("metadata", "extension", EXTENSION_METADATA, "ptr"),
        f"  %major = getelementptr i8, ptr %metadata, i64 {METADATA_MAJOR}",
        f"  store i32 {major}, ptr %major",
        f"  %minor = getelementptr i8, ptr %metadata, i64 {METADATA_MINOR}",
        f"  store i32 {minor}, ptr %minor",
        "  ret ptr null",
    ]


def _address(word: str, source: str, k: int) -> list[str]:
    """The data of the k-th buffer goes to the k-th place of our own pointers."""
    return [
        f"  %{word}{k}.b = getelementptr ptr, ptr %{source}, i64 {k}",
        f"  %{word}{k} = load ptr, ptr %{word}{k}.b",
        *_field(f"{word}{k}.data", f"{word}{k}", BUFFER_DATA, "ptr"),
        f"  %{word}{k}.to = getelementptr ptr, ptr %{word}, i64 {k}",
        f"  store ptr %{word}{k}.data, ptr %{word}{k}.to",
    ]


def _count_systems(rank: int) -> list[str]:
    """The product of the axes that the first result has beyond its own."""
    return [
        *_field("rank", "out0", BUFFER_RANK, "i64"),
        *_field("shape", "out0", BUFFER_SHAPE, "ptr"),
        f"  %axes = sub i64 %rank, {rank}",
        "  br label %count",
        "count:",
        "  %axis = phi i64 [0, %work], [%next, %multiply]",
        "  %systems = phi i64 [1, %work], [%product, %multiply]",
        "  %more = icmp slt i64 %axis, %axes",
        "  br i1 %more, label %multiply, label %counted",
        "multiply:",
        "  %length.p = getelementptr i64, ptr %shape, i64 %axis",
        "  %length = load i64, ptr %length.p",
        "  %product = mul i64 %systems, %length",
        "  %next = add i64 %axis, 1",
        "  br label %count",
    ]


def _scratch(size: int) -> list[str]:
    """Memory of one call, on a line of the cache; much of it is not for the stack."""
    if size <= ON_STACK:
        return [f"  %memory = alloca [{size + 64} x i8], align 64"]
    return [
        f"  %block = call ptr @malloc(i64 {size + 64})",
        "  %from = ptrtoint ptr %block to i64",
        "  %up = add i64 %from, 63",
        "  %aligned = and i64 %up, -64",
        "  %memory = inttoptr i64 %aligned to ptr",
    ]
