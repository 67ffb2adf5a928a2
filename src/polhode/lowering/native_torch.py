"""Native programs as functions of PyTorch: tensors in and out, with derivatives.

Tensors on the CPU are read and written where they lie; on a GPU they go through DLPack
to the kernel. Derivatives are those of `polhode.lowering.native_jax`: a native program
gives the Jacobian, J(x) t forward and s J(x) in reverse, and derivatives of J itself
are XLA's.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import Any

import jax
import numpy as np

from polhode.errors import ArgumentError, CompileError
from polhode.lowering.arguments import Leaf, leaf_of, name_leaves

try:
    import torch
except ImportError as error:
    raise CompileError(
        "PyTorch is not installed, and `.torch` gives functions of its tensors.",
        "It is an extra: few need it, and it is large.",
        "pip install 'polhode[torch]', or the build of torch that your machine needs.",
    ) from error

Flat = Callable[..., list[Any]]


class TorchFunction:
    """A flat function of arrays as a call of PyTorch to native code.

    `flat` takes the leaves that `leaves` describe, and gives a list of arrays. All
    calls below may have leading axes, those of `torch.vmap`, shared by all tensors.
    """

    def __init__(self, flat: Flat, leaves: Sequence[Leaf], *, is_native: bool = True):
        self.flat, self.leaves, self._is_native = flat, list(leaves), is_native
        shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.type) for leaf in leaves]
        self._shapes = shapes
        self._programs: dict[str, Any] = {}
        self._jacobians: dict[tuple[int, ...], TorchFunction] = {}
        self._lock = threading.Lock()

    @cached_property
    def results(self) -> list[jax.ShapeDtypeStruct]:
        """Shape and type of each result."""
        with jax.enable_x64(True):
            return jax.eval_shape(self.flat, *self._shapes)

    @cached_property
    def real_results(self) -> list[int]:
        """The places of results that have derivatives."""
        kinds = [np.issubdtype(r.dtype, np.floating) for r in self.results]
        return [k for k, is_real in enumerate(kinds) if is_real]

    def program(self, device: str) -> Any:
        """The code for tensors that lie on "cpu" or "cuda"."""
        from polhode.lowering.compile import compile

        with self._lock:
            if device not in self._programs:
                own = "cuda" if device == "cuda" else "auto"
                backend = own if self._is_native else "xla"
                made = compile(self.flat, *self._shapes, backend=backend, batched=True)
                self._programs[device] = made
        return self._programs[device]

    def run(self, tensors: Sequence[torch.Tensor], batch: tuple[int, ...]) -> Any:
        """The results, with the leading axes that the tensors have."""
        count = math.prod(batch)
        device = tensors[0].device if tensors else torch.device("cpu")
        to, back = _exchange(device)
        arrays = [
            to(tensor.detach().reshape((count, *leaf.shape) if batch else leaf.shape))
            for tensor, leaf in zip(tensors, self.leaves, strict=True)
        ]
        if batch and not count:  # an empty batch: there is nothing to run
            shapes = [((*batch, *r.shape), r.dtype) for r in self.results]
            return [back(np.zeros(*shape)).to(device) for shape in shapes]
        outputs = self.program(device.type)(*arrays)
        return [
            back(value).reshape((*batch, *result.shape))
            for value, result in zip(outputs, self.results, strict=True)
        ]

    def jacobian(self, active: tuple[int, ...]) -> TorchFunction:
        """d(result)/d(input), by real result and then by active input."""
        with self._lock:
            if active not in self._jacobians:
                self._jacobians[active] = self._make_jacobian(active)
            return self._jacobians[active]

    def _make_jacobian(self, active: tuple[int, ...]) -> TorchFunction:
        def results(*inputs: Any) -> list[Any]:
            given = self.flat(*inputs)
            return [given[k] for k in self.real_results]

        def jacobian(*inputs: Any) -> list[Any]:
            # Forward: loops of unknown length have no reverse.
            return jax.tree_util.tree_leaves(jax.jacfwd(results, active)(*inputs))

        # Second derivatives of a large system as straight code would take minutes.
        is_native = self._is_native and not isinstance(self, _Jacobian)
        return _Jacobian(jacobian, self.leaves, is_native=is_native)


class _Jacobian(TorchFunction):
    """A Jacobian, whose own derivatives are made by XLA."""


class NativeCall(torch.autograd.Function):
    """The node that PyTorch differentiates and batches."""

    @staticmethod
    def forward(function: TorchFunction, batch: tuple[int, ...], *tensors: Any) -> Any:
        return tuple(function.run(tensors, batch))

    @staticmethod
    def setup_context(context: Any, inputs: Any, output: Any) -> None:
        context.function, context.batch, *tensors = inputs
        context.save_for_backward(*tensors)
        context.save_for_forward(*tensors)
        whole = set(range(len(output))) - set(context.function.real_results)
        context.mark_non_differentiable(*(output[k] for k in sorted(whole)))

    @staticmethod
    def backward(context: Any, *slopes: Any) -> Any:
        """s J, summed over the real results, for each input that wants it."""
        function, batch = context.function, context.batch
        wanted = tuple(k for k, w in enumerate(context.needs_input_grad[2:]) if w)
        given: list[Any] = [None] * len(function.leaves)
        blocks = iter(_blocks(context, wanted))
        for r in function.real_results:
            row = slopes[r].reshape(*batch, 1, -1)
            for k in wanted:
                term = (row @ next(blocks)).reshape((*batch, *function.leaves[k].shape))
                given[k] = term if given[k] is None else given[k] + term
        return None, None, *given

    @staticmethod
    def jvp(context: Any, _function: Any, _batch: Any, *tangents: Any) -> Any:
        """J t, summed over the inputs that vary, for each real result."""
        function, batch = context.function, context.batch
        active = tuple(k for k, t in enumerate(tangents) if t is not None)
        given: list[Any] = [None] * len(function.results)
        blocks = iter(_blocks(context, active))
        for r in function.real_results:
            terms = [next(blocks) @ tangents[k].reshape(*batch, -1, 1) for k in active]
            given[r] = sum(terms[1:], terms[0])
            given[r] = given[r].reshape((*batch, *function.results[r].shape))
        return tuple(given)

    @staticmethod
    def vmap(info: Any, axes: Any, function: Any, batch: Any, *tensors: Any) -> Any:
        """Many systems: every tensor gets the new axis, in front."""
        size = info.batch_size
        spread = [
            t.expand(size, *t.shape) if axis is None else t.movedim(axis, 0)
            for t, axis in zip(tensors, axes[2:], strict=True)
        ]
        results = NativeCall.apply(function, (size, *batch), *spread)
        return results, (0,) * len(results)


def _blocks(context: Any, active: tuple[int, ...]) -> list[torch.Tensor]:
    """Jacobians as matrices, by real result and then by active input."""
    function, batch = context.function, context.batch
    jacobian = function.jacobian(active)
    found = NativeCall.apply(jacobian, batch, *context.saved_tensors)
    sizes = [
        (math.prod(function.results[r].shape), math.prod(function.leaves[k].shape))
        for r in function.real_results
        for k in active
    ]
    return [b.reshape(*batch, *size) for b, size in zip(found, sizes, strict=True)]


# ------------------------------------------------------------------- the doors


def as_torch(flat: Flat, leaves: Sequence[Leaf]) -> Callable[..., list[Any]]:
    """A function of the leaves that PyTorch can batch and differentiate."""
    native = TorchFunction(flat, leaves)

    def call(*inputs: Any) -> list[Any]:
        return list(NativeCall.apply(native, (), *_admitted(inputs, native.leaves)))

    return call


def native(function: Callable) -> Callable:
    """A JAX function that runs as native code on tensors, compiled for their shapes."""
    calls: dict[Any, tuple[Callable, Any]] = {}

    @wraps(function)
    def run(*arguments: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten(arguments)
        shapes = [_shape(leaf) for leaf in leaves]
        key = (tree, tuple((s.shape, s.dtype) for s in shapes))
        if key not in calls:
            calls[key] = _call_and_tree(function, tree, shapes)
        call, result_tree = calls[key]
        return jax.tree_util.tree_unflatten(result_tree, call(*leaves))

    return run


def _call_and_tree(
    function: Callable, tree: Any, shapes: list[jax.ShapeDtypeStruct]
) -> tuple[Callable, Any]:
    """The call for arguments of these shapes, and the tree of its results."""

    def flat(*inputs: Any) -> list[Any]:
        arguments = jax.tree_util.tree_unflatten(tree, inputs)
        return jax.tree_util.tree_leaves(function(*arguments))

    examples = jax.tree_util.tree_unflatten(tree, shapes)
    names, _, _ = name_leaves(function, examples)
    leaves = [leaf_of(s, name)[0] for s, name in zip(shapes, names, strict=True)]
    with jax.enable_x64(True):
        result = jax.eval_shape(function, *examples)
    return as_torch(flat, leaves), jax.tree_util.tree_structure(result)


def _shape(value: Any) -> jax.ShapeDtypeStruct:
    # Python's numbers are double; `_admitted` refuses tensors of other types by name.
    is_tensor = isinstance(value, torch.Tensor)
    kind = _numpy_type(value) if is_tensor else np.result_type(value, 0.0)
    if is_tensor and np.issubdtype(kind, np.floating):
        kind = np.dtype(float)
    return jax.ShapeDtypeStruct(tuple(np.shape(value)), kind)


def _numpy_type(tensor: torch.Tensor) -> np.dtype:
    try:
        return torch.empty(0, dtype=tensor.dtype).numpy().dtype
    except TypeError:
        raise _wrong_type("a tensor", tensor.dtype) from None


def _admitted(inputs: Sequence[Any], leaves: Sequence[Leaf]) -> list[torch.Tensor]:
    """Tensors of the types and shapes that the code reads, on one device."""
    found = [v.device for v in inputs if isinstance(v, torch.Tensor)]
    device = found[0] if found else torch.device("cpu")
    tensors = []
    for value, leaf in zip(inputs, leaves, strict=True):
        kind = _torch_type(leaf)
        if isinstance(value, torch.Tensor):
            tensor = value
        else:
            tensor = torch.as_tensor(np.array(value, leaf.dtype), device=device)
        if tensor.dtype != kind:
            raise _wrong_type(f"argument '{leaf.name}'", tensor.dtype, kind)
        if tuple(tensor.shape) != leaf.shape:
            raise ArgumentError(
                f"Argument '{leaf.name}' has shape {tuple(tensor.shape)}, not"
                f" {leaf.shape}.",
                "A program is compiled for the shapes of its examples.",
                f"Give shape {leaf.shape}; torch.vmap runs many systems.",
            )
        if tensor.device != device:
            raise ArgumentError(
                f"Argument '{leaf.name}' lies on {tensor.device}, others on {device}.",
                "A program runs where its tensors are.",
                f"Move it: tensor.to('{device}').",
            )
        tensors.append(tensor)
    return tensors


def _torch_type(leaf: Leaf) -> torch.dtype:
    return torch.from_numpy(np.zeros(0, leaf.dtype)).dtype


def _wrong_type(who: str, given: Any, kind: Any = torch.float64) -> ArgumentError:
    return ArgumentError(
        f"{who[0].upper()}{who[1:]} is of {given}, not {kind}.",
        "Programs compute in double precision; PyTorch's default is single.",
        "Give tensor.double(), or call torch.set_default_dtype(torch.float64).",
    )


def _exchange(device: torch.device) -> tuple[Callable, Callable]:
    """How tensors of a device become arrays of a program, and its results tensors."""
    if device.type == "cpu":
        return (lambda t: t.contiguous().numpy()), _from_numpy
    if device.type != "cuda":
        raise CompileError(
            f"A native program was given tensors on {device}.",
            "There is code for the CPU and for NVIDIA's GPUs.",
            "Move the tensors: tensor.cpu().",
        )
    import cupy

    def to(tensor: torch.Tensor) -> Any:
        with cupy.cuda.Device(device.index or 0):
            return cupy.from_dlpack(tensor.contiguous())

    return to, lambda value: torch.from_dlpack(cupy.asarray(value)).to(device)


def _from_numpy(value: Any) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(value).reshape(np.shape(value)))
