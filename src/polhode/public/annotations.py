"""What annotations say of values: whether an argument is of the kind that is asked for.

Kernels say Any of their arguments, or shapes that only type checkers and tests know: a
trace gives them values of JAX. What these are is then known by their names, which are
the same throughout.
"""

from __future__ import annotations

import ast
import operator
import os
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from numbers import Integral, Number, Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from polhode.public.lazy import public_place

FEW = 20  # elements of a list that are looked at
PATHS = ("path", "to", "folder")
NUMBERS = ("t", "times", "at", "h", "x", "x_dot", "pole", "frequencies", "values")
# As many numbers as the noun that is asked has of these, or so many.
ROWS: dict[str, str | int] = {
    **dict.fromkeys(("R_FM", "p_FoMo_F"), 3),
    **dict.fromkeys(("q", "q_dot"), "coordinates"),
    **dict.fromkeys(("z", "z_dot", "delta"), "speeds"),
}


def _length(noun: Any, count: str | int) -> int | None:
    found = count if isinstance(count, int) else getattr(noun, count, None)
    return found if isinstance(found, int) else None


class _Names(dict[str, Any]):
    """Names of annotations: those of their module, or of any module of the package.

    Modules import what only annotations need for type checkers alone.
    """

    def __init__(self, own: Mapping[str, Any]):
        super().__init__()
        self.own = own

    def __missing__(self, word: str) -> Any:
        builtins = vars(import_module("builtins"))
        for place in (self.own, builtins, vars(typing)):
            if word in place:
                return place[word]
        if word in names_of_shapes():
            return Any
        for module in [*sys.modules.values()]:
            if getattr(module, "__name__", "").startswith("polhode."):
                found = vars(module).get(word)
                if isinstance(found, type) and found.__module__.startswith("polhode."):
                    return found
        called = public_place(word)  # ph.name
        front = import_module("polhode")
        return operator.attrgetter(called[3:])(front) if called else Any


@cache
def names_of_shapes() -> frozenset[str]:
    """The names in `shapes.py`, which is read and not imported: it needs jaxtyping."""
    tree = ast.parse(Path(__file__).with_name("shapes.py").read_text(encoding="utf-8"))
    made = [node for node in tree.body if isinstance(node, ast.Assign)]
    names = [name for node in made for name in node.targets]
    return frozenset(name.id for name in names if isinstance(name, ast.Name))


class Row(typing.NamedTuple):
    """So many real numbers; None where it is not known how many."""

    length: int | None


class Wanted(typing.NamedTuple):
    """The kind of an argument, and that in words."""

    hint: Any
    text: str


def wanted_of(function: Callable[..., Any], noun: Any = None) -> dict[str, Wanted]:
    """What a function, or a method of a noun, asks of its arguments by their names."""
    own = getattr(function, "__globals__", {})
    try:
        hints = typing.get_type_hints(function, own, _Names(own))
    except Exception:
        return {}  # an annotation that only a type checker understands
    written = getattr(function, "__annotations__", {})
    return {word: _wanted(word, hints[word], written.get(word), noun) for word in hints}


def _wanted(word: str, hint: Any, written: Any, noun: Any) -> Wanted:
    if hint is Any and word in PATHS:
        return Wanted(str | os.PathLike, "a path, in text or as pathlib.Path")
    is_array = hint is Any or written in ("Array", "Scalar")
    if is_array and word in NUMBERS:
        return Wanted(np.ndarray, "real numbers")
    if is_array and word in ROWS:
        length = _length(noun, ROWS[word])
        return Wanted(Row(length), f"{length or 'a row of'} real numbers")
    text = written if isinstance(written, str) else getattr(written, "__name__", None)
    return Wanted(hint, text or str(written))


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind of an annotation, as far as can be told.

    >>> fits(3, float | None), fits("x", float | None), fits([1.0], list[float])
    (True, False, True)
    """
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if hint is None or hint is type(None):
        return value is None
    if isinstance(hint, Row):
        shape: tuple[int, ...] = np.shape(value) if _is_array(value) else ()
        return len(shape) > 0 and hint.length in (None, shape[-1])
    head, parts = typing.get_origin(hint), typing.get_args(hint)
    if head in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if head is typing.Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if hint in (float, int, complex):
        return _is_number(value, hint)
    if hint is Callable or head is Callable or hint is typing.Callable:
        return callable(value)
    kind = head if isinstance(head, type) else hint
    if not isinstance(kind, type):
        return value is not None  # what only type checkers know
    if getattr(kind, "_is_protocol", False):
        return _answers(value, kind)
    if _is_array_kind(kind):
        return _is_array(value)
    if not isinstance(value, kind):
        return _stands_for(value, kind, parts)
    return _elements_fit(value, parts)


def _is_number(value: Any, kind: type) -> bool:
    if hasattr(value, "dtype"):
        return getattr(value, "ndim", 0) == 0  # an array, or a value of a trace
    if isinstance(value, bool) or not isinstance(value, Number):
        return False
    if kind is complex:
        return True
    if not isinstance(value, Integral if kind is int else Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _answers(value: Any, protocol: type) -> bool:
    """Whether a value has all that a protocol names, without asking for it."""
    names = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    own = {*dir(type(value)), *getattr(value, "__dict__", {})}
    return {name for name in names if not name.startswith("_")} <= own


def _is_array_kind(kind: type) -> bool:
    return kind.__name__ in ("ndarray", "Array", "ArrayLike")


def _is_array(value: Any) -> bool:
    if hasattr(value, "dtype"):
        return value.dtype != object
    try:
        return np.asarray(value).dtype.kind in "biufc"
    except Exception:
        return False


def _stands_for(value: Any, kind: type, parts: Any) -> bool:
    """Arrays stand for sequences of numbers; nothing else for another kind."""
    is_list = issubclass(kind, Iterable) and hasattr(value, "dtype")
    is_own = kind.__module__.startswith("polhode.")  # a tuple with names
    if kind in (str, bytes) or issubclass(kind, Mapping) or is_own or not is_list:
        return False
    if getattr(value, "ndim", 0) == 0:
        return False
    return _elements_fit(value, parts)


def _elements_fit(value: Any, parts: Any) -> bool:
    """Whether the first elements of a list, a tuple or a mapping are of their kinds."""
    if isinstance(value, Mapping):
        keys, values = parts if len(parts) == 2 else (Any, Any)
        pairs = [*value.items()][:FEW]
        return all(fits(k, keys) and fits(v, values) for k, v in pairs)
    if isinstance(value, str | bytes):
        return not parts or fits(value[:1], parts[0])
    sized = hasattr(value, "__len__") and hasattr(value, "__iter__")
    if not parts or not sized or typing.get_origin(parts[0]) is Callable:
        return True
    if isinstance(value, tuple) and Ellipsis not in parts and len(parts) > 1:
        return len(value) == len(parts) and all(map(fits, value, parts))
    return all(fits(each, parts[0]) for each in [*value][:FEW])
