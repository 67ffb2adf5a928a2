"""Native programs as functions of somebody's JAX: in `jit`, `vmap`, `scan`, `grad`.

XLA calls the machine code itself, by its foreign-function interface. First derivatives
are native too: the rule of a program is J(x) t with another program for J, linear in
t, so that forward and reverse both follow. Derivatives of J, and those of functions so
large that they are loops over tables, are those of the traced function.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial, wraps
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from polhode.errors import ArgumentError, CompileError
from polhode.lowering.arguments import Leaf, check_types
from polhode.lowering.backends.runner import NativeRunner
from polhode.lowering.backends.xla_targets import NATIVE, UNTOLD, Target, register
from polhode.lowering.ir.program import Unlowerable
from polhode.lowering.options import Choices
from polhode.lowering.report import Report
from polhode.lowering.trace.known_trace import Trace
from polhode.lowering.trace.trace import closed_jaxpr, has_primitive, keeps_loops

Flat = Callable[..., list[Any]]


class NativeFunction:
    """A flat function of arrays as a call of XLA to native code.

    `flat` takes the leaves that `leaves` describe, and gives a list of arrays.
    """

    def __init__(
        self,
        flat: Flat,
        leaves: Sequence[Leaf],
        trace: Trace,
        options: Choices,
        runner: NativeRunner | None = None,
    ):
        self.flat, self.leaves, self._runner = flat, list(leaves), runner
        self._trace, self._options = trace, options
        self.results = [jax.ShapeDtypeStruct(*kind) for kind in trace.outputs]
        self._jacobians: dict[Any, NativeFunction] = {}
        self._jitted: dict[tuple[int, ...], Callable[..., list[Any]]] = {}
        self._lock = threading.Lock()

    def call(self, *inputs: Any) -> list[Any]:
        """The results of one system."""
        return _native.bind(*inputs, function=self, batch=())

    def __repr__(self) -> str:
        """It stands in traces, whose fingerprints take what is written of it."""
        return f"{type(self).__name__}({self._trace.name})"

    def trace(self, batch: tuple[int, ...]) -> Any:
        """What it computes, for a program that takes it in."""
        if not batch:
            return self._trace.jaxpr
        leaves = [((*batch, *leaf.shape), leaf.type) for leaf in self.leaves]
        shapes = [jax.ShapeDtypeStruct(*leaf) for leaf in leaves]
        return closed_jaxpr(_batched(self.flat, len(batch)), *shapes)[0]

    def jitted(self, batch: tuple[int, ...]) -> Callable[..., list[Any]]:
        """The call compiled by XLA, for arrays that nobody traces."""
        if batch not in self._jitted:
            run = partial(_native.bind, function=self, batch=batch)
            self._jitted[batch] = jax.jit(run)
        return self._jitted[batch]

    @cached_property
    def target(self) -> Target:
        """The code as XLA calls it, made and registered: one name for one content."""
        runner = self._runner or _derivative_runner(
            self._trace, self._options, self.leaves
        )
        variants = {lanes: runner.variant(lanes) for lanes in (1, runner.lanes)}
        # After the code: making it may have found a trace other than the known one.
        entries = {lanes: runner.entry(lanes) for lanes in variants}
        many = entries[runner.lanes]
        ranks = [len(result.shape) for result in self.results]
        target = Target(f"polhode_{many}", entries[1], many, len(self.leaves), ranks)
        by_name = {entries[lanes]: variant for lanes, variant in variants.items()}
        register(target, by_name.__getitem__)
        return target

    # ------------------------------------------------------------- derivatives

    def tangents(
        self, primals: Sequence[Any], active: tuple[int, ...], directions: Sequence[Any]
    ) -> list[Any]:
        """J(x) t for the real results, along the inputs that vary."""
        if self._kind_of_slopes == "along":
            return self._directional(active).call(*primals, *directions)
        if self._kind_of_slopes == "JAX":
            return self._traced_tangents(primals, active, directions)
        blocks = iter(self.jacobian(active).call(*primals))
        tangents = []
        for _ in self.real_results:
            terms = [jnp.tensordot(next(blocks), t, axes=t.ndim) for t in directions]
            tangents.append(sum(terms[1:], terms[0]))
        return tangents

    @cached_property
    def _kind_of_slopes(self) -> str:
        """How derivatives are had: a program for "J", or of loops over tables another.

        There J would have a turn for each entry. Those without an end that is known go
        "along" a direction in native code, others by "JAX".
        """
        jaxpr = self._trace.jaxpr.jaxpr
        if not keeps_loops(jaxpr):
            return "J"
        return "along" if has_primitive(jaxpr, "while") else "JAX"

    def _directional(self, active: tuple[int, ...]) -> Directional:
        """The slope of the real results along directions of some inputs, native."""
        key = ("along", *active)
        with self._lock:
            if key not in self._jacobians:
                self._jacobians[key] = self._make_directional(active)
            found = self._jacobians[key]
        assert isinstance(found, Directional)
        return found

    def _make_directional(self, active: tuple[int, ...]) -> Directional:
        count = len(self.leaves)

        def along(*inputs: Any) -> list[Any]:
            primals, directions = inputs[:count], inputs[count:]
            return self._traced_tangents(primals, active, directions)

        leaves = [*self.leaves, *(self.leaves[k] for k in active)]
        shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.type) for leaf in leaves]
        trace = Trace(lambda: closed_jaxpr(along, *shapes), None, along)
        found = Directional(along, leaves, trace, self._options)
        found.of, found.active = self, active
        return found

    def _traced_tangents(
        self, primals: Sequence[Any], active: tuple[int, ...], directions: Sequence[Any]
    ) -> list[Any]:
        """The same by JAX, of the function as it is traced."""
        varying = [primals[k] for k in active]
        function = _of_active(self, primals, active)
        return jax.jvp(function, varying, list(directions))[1]

    @cached_property
    def real_results(self) -> list[int]:
        """The places of results that have derivatives."""
        return [k for k, r in enumerate(self.results) if _is_real(r.dtype)]

    def jacobian(self, active: tuple[int, ...]) -> NativeFunction:
        """d(result)/d(input), by real result and then by active input, native."""
        with self._lock:
            if active not in self._jacobians:
                self._jacobians[active] = self._make_jacobian(active)
            return self._jacobians[active]

    def _make_jacobian(self, active: tuple[int, ...]) -> NativeFunction:
        def results(*inputs: Any) -> list[Any]:
            given = self.flat(*inputs)
            return [given[k] for k in self.real_results]

        def jacobian(*inputs: Any) -> list[Any]:
            # Forward: loops of unknown length have no reverse, and the directions
            # share all that they have in common once it is scalar code.
            return jax.tree_util.tree_leaves(jax.jacfwd(results, active)(*inputs))

        shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.type) for leaf in self.leaves]
        trace = Trace(lambda: closed_jaxpr(jacobian, *shapes), None, jacobian)
        return Jacobian(jacobian, self.leaves, trace, self._options)


def _of_active(
    function: NativeFunction, primals: Sequence[Any], active: tuple[int, ...]
) -> Callable[..., list[Any]]:
    """The real results of a function by its active inputs, traced."""

    def results(*varying: Any) -> list[Any]:
        inputs = list(primals)
        for k, value in zip(active, varying, strict=True):
            inputs[k] = value
        given = function.flat(*inputs)
        return [given[k] for k in function.real_results]

    return results


class Jacobian(NativeFunction):
    """A function whose own derivatives are those of its trace.

    Second derivatives of a large system as straight code would take minutes to compile.
    """

    def tangents(
        self, primals: Sequence[Any], active: tuple[int, ...], directions: Sequence[Any]
    ) -> list[Any]:
        return self._traced_tangents(primals, active, directions)


@final
class Directional(Jacobian):
    """J(x) t of a function `of` along its `active` inputs, which follow its own."""

    of: NativeFunction
    active: tuple[int, ...]

    @cached_property
    def reverse(self) -> NativeFunction:
        """J(x)^T w of the inputs x and weights w of the results, native too."""
        count = len(self.of.leaves)

        def back(*inputs: Any) -> list[Any]:
            primals, weights = inputs[:count], list(inputs[count:])
            varying = [primals[k] for k in self.active]
            function = _of_active(self.of, primals, self.active)
            return list(jax.vjp(function, *varying)[1](weights))

        weights = [
            Leaf(f"weight {k}", r.shape, str(r.dtype))
            for k, r in enumerate(self.results)
        ]
        leaves = [*self.of.leaves, *weights]
        shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.type) for leaf in leaves]
        trace = Trace(lambda: closed_jaxpr(back, *shapes), None, back)
        return Jacobian(back, leaves, trace, self._options)


# ------------------------------------------------------------------ the primitive
# One of our own, with rules of its own: `jax.custom_jvp` loses its rule where JAX
# linearises a scan, and second derivatives then meet a call without any.

_native = Primitive(NATIVE)
_native.multiple_results = True


@_native.def_impl
def _run(*inputs: Any, function: NativeFunction, batch: tuple[int, ...]) -> list[Any]:
    return function.jitted(batch)(*inputs)


@_native.def_abstract_eval
def _shapes(*inputs: Any, function: NativeFunction, batch: tuple[int, ...]) -> list:
    return [ShapedArray((*batch, *r.shape), r.dtype) for r in function.results]


def _in_xla(context: Any, *operands: Any, function: NativeFunction, batch: Any) -> Any:
    return jax.ffi.ffi_lowering(function.target.name)(context, *operands)


def _elsewhere(*inputs: Any, function: NativeFunction, batch: Any) -> list[Any]:
    """On a GPU of JAX's: the traced function."""
    return _batched(function.flat, len(batch))(*inputs)


mlir.register_lowering(_native, _in_xla, platform="cpu")
mlir.register_lowering(_native, mlir.lower_fun(_elsewhere, multiple_results=True))


def _many(inputs: Any, axes: Any, *, function: NativeFunction, batch: Any) -> Any:
    """Many systems of a `vmap`: every argument gets the new axis, in front."""
    pairs = zip(inputs, axes, strict=True)
    size = next(v.shape[a] for v, a in zip(inputs, axes, strict=True) if a is not None)
    inputs = [
        jnp.broadcast_to(v, (size, *v.shape)) if a is None else jnp.moveaxis(v, a, 0)
        for v, a in pairs
    ]
    results = _native.bind(*inputs, function=function, batch=(size, *batch))
    return results, [0] * len(results)


batching.primitive_batchers[_native] = _many


def _along(
    primals: Any, tangents: Any, *, function: NativeFunction, batch: Any
) -> tuple[list[Any], list[Any]]:
    results = _native.bind(*primals, function=function, batch=batch)
    shapes = _shapes(function=function, batch=batch)
    slopes: list[Any] = [ad.Zero(shape.to_tangent_aval()) for shape in shapes]
    active = tuple(
        k
        for k, (t, leaf) in enumerate(zip(tangents, function.leaves, strict=True))
        if type(t) is not ad.Zero and _is_real(leaf.dtype)
    )
    if active and function.real_results:
        directions = [tangents[k] for k in active]

        def of_one(primals: Any, directions: Any) -> list[Any]:
            return function.tangents(primals, active, directions)

        found = _batched(of_one, len(batch))(list(primals), directions)
        for k, slope in zip(function.real_results, found, strict=True):
            slopes[k] = slope
    return results, slopes


ad.primitive_jvps[_native] = _along


def _back(
    weights: Any, *inputs: Any, function: NativeFunction, batch: Any
) -> list[Any]:
    """Of a slope along directions, which it is linear in: J^T w in place of J t."""
    assert isinstance(function, Directional), function
    count = len(function.of.leaves)
    given = [
        jnp.zeros((*batch, *r.shape), r.dtype) if type(w) is ad.Zero else w
        for w, r in zip(weights, function.results, strict=True)
    ]
    found = _native.bind(
        *inputs[:count], *given, function=function.reverse, batch=batch
    )
    pairs = zip(inputs[count:], found, strict=True)
    changes = [f if ad.is_undefined_primal(i) else None for i, f in pairs]
    return [None] * count + changes


ad.primitive_transposes[_native] = _back


def _batched(function: Callable, axes: int) -> Callable:
    for _ in range(axes):
        function = jax.vmap(function)
    return function


def as_jax(
    flat: Flat,
    leaves: Sequence[Leaf],
    trace: Trace,
    options: Choices,
    runner: NativeRunner | None = None,
) -> Callable[..., list[Any]]:
    """A function of the leaves that JAX can trace, batch and differentiate.

    `runner` has the code of a program all of whose arguments are batched: the same.
    """
    native = NativeFunction(flat, leaves, trace, options, runner)

    def call(*inputs: Any) -> list[Any]:
        return native.call(*_admitted(inputs, native.leaves))

    return call


def native(
    function: Callable,
    lanes: int | None = None,
    on_report: Callable[[Report], None] | None = None,
) -> Callable:
    """A JAX function that runs as native code: compiled once for shapes of arguments.

    It is called and transformed as the function itself is. `lanes` are those of
    `compile`: one, where code for many side by side is not worth its making.
    `on_report` is called with the report of each program made.
    """
    from polhode.lowering.compile import compile

    programs: dict[Any, Callable] = {}

    @wraps(function)
    def run(*arguments: Any) -> Any:
        require_double()
        leaves, tree = jax.tree_util.tree_flatten(arguments)
        shapes = [_shape(leaf) for leaf in leaves]
        key = (tree, tuple((s.shape, s.dtype) for s in shapes))
        if key not in programs:
            examples = jax.tree_util.tree_unflatten(tree, shapes)
            program = compile(function, *examples, lanes=lanes, batched=True)
            report, made = program.report(), program.jax
            if on_report is not None:
                on_report(report)
            programs[key] = _unreported(made) if report.backend == "xla" else made
        return programs[key](*arguments)

    return run


def _derivative_runner(
    trace: Trace, options: Choices, leaves: Sequence[Leaf]
) -> NativeRunner:
    """The code of a derivative, or the refusal of one that is too large."""
    options = replace(options, batched=True, threads=1)
    batched, report = [True] * len(leaves), Report("function", "llvm")
    try:
        return NativeRunner(trace, options, batched, report)
    except Unlowerable as stop:
        sizes = sum(int(np.prod(leaf.shape)) for leaf in leaves)
        raise CompileError(
            f"A derivative of a native function of {sizes} numbers has no native"
            f" code: {stop.reason}.",
            "Backwards, what a loop has computed is kept for each of its turns. XLA"
            " would take minutes to compile as much.",
            "Ask for the derivative along directions (ph.sensitivity, or jax.jvp),"
            " or for that of a system of fewer like parts.",
        ) from None


def _unreported(function: Callable) -> Callable:
    """A function without native code, with a name by which traces show it."""

    def traced(*arguments: Any) -> Any:
        return function(*arguments)

    traced.__name__ = traced.__qualname__ = UNTOLD
    return jax.jit(traced)


def _shape(value: Any) -> jax.ShapeDtypeStruct:
    # Python's numbers and JAX's arrays of weak type are of one kind for us: double.
    dtype = jnp.result_type(value) if hasattr(value, "dtype") else np.dtype(float)
    return jax.ShapeDtypeStruct(np.shape(value), dtype)


def require_double() -> None:
    """Refuse to run where JAX would round what it is given to 32 bits."""
    if jnp.result_type(float) != np.float64:
        raise CompileError(
            "A native program was called while JAX computes in 32 bits.",
            "Programs compute in double precision: half of the digits would be lost on"
            " the way in and out.",
            'Call jax.config.update("jax_enable_x64", True) when the program starts.',
        )


def _admitted(inputs: Sequence[Any], leaves: Sequence[Leaf]) -> list[Any]:
    """Arrays of the types that the code reads; Python's numbers become such."""
    arrays = [
        jnp.asarray(
            value, leaf.dtype if isinstance(value, bool | int | float) else None
        )
        for value, leaf in zip(inputs, leaves, strict=True)
    ]
    check_types(leaves, arrays)
    for array, leaf in zip(arrays, leaves, strict=True):
        if array.shape != leaf.shape:
            raise ArgumentError(
                f"Argument '{leaf.name}' has shape {array.shape}, not {leaf.shape}.",
                "A program is compiled for the shapes of its examples.",
                f"Give shape {leaf.shape}; jax.vmap runs many systems.",
            )
    return arrays


def _is_real(dtype: Any) -> bool:
    return np.issubdtype(dtype, np.floating)
