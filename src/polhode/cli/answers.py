"""Answers of commands: tables for people, JSON for machines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from json import dumps
from typing import Any


def console() -> Any:
    """A terminal: colour only where there is one, and no marks read out of names."""
    from rich.console import Console

    return Console(markup=False, highlight=False, soft_wrap=True)


def say(text: str = "") -> None:
    """A line of an answer."""
    console().print(text)


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """A table without lines; all columns but the first are to the right."""
    from rich.table import Table
    from rich.text import Text

    where = console()
    if title:
        where.print(title, style="bold")
    table = Table(box=None, pad_edge=False, show_header=any(columns))
    for number, column in enumerate(columns):
        side: Any = "right" if number else "left"
        table.add_column(Text(column), justify=side, no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    where.print(table)


def print_json(facts: Any) -> None:
    """One JSON value; NaN and infinity are null."""
    print(dumps(_plain(facts), indent=2), flush=True)


def say_path(what: str, path: Any, json: bool) -> None:
    """Where a file is that was written: a sentence, or JSON."""
    if json:
        print_json({what: str(path)})
    else:
        say(f"The {what} is in {path}.")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def ledger_facts(ledger: Any) -> dict[str, Any]:
    """What a ledger says, for machines: how far off it is, and whether that is much."""
    worst = max(abs(float(x)) for x in ledger.balance)
    is_sound = worst <= max(ledger.promise, 1e-9 * ledger.scale)
    return {"balance": worst, "promise": ledger.promise, "is_sound": is_sound}


def state_rows(state: Any) -> list[tuple[str, str, str]]:
    """Coordinates and speeds of a state: name, value, unit."""
    system = state.system
    joints = system.joints
    units = [unit for joint in joints for unit in joint.units]
    rates = [unit for joint in joints for unit in joint.speed_units]
    speeds = [f"{name}.speed" for name in system.speed_names]
    named = [*zip(system.coordinate_names, state.q, units, strict=True)]
    named += [*zip(speeds, state.z, rates, strict=True)]
    return [(name, f"{float(value):.6g}", unit) for name, value, unit in named]
