"""The notation page names what exists, and explains every convention."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import polhode

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "notation.md").read_text()
FUNCTIONS = (DOCS / "theory" / "functions.md").read_text()
AXES = {"X", "Y", "Z"}  # one row for the three
CONVENTIONS = [f"CV-{k:02}" for k in range(1, 14)]


def sections(level):
    """Heading -> text of the page's sections at one level."""
    parts = re.split(rf"^{'#' * level} (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(section):
    """The cells of a section's table, without its head."""
    lines = [line for line in sections(2)[section].splitlines() if line[:1] == "|"]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:]]
    return [[cell.strip() for cell in row] for row in cells]


def identifiers(text):
    """The dotted names in code type that begin with a room."""
    return re.findall(r"`((?:geometry|matter|actions)\.[\w.]+)`", text)


@pytest.mark.parametrize("name", sorted(set(identifiers(PAGE))))
def test_every_identifier_exists(name):
    """What the page names can be imported."""
    module, _, attribute = name.rpartition(".")
    assert hasattr(import_module(f"polhode.{module}"), attribute)


def public_names():
    """Flat names, those of theory, and those that a model script takes elsewhere."""
    spaces = "theory", "contact", "functions"
    tables = (import_module(f"polhode.{space}").HOMES for space in spaces)
    return {
        name: home
        for table in (polhode.PUBLIC, *tables)
        for name, home in table.items()
    }


@pytest.mark.parametrize("section", ["Geometry", "Matter", "Actions"])
def test_tables_are_complete(section):
    """Symbol, identifier, meaning, unit: four cells, one identifier, one meaning."""
    table = rows(section)
    assert len(table) >= 5
    for row in table:
        assert len(row) == 4
        assert len(identifiers(row[1])) == 1
        assert row[2]
    names = [row[1] for row in table]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("section", ["Geometry", "Matter", "Actions"])
def test_every_public_name_has_its_row(section):
    """What a user can write as ph.name from a room is in the room's table.

    Modules have a table of their own, docs/theory/functions.md.
    """
    listed = {name for row in rows(section) for name in identifiers(row[1])}
    room = f"polhode.{section.lower()}"
    names = {
        f"{module}.{name}".removeprefix("polhode.")
        for name, module in public_names().items()
        if f"{module}.".startswith(f"{room}.") and name not in AXES
    }
    alone = {name for name in names if is_module(name)}
    assert all(f"`{name.rpartition('.')[2]}`" in FUNCTIONS for name in alone - listed)
    assert names - listed - alone == set()


def is_module(name):
    """Whether a dotted name below the package is a module."""
    home, _, last = name.rpartition(".")
    package = import_module(f"polhode.{home}")
    return (
        hasattr(package, "__path__") and find_spec(f"polhode.{home}.{last}") is not None
    )


@pytest.mark.parametrize("row", CONVENTIONS)
def test_every_convention_has_a_figure(row):
    """Each bridge has a heading and a drawn or written figure."""
    (text,) = [
        text for heading, text in sections(3).items() if heading.startswith(row + " ")
    ]
    assert len(re.findall(r"^    .*\S", text, flags=re.MULTILINE)) >= 2


@pytest.mark.row("CV-08")
def test_no_public_name_is_one_letter():
    """The overloaded letters are in the glossary, and none is a public name."""
    glossary = {row[0] for row in rows("Letters that mean several things")}
    assert {"Q", "T", "Omega", "R", "K", "C"} <= glossary
    short = {name for name in polhode.PUBLIC if len(name) == 1}
    assert short <= AXES
