"""From a jaxpr to the scalar program: arrays become NumPy arrays of elements.

A value is either a NumPy array of numbers (all known) or an object array of elements
(nodes and Python constants). Structural primitives are then NumPy's own, and arithmetic
builds nodes, folding as it goes. Each primitive has one rule, in `rules/`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from polhode.arrays import MARK, TEXTBOOK
from polhode.lowering.ir.fold import Arithmetic
from polhode.lowering.ir.graph import MOST, Buffer, Element, Graph, Node, TooLarge
from polhode.lowering.ir.scalars import TYPES
from polhode.lowering.ir.stored import elements
from polhode.lowering.trace.trace import (
    ClosedJaxpr,
    Equation,
    Literal,
    inner_jaxprs,
    source_line,
)

Value = np.ndarray
UNROLL_AT_MOST = 30_000  # operations before folding: 30 links of an articulated chain


NARROW = ("float32",)


# Primitives that take large arrays in memory as they are: indices, and what is inside.
BY_INDEX = {"dynamic_slice", "dynamic_update_slice", "gather", "select_n", "slice"}
BY_INDEX |= {"scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min"}
BY_INDEX |= {"scatter-max", "scan", "while", "cond", "jit", "custom_jvp_call"}
BY_INDEX |= {"custom_linear_solve", "stop_gradient"}


class Unlowerable(Exception):
    """The scalar program has no words for this; XLA does."""

    def __init__(self, primitive: str, reason: str = "", line: str = ""):
        super().__init__(primitive, reason, line)
        self.primitive, self.reason, self.line = primitive, reason, line


@dataclass(frozen=True)
class Key:
    """One element of an array of random keys: its two words."""

    first: Element
    second: Element


@dataclass
class ScalarProgram:
    """A graph, the buffers of its inputs, and the elements of its outputs."""

    graph: Graph
    inputs: list[Buffer]
    outputs: list[Value]
    output_types: list[str]
    equations: int


@dataclass
class Lowering:
    """What the rules share while one jaxpr is being lowered."""

    build: Arithmetic
    reading: bool = False  # for people: loops unroll, branches are selects
    guarded: bool = False  # removable singularities keep the branch at their place
    unread: bool = False  # what has no rule becomes a node that readers name
    exact: bool = False  # inside a removable singularity: take the closed form
    textbook: bool = False  # inside a choice of two forms: take the one to be read
    straight: bool = False  # every loop of known length unrolls, and choices are noted
    removable: set[Node] = field(default_factory=set)  # choices between two forms
    unroll_at_most: int = UNROLL_AT_MOST
    unroll: dict[Any, bool] = field(default_factory=dict)  # decisions, once a scan
    varying: dict[Any, Any] = field(default_factory=dict)  # in each loop, last time
    shares: bool = False  # whether marked functions are called rather than inlined
    functions: dict[Any, Any] = field(default_factory=dict)  # those called, by content
    equations: int = 0
    where: Any = None  # the equation that is being lowered
    calls: list[Any] = field(default_factory=list)  # the calls that it is within
    checked: set[int] = field(default_factory=set)  # traces whose types are known
    narrow: set[int] = field(default_factory=set)  # equations in single precision
    tables: dict[Any, Buffer] = field(default_factory=dict)  # constants in memory
    spills: dict[Node, Buffer] = field(default_factory=dict)
    held: set[Buffer] = field(default_factory=set)  # memory of surrounding loops
    latest: dict[Buffer, Node] = field(default_factory=dict)  # versions of memory
    ranges: dict[Node, tuple[int, int]] = field(default_factory=dict)  # of indices

    @property
    def graph(self) -> Graph:
        return self.build.graph

    def table(self, items: list[Element], type: str) -> Buffer:
        """Constants in memory, each list once."""
        values = np.array(items, dtype=type)
        key = (type, values.tobytes())
        if key not in self.tables:
            self.tables[key] = Buffer("table", type, len(items), values=values)
        return self.tables[key]

    def interpret(self, jaxpr: Any, constants: Any, *arguments: Value) -> list[Value]:
        """Run a jaxpr on arrays of elements."""
        from polhode.lowering.rules import RULES

        values: dict[Any, Value] = {}

        def read(atom: Any) -> Value:
            return known(atom.val) if isinstance(atom, Literal) else values[atom]

        for variable, constant in zip(jaxpr.constvars, constants, strict=True):
            values[variable] = known(constant)
        values.update(zip(jaxpr.invars, arguments, strict=True))
        checked = id(jaxpr) in self.checked
        for equation in jaxpr.eqns:
            self.equations += 1
            rule = RULES.get(equation.primitive.name)
            operands = [*map(read, equation.invars)]
            try:
                if rule is None:
                    raise unlowerable(equation)
                self.where = equation
                if equation.primitive.name not in BY_INDEX:
                    operands = [*map(elements, operands)]
                if not checked and not any(inner_jaxprs(equation.params)):
                    self._check(equation)  # inner ones say it themselves
                if id(equation) in self.narrow:
                    results = single_precision(equation, operands)
                else:
                    results = rule(self, equation, *operands)
            except Unlowerable as stop:
                if not self.unread:
                    raise unlowerable(equation, stop) from None
                results = unread_results(self.graph, equation, operands)
            if not isinstance(results, list):
                results = [results]
            values.update(zip(equation.outvars, results, strict=True))
        self.checked.add(id(jaxpr))
        return [read(atom) for atom in jaxpr.outvars]

    def _check(self, equation: Equation) -> None:
        """Refuse types that programs do not compute in; single precision is marked."""
        if any(type_of(variable.aval) in NARROW for variable in equation.outvars):
            self.narrow.add(id(equation))
        else:
            check_types(equation)

    def inline(
        self, equation: Equation, jaxpr: ClosedJaxpr, *arguments: Value
    ) -> list[Value]:
        """A call: its body, here."""
        name = equation.params.get("name")
        is_removable = name == MARK
        before = self.exact, self.textbook
        self.exact |= is_removable and self.reading
        self.textbook |= name == TEXTBOOK and self.reading
        self.calls.append(equation)
        try:
            closed = isinstance(jaxpr, ClosedJaxpr)
            body, constants = (jaxpr.jaxpr, jaxpr.consts) if closed else (jaxpr, ())
            found = self.interpret(body, constants, *arguments)
        finally:
            self.calls.pop()
            self.exact, self.textbook = before
        if is_removable and self.straight:
            self.removable.update(e for v in found for e in v.flat if _is_choice(e))
        return found


def _is_choice(element: Element) -> bool:
    return isinstance(element, Node) and element.op == "select"


def unread_results(
    graph: Graph, equation: Equation, operands: list[Value]
) -> list[Value]:
    """The results of an equation that has no rule, as nodes that only have a name."""
    given = [a for operand in operands for a in elements(operand).flat]
    args = tuple(dict.fromkeys(a for a in given if isinstance(a, Node)))
    results = []
    for number, variable in enumerate(equation.outvars):
        out = np.empty(variable.aval.shape, object)
        for k, place in enumerate(np.ndindex(out.shape)):
            data = (equation.primitive.name, id(equation), number, k)
            out[place] = graph.make("unread", "float64", args, data)
        results.append(out)
    return results


def single_precision(equation: Equation, operands: list[Value]) -> Any:
    """What an equation gives that JAX computes in single precision.

    A law that closes over an array of `jax.numpy`, made where its doubles are off, has
    such constants. Of known numbers JAX itself computes the result, once. Arithmetic
    that runs would be rounded otherwise than by JAX, and is refused.
    """
    import jax

    if any(operand.dtype == object for operand in operands):
        check_types(equation)
    types = [atom.aval.dtype for atom in equation.invars]
    with jax.ensure_compile_time_eval(), jax.enable_x64(True):
        pairs = zip(operands, types, strict=True)
        given = [jax.numpy.asarray(value, dtype) for value, dtype in pairs]
        found = equation.primitive.bind(*given, **equation.params)
    many = equation.primitive.multiple_results
    return [*map(np.asarray, found)] if many else np.asarray(found)


def unlowerable(equation: Equation, inner: Unlowerable | None = None) -> Unlowerable:
    line = (inner.line if inner else "") or source_line(equation)
    if inner:
        return Unlowerable(
            inner.primitive or equation.primitive.name, inner.reason, line
        )
    return Unlowerable(equation.primitive.name, "it has no lowering rule", line)


def type_of(aval: Any) -> str:
    return _name_of(aval.dtype)


@cache
def _name_of(dtype: Any) -> str:
    return str(dtype)


def is_key(aval: Any) -> bool:
    return type_of(aval).startswith("key<")


def check_types(equation: Equation) -> None:
    """Scalars are 64-bit floats, integers of any width, and booleans."""
    for variable in equation.outvars:
        name = type_of(variable.aval)
        if name not in TYPES and not name.startswith("key<fry>"):
            reason = f"it gives {name}, and programs compute in float64"
            raise Unlowerable(equation.primitive.name, reason, source_line(equation))


def known(constant: Any) -> Value:
    """A constant of the trace as an array of numbers."""
    if is_key(constant) if hasattr(constant, "dtype") else False:
        import jax

        words = np.asarray(jax.random.key_data(constant))
        return pack_keys(words)
    return np.asarray(constant)


def lift(value: Value) -> Value:
    """An object array of elements."""
    return value if value.dtype == object else value.astype(object)


def zero_d(element: Element) -> Value:
    out = np.empty((), object)
    out[()] = element
    return out


def pack_keys(words: Value) -> Value:
    """Words (..., 2) as an array (...) of keys."""
    words = lift(words)
    out = np.empty(words.shape[:-1], object)
    for index in np.ndindex(out.shape):
        out[index] = Key(*words[index])
    return out


def unpack_keys(keys: Value) -> Value:
    out = np.empty((*keys.shape, 2), object)
    for index in np.ndindex(keys.shape):
        key: Any = keys[index]
        out[index] = [key.first, key.second]
    return out


def scalarise(
    jaxpr: ClosedJaxpr,
    fold: str = "zeros",
    reading: bool = False,
    unroll_at_most: int = UNROLL_AT_MOST,
    shares: bool = False,
    *,
    guarded: bool = False,
    unread: bool = False,
) -> ScalarProgram:
    """The scalar program of a jaxpr; `reading` unrolls every loop of known length."""
    from polhode.lowering.rules.memory import preserved

    graph = Graph()
    lowering = Lowering(
        Arithmetic(graph, fold), reading, guarded, unroll_at_most=unroll_at_most
    )
    lowering.shares, lowering.unread = shares, unread
    inputs, arguments = [], []
    for slot, variable in enumerate(jaxpr.jaxpr.invars):
        name, shape = type_of(variable.aval), variable.aval.shape
        if name not in TYPES:
            raise Unlowerable("", f"argument {slot} is {name}, not float64")
        buffer = Buffer("input", name, int(np.prod(shape, dtype=int)), slot)
        value = np.empty(buffer.size, object)
        value[:] = [graph.load(buffer, j) for j in range(buffer.size)]
        inputs.append(buffer)
        arguments.append(value.reshape(shape))
    try:
        with np.errstate(all="ignore"):  # NaN and infinity are values like any other
            found = lowering.interpret(jaxpr.jaxpr, jaxpr.consts, *arguments)
            outputs = [preserved(lowering, elements(value)) for value in found]
    except TooLarge:
        reason = f"its arrays are large: over {MOST} scalar operations"
        raise Unlowerable("the whole", reason) from None
    types = [type_of(a.aval) for a in jaxpr.jaxpr.outvars]
    for name in types:
        if name not in TYPES:
            raise Unlowerable("the result", f"it is {name}, not float64")
    return ScalarProgram(graph, inputs, outputs, types, lowering.equations)
