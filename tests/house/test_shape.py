"""The shape of the source: folders, what is handed over by place, and helpers.

A number here may only fall. It says how far the house is from its plan.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from source_tree import PACKAGE, Function, Source, functions, methods, package

FOLDER = 25
# Parameters of functions and methods that are tuples of several arguments without
# names. The plan is none.
ANONYMOUS = 10
# Private functions of a module that are called at one place of it, of a hundred. The
# plan is 35.
CALLED_ONCE = 65
# Functions named by a participle, of a thousand. A verb says what is done, a noun what
# comes back: `told` says neither.
PARTICIPLES = 76
IRREGULAR = {
    *("told", "fed", "held", "kept", "met", "felt", "given", "shown", "drawn", "made"),
    *("done", "found", "seen", "known", "taken", "spread", "cut", "put", "set", "lost"),
    *("built", "sent", "left", "begun", "swept", "written", "bound", "grown", "won"),
}
NO_PARTICIPLE = {"speed", "embed", "exceed", "sampled", "fixed", "named"}


def test_a_folder_has_at_most_25_files():
    """A listing is a table of contents; a longer one gets drawers."""
    folders = Counter(source.path.parent for source in package())
    large = {str(f.relative_to(PACKAGE)): n for f, n in folders.items() if n > FOLDER}
    assert not large


def outer_functions(source: Source) -> list[Function]:
    """Functions of the module and methods; those inside others are not seen.

    What a loop of JAX carries is handed to a function inside as one argument.
    """
    found = [node for node in source.tree.body if isinstance(node, Function)]
    owners = [node for node in source.tree.body if isinstance(node, ast.ClassDef)]
    return found + [method for owner in owners for method in methods(owner)]


def is_anonymous(annotation: ast.expr | None) -> bool:
    """Whether it is `tuple`, or a tuple of a known number of different things.

    Two numbers of one kind, as the ends of a range, are one argument.
    """
    if isinstance(annotation, ast.BinOp):
        return is_anonymous(annotation.left) or is_anonymous(annotation.right)
    if isinstance(annotation, ast.Name):
        return annotation.id == "tuple"
    if not isinstance(annotation, ast.Subscript):
        return False
    if ast.unparse(annotation.value) != "tuple":
        return False
    inner = annotation.slice
    parts = [ast.unparse(e) for e in getattr(inner, "elts", [inner])]
    if "..." in parts or len(parts) < 2:
        return False
    return len(set(parts)) > 1 or parts[0] == "Any"


def anonymous_tuples() -> list[str]:
    """Every such parameter of the package, with its place."""
    found = []
    for source in package():
        for function in outer_functions(source):
            of = function.args
            for each in (*of.posonlyargs, *of.args, *of.kwonlyargs):
                if is_anonymous(each.annotation):
                    place = f"{source.place}:{each.lineno}"
                    found.append(f"{place} {function.name}({each.arg})")
    return found


def test_arguments_have_names():
    """Several arguments are several parameters, or a tuple with names."""
    found = anonymous_tuples()
    assert len(found) <= ANONYMOUS, "\n".join([str(len(found)), *found])


@pytest.mark.parametrize(
    ("text", "anonymous"),
    [
        ("tuple", True),
        ("tuple[Any, Any]", True),
        ("tuple[int, str] | None", True),
        ("tuple[float, float]", False),
        ("tuple[int, ...]", False),
        ("Any", False),
    ],
)
def test_an_anonymous_tuple_is_known(text, anonymous):
    """The rule sees what it is for."""
    assert is_anonymous(ast.parse(text, mode="eval").body) is anonymous


def helpers(source: Source) -> tuple[int, int]:
    """Private functions of a module, and those of them that are named once in it."""
    names: Counter[str] = Counter()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name):
            names[node.id] += 1
        elif isinstance(node, ast.Attribute):
            names[node.attr] += 1
    private = [f for f in source.tree.body if isinstance(f, Function) if is_private(f)]
    return len(private), sum(names[f.name] <= 1 for f in private)


def is_private(function: Function) -> bool:
    return function.name.startswith("_") and not function.name.startswith("__")


def test_few_helpers_are_called_once():
    """A helper names a concept; one that only meets a limit is part of its caller."""
    each = [helpers(source) for source in package()]
    private, once = (sum(column) for column in zip(*each, strict=True))
    assert 100 * once <= CALLED_ONCE * private, f"{once} of {private}"


def test_a_helper_is_counted():
    """Called twice it serves two; a method of the same name is another."""
    text = "def _a(): ...\ndef _b(): ...\ndef c(): return _a(), _b(), _b()\n"
    source = Source(Path("x.py"), text)
    assert helpers(source) == (2, 1)
    assert [f.name for f in functions(source.tree)] == ["_a", "_b", "c"]


def is_participle(name: str) -> bool:
    """Whether the first word of a name is one: `told`, `moved_to`, `_settled`."""
    word = name.strip("_").split("_")[0]
    if word in IRREGULAR:
        return True
    return word.endswith("ed") and len(word) > 4 and word not in NO_PARTICIPLE


def test_few_functions_are_named_by_a_participle():
    """`settle` does it, `rest` is what comes back; `settled` leaves the reader both."""
    names = [f.name for source in package() for f in outer_functions(source)]
    found = [name for name in names if is_participle(name)]
    assert 1000 * len(found) <= PARTICIPLES * len(names), (
        f"{len(found)} of {len(names)}"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [("_told", True), ("moved_to", True), ("speed_lengths", False), ("settle", False)],
)
def test_a_participle_is_known(name, expected):
    """The rule sees what it is for."""
    assert is_participle(name) is expected
