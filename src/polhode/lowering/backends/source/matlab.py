"""A program as one function in MATLAB, which Octave reads too: straight code only.

    function [z_dot, l] = accelerations(t, q, z)

One assignment an operation, every value a number. What C fuses is a product and a sum
here; the last digit may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.errors import UnsupportedPrimitive
from polhode.lowering.arguments import require_function
from polhode.lowering.backends.source.folded import Folded, fold
from polhode.lowering.ir.graph import Element, Node

WORDS = {
    **{
        name: f"{name}({{0}})"
        for name in (
            *("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "exp"),
            *("expm1", "abs", "sign", "floor", "ceil", "erf", "erfc"),
        )
    },
    **{
        name: f"only_real({name}({{0}}))"  # outside its domain it would be complex
        for name in (
            *("asin", "acos", "acosh", "atanh", "log", "log2", "log1p", "sqrt"),
        )
    },
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "fma": "{0} * {1} + {2}",
    "fms": "{0} * {1} - {2}",
    "fnma": "{2} - {0} * {1}",
    "pow": "only_real({0} ^ {1})",
    "exp2": "2 ^ {0}",
    "rsqrt": "1 / only_real(sqrt({0}))",
    "logistic": "1 / (1 + exp(-{0}))",
    "cbrt": "nthroot({0}, 3)",
    "erf_inv": "erfinv({0})",
    "atan2": "atan2({0}, {1})",
    "rem": "remainder_of({0}, {1})",
    "min": "lesser({0}, {1})",
    "max": "greater({0}, {1})",
    "trunc": "fix({0})",
    "round_away": "round({0})",
    "round_even": "nearest_even({0})",
    "is_finite": "isfinite({0})",
    "select": "choose({0}, {1}, {2})",
    "eq": "{0} == {1}",
    "ne": "{0} ~= {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "xor({0}, {1})",
    "not": "~{0}",
}
EXTREME = """
function r = {name}(a, b)
    r = {of}(a, b);
    if isnan(a) || isnan(b)
        r = NaN;
    end
end
"""
# What MATLAB does otherwise: it leaves the real line, drops a NaN, and takes what is
# nearly a whole quotient for one. Each is written after the program that needs it.
OWN = {
    "choose": """
function r = choose(c, a, b)
    if c
        r = a;
    else
        r = b;
    end
end
""",
    "only_real": """
function r = only_real(x)
    r = x;
    if ~isreal(x)
        r = NaN;
    end
end
""",
    "lesser": EXTREME.format(name="lesser", of="min"),
    "greater": EXTREME.format(name="greater", of="max"),
    "remainder_of": """
function r = remainder_of(a, b)
    if isnan(a) || isnan(b) || isinf(a) || b == 0
        r = NaN;
        return
    end
    r = abs(a);
    b = abs(b);
    while r >= b && ~isinf(b)
        s = b * 2 ^ floor(log2(r / b));
        if s > r
            s = s / 2;
        end
        r = r - s;
    end
    if a < 0
        r = -r;
    end
end
""",
    "nearest_even": """
function r = nearest_even(x)
    r = round(x);
    if abs(x - fix(x)) == 0.5
        r = 2 * round(x / 2);
    end
end
""",
}


def to_matlab(
    function: Callable,
    *examples: Any,
    name: str = "compute",
    results: Sequence[str] = (),
) -> str:
    """MATLAB source of what a `jax.numpy` function computes; examples give shapes.

    >>> import jax.numpy as jnp
    >>> print(to_matlab(lambda q: -9.81 * jnp.sin(q), 0.0))
    function [out1] = compute(q)
        v1 = q(1);
        v2 = sin(v1);
        v3 = (-9.81) * v2;
        out1 = v3;
    end
    <BLANKLINE>
    """
    require_function(function, "to_matlab")
    folded = fold(function, examples, name, results)
    names: dict[Node, str] = {}
    lines = []
    for node in folded.plan.of(folded.program.graph.top):
        if node.op == "copy":
            continue
        names[node] = f"v{len(names) + 1}"
        lines.append(f"    {names[node]} = {_expression(node, names, folded)};")
    pairs = zip(folded.results, folded.program.outputs, strict=True)
    for result, value in pairs:
        lines.append(f"    {result} = {_array(value, names)};")
    given, taken = ", ".join(folded.results), ", ".join(folded.arguments)
    head = f"function [{given}] = {folded.name}({taken})"
    text = "\n".join([head, *lines, "end", ""])
    return text + "".join(own for word, own in OWN.items() if f" {word}(" in text)


def _expression(node: Node, names: dict[Node, str], folded: Folded) -> str:
    if node.op == "load":
        index, buffer = node.args[0], node.data
        if buffer.kind == "input" and not isinstance(index, Node):
            return _entry(folded, buffer.slot, index)
    elif node.op == "convert" and node.type == "float64":
        return f"double({_use(node.args[0], names)})"
    elif node.op in WORDS and node.type in ("float64", "bool"):
        return WORDS[node.op].format(*(_use(a, names) for a in node.args))
    raise UnsupportedPrimitive(
        f"{folded.name!r} cannot be written in MATLAB: its program has a {node.op!r}.",
        "MATLAB source is straight code in numbers; loops, branches and whole numbers"
        " are not written.",
        "Write C source of it, or ask for less at a time.",
    )


def _entry(folded: Folded, slot: int, index: int) -> str:
    """An entry of an argument; MATLAB counts from one, and down columns."""
    shape = folded.shapes[slot] or (1,)
    places = ", ".join(str(k + 1) for k in np.unravel_index(index, shape))
    return f"{folded.arguments[slot]}({places})"


def _use(element: Element, names: dict[Node, str]) -> str:
    while isinstance(element, Node) and element.op == "copy":
        element = element.args[0]
    if isinstance(element, Node):
        return names[element]
    if isinstance(element, bool | np.bool_):
        return "true" if element else "false"
    text = repr(float(element)).replace("inf", "Inf").replace("nan", "NaN")
    return f"({text})" if text.startswith("-") else text


def _array(value: np.ndarray, names: dict[Node, str]) -> str:
    """A number, a column, or a matrix row by row."""
    if value.ndim > 2:
        items = ", ".join(_use(e, names) for e in value.reshape(-1, order="F").tolist())
        return f"reshape([{items}], [{', '.join(map(str, value.shape))}])"
    if value.ndim == 0:
        return _use(value.item(), names)
    if not value.size:
        rows, columns = (*value.shape, 1)[:2]
        return f"zeros({rows}, {columns})"
    rows = [[e] for e in value.tolist()] if value.ndim == 1 else value.tolist()
    return "[" + "; ".join(", ".join(_use(e, names) for e in row) for row in rows) + "]"
