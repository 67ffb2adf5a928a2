"""Tables in files: data in place, or columns of a file beside the model.

    { x = [0, 100, 300], y = [20, 25, 10], smooth = "monotone", beyond = "hold" }
    { file = "torque.csv", columns = ["speed", "torque"], smooth = "spline" }

Of two variables x is a pair of lists, y a list of rows; a file without `columns` that
is read with `columns = []` is a sheet.
"""

from __future__ import annotations

from typing import Any

from polhode.files.issues import Way
from polhode.files.loads import read_table
from polhode.files.matter import inner_path
from polhode.files.scope import INVALID, Bad, Scope, Writer
from polhode.files.values import NUMBER, TEXT, Value, each
from polhode.matter.tables.table import Table

NUMBERS = each(NUMBER)


def _read_nested(scope: Scope, path: Way, value: Any) -> Any:
    """A list of numbers, or a list of such lists."""
    nested = isinstance(value, list) and value and isinstance(value[0], list)
    return (each(NUMBERS) if nested else NUMBERS).read(scope, path, value)


_NESTED = Value(_read_nested, lambda writer, value, place: value, {"type": "array"})
_FIELDS = {"x": _NESTED, "y": _NESTED, "smooth": TEXT, "beyond": TEXT, "name": TEXT}
_OF_FILE = {"file": TEXT, "columns": each(TEXT), "smooth": TEXT, "beyond": TEXT}


def read(scope: Scope, path: Way, value: Any) -> Any:
    """A table of data, in place or from a file."""
    if isinstance(value, dict) and "file" in value:
        return _read_file(scope, path, value)
    found = read_table(scope, path, value, _FIELDS, ("x", "y"))
    if isinstance(found, Bad):
        return INVALID
    axes, data = found.pop("x"), found.pop("y")
    if axes and isinstance(axes[0], list):
        axes = tuple(axes)
    return scope.built(path, lambda: Table(axes, data, **found))


def _read_file(scope: Scope, path: Way, value: Any) -> Any:
    found = read_table(scope, path, value, {**_OF_FILE, "name": TEXT}, ("file",))
    if isinstance(found, Bad):
        return INVALID
    source = inner_path(scope, (*path, "file"), found.pop("file"))
    if isinstance(source, Bad):
        return INVALID
    columns = found.pop("columns", [0, 1])
    if len(columns) not in (0, 2):
        return scope.refuse((*path, "columns"), "a table has two columns, x and y.")
    x, y = columns or (None, None)
    return scope.built(path, lambda: Table.from_csv(source, x, y, **found))


def write(writer: Writer, table: Any, place: str) -> Any:
    """The data in place, also where they came from a file."""
    if not isinstance(table, Table):
        return writer.lose(f"{place}: it is a function of Python")
    axes = [a.tolist() for a in table.x] if table.variables == 2 else table.x.tolist()
    words = {"smooth": table.smooth, "beyond": table.beyond, "name": table.name}
    return {"x": axes, "y": table.y.tolist(), **words}


TABLE = Value(read, write, {"type": "object"})


def table_or(law: Value) -> Value:
    """A table, or a law written out."""

    def read_either(scope: Scope, path: Way, value: Any) -> Any:
        chosen = TABLE if isinstance(value, dict) else law
        return chosen.read(scope, path, value)

    def write_either(writer: Writer, value: Any, place: str) -> Any:
        chosen = TABLE if isinstance(value, Table) else law
        return chosen.write(writer, value, place)

    schema = {"anyOf": [TABLE.schema, law.schema]}
    return Value(read_either, write_either, schema)
