"""A run and its file: a new one, or one that is gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import FileError
from polhode.integrate.dense import Steps
from polhode.integrate.halt import Halt
from polhode.integrate.storage.columns import layout_of, tree_from
from polhode.integrate.storage.create import create
from polhode.integrate.storage.header import header_of
from polhode.integrate.storage.layout import Shape
from polhode.integrate.storage.place import file_errors, require_writable
from polhode.integrate.storage.reading import Content
from polhode.integrate.storage.recorder import Recorder

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.method import Method


class Made(NamedTuple):
    """By what a motion is made: equations, method, words about it, parameters."""

    equations: Equations
    method: Method
    note: str
    table: dict[str, Any]


Settle = Callable[[Steps], Steps]


class Continuation(NamedTuple):
    """A file that is to be gone on with, as `simulate(..., to=...)` takes it."""

    content: Content


def opened(
    to: Path | Continuation, made: Made, halt: Halt, settle: Settle
) -> tuple[Recorder, Halt]:
    """The file of a run, and where the run is; `halt` has no leading axes."""
    if isinstance(to, Continuation):
        halt = halt_from(to.content, halt)
        recorder = continued(to.content, settle)
    else:
        recorder = begun(to, made, halt, settle)
    recorder.mark(halt.cursor)
    return recorder, halt


def begun(path: Path, made: Made, halt: Halt, settle: Settle) -> Recorder:
    """The file of a run that begins, laid out."""
    require_writable(path)
    shape = shape_of(made.method, halt)
    aside = path.with_name(f".{path.name}.new")
    with file_errors(path):
        try:
            create(aside, shape, header_for(made, halt), halt.plan, halt.cursor)
            os.replace(aside, path)  # so that a file is never seen half laid out
        finally:
            aside.unlink(missing_ok=True)
    return Recorder(path, shape, settle, 0)


def continued(content: Content, settle: Settle) -> Recorder:
    """The file of a run that goes on, open for more."""
    return Recorder(content.path, content.shape, settle, content.rows)


def halt_from(content: Content, example: Halt) -> Halt:
    """Where the run in a file halted; the example is of a run like it."""
    header = content.header
    samples = header["samples"]
    return Halt(
        tree_from(example.cursor, header["cursor_layout"], content.cursor),
        tree_from(example.plan, header["plan_layout"], content.plan),
        example.start,
        float(header["until"]),
        None if samples is None else np.array(samples),
        int(header["limit"]),
    )


def shape_of(method: Method, halt: Halt) -> Shape:
    """The sizes of a file."""
    terms = method.bends if halt.samples is None else None
    return Shape(len(halt.cursor.x), terms)


def header_for(made: Made, halt: Halt) -> dict[str, Any]:
    """The header of a run: by what it is made, and what it is to do."""
    samples = None if halt.samples is None else [float(t) for t in halt.samples]
    facts = {
        "note": made.note,
        "table": {name: float(value) for name, value in made.table.items()},
        "start": [[float(v) for v in np.atleast_1d(part)] for part in halt.start],
        "until": float(halt.until),
        "limit": int(halt.limit),
        "samples": samples,
        "cursor_layout": layout_of(halt.cursor),
        "plan_layout": layout_of(halt.plan),
    }
    return header_of(made.equations, made.method, facts)


def require_one(path: Any, runs: int) -> Path | Continuation:
    """The path of a file for one run; refuses many."""
    if isinstance(path, Continuation):
        return path
    if runs > 1:
        raise FileError(
            f"{str(path)!r} cannot take {runs} motions.",
            "A file holds one motion, so that it can be gone on with.",
            "Give one state, or use ph.sweep(..., to=folder) for many.",
        )
    return Path(path)
