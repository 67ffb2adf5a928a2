"""The rows of the reference checklist and the tests that claim them."""

from __future__ import annotations

import ast
import re

from source_tree import ROOT, Source, all_python, functions

LINES = (ROOT / "tests/rows.txt").read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in LINES]
IDS = [name for name, _ in ROWS]


def claims(source: Source) -> list[tuple[str, int]]:
    """Ids in `@pytest.mark.row(...)` decorators and marks of a file, with lines."""
    return [
        (argument.value, node.lineno)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.row"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    ]


def test_there_are_372_rows():
    """Each with an id of its own and a title."""
    assert len(ROWS) == len(set(IDS)) == 372
    assert all(re.fullmatch(r"[A-Z]+-\d+[a-z]?", name) for name in IDS)
    assert all(title.strip() for _, title in ROWS)


def test_every_claimed_row_exists():
    """A test claims only rows that are on the list."""
    unknown = [
        f"{source.place}:{line} {name}"
        for source in all_python()
        for name, line in claims(source)
        if name not in IDS
    ]
    assert not unknown, "\n".join(unknown)


def test_every_test_states_its_law():
    """Each test says in a sentence what it shows."""
    silent = [
        f"{source.place}:{f.lineno} {f.name}"
        for source in all_python()
        if source.path.name.startswith("test_")
        for f in functions(source.tree)
        if f.name.startswith("test_") and not ast.get_docstring(f)
    ]
    assert not silent, "\n".join(silent)
