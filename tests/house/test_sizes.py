"""House rules in numbers. A limit is broken only on a line that says why.

The line is `# limit: reason`, beside the signature of the function or the class, or
alone above the imports for a file.
"""

from __future__ import annotations

import ast

import pytest

from polhode.doors import is_door
from source_tree import (
    PACKAGE,
    Source,
    all_python,
    body_lines,
    classes,
    functions,
    methods,
    package,
    positional,
)

FILE, BODY, PARAMETERS, METHODS = 600, 80, 5, 12
SOURCES = all_python()


def excused(source: Source, node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether the signature carries `# limit:` and a reason."""
    signature = range(node.lineno, node.body[0].lineno)
    return any(has_reason(source.line(k)) for k in signature)


def has_reason(line: str) -> bool:
    return len(line.partition("# limit:")[2].split()) >= 3


def excused_file(source: Source) -> bool:
    """Whether a line of its own above the first import says why the file is long."""
    body = source.tree.body
    first = body[1] if len(body) > 1 and ast.get_docstring(source.tree) else body[0]
    lines = source.text.splitlines()[: first.lineno - 1]
    return any(line.startswith("# limit:") and has_reason(line) for line in lines)


def test_a_file_is_at_most_600_lines():
    """A file longer than this holds more than one concept; 80 to 300 is usual."""
    long = [
        f"{source.place}: {source.text.count(chr(10))} lines"
        for source in SOURCES
        if source.text.count("\n") > FILE and not excused_file(source)
    ]
    assert not long, "\n".join(long)


def test_a_function_is_at_most_80_lines():
    """Usual is 3 to 15, docstring not counted."""
    long = [
        f"{source.place}:{f.lineno} {f.name} has {body_lines(f)} lines"
        for source in SOURCES
        for f in functions(source.tree)
        if body_lines(f) > BODY and not excused(source, f)
    ]
    assert not long, "\n".join(long)


def test_a_function_takes_at_most_5_parameters_by_place():
    """What comes after the fifth is given by name."""
    many = [
        f"{source.place}:{f.lineno} {f.name} takes {positional(f)}"
        for source in package()
        for f in functions(source.tree)
        if positional(f) > PARAMETERS and not excused(source, f)
    ]
    assert not many, "\n".join(many)


def test_a_class_has_at_most_12_methods():
    """Verbs are functions; doors and operators (+, repr, ...) do not count."""
    large = [
        f"{source.place}:{c.lineno} {c.name} has {len(counted(source, c))} methods"
        for source in package()
        for c in classes(source.tree)
        if len(counted(source, c)) > METHODS and not excused(source, c)
    ]
    assert not large, "\n".join(large)


def counted(source: Source, owner: ast.ClassDef) -> list[str]:
    """Methods that count: not operators, not doors."""
    names = [m.name for m in methods(owner) if not m.name.startswith("__")]
    return [n for n in names if not is_door(f"{source.module}:{owner.name}.{n}")]


@pytest.mark.parametrize(
    ("line", "excuses"),
    [
        ("def run(a, b, c, d, e, f):  # limit: the ABI has six words", True),
        ("def run(a, b, c, d, e, f):  # limit:", False),
        ("def run(a, b, c, d, e, f):", False),
    ],
)
def test_an_excuse_has_a_reason(line, excuses):
    """`# limit:` alone excuses nothing."""
    source = Source(PACKAGE, line + "\n    pass\n")
    assert excused(source, source.tree.body[0]) is excuses
