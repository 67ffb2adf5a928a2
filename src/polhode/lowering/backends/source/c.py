"""A program as one function in C99: no dependencies but the mathematics library.

    void accelerations(const double *t, const double *q, double *z_dot);

Arrays are in rows, as in NumPy. Sums and products are fused where ours are, so that
only the sines and other functions of the library may differ, by an ulp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from polhode.errors import UnsupportedPrimitive
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
from polhode.lowering.backends.source.folded import Folded, fold, shape_of
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

PRELUDE = """\
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
static inline f64 from_bits(u64 b) { f64 x; memcpy(&x, &b, 8); return x; }
static inline u64 to_bits(f64 x) { u64 b; memcpy(&b, &x, 8); return b; }
/* The lesser and the greater; a NaN wins, and -0 is less than 0. */
static inline f64 minimum(f64 a, f64 b) {
    return a < b ? a : b < a ? b : a == b ? from_bits(to_bits(a) | to_bits(b)) : a + b;
}
static inline f64 maximum(f64 a, f64 b) {
    return a > b ? a : b > a ? b : a == b ? from_bits(to_bits(a) & to_bits(b)) : a + b;
}
"""
# By zero all ones, and the remainder is the dividend; the least by -1 wraps.
WHOLE = """\
static inline {T} saturated_{T}(f64 x, f64 low, f64 high, {T} least, {T} most) {{
    return x != x ? ({T})0 : x <= low ? least : x >= high ? most : ({T})x;
}}
static inline {T} quotient_{T}({T} a, {T} b) {{
    if (b == 0) return ({T})-1;
    if (({T})-1 < ({T})0 && b == ({T})-1) return ({T})(0 - (u64)a);
    return ({T})(a / b);
}}
static inline {T} remainder_of_{T}({T} a, {T} b) {{
    if (b == 0) return a;
    if (({T})-1 < ({T})0 && b == ({T})-1) return ({T})0;
    return ({T})(a % b);
}}
"""
TEMPLATE = re.compile(r"\b(saturated|quotient|remainder_of)<(\w+)>")


def to_c(
    function: Callable,
    *examples: Any,
    name: str = "compute",
    results: Sequence[str] = (),
) -> str:
    """C source of what a `jax.numpy` function computes; the examples give shapes.

    >>> import jax.numpy as jnp
    >>> print(to_c(lambda q: -9.81 * jnp.sin(q), 0.0).splitlines()[-4])
        const f64 v2 = sin(v1);
    """
    require_function(function, "to_c")
    folded = fold(function, examples, name, results)
    sizes = [buffer.size for buffer in folded.program.inputs]
    memory = Memory(folded.plan, [False] * len(sizes), sizes)
    functions = folded.plan.live.functions
    parts = [
        *(_function(functions[key], folded, memory) for key in sorted(functions)),
        _main(folded, memory),
    ]
    body = "\n".join([*_tables(memory), *parts])
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
    head = f"static {result} {function_name(function)}({', '.join(params)}) {{"
    struct = f"typedef struct {{ {fields} }} {result};"
    return "\n".join([struct, head, *write.lines, "}"])


def _main(folded: Folded, memory: Memory) -> str:
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
    return "\n".join([comment, f"{_head(folded)} {{", *write.lines, "}"])


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
