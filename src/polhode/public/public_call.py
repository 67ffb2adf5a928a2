"""Public functions, classes and methods refuse arguments of the wrong kind in words.

A call that ends in a bare TypeError, AttributeError, ValueError and so on is looked at
again: each argument is held against its annotation. Where one is of another kind, the
call is refused by the names of the function and the argument; where all are of their
kinds, the error is raised as it is. A call that succeeds is not looked at.

Classes of answers are met when a public call first gives one back.
"""

from __future__ import annotations

import inspect
import pickle
import sys
import types
from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum
from functools import wraps
from numbers import Integral
from typing import Any

from polhode.arrays import itself
from polhode.errors import FileError, ModelError, PolhodeError, StateError
from polhode.public.annotations import PATHS, Wanted, fits, wanted_of
from polhode.public.elsewhere import ATTRIBUTES
from polhode.public.lazy import public_place

BARE = (TypeError, AttributeError, ValueError, ArithmeticError, LookupError)
MARK = "__polhode_public__"
PACKAGE = "polhode."
MISSING = "__getattr__"  # what Python asks where a noun has no such attribute
PICKLING: ContextVar[bool] = ContextVar("pickling", default=False)
# Classes that public calls have given back; those of the package are watched.
MET: set[type] = {type(None), bool, int, float, str, list, tuple, dict}


def public(value: Any, name: str) -> Any:
    """A public function that refuses in words, or the class or module, made to.

    Pickles and `inspect` find a function by its module: it is exchanged there, too.
    """
    if isinstance(value, type):
        _meet(value, name)
        return value
    if isinstance(value, types.ModuleType):
        for word in getattr(value, "__all__", ()):
            setattr(value, word, public(getattr(value, word), f"{name}.{word}"))
        return value
    if not isinstance(value, types.FunctionType) or hasattr(value, MARK):
        return value
    watched = _watched(value, name)
    home, word = sys.modules.get(value.__module__), value.__name__
    if home is not None and getattr(home, word, None) is value:
        setattr(home, word, watched)
    return watched


def _meet(kind: type, name: str = "") -> None:
    """A class, its bases and those that its module works with: watched from now on."""
    MET.add(kind)
    for each in kind.__mro__:
        _watch_class(each, name if name and each is kind else each.__name__)
    if kind.__module__.startswith(PACKAGE):
        for each in [*vars(sys.modules[kind.__module__]).values()]:
            if isinstance(each, type):
                _watch_class(each, each.__name__)


def _watch_class(kind: type, name: str) -> None:
    """Its constructor, all other ways to make one, its methods, copies and pickles."""
    is_own = kind.__module__.startswith(PACKAGE) and MARK not in vars(kind)
    if not is_own or issubclass(kind, BaseException | Enum | type):
        return
    setattr(kind, MARK, True)
    if kind.__name__ in ATTRIBUTES and not hasattr(kind, MISSING):
        setattr(kind, MISSING, _elsewhere)
    for word, member in [*vars(kind).items()]:
        if word == "__init__" and isinstance(member, types.FunctionType):
            setattr(kind, word, _watched(member, name))
        elif word.startswith("_") and word != "__getitem__":
            continue
        elif isinstance(member, types.FunctionType):
            setattr(kind, word, _watched(member, f"{name}.{word}"))
        elif isinstance(member, classmethod | staticmethod):
            inner = _watched(member.__func__, f"{name}.{word}")
            setattr(kind, word, type(member)(inner))
    made = vars(kind).get("__dataclass_params__")
    if made is not None and made.frozen:
        for word, copied in COPIED.items():
            if getattr(kind, word, None) is getattr(object, word, None):
                setattr(kind, word, copied)


def _elsewhere(noun: Any, name: str) -> Any:
    """What is asked when a noun has no such attribute: where other tools have it."""
    kind = type(noun)
    known = (ATTRIBUTES.get(each.__name__, {}) for each in kind.__mro__)
    place = next((table[name] for table in known if name in table), "")
    hint = f"; it is {place} here" if place else ""
    text = f"{kind.__name__!r} object has no attribute {name!r}{hint}"
    # Without a place Python adds the nearest name by itself.
    raise AttributeError(text, name=name, obj=None if place else noun)


def _reduced(noun: Any, protocol: Any) -> Any:
    """What a pickle keeps of a noun; that all of it can be kept is tried before."""
    whole = object.__reduce_ex__(noun, protocol)
    if PICKLING.get():
        return whole  # a part of another noun, which is tried as a whole
    token = PICKLING.set(True)
    try:
        pickle.dumps(whole[1:], protocol)
    except (*BARE, pickle.PicklingError) as error:
        owner = noun if hasattr(noun, "name") else getattr(noun, "system", None)
        who = getattr(owner, "name", None) or type(noun).__name__
        raise ModelError(
            f"{who!r} cannot be pickled.",
            "Pickles run code when they are read, and laws of Python do not fit in.",
            "ph.save_model keeps a model as text, motion.save a motion.",
        ) from error
    finally:
        PICKLING.reset(token)
    return whole


# What is frozen is its own copy: frames and laws in it are known as they are.
COPIED = {"__copy__": itself, "__deepcopy__": itself, "__reduce_ex__": _reduced}


def _watched(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            answer = function(*given, **named)
        except PolhodeError:
            raise
        except BARE as error:
            refusal = _refusal(function, name, given, named)
            if refusal is None:
                if not _can_bind(function, given, named):
                    error.add_note(_taken(function, name))
                raise
            raise refusal from error
        kind = type(answer)
        if kind not in MET:
            _meet(kind)
        return answer

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
    wanted = wanted_of(plain, bound.arguments.get("self"))
    for word, value in bound.arguments.items():
        place = bound.signature.parameters[word]
        if word in ("self", "cls") or word not in wanted or value is place.default:
            continue
        for each in _values(value, place):
            if not fits(each, wanted[word].hint):
                return _kind_error(name, word, wanted[word], each)
    return None


def _can_bind(function: Callable[..., Any], given: Any, named: Any) -> bool:
    try:
        inspect.signature(function).bind(*given, **named)
    except TypeError:
        return False
    return True


def _taken(function: Callable[..., Any], name: str) -> str:
    """What a function takes, for one who gave too much, too little or another name."""
    places = inspect.signature(function).parameters.values()
    own = [place for place in places if place.name not in ("self", "cls")]
    stars: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    words: list[str] = []
    for place in own:
        if place.kind is place.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        optional = "" if place.default is place.empty else "=..."
        words.append(f"{stars.get(place.kind, '')}{place.name}{optional}")
    return f"It is called as {name}({', '.join(words)}){_help(name)}."


def _values(value: Any, place: inspect.Parameter) -> list[Any]:
    """The values of an argument: several, where it takes all that is left."""
    if place.kind is place.VAR_KEYWORD:
        return [*value.values()]
    return [*value] if place.kind is place.VAR_POSITIONAL else [value]


def _kind_error(name: str, word: str, wanted: Wanted, value: Any) -> PolhodeError:
    kind: type[PolhodeError] = ModelError
    if "State" in wanted.text.replace("|", " ").split():
        kind = StateError
    elif (word in PATHS and "str" in wanted.text) or "a path" in wanted.text:
        kind = FileError
    return kind(
        f"{name} cannot take {_shown(value)} as {word!r}.",
        f"It works with {wanted.text}, and this is of type {type(value).__name__}.",
        f"Give what it works with{_help(name)}.",
    )


def _help(name: str) -> str:
    """Where arguments are told of, if the function or its class is public."""
    first, dot, rest = name.partition(".")
    place = f"ph.{first}" if first[:1].islower() else public_place(first)
    said = f"; help({place}{dot}{rest}) says what each argument is"
    return said if place else ""


def _shown(value: Any) -> str:
    if isinstance(value, Integral) and abs(int(value)) >= 10**20:
        return "an integer of so many digits"
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = ""
    return text if 0 < len(text) <= 60 else f"a {type(value).__name__}"
