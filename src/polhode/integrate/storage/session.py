"""A run and its file: a new one, or one that is resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import FileError
from polhode.integrate.field.dense_output import Steps
from polhode.integrate.kernel.packing import layout_of, tree_from
from polhode.integrate.kernel.status import CONTACT, EVENT, FAULT, ZENO
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.storage import event_log, laws
from polhode.integrate.storage.create import create
from polhode.integrate.storage.event_log import EventLog
from polhode.integrate.storage.header import header_of
from polhode.integrate.storage.layout import Shape
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.model_text import model_toml
from polhode.integrate.storage.paths import (
    admit_path,
    file_errors,
    require_netcdf,
    require_writable,
)
from polhode.integrate.storage.reading import Content
from polhode.integrate.storage.recorder import Recorder
from polhode.integrate.storage.uninterrupted import uninterrupted
from polhode.output_file import move_new, temporary

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.events.context import RunContext
    from polhode.integrate.events.occurrence_rows import Met
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System


class Made(NamedTuple):
    """By what a motion is made: equations, method, words about it, parameters.

    events   the names of those that were watched for
    kinds    the way, terminal or not, reset or not, of each, where that is known
    inputs   what drove it, in words, seeds included
    laws     the digests of functions of events and inputs, where they are known
    told     numbers that each switch of contacts tells; 0 without supports
    impacts  the order in which several contacts strike
    """

    equations: Equations
    method: Method
    note: str
    table: dict[str, Any]
    events: tuple[str, ...] = ()
    inputs: str = ""
    kinds: list[list[Any]] | None = None
    laws: dict[str, Any] | None = None
    told: int = 0
    impacts: str = ""


Settle = Callable[[Steps], Steps]


class Continuation(NamedTuple):
    """A file that is to be resumed, as `simulate(..., to=...)` takes it."""

    content: Content


def event_facts(context: RunContext) -> dict[str, Any]:
    """What `Made` tells of events and inputs."""
    names = tuple(event.name for event in context.events)
    kinds = [
        [int(e.direction), bool(e.terminal), e.reset is not None]
        for e in context.events
    ]
    digests = {"events": laws.event_laws(context.switches)}
    digests["inputs"] = laws.input_laws(context.inputs)
    found: dict[str, Any] = {
        "events": names,
        "inputs": context.inputs.words,
        "kinds": kinds,
    }
    if context.limits is not None:
        found |= {"told": context.limits.records, "impacts": context.limits.key[-1]}
    return {**found, "laws": digests}


def open_session(
    to: Path | Continuation, made: Made, checkpoint: Checkpoint, settle: Settle
) -> tuple[Recorder, Checkpoint]:
    """The file of a run, and where the run is; `halt` has no leading axes."""
    if isinstance(to, Continuation):
        _require_same_guide(to.content, made)
        checkpoint = halt_from(to.content, checkpoint)
        recorder = continue_file(to.content, settle)
    else:
        recorder = begin_file(to, made, checkpoint, settle)
    try:
        recorder.mark(checkpoint.stepper_state)
    except BaseException:
        recorder.discard()
        raise
    return recorder, checkpoint


def begin_file(
    path: Path, made: Made, checkpoint: Checkpoint, settle: Settle
) -> Recorder:
    """The file of a run that begins, laid out."""
    require_writable(path)
    shape, header = shape_of(made, checkpoint), header_for(made, checkpoint)
    with file_errors(path):
        held = WriterLock(path)
        try:
            require_writable(path)  # again: another may have made it meanwhile
            held.sign()  # an older journal was of a file that is no more
            # HDF5 must not be cut short: its objects would outlive their memory.
            content, chain = uninterrupted(
                lambda: create(
                    shape, header, checkpoint.bounds, checkpoint.stepper_state
                )
            )
            with temporary(path) as aside:
                aside.write_bytes(content)
                move_new(aside, path)  # so that a file is never seen half laid out
            # Here too: Ctrl-C before the file is open would leave it locked.
            return Recorder(path, shape, settle, chain, names=made.events, held=held)
        except BaseException:
            held.release()
            raise


def continue_file(content: Content, settle: Settle) -> Recorder:
    """The file of a run that goes on, open for more."""
    shape, names = content.shape, content.header["events"]
    if shape.log is not None:
        none = [entries[:0] for entries in shape.log]
        shape = shape._replace(log=EventLog(*none))
    return Recorder(content.path, shape, settle, content.chain, names=names)


def halt_from(content: Content, example: Checkpoint) -> Checkpoint:
    """Where the run in a file halted; the example is of a run like it."""
    header = content.header
    samples = header["samples"]
    return Checkpoint(
        tree_from(
            example.stepper_state, header["cursor_layout"], content.stepper_state
        ),
        tree_from(example.bounds, header["plan_layout"], content.bounds),
        example.start,
        float(header["until"]),
        None if samples is None else np.array(samples),
        int(header["limit"]),
    )


def past_of(
    to: Any, system: System
) -> tuple[list[Met], list[tuple[float, np.ndarray]]]:
    """What happened before the run goes on."""
    if not isinstance(to, Continuation) or to.content.shape.log is None:
        return [], []
    return event_log.read(system, to.content.header["events"], to.content.shape.log)


def reason_of_end(to: Any, stepper_state: Any) -> str:
    """Why the host had ended the run that is to go on, if it had."""
    if isinstance(to, Continuation) and int(stepper_state.status) in (
        EVENT,
        ZENO,
        FAULT,
        CONTACT,
    ):
        return str(to.content.ending.get("sentence", ""))
    return ""


def shape_of(made: Made, checkpoint: Checkpoint) -> Shape:
    """The sizes of a file."""
    terms = made.method.dense_terms if checkpoint.samples is None else None
    guided = made.events or made.inputs or made.told
    held = len(checkpoint.stepper_state.held)
    empty = event_log.sizes(made.equations.system, held, made.told)
    return Shape(len(checkpoint.stepper_state.x), terms, empty if guided else None)


def _require_same_guide(content: Content, made: Made) -> None:
    """Refuse other events or inputs than the run had."""
    for what, file, given in (
        ("events", content.header["events"], list(made.events)),
        ("inputs", content.header["inputs"], made.inputs),
        ("kinds of events", content.header.get("event_kinds"), made.kinds),
        ("orders of impacts", content.header.get("impacts", ""), made.impacts),
    ):
        if file != given and not (file is None or given is None):
            raise FileError(
                f"{str(content.path)!r} holds a run with other {what}.",
                f"The file has {file or 'none'}; given are {given or 'none'}.",
                f"Give the same: ph.resume(path, system, {what.split()[-1]}=...).",
            )
    for what, digests in (made.laws or {}).items():
        laws.require_same_laws(content.path, content.header, what, digests)


def header_for(made: Made, checkpoint: Checkpoint) -> dict[str, Any]:
    """The header of a run: by what it is made, and what it is to do."""
    samples = (
        None if checkpoint.samples is None else [float(t) for t in checkpoint.samples]
    )
    text = model_toml(made.equations.system)
    model = laws.model_law(made.equations.system, text)
    facts = {
        "note": made.note,
        "model_text": text,
        "laws": {"python": laws.PYTHON, "model": model, **(made.laws or {})},
        "events": list(made.events),
        "event_kinds": made.kinds,
        "inputs": made.inputs,
        **({"impacts": made.impacts} if made.impacts else {}),
        "table": {name: float(value) for name, value in made.table.items()},
        "start": [[float(v) for v in np.atleast_1d(part)] for part in checkpoint.start],
        "until": float(checkpoint.until),
        "limit": int(checkpoint.limit),
        "samples": samples,
        "cursor_layout": layout_of(checkpoint.stepper_state),
        "plan_layout": layout_of(checkpoint.bounds),
    }
    return header_of(made.equations, made.method, facts)


def require_one(path: Any, runs: int) -> Path | Continuation:
    """The path of a file for one run; refuses many."""
    if isinstance(path, Continuation):
        return path
    if runs > 1:
        raise FileError(
            f"{str(path)!r} cannot take {runs} motions.",
            "A file holds one motion, so that it can be resumed.",
            "Give one state, or use ph.sweep(..., to=folder) for many.",
        )
    found = admit_path(path)
    with file_errors(found):
        if not found.exists():  # what is there is refused for that
            require_netcdf(found)
    return found
