"""Every public name exists, is found where the list says, and is documented."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from types import ModuleType

import pytest

import polhode
from polhode.integrate.methods.registry import METHODS, WRAPPERS
from source_tree import ROOT, classes, methods, package

SOURCES = {source.module: source for source in package()}

# The modules of the compiler that others call. The rest is its machinery: rules named
# as the primitives they lower, one each, whose module says what they do.
COMPILER = ("arrays", "compile", "linear_algebra", "report", "sympy")


def is_public(name: str) -> bool:
    return not name.startswith("_")


NAMESPACES = polhode.NAMESPACES
# Flat names, namespaces included: what a model script needs. A further kind of action,
# constraint or law belongs in a namespace (docs/decisions/0033-namespaces.md).
FLAT = 160
HOMES = {f"ph.{name}": home for name, home in polhode.PUBLIC.items()}
for space in NAMESPACES:
    names = importlib.import_module(f"polhode.{space}").HOMES
    HOMES |= {f"ph.{space}.{name}": home for name, home in names.items()}


@pytest.mark.parametrize("path", HOMES)
def test_a_public_name_exists_and_is_documented(path):
    """`ph.name` is what its module defines, and says what it is."""
    name, value = path.rpartition(".")[2], polhode
    for word in path.split(".")[1:]:
        value = getattr(value, word)
    home = importlib.import_module(HOMES[path])
    assert value is getattr(home, name)
    named = isinstance(value, type | ModuleType) or inspect.isroutine(value)
    documented = value if named else type(value)
    assert inspect.getdoc(documented), path


def test_a_public_module_is_found_first_of_all():
    """Where nothing has imported it yet, a public module is found as any other name."""
    modules = [
        f"{space}.{name}"
        for space in NAMESPACES
        for name in importlib.import_module(f"polhode.{space}").HOMES
        if isinstance(getattr(getattr(polhode, space), name), ModuleType)
    ]
    assert "theory.quadrature" in modules
    lines = [f"assert polhode.{path}.__doc__" for path in modules]
    script = "\n".join(["import polhode", *lines])
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_list_is_what_dir_and_star_show():
    """`dir(polhode)` and `__all__` are the table of public names."""
    assert {*polhode.PUBLIC, "__version__"} == set(polhode.__all__)
    assert dir(polhode) == sorted(polhode.__all__)


def test_a_name_is_public_in_one_place():
    """Nothing is in the flat list and in a namespace, or in two of these."""
    last = [path.rpartition(".")[2] for path in HOMES]
    assert len(last) == len(set(last))


def test_the_flat_list_stays_short():
    """What a model script needs is flat; the rest has a namespace."""
    assert len(polhode.PUBLIC) <= FLAT


def test_a_name_in_another_place_is_pointed_at():
    """Looked for in the wrong one of them, it says where it is."""
    for path in HOMES:
        owner, _, name = path.rpartition(".")
        other = polhode if owner != "ph" else polhode.contact
        words = f"{name!r}; it is {re.escape(path)}($|; )"
        with pytest.raises(AttributeError, match=words):
            getattr(other, name)


def test_methods_are_those_of_the_registry():
    """`ph.methods`, model files and stored runs know the same methods."""
    assert [*polhode.methods.HOMES] == [*METHODS, *WRAPPERS]


@pytest.mark.parametrize("space", NAMESPACES)
def test_a_namespace_names_what_it_has(space):
    """Its `dir` is its list, and a misspelt name is told the nearest one."""
    module = importlib.import_module(f"polhode.{space}")
    assert dir(module) == sorted(module.HOMES)
    first = next(iter(module.HOMES))
    with pytest.raises(AttributeError, match=f"did you mean '{first}'"):
        getattr(module, first + "s")


@pytest.mark.parametrize("name", ["models", "solids", "surfaces"])
def test_a_public_module_shows_what_it_is_for(name):
    """What it imports is not offered: `dir` is its list."""
    module = getattr(polhode, name)
    assert dir(module) == sorted(module.__all__)


# Keywords that have names of the user's own, or that one of several calls takes.
OPEN_KEYWORDS = {
    *("State.changed", "System.state", "assemble"),  # joints by name
    *("solids.joined", "solids.pierced"),  # parts by name
    *("Spring", "Damper", "Table.from_csv"),  # of the one that the first argument picks
    "resume",  # what the file has settled, refused in words
}


def test_keywords_have_names():
    """Editors complete them: a public call takes `**keywords` only where it must."""
    spec = importlib.util.spec_from_file_location(
        "api_arguments", ROOT / "docs" / "api_arguments.py"
    )
    told = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(told)
    found = set()
    for callee in told.callables():
        with contextlib.suppress(TypeError, ValueError):
            places = inspect.signature(callee.value).parameters.values()
            if any(place.kind is place.VAR_KEYWORD for place in places):
                found.add(callee.path)
    assert found == OPEN_KEYWORDS


def test_an_unknown_name_is_an_attribute_error():
    """A misspelt name fails as for any module."""
    with pytest.raises(AttributeError, match="no attribute 'Boddy'"):
        _ = polhode.Boddy


def test_a_module_says_what_it_is_for():
    """Every module begins with a docstring."""
    assert not [
        m for m, source in SOURCES.items() if not ast.get_docstring(source.tree)
    ]


def is_machinery(module: str) -> bool:
    """Whether a module is inside the compiler, where a name is that of a primitive."""
    inside = module.startswith("polhode.lowering.")
    return inside and module.removeprefix("polhode.lowering.") not in COMPILER


def is_overload(node: ast.AST) -> bool:
    """Whether it is one of the kinds of a function that is documented after it."""
    marks = getattr(node, "decorator_list", [])
    return any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in marks)


def test_public_functions_and_classes_have_docstrings():
    """Of every function and class without a leading underscore, in every room."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    bare = [
        f"{source.place}:{node.lineno} {node.name}"
        for module, source in SOURCES.items()
        if not is_machinery(module)
        for node in source.tree.body
        if isinstance(node, kinds) and is_public(node.name)
        if not ast.get_docstring(node) and not is_overload(node)
    ]
    assert not bare, "\n".join(bare)


def test_the_methods_of_public_classes_have_docstrings():
    """Questions that a public noun answers are documented, too."""
    bare = [
        f"{module}:{m.lineno} {owner.name}.{m.name}"
        for module, source in SOURCES.items()
        if module in HOMES.values()
        for owner in classes(source.tree)
        if any(path.endswith(f".{owner.name}") for path in HOMES)
        for m in methods(owner)
        if is_public(m.name) and not ast.get_docstring(m)
    ]
    assert not bare, "\n".join(bare)
