"""A program as one function in C99: no dependencies but the mathematics library.

    static void accelerations(const double *t, const double *q, double *z_dot);

Arrays are in rows, as in NumPy. Sums and products are fused where ours are, so that
only the sines and other functions of the library may differ, by an ulp. Several texts
may stand in one file: what they share is guarded, and the rest has their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from polhode.errors import ArgumentError, UnsupportedPrimitive
from polhode.lowering.arguments import require_function
from polhode.lowering.backends.cuda.flow import function_name, of_column, result_name
from polhode.lowering.backends.cuda.operations import (
    IN_MEMORY,
    SCALAR,
    expression,
    literal,
)
from polhode.lowering.backends.cuda.write import Writer, table_name
from polhode.lowering.backends.llvm.buffers import Memory
from polhode.lowering.backends.source.folded import (
    Folded,
    fold,
    identifier,
    shape_of,
)
from polhode.lowering.ir.schedule import Function
from polhode.lowering.ir.strided_views import columns_of

LIBRARY = {
    **{
        name: f"{name}({{0}})"
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
            *("asinh", "acosh", "atanh", "exp", "exp2", "expm1", "log", "log2"),
            *("log1p", "cbrt", "erf", "erfc"),
        )
    },
    "atan2": "atan2({0}, {1})",
    "pow": "pow({0}, {1})",
    "nextafter": "nextafter({0}, {1})",
    "rsqrt": "1.0 / sqrt({0})",
    "logistic": "1.0 / (1.0 + exp(-{0}))",
    "round_away": "round({0})",
    "sign": "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}",
}

# An attribute, since clang warns of a function that its file does not call. Without a
# fused multiply-add in hardware the library's is slow: POLHODE_NO_FMA rounds twice.
PRELUDE = """\
#ifndef POLHODE_C
#define POLHODE_C
#include <math.h>
#include <stdbool.h>
#include <string.h>
typedef double f64;
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
#define ELEMENT(k) (k)
#define SLOT(k) (scratch + (k))
#ifdef __GNUC__
#define POLHODE_STATIC static inline __attribute__((unused))
#else
#define POLHODE_STATIC static inline
#endif
#ifdef POLHODE_NO_FMA
#define fma(a, b, c) ((a) * (b) + (c))
#endif
POLHODE_STATIC f64 from_bits(u64 b) { f64 x; memcpy(&x, &b, 8); return x; }
POLHODE_STATIC u64 to_bits(f64 x) { u64 b; memcpy(&b, &x, 8); return b; }
/* The lesser and the greater; a NaN wins, and -0 is less than 0. */
POLHODE_STATIC f64 minimum(f64 a, f64 b) {
    return a < b ? a : b < a ? b : a == b ? from_bits(to_bits(a) | to_bits(b)) : a + b;
}
POLHODE_STATIC f64 maximum(f64 a, f64 b) {
    return a > b ? a : b > a ? b : a == b ? from_bits(to_bits(a) & to_bits(b)) : a + b;
}
#endif
"""
# By zero all ones, and the remainder is the dividend; the least by -1 wraps.
WHOLE = """\
#ifndef POLHODE_{T}
#define POLHODE_{T}
POLHODE_STATIC {T} saturated_{T}(f64 x, f64 low, f64 high, {T} least, {T} most) {{
    return x != x ? ({T})0 : x <= low ? least : x >= high ? most : ({T})x;
}}
POLHODE_STATIC {T} quotient_{T}({T} a, {T} b) {{
    if (b == 0) return ({T})-1;
    if (({T})-1 < ({T})0 && b == ({T})-1) return ({T})(0 - (u64)a);
    return ({T})(a / b);
}}
POLHODE_STATIC {T} remainder_of_{T}({T} a, {T} b) {{
    if (b == 0) return a;
    if (({T})-1 < ({T})0 && b == ({T})-1) return ({T})0;
    return ({T})(a % b);
}}
#endif
"""
TEMPLATE = re.compile(r"\b(saturated|quotient|remainder_of)<(\w+)>")


def to_c(
    function: Callable,
    *examples: Any,
    name: str = "compute",
    results: Sequence[str] = (),
    linkage: Literal["static", "extern"] = "static",
) -> str:
    """C source of what a `jax.numpy` function computes; the examples give shapes.

    The function is static: include the text where it is called, several beside each
    other. With linkage="extern" other files can call it; its name then needs a prefix,
    such as `arm_step`, since single words belong to the C library.

    >>> import jax.numpy as jnp
    >>> print(to_c(lambda q: -9.81 * jnp.sin(q), 0.0).splitlines()[-4])
        const f64 v2 = sin(v1);
    """
    require_function(function, "to_c")
    _require_linkage(name, linkage)
    folded = fold(function, examples, name, results)
    sizes = [buffer.size for buffer in folded.program.inputs]
    memory = Memory(folded.plan, [False] * len(sizes), sizes)
    functions = folded.plan.live.functions
    parts = [
        *(_function(functions[key], folded, memory) for key in sorted(functions)),
        _main(folded, memory, linkage),
    ]
    body = _with_prefix("\n".join([*_tables(memory), *parts]), folded, memory)
    used = sorted({match[1] for match in TEMPLATE.findall(body)})
    whole = [WHOLE.format(T=kind) for kind in used]
    return "".join([PRELUDE, *whole, TEMPLATE.sub(r"\1_\2", body), "\n"])


def spell(op: str, type: str, data: Any, words: list[str]) -> str:
    """An operation as an expression in C."""
    if type == "float64" and op in LIBRARY:
        return LIBRARY[op].format(*words)
    try:
        return expression(op, type, data, words)
    except KeyError:
        raise UnsupportedPrimitive(
            f"C source has no word for {op!r}.",
            "The mathematics library of C does not have this function.",
            "Write the function by others, or run it as a compiled program.",
        ) from None


def _require_linkage(name: str, linkage: str) -> None:
    if linkage not in ("static", "extern"):
        raise ArgumentError(
            f"to_c cannot give {name!r} the linkage {linkage!r}.",
            "A function of C is seen by its own file alone, or by others too.",
            'Write linkage="static" or linkage="extern".',
        )
    # glibc has step, index, read and many more: in a shared library such a call may go
    # there, and a program that defines one gives it to all its libraries.
    if linkage == "extern" and "_" not in identifier(name).strip("_"):
        raise ArgumentError(
            f"{name!r} cannot be an extern function of C.",
            "The C library may have a function of that name: single words are its own.",
            f'Give a prefix: name="model_{identifier(name)}".',
        )


def _with_prefix(body: str, folded: Folded, memory: Memory) -> str:
    """Tables and outlined functions by the name of the program that they belong to."""
    functions = folded.plan.live.functions.values()
    words = [table_name(memory, buffer) for buffer in memory.tables]
    words += [function_name(each) for each in functions]
    words += [result_name(each) for each in functions]
    if not words:
        return body
    known = re.compile(rf"\b({'|'.join(map(re.escape, words))})\b")
    return known.sub(rf"{folded.name}_\1", body)


def _tables(memory: Memory) -> list[str]:
    lines = []
    for buffer in memory.tables:
        assert buffer.values is not None
        items = ", ".join(literal(v, buffer.type) for v in buffer.values.tolist())
        name = f"{table_name(memory, buffer)}[{buffer.size}]"
        lines.append(f"static const {IN_MEMORY[buffer.type]} {name} = {{{items}}};")
    return lines


def _function(function: Function, folded: Folded, memory: Memory) -> str:
    write = Writer(folded.plan, memory, spell)
    write.names.update((p, f"p{k}") for k, p in enumerate(function.params))
    write.block(function.block)
    pairs = zip(function.outs, function.types, strict=True)
    values = ", ".join(write.use(element, type) for element, type in pairs)
    result = result_name(function)
    write.say(f"return ({result}){{{values}}};")
    fields = " ".join(f"{SCALAR[t]} r{k};" for k, t in enumerate(function.types))
    params = [f"{SCALAR[p.type]} p{k}" for k, p in enumerate(function.params)]
    head = f"POLHODE_STATIC {result} {function_name(function)}({', '.join(params)}) {{"
    struct = f"typedef struct {{ {fields} }} {result};"
    return "\n".join([struct, head, *write.lines, "}"])


def _main(folded: Folded, memory: Memory, linkage: str) -> str:
    program = folded.program
    write = Writer(folded.plan, memory, spell)
    if memory.slots:
        write.say(f"u64 scratch[{memory.slots}];")
    for k, (name, buffer) in enumerate(
        zip(folded.arguments, program.inputs, strict=True)
    ):
        write.say(f"const {IN_MEMORY[buffer.type]} *const a{k} = {name};")
        write.say(f"(void)a{k};")
    write.block(program.graph.top)
    _results(write, folded)
    pairs = zip(folded.results, program.outputs, strict=True)
    said = ", ".join(f"{name} ({shape_of(value)})" for name, value in pairs)
    comment = f"/* {folded.name}: gives {said} */"
    head = _head(folded)
    # A declaration before the definition: -Wmissing-prototypes asks for it.
    seen = f"{head};\n" if linkage == "extern" else "POLHODE_STATIC "
    return "\n".join([comment, f"{seen}{head} {{", *write.lines, "}"])


def _head(folded: Folded) -> str:
    program = folded.program
    ins = [
        f"const {IN_MEMORY[buffer.type]} *{name}"
        for name, buffer in zip(folded.arguments, program.inputs, strict=True)
    ]
    outs = [
        f"{IN_MEMORY[type]} *{name}"
        for name, type in zip(folded.results, program.output_types, strict=True)
    ]
    return f"void {folded.name}({', '.join([*ins, *outs])})"


def _results(write: Writer, folded: Folded) -> None:
    program = folded.program
    for name, value, type in zip(
        folded.results, program.outputs, program.output_types, strict=True
    ):
        columns = columns_of(value)
        if columns is None:
            for j, element in enumerate(value.reshape(-1).tolist()):
                write.say(f"{name}[{j}] = {write.use(element, type)};")
            continue
        i = write.fresh("k")
        write.open(f"for (i64 {i} = 0; {i} < {columns[0].count}; ++{i})")
        for column in columns:
            place = f"{column.first} + {i} * {column.stride}"
            write.say(f"{name}[{place}] = {of_column(write, column, i, type)};")
        write.close()
