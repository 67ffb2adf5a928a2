"""A function with symbols for its arguments, traced when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import jax
import numpy as np
import sympy

from polhode.errors import UnreadableProgram
from polhode.lowering.arguments import require_function
from polhode.lowering.trace.trace import (
    ClosedJaxpr,
    closed_jaxpr,
    inner_jaxprs,
    source_line,
)


class TracedFunction:
    """A function, arrays of the symbols of its arguments, their tree and its program.

    A trace of long equations takes longer than to read them: it is made once, and not
    at all where the reading is kept on disk.
    """

    def __init__(self, function: Callable, symbols: tuple[Any, ...]):
        require_function(function, "read")
        leaves, tree = jax.tree_util.tree_flatten([_as_arrays(s) for s in symbols])
        self.function, self.tree = function, tree
        self.arrays = [np.asarray(leaf, dtype=object) for leaf in leaves]

    @property
    def name(self) -> str:
        """What errors call it."""
        return getattr(self.function, "__name__", repr(self.function))

    @property
    def jaxpr(self) -> ClosedJaxpr:
        """Its program."""
        return self._traced[0]

    @property
    def result(self) -> Any:
        """The tree of what it returns."""
        return self._traced[1]

    @property
    def results(self) -> list[Any]:
        """The trees of the parts of what it returns."""
        return [*jax.tree_util.treedef_children(self.result)]

    @property
    def symbol_names(self) -> set[str]:
        """The names of all symbols of the arguments."""
        given = [sympy.sympify(e) for a in self.arrays for e in a.flat]
        return {s.name for e in given for s in e.atoms(sympy.Symbol)}

    def line_of(self, primitive: str) -> str:
        """The source line that uses a primitive first, or nothing."""
        return _line_of(self.jaxpr.jaxpr, primitive)

    @cached_property
    def _traced(self) -> tuple[ClosedJaxpr, Any]:
        def flat(*values: Any) -> Any:
            return self.function(*jax.tree_util.tree_unflatten(self.tree, values))

        shapes = [jax.ShapeDtypeStruct(a.shape, np.float64) for a in self.arrays]
        try:
            return closed_jaxpr(flat, *shapes)
        except jax.errors.ConcretizationTypeError as error:
            raise UnreadableProgram(
                f"'{self.name}' decides in Python on a value that is a symbol here.",
                "A Python `if`, `while`, `float()` or index cannot depend on"
                " arguments.",
                "Use jnp.where, or make the argument a constant of the function.",
                str(error).strip().split("\n")[0],
            ) from error


def _as_arrays(argument: Any) -> Any:
    """Lists and matrices become arrays; tuples and dictionaries stay trees."""
    if isinstance(argument, sympy.MatrixBase | sympy.NDimArray):
        argument = argument.tolist()
    if isinstance(argument, list):
        parts = [_as_arrays(a) for a in argument]
        whole = all(isinstance(p, np.ndarray) or np.ndim(p) == 0 for p in parts)
        if whole and not any(isinstance(p, tuple | dict) for p in parts):
            return np.array(parts, dtype=object)
        return parts
    if isinstance(argument, tuple):
        parts = [_as_arrays(a) for a in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    if isinstance(argument, dict):
        return {name: _as_arrays(a) for name, a in argument.items()}
    return argument


def _line_of(jaxpr: Any, primitive: str) -> str:
    for equation in jaxpr.eqns:
        if equation.primitive.name == primitive:
            return source_line(equation)
        for inner in inner_jaxprs(equation.params):
            line = _line_of(inner, primitive)
            if line:
                return line
    return ""
