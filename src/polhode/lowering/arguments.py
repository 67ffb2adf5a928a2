"""The arguments of a program: names for the leaves of trees, and what fits them.

A leaf is named by its argument and its path in it: `q`, `state.q`, `params.mass`,
`masses.0`. A name stands for all leaves below it.
"""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np

from polhode.errors import ArgumentError
from polhode.lowering.ir.scalars import TYPES

DTYPES = frozenset(map(np.dtype, TYPES))


@dataclass(frozen=True)
class Leaf:
    """One array among the arguments."""

    name: str
    shape: tuple[int, ...]
    type: str

    @cached_property
    def dtype(self) -> np.dtype:
        return np.dtype(self.type)

    def describe(self) -> str:
        return f"'{self.name}' of shape {self.shape}, {self.type}"


def argument_names(function: Callable, count: int) -> list[str]:
    """The names of the positional parameters, or argument0, argument1, ..."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return [names[k] if k < len(names) else f"argument{k}" for k in range(count)]


def name_leaves(function: Callable, arguments: tuple) -> tuple[list[str], list, Any]:
    """Names, leaves and tree of the arguments."""
    found, tree = jax.tree_util.tree_flatten_with_path(arguments)
    tops = argument_names(function, len(arguments))
    names, leaves = [], []
    for path, leaf in found:
        rest = jax.tree_util.keystr(path[1:], simple=True, separator=".")
        top = tops[path[0].idx]
        names.append(f"{top}.{rest}" if rest else top)
        leaves.append(leaf)
    return names, leaves, tree


def as_array(value: Any, name: str) -> np.ndarray:
    """A leaf as a NumPy array of a type that programs compute in.

    Only what lies on a device is copied.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(
            f"Argument '{name}' is a masked array.",
            "A program would compute with the values behind the mask.",
            f"Give {name}.filled(numpy.nan), or the values alone.",
        )
    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, bool | int | float | np.generic | jax.Array):
        array = np.asarray(value)
    elif is_on_device(value):
        array = value.get()
    else:
        raise ArgumentError(
            f"Argument '{name}' is a {type(value).__name__}, not an array of numbers.",
            "A program computes with NumPy or JAX arrays and Python numbers.",
            f"Give numpy.asarray({name}, dtype=float).",
        )
    if array.dtype not in DTYPES:  # its name takes longer to find than a small program
        check_type(str(array.dtype), name)
    return array


def is_on_device(value: Any) -> bool:
    """Whether a value is an array of CuPy, in the memory of a GPU."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def fits(value: Any, leaf: Leaf) -> bool:
    """Whether a value can be used as it is, for one system."""
    return (
        type(value) is np.ndarray
        and value.shape == leaf.shape
        and value.dtype == leaf.dtype
    )


def check_type(type: str, name: str) -> None:
    if type in TYPES:
        return
    why = "Programs compute in float64; a narrower type has lost digits already."
    if type == "object":
        why = "An object array has no fixed type: perhaps its rows differ in length."
    elif type.startswith((">", "<")):
        why = "Its bytes are in another order than this machine's."
    elif type.startswith("complex"):
        why = "Programs compute with real numbers."
    raise ArgumentError(
        f"Argument '{name}' has dtype {type}.",
        why,
        f"Give numpy.asarray({name}, dtype=float) if that is what you mean.",
    )


def leaf_of(value: Any, name: str) -> tuple[Leaf, Any]:
    """The description of an example leaf, and its value (None if only a shape)."""
    if isinstance(value, jax.ShapeDtypeStruct):
        check_type(str(value.dtype), name)
        return Leaf(name, tuple(value.shape), str(value.dtype)), None
    array = as_array(value, name)
    return Leaf(name, array.shape, str(array.dtype)), array


def choose(names: list[str], chosen: Any, role: str) -> list[bool]:
    """Which leaves a list of names (or True, False) stands for."""
    if chosen is True or chosen is False:
        return [chosen] * len(names)
    if isinstance(chosen, str):
        chosen = [chosen]
    if not isinstance(chosen, Iterable) or not all(isinstance(w, str) for w in chosen):
        raise ArgumentError(
            f"`{role}` is {chosen!r}, not a list of names.",
            "Its arguments are " + ", ".join(f"'{n}'" for n in names) + ".",
            f"Give {role}=['{names[0] if names else 'q'}'], or True or False for all.",
        )
    wanted = list(chosen)
    marks = [False] * len(names)
    for word in wanted:
        hits = [k for k, n in enumerate(names) if n == word or n.startswith(word + ".")]
        if not hits:
            raise _unknown(word, names, role)
        for k in hits:
            marks[k] = True
    return marks


def _unknown(word: Any, names: Iterable[str], role: str) -> ArgumentError:
    near = difflib.get_close_matches(str(word), list(names), 1)
    return ArgumentError(
        f"`{role}` names {word!r}, which is no argument of the function.",
        "Its arguments are " + ", ".join(f"'{n}'" for n in names) + ".",
        f"Did you mean '{near[0]}'?" if near else "Name some of these.",
    )


def check_types(leaves: Sequence[Leaf], arrays: Sequence[Any]) -> None:
    """Refuse arguments of other types than the examples had."""
    for leaf, array in zip(leaves, arrays, strict=True):
        if array.dtype != leaf.dtype:
            raise ArgumentError(
                f"Argument '{leaf.name}' has dtype {array.dtype}, not {leaf.type}.",
                "A program is compiled for the types of its examples.",
                f"Give numpy.asarray({leaf.name}, dtype='{leaf.type}').",
            )


def batch_size(
    leaves: list[Leaf], shapes: list[tuple[int, ...]], batched: list[bool]
) -> int:
    """The number of systems; -1 if no argument has a batch axis.

    Every argument must have its own shape, or, where declared batched, one axis more.
    """
    sizes: dict[str, int] = {}
    plain: list[str] = []
    for leaf, shape, may in zip(leaves, shapes, batched, strict=True):
        if shape == leaf.shape:
            plain += [leaf.name] if may else []
        elif may and shape[1:] == leaf.shape and len(shape) == len(leaf.shape) + 1:
            sizes[leaf.name] = shape[0]
        else:
            raise _misshapen(leaf, shape, may)
    if len(set(sizes.values())) > 1 or (sizes and plain):
        facts = ", ".join(f"'{n}': {s}" for n, s in sizes.items())
        facts += "".join(f", '{n}': none" for n in plain)
        raise ArgumentError(
            "The batch is ragged: arguments disagree on the number of systems.",
            f"Leading axes: {facts}.",
            "Give all batched arguments one leading axis of the same length.",
        )
    return next(iter(sizes.values())) if sizes else -1


def _misshapen(leaf: Leaf, shape: tuple[int, ...], may: bool) -> ArgumentError:
    batch = f" (or {('B', *leaf.shape)} for B systems)".replace("'", "") if may else ""
    repair = f"Give shape {leaf.shape}{batch}."
    if not may and shape[1:] == leaf.shape:
        repair = f"To run a batch, compile with batched=['{leaf.name}', ...]."
    return ArgumentError(
        f"Argument '{leaf.name}' has shape {shape}, not {leaf.shape}.",
        "A program is compiled for the shapes of its examples.",
        repair,
    )


def require_function(function: Any, verb: str) -> None:
    """Refuse what is no function where one is to be traced."""
    if not callable(function):
        raise ArgumentError(
            f"ph.{verb} takes a function, and was given {function!r}.",
            "What becomes a program is traced by calling it.",
            "Give the function itself first, then its example arguments.",
        )
