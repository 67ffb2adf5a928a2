"""`ph.compile`: a small-array JAX function becomes a `Program`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import jax
import numpy as np

from polhode.arrays import itself
from polhode.errors import ArgumentError, CompileError, UnsupportedPrimitive
from polhode.fingerprint import fingerprint
from polhode.lowering.arguments import (
    Leaf,
    as_array,
    batch_size,
    check_types,
    choose,
    fits,
    is_on_device,
    leaf_of,
    name_leaves,
    require_function,
)
from polhode.lowering.backends.direct import DirectCall, IndirectCall
from polhode.lowering.backends.xla import KeptXlaRunner, XlaRunner, can_keep
from polhode.lowering.ir.program import Unlowerable
from polhode.lowering.options import Choices
from polhode.lowering.report import Report
from polhode.lowering.trace.description import description_key
from polhode.lowering.trace.known_trace import Trace
from polhode.lowering.trace.trace import UNKNOWN_YET, closed_jaxpr, is_traced


def compile(
    function: Callable,
    *example_arguments: Any,
    backend: str = "auto",
    vary: Sequence[str] | bool = True,
    batched: Sequence[str] | bool = False,
    fold: str = "zeros",
    threads: int | None = None,
    lanes: int | None = None,
    unroll: int | None = None,
) -> Program:
    """A program that computes what the function computes, quickly.

    The examples give shapes and types. `vary` names the arguments that stay inputs;
    the others are folded into the code. Arguments named in `batched` may be called with
    one leading axis more, and then run many systems: a SIMD lane each, over threads.
    The same bits come out alone or in a batch, at any number of lanes and threads.

    `backend` is "auto" (native code, or XLA where there is no rule for a primitive),
    "llvm", "cuda" or "xla". `fold` is "zeros" (literal zeros vanish, sums and products
    fuse) or "ieee" (every operation as traced). `unroll` is the number of operations up
    to which a loop of known length becomes straight code; 0 keeps every loop.

    >>> import jax.numpy as jnp, numpy as np
    >>> swing = compile(lambda q: -9.81 * jnp.sin(q), 0.0)
    >>> float(swing(np.pi / 2))
    -9.81
    """
    require_function(function, "compile")
    choices = Choices(backend, vary, batched, fold, threads, lanes, unroll)
    return Program(function, example_arguments, choices)


class Program:  # limit: made, called, inlined, asked, pickled and kept
    """A compiled function: call it, ask for its `report()`, pickle it."""

    __copy__ = __deepcopy__ = itself

    def __init__(self, function: Callable, examples: tuple[Any, ...], choices: Choices):
        self.function, self._choices = function, choices
        names, leaves, self._tree = name_leaves(function, examples)
        pairs = [leaf_of(v, n) for v, n in zip(leaves, names, strict=True)]
        self._leaves = [leaf for leaf, _ in pairs]
        self._examples = [None if v is None else v.copy() for _, v in pairs]
        self._varies = choose(names, choices.vary, "vary")
        self._batched = choose(names, choices.batched, "batched")
        self._count = len(examples)
        self._dropped = _folded_arguments(examples, self._varies)
        self._check_marks()
        self._described: list[Leaf] = [self._leaves[k] for k in self._inputs()]
        self._may_batch = [self._batched[k] for k in self._inputs()]
        self._report = Report(getattr(function, "__name__", "function"), "llvm")
        self._trace = Trace(self._make_trace, self._description_key(), function)
        self._report.trace_seconds = self._trace.seconds
        self._runner = self._make_runner(choices)
        self._report.trace_seconds = self._trace.seconds

    # ----------------------------------------------------------------- making

    def _check_marks(self) -> None:
        for leaf, value, varies, batched in zip(
            self._leaves, self._examples, self._varies, self._batched, strict=True
        ):
            if not varies and value is None:
                raise ArgumentError(
                    f"Argument '{leaf.name}' is to be folded in but is only a shape.",
                    "What does not vary needs a value.",
                    f"Give its value, or name '{leaf.name}' in vary.",
                )
            if batched and not varies:
                raise ArgumentError(
                    f"Argument '{leaf.name}' is batched but does not vary.",
                    "A value folded into the code is one for all systems.",
                    f"Name '{leaf.name}' in vary too, or leave it out of batched.",
                )

    def _inputs(self) -> list[int]:
        return [k for k, varies in enumerate(self._varies) if varies]

    def _flat(self, *inputs: Any) -> list[Any]:
        """The function of the varying leaves alone, giving the leaves of its result.

        Values folded in are new arrays in each trace: JAX remembers the precision in
        which it met an array.
        """
        leaves = [None if v is None else v.copy() for v in self._examples]
        for k, value in zip(self._inputs(), inputs, strict=True):
            leaves[k] = value
        arguments = jax.tree_util.tree_unflatten(self._tree, leaves)
        return self.function(*arguments)

    def _description_key(self) -> str | None:
        """What the trace is found by; on a GPU it is always made."""
        if self._choices.backend == "cuda":
            return None
        folded = [
            None if varies else value
            for value, varies in zip(self._examples, self._varies, strict=True)
        ]
        return description_key(self.function, self._tree, self._leaves, folded)

    def _make_trace(self) -> tuple[Any, Any]:
        shapes = [
            jax.ShapeDtypeStruct(self._leaves[k].shape, self._leaves[k].type)
            for k in self._inputs()
        ]
        try:
            return closed_jaxpr(self._flat, *shapes)
        except UNKNOWN_YET as error:
            raise CompileError(
                f"'{getattr(self.function, '__name__', 'function')}' decides in Python "
                "on a value that is known only when it runs.",
                "A program is traced once; a Python `if`, `while`, `float()`, index or "
                "NumPy function cannot depend on its arguments.",
                "Use jnp.where, lax.cond, lax.while_loop or jax.numpy, or fold the "
                "argument in by leaving it out of vary.",
                str(error).strip().split("\n")[0],
            ) from error

    def _make_runner(self, choices: Choices) -> Any:
        batched = self._may_batch
        backend = choices.backend
        if backend == "xla":
            return self._on_xla("asked for", batched)
        try:
            if backend == "cuda":
                from polhode.lowering.backends.cuda import CudaRunner

                self._report.backend = "cuda"
                jaxpr = self._trace.jaxpr
                return CudaRunner(jaxpr, choices, batched, self._report)
            from polhode.lowering.backends.runner import NativeRunner

            return NativeRunner(self._trace, choices, batched, self._report)
        except Unlowerable as stop:
            where = f" at {stop.line}" if stop.line else ""
            reason = f"primitive '{stop.primitive}'{where}: {stop.reason}"
            if backend != "auto":
                raise UnsupportedPrimitive(
                    f"'{self._report.name}' cannot become native code: {reason}.",
                    "The scalar program has no rule for it.",
                    'Use backend="auto" to run it on XLA, or write it otherwise.',
                ) from None
            return self._on_xla(reason, batched)

    def _on_xla(self, reason: str, batched: list[bool]) -> XlaRunner | KeptXlaRunner:
        self._report = replace(self._report, backend="xla", reason=reason)
        if self._choices.backend == "xla" and can_keep(self._trace, self._described):
            return KeptXlaRunner(self._trace, self._described, batched, self._report)
        return XlaRunner(self._flat_leaves, batched)

    # ---------------------------------------------------------------- calling

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives, as NumPy arrays.

        On a GPU, arguments of CuPy stay there, and so do the results.
        """
        leaves = self._match(arguments)
        if all(map(fits, leaves, self._described)):
            outputs = self._runner(leaves, -1)
            return jax.tree_util.tree_unflatten(self._trace.tree, outputs)
        if any(is_traced(leaf) for leaf in leaves):
            return self._inlined(leaves)
        stay = self._report.backend == "cuda"
        arrays = [
            v if stay and is_on_device(v) else as_array(v, d.name)
            for v, d in zip(leaves, self._described, strict=True)
        ]
        check_types(self._described, arrays)
        shapes = [array.shape for array in arrays]
        batch = batch_size(self._described, shapes, self._may_batch)
        outputs = self._runner(arrays, batch)
        return jax.tree_util.tree_unflatten(self._trace.tree, outputs)

    @property
    def result_tree(self) -> Any:
        """The tree of what it gives."""
        return self._trace.tree

    def direct(self) -> DirectCall | IndirectCall:
        """A call of one system between arrays of its own, a microsecond dear.

        `inputs` and `outputs` are the leaves of arguments and of the result.
        """
        inputs = [np.zeros(leaf.shape, leaf.dtype) for leaf in self._described]
        if self._report.backend == "llvm":
            return self._runner.direct(inputs)
        return IndirectCall(self._runner, inputs, self._runner(inputs, -1))

    def _match(self, arguments: tuple[Any, ...]) -> list[Any]:
        """The varying leaves of a call; folded ones must be what they were."""
        if len(arguments) == self._count - sum(self._dropped) != self._count:
            arguments = self._with_baked(arguments)
        leaves, tree = jax.tree_util.tree_flatten(arguments)
        if tree != self._tree:
            raise ArgumentError(
                f"The arguments do not fit '{self._report.name}'.",
                f"It takes {_shape_text(self._tree)}.",
                "Give trees of the same structure as the examples.",
                f"Given: {_shape_text(tree)}.",
            )
        if all(self._varies):
            return leaves
        for leaf, given, example, varies in zip(
            self._leaves, leaves, self._examples, self._varies, strict=True
        ):
            if not varies and given is not example and not _equal(given, example):
                raise ArgumentError(
                    f"Argument '{leaf.name}' was folded in as {example}; now {given}.",
                    "What does not vary is part of the code.",
                    f"Name '{leaf.name}' in vary, and compile again.",
                )
        return [leaves[k] for k in self._inputs()]

    def _with_baked(self, arguments: tuple[Any, ...]) -> tuple:
        examples = jax.tree_util.tree_unflatten(self._tree, self._examples)
        given = iter(arguments)
        return tuple(
            example if dropped else next(given)
            for example, dropped in zip(examples, self._dropped, strict=True)
        )

    @cached_property
    def jax(self) -> Callable:
        """The same function for use inside JAX, where XLA calls the native code.

        It takes what the program takes, one system at a time, in `jit`, `scan`, `vmap`
        (lanes of one core), `grad` and `jacfwd`. First derivatives run native code too;
        second ones are XLA's, of the traced function, and so is what has no native
        code: see `report()`. JAX must compute in double precision.

        >>> import jax, jax.numpy as jnp
        >>> swing = compile(lambda q: -9.81 * jnp.sin(q), 0.0)
        >>> with jax.enable_x64(True):
        ...     round(float(jax.jit(jax.grad(swing.jax))(0.0)), 6)
        -9.81
        """
        from polhode.lowering.native_jax import as_jax, require_double

        flat: Callable[..., list[Any]] = self._flat_leaves
        if self._report.backend != "xla":
            is_same = self._report.backend == "llvm" and all(self._may_batch)
            runner = self._runner if is_same else None
            flat = as_jax(flat, self._described, self._trace, self._choices, runner)

        def function(*arguments: Any) -> Any:
            require_double()
            outputs = flat(*self._match(arguments))
            return jax.tree_util.tree_unflatten(self._trace.tree, outputs)

        function.__name__ = self._report.name
        function.__doc__ = self.function.__doc__
        return function

    @cached_property
    def torch(self) -> Callable:
        """The same function of PyTorch's tensors, in double precision.

        It takes what the program takes, one system at a time; `torch.vmap` runs many,
        and autograd differentiates it, forward and reverse. Tensors on a GPU of
        NVIDIA's stay there.
        """
        from polhode.lowering.native_torch import as_torch

        flat = as_torch(self._flat_leaves, self._described)

        def function(*arguments: Any) -> Any:
            outputs = flat(*self._match(arguments))
            return jax.tree_util.tree_unflatten(self._trace.tree, outputs)

        function.__name__ = self._report.name
        function.__doc__ = self.function.__doc__
        return function

    def _flat_leaves(self, *inputs: Any) -> list[Any]:
        return jax.tree_util.tree_leaves(self._flat(*inputs))

    def _inlined(self, leaves: list[Any]) -> Any:
        """Under somebody's trace: the function itself, in their own precision."""
        shapes = [np.shape(leaf) for leaf in leaves]
        batch = batch_size(self._described, shapes, self._may_batch)
        axes = [0 if may and batch >= 0 else None for may in self._may_batch]
        flat = self._flat
        run = jax.vmap(flat, in_axes=tuple(axes)) if 0 in axes else flat
        return run(*leaves)

    def report(self) -> Report:
        """Operations, loops, lanes, times, and why it runs on XLA if it does."""
        if self._report.backend == "llvm":
            self._runner.complete()
        return replace(self._report)

    def __repr__(self) -> str:
        inputs = ", ".join(leaf.describe() for leaf in self._described)
        return f"Program {self._report.name} on {self._report.backend}: {inputs}"

    def __fingerprint__(self) -> bytes:
        """Of what it was compiled from: see `polhode.fingerprint`."""
        return fingerprint(self.__described__())

    def __described__(self) -> tuple:
        """What it was compiled from."""
        return self.__reduce__()[1]

    def __reduce__(self) -> tuple:
        leaves = [
            jax.ShapeDtypeStruct(leaf.shape, leaf.type) if value is None else value
            for leaf, value in zip(self._leaves, self._examples, strict=True)
        ]
        examples = jax.tree_util.tree_unflatten(self._tree, leaves)
        return (_rebuild, (self.function, examples, self._choices))


def _rebuild(
    function: Callable, examples: tuple[Any, ...], choices: Choices
) -> Program:
    return Program(function, examples, choices)


def _folded_arguments(examples: tuple[Any, ...], varies: list[bool]) -> list[bool]:
    """Whole arguments that are folded in: they are not passed in a call."""
    spans = [len(jax.tree_util.tree_leaves(e)) for e in examples]
    dropped, start = [], 0
    for span in spans:
        dropped.append(span > 0 and not any(varies[start : start + span]))
        start += span
    return dropped


def _shape_text(tree: Any) -> str:
    return str(tree).removeprefix("PyTreeDef(").removesuffix(")").replace("*", "array")


def _equal(given: Any, example: Any) -> bool:
    return np.array_equal(np.asarray(given), example)
