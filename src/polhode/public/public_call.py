"""Public functions and classes: an argument of the wrong kind is refused in words.

A call that ends in a bare TypeError, AttributeError, ValueError and so on is looked at
again: each argument is held against its annotation. Where one is of another kind, the
call is refused by the names of the function and the argument; where all are of their
kinds, the error is raised as it is. A call that succeeds is not looked at.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from importlib import import_module
from numbers import Integral, Number, Real
from typing import Any, TypeVar

from polhode.errors import FileError, ModelError, PolhodeError, StateError

BARE = (TypeError, AttributeError, ValueError, ArithmeticError, LookupError)
MARK = "__polhode_public__"
FEW = 20  # elements of a list that are looked at
PATHS = ("path", "to", "folder")


def public(value: Any, name: str) -> Any:
    """A public function that refuses in words, or the class itself, made to.

    Pickles and `inspect` find a function by its module: it is exchanged there, too.
    """
    if isinstance(value, type):
        if not issubclass(value, BaseException):
            _watch_class(value, name)
        return value
    if not isinstance(value, types.FunctionType) or hasattr(value, MARK):
        return value
    watched = _watched(value, name)
    home, word = sys.modules.get(value.__module__), value.__name__
    if home is not None and getattr(home, word, None) is value:
        setattr(home, word, watched)
    return watched


def _watch_class(kind: type, name: str) -> None:
    """Its constructor, and all other ways to make one, in place."""
    if MARK in vars(kind):
        return
    setattr(kind, MARK, True)
    for word, member in [*vars(kind).items()]:
        if word == "__init__" and isinstance(member, types.FunctionType):
            setattr(kind, word, _watched(member, name))
        elif not word.startswith("_") and isinstance(
            member, classmethod | staticmethod
        ):
            inner = _watched(member.__func__, f"{name}.{word}")
            setattr(kind, word, type(member)(inner))


def _watched(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except PolhodeError:
            raise
        except BARE as error:
            refusal = _refusal(function, name, given, named)
            if refusal is None:
                raise
            raise refusal from error

    setattr(call, MARK, True)
    return call


def _refusal(
    function: Callable[..., Any], name: str, given: Any, named: Any
) -> PolhodeError | None:
    """What is said of the first argument that is not of its kind, if one is not."""
    plain = inspect.unwrap(function)
    try:
        bound = inspect.signature(function).bind(*given, **named)
    except TypeError:
        return None  # too few or too many: Python's own words say which
    hints = _hints(plain)
    for word, value in bound.arguments.items():
        if word in ("self", "cls") or word not in hints:
            continue
        place = inspect.signature(function).parameters[word]
        for each in _values(value, place):
            if not fits(each, hints[word]):
                return _said(name, word, plain.__annotations__.get(word), each)
    return None


def _values(value: Any, place: inspect.Parameter) -> list[Any]:
    """The values of an argument: several, where it takes all that is left."""
    if place.kind is place.VAR_KEYWORD:
        return [*value.values()]
    return [*value] if place.kind is place.VAR_POSITIONAL else [value]


def _said(name: str, word: str, annotation: Any, value: Any) -> PolhodeError:
    kind: type[PolhodeError] = ModelError
    text = annotation if isinstance(annotation, str) else _text(annotation)
    if "State" in text.replace("|", " ").split():
        kind = StateError
    elif word in PATHS and "str" in text:
        kind = FileError
    shown = _shown(value)
    return kind(
        f"{name} cannot take {shown} as {word!r}.",
        f"It works with {text}, and this is of type {type(value).__name__}.",
        f"Give what it works with; help(ph.{name}) says what each argument is.",
    )


def _text(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)


def _shown(value: Any) -> str:
    if isinstance(value, Integral) and abs(int(value)) >= 10**20:
        return "an integer of so many digits"
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = ""
    return text if 0 < len(text) <= 60 else f"a {type(value).__name__}"


# ------------------------------------------------------------- annotations


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
        for module in [*sys.modules.values()]:
            if getattr(module, "__name__", "").startswith("polhode."):
                found = vars(module).get(word)
                if isinstance(found, type) and found.__module__.startswith("polhode."):
                    return found
        return Any


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    own = getattr(function, "__globals__", {})
    try:
        return typing.get_type_hints(function, own, _Names(own))
    except Exception:
        return {}  # an annotation that only a type checker understands


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind of an annotation, as far as can be told.

    >>> fits(3, float | None), fits("x", float | None), fits([1.0], list[float])
    (True, False, True)
    """
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if hint is None or hint is type(None):
        return value is None
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
    import numpy as np

    if hasattr(value, "dtype"):
        return value.dtype != object
    try:
        return np.asarray(value).dtype.kind in "biufc"
    except Exception:
        return False


def _stands_for(value: Any, kind: type, parts: Any) -> bool:
    """Arrays stand for sequences of numbers; nothing else for another kind."""
    is_list = issubclass(kind, Iterable) and hasattr(value, "dtype")
    if kind in (str, bytes) or issubclass(kind, Mapping) or not is_list:
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
