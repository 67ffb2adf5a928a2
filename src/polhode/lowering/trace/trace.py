"""All contact with JAX's traces: a function becomes a jaxpr, in double precision.

The user's own `jax_enable_x64` is never touched: tracing and evaluation happen inside
JAX's context manager.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

import jax
import numpy as np
from jax.extend import core

from polhode.arrays import KEPT
from polhode.errors import NumericalWarning
from polhode.lowering.trace.captured_constants import (
    is_doubtful,
    narrow_copies,
    refuse_rounded,
)
from polhode.tracebacks import warn

# What JAX raises where Python wants a value that is known only when the program runs.
UNKNOWN_YET = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)
Literal = core.Literal
ClosedJaxpr = core.ClosedJaxpr
Jaxpr = core.Jaxpr
TRACES = (core.ClosedJaxpr, core.Jaxpr)
ARRAYS = (np.ndarray, np.generic, jax.Array)
PLAIN = {int, bool, float, str, type(None)}

# Primitives that compute nothing.
MOVING = {
    *("broadcast_in_dim", "reshape", "squeeze", "expand_dims", "transpose", "slice"),
    *("concatenate", "pad", "rev", "iota", "split", "stack", "unstack", "tile"),
    *("gather", "dynamic_slice", "dynamic_update_slice", "scatter", "copy", "copy_p"),
    *("stop_gradient", "optimization_barrier", "empty", "empty2"),
    *("random_wrap", "random_unwrap"),
}

# Primitives that keep whole numbers as they are, if they are not very long.
EXACT = {
    *MOVING,
    *("convert_element_type", "neg", "abs", "sign", "select_n", "add", "sub", "mul"),
    *("max", "min", "reduce_sum", "reduce_max", "reduce_min", "dot_general", "jit"),
    *("pjit", "scan", "while", "cond", "custom_jvp_call", "eq", "lt", "le", "gt", "ge"),
}

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_JAX = os.path.dirname(os.path.abspath(jax.__file__))


class Equation(Protocol):
    """What is read of an equation of a trace; JAX says less of its variables."""

    @property
    def primitive(self) -> Any:
        """The operation; its name is the one that rules have."""

    @property
    def params(self) -> Any:
        """By name, what the operation takes beside its operands."""

    @property
    def invars(self) -> list[Any]:
        """Its operands: variables and literals, each with `aval.shape` and `dtype`."""

    @property
    def outvars(self) -> list[Any]:
        """The variables of its results."""

    @property
    def source_info(self) -> Any:
        """Where in the user's code it was written."""


@contextmanager
def double_precision() -> Iterator[None]:
    """64-bit floats and integers within, whatever the user has chosen outside."""
    with jax.enable_x64(True):
        yield


def closed_jaxpr(function: Callable, *arguments: Any) -> tuple[ClosedJaxpr, Any]:
    """The trace of a function of flat arrays or shapes, and the tree of its output.

    JAX remembers a closed-over NumPy array in the precision in which it first met it,
    as long as something holds that trace. Where a constant may have come that way,
    what JAX remembers is dropped and the function traced again.
    """
    with double_precision():
        run = jax.make_jaxpr(function, return_shape=True)
        jaxpr, shape = run(*arguments)
        if is_doubtful(_constants(jaxpr)):
            kinds = [type(c) for c in _constants(jaxpr)]
            del jaxpr, shape
            jax.clear_caches()
            held = narrow_copies(kinds)
            jaxpr, shape = run(*arguments)
            refuse_rounded(_constants(jaxpr), held)
    _warn_single_precision(jaxpr)
    _let_go(jaxpr)
    return jaxpr, jax.tree_util.tree_structure(shape)


def _warn_single_precision(trace: Any) -> None:
    """A warning where numbers lose digits in an array that JAX made in 32 bits.

    Whole numbers and halves are kept in 32 bits; what is made of them there is not.
    """
    if not any(map(_is_single, _constants(trace))):
        return
    lossy = [c for c in _constants(trace) if _is_single(c) and _has_decimals(c)]
    narrow = [e for e in equations_within(trace) if _is_narrow(e.invars)]
    computing = [e for e in narrow if _is_narrow(e.outvars) and not _is_exact(e)]
    if not lossy and not computing:
        return
    number = float(np.ravel(lossy[0])[0]) if lossy else float(np.float32(0.05))
    line = next(filter(None, map(source_line, computing or narrow)), "a function")
    warn(
        f"an array of jax.numpy in single precision is used, {line}. Numbers there have"
        f" seven digits, as {number!r}: JAX makes such arrays where jax_enable_x64 is"
        " off. Make it with numpy, as np.array([...]), which is in double precision.",
        NumericalWarning,
    )


def _is_single(constant: Any) -> bool:
    return isinstance(constant, jax.Array) and constant.dtype in (
        np.float32,
        np.complex64,
    )


def _is_narrow(atoms: Iterable[Any]) -> bool:
    return any(getattr(a.aval, "dtype", None) == np.float32 for a in atoms)


def _is_exact(equation: Any) -> bool:
    """Whether an equation keeps halves and whole numbers in 32 bits."""
    if equation.primitive.name not in EXACT:
        return False
    return not any(
        isinstance(a, Literal) and _has_decimals(a.val) for a in equation.invars
    )


def _has_decimals(constant: Any) -> bool:
    """Whether numbers were cut, as 0.05 is; of a long array the first count."""
    first = np.ravel(np.asarray(constant)).real[:100]
    if first.dtype != np.float32:
        return False
    return any(float(str(value)) != float(value) for value in first)


def _let_go(trace: Any) -> None:
    """Copies in place of the arrays that JAX remembers, which then forgets them.

    Else the user's own function would meet its constants in our precision. Traces
    inside this one are left as they are: JAX keeps those of jitted functions.
    """
    jaxpr = trace.jaxpr
    trace.consts[:] = map(_copied, trace.consts)
    for atoms in (jaxpr.outvars, *(equation.invars for equation in jaxpr.eqns)):
        for atom in atoms:
            if isinstance(atom, Literal):
                atom.val = _copied(atom.val)


def _copied(constant: Any) -> Any:
    return np.array(constant) if isinstance(constant, np.ndarray) else constant


def _constants(trace: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """The constants of a trace and of all traces inside it, of each trace once."""
    seen = set() if seen is None else seen
    closed = isinstance(trace, ClosedJaxpr)
    jaxpr = trace.jaxpr if closed else trace
    yield from trace.consts if closed else ()
    yield from (a.val for a in jaxpr.outvars if isinstance(a, Literal))
    for equation in jaxpr.eqns:
        yield from (a.val for a in equation.invars if isinstance(a, Literal))
        for inner in _inner_traces(equation.params):
            if id(inner) not in seen:
                seen.add(id(inner))
                yield from _constants(inner, seen)


def function_of(trace: ClosedJaxpr) -> Callable[..., list[Any]]:
    """A trace as a function of flat arrays again."""
    return core.jaxpr_as_fun(trace)


def equations_within(trace: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Every equation of a trace and of all traces inside it, of each trace once."""
    seen = set() if seen is None else seen
    jaxpr = trace.jaxpr if isinstance(trace, ClosedJaxpr) else trace
    for equation in jaxpr.eqns:
        yield equation
        for inner in inner_jaxprs(equation.params):
            if id(inner) not in seen:
                seen.add(id(inner))
                yield from equations_within(inner, seen)


def has_primitive(jaxpr: Any, name: str) -> bool:
    """Whether a primitive of this name is somewhere in a trace."""
    return any(
        equation.primitive.name == name
        or any(has_primitive(inner, name) for inner in inner_jaxprs(equation.params))
        for equation in jaxpr.eqns
    )


_INDEXED = ("gather", "dynamic_slice", "dynamic_update_slice", "scatter")


def indexed_inputs(jaxpr: Jaxpr) -> set[int]:
    """The inputs of a trace that it reads or writes at places that it computes."""
    numbers = {variable: k for k, variable in enumerate(jaxpr.invars)}
    found: set[int] = set()
    for equation in jaxpr.eqns:
        read = equation.invars[:1]
        if not equation.primitive.name.startswith(_INDEXED):
            inner = equation.params.get("jaxpr")  # of a call, or of a `scan`
            own = indexed_inputs(inner.jaxpr) if isinstance(inner, ClosedJaxpr) else ()
            read = [equation.invars[k] for k in own]
        found |= {
            numbers[variable]
            for variable in read
            if not isinstance(variable, Literal) and variable in numbers
        }
    return found


def keeps_loops(jaxpr: Any) -> bool:
    """Whether a trace has loops that stay loops, whatever their length."""
    return any(
        equation.params.get("name") == KEPT
        or any(map(keeps_loops, inner_jaxprs(equation.params)))
        for equation in jaxpr.eqns
    )


def is_traced(value: Any) -> bool:
    """Whether a value is being traced by a surrounding `jit`, `grad` or `vmap`."""
    return isinstance(value, jax.core.Tracer)


def shape_of(array: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(np.shape(array), array.dtype)


def scalar_operations(jaxpr: Any, counted: dict[int, int] | None = None) -> int:
    """Scalar operations of a trace as written; a loop counts every turn it is known
    to take, a branch all its sides.

    `counted` are those of inner traces that were met before, by identity.
    """
    counted = {} if counted is None else counted
    if id(jaxpr) in counted:
        return counted[id(jaxpr)]
    total = 0
    for equation in jaxpr.eqns:
        name, p = equation.primitive.name, equation.params
        inner = sum(scalar_operations(part, counted) for part in inner_jaxprs(p))
        if inner:
            total += inner * (p["length"] if name == "scan" else 1)
        elif name not in MOVING:
            size = max((_size(v) for v in equation.outvars), default=0)
            total += size * _terms(equation)
    counted[id(jaxpr)] = total
    return total


def _terms(equation: Equation) -> int:
    """Operations for each element of the result."""
    name = equation.primitive.name
    if name == "dot_general":
        (contracted, _), _ = equation.params["dimension_numbers"]
        shape = equation.invars[0].aval.shape
        return 2 * math.prod(shape[d] for d in contracted)
    if name.startswith(("reduce_", "arg")):
        return max(1, _size(equation.invars[0]) // max(1, _size(equation.outvars[0])))
    return 1


def _size(variable: Any) -> int:
    return math.prod(variable.aval.shape)


def scan_counts(parameters: dict[str, Any]) -> tuple[int, int]:
    """How many constants and how many carried values a `scan` takes."""
    if "num_consts" in parameters:  # JAX 0.10
        return parameters["num_consts"], parameters["num_carry"]
    constants, carried, _ = parameters["ft_in"].unpack()
    return len(constants), len(carried)


def expanded(equation: Equation) -> ClosedJaxpr:
    """The trace of a high-level primitive (JAX 0.11 on) in simpler ones."""
    shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in equation.invars]
    return closed_jaxpr(
        lambda *a: equation.primitive.to_lojax(*a, **equation.params), *shapes
    )[0]


def inner_jaxprs(parameters: dict[str, Any]) -> Iterator[Any]:
    """Every jaxpr among the parameters of an equation."""
    for trace in _inner_traces(parameters):
        yield trace.jaxpr if isinstance(trace, ClosedJaxpr) else trace


def _inner_traces(parameters: dict[str, Any]) -> Iterator[Any]:
    for value in parameters.values():
        for item in value if isinstance(value, tuple | list) else (value,):
            if isinstance(item, TRACES):
                yield item


def source_line(equation: Equation) -> str:
    """The line of the user's own code that made an equation, or ''."""
    traceback = getattr(equation.source_info, "traceback", None)
    frames = traceback.frames if traceback is not None else []
    for frame in frames:
        name = frame.file_name
        inside = name.startswith((_JAX, _HERE, "<"))
        if not inside and os.path.isabs(name):
            return f"{name}:{frame.line_num} in {frame.function_name}"
    return ""


# ------------------------------------------------------------------ fingerprints


@cache
def _name_of(dtype: Any) -> str:
    return str(dtype)


def fingerprint(jaxpr: ClosedJaxpr) -> str:
    """A digest of a trace with its constants: equal traces, equal programs."""
    return Fingerprints().of(jaxpr).hex()


class Fingerprints:
    """Digests of traces and of all traces inside them, of each once."""

    def __init__(self) -> None:
        # By identity: the whole trace holds them.
        self.known: dict[int, bytes] = {}
        self.kinds: dict[int, str] = {}

    def of(self, trace: Any) -> bytes:
        """The digest of a trace, with its constants if it is closed."""
        if id(trace) not in self.known:
            closed = isinstance(trace, ClosedJaxpr)
            words: list[bytes] = []
            for constant in trace.consts if closed else ():
                self._feed(words, constant)
            self._feed_jaxpr(words, trace.jaxpr if closed else trace)
            self.known[id(trace)] = hashlib.sha256(b"".join(words)).digest()
        return self.known[id(trace)]

    def _feed_jaxpr(self, words: list[bytes], jaxpr: Jaxpr) -> None:
        """Equations in order, variables by number."""
        numbers: dict[Any, int] = {}

        def atom(a: Any) -> str:
            if isinstance(a, Literal):
                value = np.asarray(a.val)
                return f"{_name_of(value.dtype)}{value.shape}{value.tobytes().hex()}"
            return f"v{numbers.setdefault(a, len(numbers))}"

        def note(variables: Iterable[Any]) -> None:
            for variable in variables:
                words.append(f"{atom(variable)}:{self._kind(variable.aval)};".encode())

        note((*jaxpr.constvars, *jaxpr.invars))
        for equation in jaxpr.eqns:
            read = " ".join(map(atom, equation.invars))
            words.append(f"{equation.primitive.name}({read})".encode())
            if equation.primitive.name == "call_hi_primitive":
                inner = expanded(equation)  # its parameters hide what it computes
                words.append(Fingerprints().of(inner))
            for name in sorted(equation.params):
                words.append(name.encode())
                self._feed(words, equation.params[name])
            note(equation.outvars)
        words.append(" ".join(map(atom, jaxpr.outvars)).encode())

    def _kind(self, aval: Any) -> str:
        """Type and shape of a variable; many share theirs."""
        found = self.kinds.get(id(aval))
        if found is None:
            found = self.kinds[id(aval)] = aval.str_short()
        return found

    def _feed(self, words: list[bytes], value: Any) -> None:
        if type(value) in PLAIN:  # most are, and JAX's own types are slow to ask
            words.append(repr(value).encode())
        elif isinstance(value, tuple | list):
            words.append(f"[{len(value)}".encode())
            for item in value:
                self._feed(words, item)
        elif isinstance(value, TRACES):
            words.append(self.of(value))
        elif isinstance(value, ARRAYS):
            if isinstance(value, jax.Array) and str(value.dtype).startswith("key<"):
                value = jax.random.key_data(value)
            array = np.asarray(value)
            words.append(f"{array.dtype}{array.shape}".encode() + array.tobytes())
        elif not callable(value):  # a callable derives the body, which is fed itself
            words.append(repr(value).encode())
