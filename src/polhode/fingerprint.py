"""A digest of what a Python function does: equal for equal code and values.

    fingerprint(law)  ->  32 bytes, or NoFingerprint with the reason

Two functions have one fingerprint if their byte code, constants, defaults, the values
they close over and the globals they name are equal, all the way down through functions,
methods, partials, objects and arrays. Where a function was written (file, line, module)
and what it is called do not count, nor ids, addresses and the seed of hashes: the same
source in another process has the same fingerprint, under the same version of Python,
whose byte code it is.

NumPy, JAX, SciPy, Polhode and Python's own library are known by names: who keeps a
fingerprint keeps their versions beside it. What cannot be told apart by its content (an
open file, a generator of random numbers, an object of compiled code) is refused, unless
its class has a method `__fingerprint__` that returns text or bytes.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import dis
import enum
import functools
import hashlib
import itertools
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Array

# By name: their content is that of their versions.
VERSIONED = {"numpy", "jax", "jaxlib", "scipy", "polhode"}
LIBRARIES = VERSIONED | set(sys.stdlib_module_names)
STANDARD = tuple({sysconfig.get_path(word) for word in ("stdlib", "platstdlib")})
# Parts of a class that say nothing about what its objects do.
SILENT = {
    "__module__",
    "__qualname__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__firstlineno__",
    "__static_attributes__",
    "__abstractmethods__",
    "_abc_impl",
    "__orig_bases__",
    "__parameters__",
    "__match_args__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__slots__",
}
# Methods that a dataclass writes from its fields, and which cannot be read otherwise.
WRITTEN = {
    *("__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__"),
    *("__hash__", "__setattr__", "__delattr__", "__replace__"),
    *("__getstate__", "__setstate__", "__new__", "_make", "_replace", "_asdict"),
}
# Places of slots and fields: they hold nothing of their own.
PLACES = (types.MemberDescriptorType, types.GetSetDescriptorType)
# Objects of these remember what was asked of them, and are not the same afterwards.
OPAQUE = {"sympy"}
# What a function of these gives does not follow from what it is given: strictly, none
# of them is known by its name.
IMPURE = (
    *("random.", "secrets.", "time.", "datetime.", "uuid.", "os.", "posix.", "io."),
    *("_io.", "sys.", "pathlib.", "tempfile.", "shutil.", "socket.", "subprocess."),
    *("ctypes.", "importlib.", "inspect.", "gc.", "weakref.", "threading.", "pickle."),
    *("numpy.random.", "numpy.load", "numpy.fromfile", "numpy.genfromtxt"),
    *("numpy.memmap", "scipy.io.", "builtins.open", "builtins.input"),
    *("builtins.eval", "builtins.exec", "builtins.globals", "builtins.locals"),
    *("builtins.vars", "builtins.id", "builtins.hash", "builtins.__import__"),
    *("builtins.compile", "builtins.next", "builtins.iter", "random", "time"),
)
# Between the load of a module and that of its attribute stand only these.
NOTHING = ("CACHE", "NOP", "EXTENDED_ARG", "PUSH_NULL")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")


# Metadata of a field that only remembers what was computed from the others.
REMEMBERED = MappingProxyType({"fingerprint": "remembered"})
MAPPINGS = (dict, MappingProxyType, collections.OrderedDict)
BY_TEXT = (range, slice, Fraction, Decimal, PurePath, types.GenericAlias)
_MISSING = object()


class NoFingerprint(ValueError):
    """A function that cannot be told apart from another by its content; says why."""


def fingerprint(subject: Any, strict: bool = False) -> bytes:
    """The digest (32 bytes) of a function, or of any value that a function may use.

    `strict` is for who would run in place of a function what was once made of it: a
    function that reads what is not its own (a clock, a file, random numbers, names that
    it makes up) has no fingerprint then, and functions of libraries that are called the
    same are told apart by their code.
    """
    reader = _Reader(strict)
    try:
        reader.read(subject)
    except RecursionError:
        raise NoFingerprint("its values are nested too deeply") from None
    return reader.digest.digest()


class _Reader:  # limit: one method a kind of value
    """One walk through a function and all that it uses, in an order of its own."""

    def __init__(self, strict: bool = False) -> None:
        self.digest = hashlib.sha256()
        self._strict = strict
        # Functions and objects that were met, by id, numbered as they came; they are
        # kept, so that no id is given away meanwhile. What Python may or may not share
        # (numbers, text, tuples of them) is read again each time.
        self._met: dict[int, int] = {}
        self._kept: list[Any] = []

    # ------------------------------------------------------------------- words

    def _say(self, *words: str | bytes | int) -> None:
        for word in words:
            data = (
                word
                if isinstance(word, bytes)
                else str(word).encode("utf-8", "surrogatepass")
            )
            # Lengths keep apart what would run together.
            self.digest.update(len(data).to_bytes(8, "little"))
            self.digest.update(data)

    def _is_known(self, value: Any) -> bool:
        """Whether a value was met before; then its number is said."""
        number = self._met.get(id(value))
        if number is not None:
            self._say("again", number)
            return True
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        return False

    # ------------------------------------------------------------------ values

    def read(self, value: Any) -> None:
        """Say a value, whatever it is."""
        if value is None or value is Ellipsis or value is NotImplemented:
            self._say("constant", repr(value))
        elif type(value) is object:  # a mark that only its identity tells
            self._say("mark")
        elif type(value) in (bool, int, str, bytes):
            self._say(
                type(value).__name__, value if isinstance(value, bytes) else repr(value)
            )
        elif type(value) in (float, complex):
            self._say(type(value).__name__, np.array(value, complex).tobytes())
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif hasattr(type(value), "__fingerprint__"):
            self._declared(value)
        elif isinstance(value, np.dtype):
            self._say("dtype", value.str)
        elif isinstance(value, np.ndarray | np.generic) or _is_jax_array(value):
            self._array(value)
        elif type(value) in (tuple, list):
            self._sequence(type(value).__name__, value)
        elif type(value) in (set, frozenset):
            each = (fingerprint(one, self._strict) for one in value)
            self._say("set", *sorted(each))
        elif type(value) in MAPPINGS:
            self._mapping(value)
        else:
            self._noun(value)

    def _noun(self, value: Any) -> None:
        if isinstance(value, types.ModuleType):
            self._module(value)
        elif _library_name(value):
            self._library(_library_name(value))
        elif self._is_known(value):
            return
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.MethodType):
            self._say("method")
            self.read(value.__func__)
            self.read(value.__self__)
        elif isinstance(value, functools.partial):
            self._say("partial")
            for part in (value.func, value.args, value.keywords):
                self.read(part)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, enum.Enum):
            self._say("member", type(value).__qualname__, value.name)
            self.read(value.value)
        else:
            self._object(value)

    def _declared(self, value: Any) -> None:
        if self._strict and hasattr(value, "__described__"):
            self.read(value.__described__())
            return
        said = value.__fingerprint__()
        if not isinstance(said, str | bytes):
            raise NoFingerprint(
                f"__fingerprint__ of a {type(value).__qualname__} returns {said!r}, not"
                " text or bytes"
            )
        self._say("declared", type(value).__qualname__, said)

    def _array(self, value: Array) -> None:
        try:
            array = np.asarray(value)
        except Exception as reason:  # a tracer, a key of random numbers
            raise _no_content(type(value)) from reason
        if array.dtype.hasobject:
            self._say("objects", str(array.shape))
            self._sequence("list", array.reshape(-1).tolist())
            return
        kind = "weak" if getattr(value, "weak_type", False) else "array"
        self._say(kind, array.dtype.str, str(array.shape), array.tobytes())

    def _sequence(self, kind: str, values: Iterable[Any]) -> None:
        if kind == "list" and self._is_known(values):
            return
        values = list(values)
        self._say(kind, len(values))
        for each in values:
            self.read(each)

    def _mapping(self, values: Mapping[Any, Any]) -> None:
        """In their order: a sum over a dictionary depends on it."""
        if self._is_known(values):
            return
        self._say("mapping", len(values))
        for name, value in values.items():
            self.read(name)
            self.read(value)

    # --------------------------------------------------------------- functions

    def _function(self, function: types.FunctionType) -> None:
        code = function.__code__
        home = str(function.__globals__.get("__name__", ""))
        if _is_library(home):  # a wrapper of a library, around something of the user
            self._say("wrapper", home, code.co_qualname)
            if self._strict:
                self._say(_code_digest(code))
        else:
            self._say("function")
            self._code(code)
            self._names(function)
        self.read(function.__defaults__)
        self._attributes(function.__kwdefaults__ or {})
        cells = function.__closure__ or ()
        for name, cell in zip(code.co_freevars, cells, strict=True):
            self._say("closes over", name)
            content = _content(cell)
            # What it takes of a module is said with its code.
            if content is not _MISSING and not isinstance(content, types.ModuleType):
                self.read(content)
        beside = {n: v for n, v in vars(function).items() if n != "__wrapped__"}
        self._attributes(beside)

    def _code(self, code: types.CodeType) -> None:
        """Instructions and constants; not the name, the file and the lines."""
        self._say("code", code.co_code, code.co_exceptiontable)
        self._say(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._say(code.co_flags)
        for names in (
            code.co_names,
            code.co_varnames,
            code.co_freevars,
            code.co_cellvars,
        ):
            self._say(len(names), *names)
        self._sequence("constants", code.co_consts)

    def _names(self, function: types.FunctionType) -> None:
        """The globals that a function and those inside it use, and parts of modules."""
        cells = zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        )
        closed = dict(cells)
        for use in _uses(function.__code__):
            name = use.words[0]
            if use.kind == "import":
                self._imported(name)
                continue
            value = (
                _content(closed[name])
                if use.kind == "cell" and name in closed
                else _MISSING
                if use.kind == "cell"
                else function.__globals__.get(name, vars(builtins).get(name, _MISSING))
            )
            if isinstance(value, types.ModuleType):
                self._part(value, use.words)
            elif use.kind == "global":
                self._say("global", name)
                if value is not _MISSING:
                    self.read(value)

    def _imported(self, module: str) -> None:
        if not _is_library(module):
            raise NoFingerprint(
                f"it imports {module!r} inside, of which only the name is known; import"
                " it outside"
            )
        self._say("import", module)
        if self._strict:
            self._library(f"{module}.")

    def _part(self, module: types.ModuleType, chain: tuple[str, ...]) -> None:
        """What is taken of a module: `module.part`, or `package.module.part`."""
        value: Any = module
        for depth, word in enumerate(chain[1:], 1):
            if _is_library(value.__name__):
                self._library(".".join((value.__name__, *chain[depth:])))
                return
            if not hasattr(value, word):
                self._say("name", *chain)
                return
            value = getattr(value, word)
            if not isinstance(value, types.ModuleType):
                self._say("part", ".".join(chain[: depth + 1]))
                self.read(value)
                return
        self._module(value)

    def _module(self, module: types.ModuleType) -> None:
        if not _is_library(module.__name__):
            raise NoFingerprint(
                f"it hands on the module {module.__name__!r} as a whole; let it name"
                " what it takes of it"
            )
        self._library(module.__name__)

    def _library(self, name: str) -> None:
        """A part of a library: by its name, if that says what it gives."""
        if self._strict and name.startswith(IMPURE):
            raise NoFingerprint(f"it uses {name}, which gives now this and now that")
        self._say("library", name)

    # ----------------------------------------------------------------- objects

    def _class(self, kind: type) -> None:
        self._say("class")
        self._sequence("bases", [base for base in kind.__bases__ if base is not object])
        if issubclass(kind, enum.Enum):
            self._sequence("members", [(each.name, each.value) for each in kind])
        is_dataclass = dataclasses.is_dataclass(kind)
        for each in dataclasses.fields(kind) if is_dataclass else ():
            self._say("field", each.name, each.init, bool(each.kw_only))
            factory = each.default_factory
            self.read(None if factory is dataclasses.MISSING else factory)
        for name, value in sorted(vars(kind).items()):
            if not _is_silent(kind, name, value):
                self._say("has", name)
                self._member(value)

    def _member(self, value: Any) -> None:
        if isinstance(value, staticmethod | classmethod):
            self._say(type(value).__name__)
            self.read(value.__func__)
        elif isinstance(value, property):
            self._sequence("property", (value.fget, value.fset, value.fdel))
        elif isinstance(value, functools.cached_property):
            self._say("cached_property")
            self.read(value.func)
        else:
            self.read(value)

    def _object(self, value: Any) -> None:
        kind = type(value)
        home = kind.__module__
        self._say("object")
        if _is_library(home):
            self._say(home, kind.__qualname__)
        elif home.partition(".")[0] in OPAQUE:
            raise _no_content(kind)
        else:
            self.read(kind)
        if isinstance(value, tuple | list):
            self._sequence("items", list(value))
        elif isinstance(value, Mapping):
            self._sequence("items", list(value.items()))
        elif isinstance(value, str | int | float | bytes):
            self._say(repr(value))
        if not _is_library(home):
            self._attributes(_attributes_of(value))
        elif dataclasses.is_dataclass(kind):
            # Other fields of ours are made from these, or are what is remembered.
            fields = [f for f in dataclasses.fields(kind) if f.init]
            given = [f.name for f in fields if f.metadata != REMEMBERED]
            self._attributes({name: getattr(value, name) for name in given})
        elif hasattr(value, "__wrapped__"):  # jax.jit, jax.custom_jvp, functools.cache
            self._attributes(_wrapped(value))
        elif isinstance(value, types.SimpleNamespace) or home.startswith("scipy."):
            self._attributes(vars(value))
        elif hasattr(value, "node_data"):  # the structure of a tree of arrays
            self._sequence("tree", [value.node_data(), *value.children()])
        elif isinstance(value, types.BuiltinMethodType):
            self._say(value.__name__)
            self.read(value.__self__)
        elif isinstance(value, BY_TEXT):
            self._say(repr(value))
        elif isinstance(value, collections.deque):
            self._sequence("items", list(value))
        elif not isinstance(value, tuple | list | Mapping | str | int | float | bytes):
            raise _no_content(kind)

    def _attributes(self, values: Mapping[str, Any]) -> None:
        self._say("attributes", len(values))
        for name in sorted(values):
            self._say(name)
            self.read(values[name])


# ------------------------------------------------------------------ what is named


class _Use(NamedTuple):
    """A name that code uses: a global, a value it closes over, or an import inside.

    words   the name and, if attributes are loaded right after it, these
    """

    kind: str
    words: tuple[str, ...]


# Code does not change, and reading its instructions takes most of a fingerprint.
@functools.lru_cache(maxsize=4096)
def _uses(code: types.CodeType) -> tuple[_Use, ...]:
    """The names that code and the functions inside it use, in their order."""
    return tuple(_each_use(code))


def _each_use(code: types.CodeType) -> Iterator[_Use]:
    steps = [s for s in dis.get_instructions(code) if s.opname not in NOTHING]
    for k, step in enumerate(steps):
        kind = (
            "global"
            if step.opname in GLOBALS
            else "cell"
            if step.opname in CELLS
            else "import"
            if step.opname == "IMPORT_NAME"
            else ""
        )
        if kind:
            after = itertools.takewhile(
                lambda s: s.opname in ATTRIBUTES, steps[k + 1 :]
            )
            yield _Use(kind, (step.argval, *(s.argval for s in after)))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _uses(constant)


@functools.cache
def _code_digest(code: types.CodeType) -> bytes:
    """Of code alone, which nothing changes."""
    reader = _Reader()
    reader._code(code)
    return reader.digest.digest()


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return _MISSING


# --------------------------------------------------------------- what is by name


@functools.cache
def _is_library(module: str) -> bool:
    """Whether a module's content is that of a version, so that its name tells it."""
    root = module.partition(".")[0]
    if root not in LIBRARIES:
        return False
    if root in VERSIONED or root in sys.builtin_module_names:
        return True
    # A file of the user's may be called as one of Python's own modules.
    place = getattr(sys.modules.get(root), "__file__", None)
    return place is None or place.startswith(STANDARD)


def _library_name(value: Any) -> str:
    """The name under which a library has exactly this value, or ''."""
    home = getattr(value, "__module__", None) or type(value).__module__
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(home, str) or not isinstance(name, str) or not _is_library(home):
        return ""
    found: Any = sys.modules.get(home)
    for word in name.split("."):
        found = getattr(found, word, _MISSING)
    return f"{home}.{name}" if found is value else ""


def _is_jax_array(value: Any) -> bool:
    root = type(value).__module__.partition(".")[0]
    return root in ("jax", "jaxlib") and hasattr(value, "__array__")


# --------------------------------------------------------------------- objects


def _attributes_of(value: Any) -> dict[str, Any]:
    """What an object of the user's holds; not what it has computed and remembers."""
    found = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
        for name, member in vars(kind).items():
            if isinstance(member, functools.cached_property):
                found.pop(name, None)
    return found


def _wrapped(value: Any) -> dict[str, Any]:
    beside = getattr(value, "__dict__", {})
    own = {n: v for n, v in beside.items() if n[:2] != "__" and callable(v)}
    return {**own, "__wrapped__": value.__wrapped__}


def _is_silent(kind: type, name: str, value: Any) -> bool:
    """Whether a part of a class says nothing about what its objects do."""
    if name in SILENT or isinstance(value, PLACES):
        return True
    if issubclass(kind, enum.Enum):
        return not isinstance(value, types.FunctionType) or name.startswith("_")
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return name in WRITTEN or type(value).__name__ == "_tuplegetter"
    code = getattr(value, "__code__", None)
    made = code is None or code.co_filename.startswith("<")
    return dataclasses.is_dataclass(kind) and name in WRITTEN and made


def _no_content(kind: type) -> NoFingerprint:
    return NoFingerprint(
        f"it uses a {kind.__module__}.{kind.__qualname__}, whose content cannot be read"
    )
