"""`ph.load_model` and `ph.save_model`: a system, its start and its run, in a file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from polhode.errors import FileError, ModelError, ModelFileError, PolhodeError
from polhode.files.admission import LARGEST, admitted_text, require_shallow
from polhode.files.issues import Issue, Lines, refusal
from polhode.files.places import read_locked
from polhode.files.questions import read_questions, write_questions
from polhode.files.reading import read_system
from polhode.files.report import Report
from polhode.files.scope import INVALID, UNFIT, Bad, Scope
from polhode.files.settings import (
    read_run,
    read_start,
    read_sweep,
    write_run,
    write_start,
)
from polhode.files.toml_text import to_toml
from polhode.files.writing import write_system
from polhode.integrate.field.ensemble import Ensemble
from polhode.integrate.field.states import require_own
from polhode.integrate.storage.paths import admit_path
from polhode.output_file import write_file
from polhode.system.state import State
from polhode.system.system import System

# Ends of names that say of a file what a model file is not.
OTHER_KINDS = {".json", ".yaml", ".yml", ".xml", ".urdf", ".py", ".nc", ".csv", ".fmu"}


@final
@dataclass(frozen=True, eq=False)
class Model:
    """What a model file holds.

    start   the state in [start], or rest
    run     what [run] gives to `ph.simulate`: until, method, rtol, atol, samples
    notes   what the file says and is not taken, in words
    ensemble   what [sweep] draws about the start, for `ph.sweep`; or None
    questions  what [optimise], [campbell] and [section] ask, for the command line
    """

    system: System
    start: State
    run: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    ensemble: Ensemble | None = None
    questions: Mapping[str, Any] = field(default_factory=dict)


def load_model(path: Any) -> Model:
    """The model in a TOML file; one error tells all that is wrong with it, by line.

    Nothing in a file is run: expressions are arithmetic of the file's own parameters.
    """
    place = admit_path(path)
    return model_from(admitted_text(place), place)


def model_from(text: str, place: Path) -> Model:
    """The model in a text that stands at a place, such as in the file of a motion."""
    document = _parse(place, text)
    scope = Scope(Report(place, text), place.parent)
    try:
        system = read_system(scope, document)
        system = read_locked(scope, system, document.get("locked", {}))
        start = read_start(scope, system, document.get("start", {}))
        run = read_run(scope, document.get("run", {}))
        ensemble = read_sweep(scope, start, document.get("sweep", {}))
        questions = read_questions(scope, document)
    except ModelFileError:
        raise
    except (*UNFIT, MemoryError) as reason:
        # The last line of defence: a door let something pass that it should not have.
        scope.refuse((), f"this cannot be made a model: {reason}.")
        start = run = system = ensemble = INVALID
        questions = {}
    scope.report.raise_all()
    if isinstance(system, Bad) or INVALID in (start, run, ensemble):
        raise ModelFileError(f"{place.name!r} is no model that can be read.")
    return Model(system, start, run, ensemble=ensemble, questions=questions)


def save_model(
    system: System,
    path: Any,
    *,
    start: State | None = None,
    run: Mapping[str, Any] | None = None,
    ensemble: Ensemble | None = None,
    questions: Mapping[str, Any] | None = None,
) -> None:
    """Write the file from which `load_model` reads the same system again.

    Laws that are functions of Python are refused, each by name: a file holds no code.
    `ph.Formula` says many of them in words that a file can hold. An `ensemble` has its
    own start. `questions` are those of `Model.questions`: {"campbell": {"spin": ...}}.
    """
    given: dict[str, Any] = {"run": run, "ensemble": ensemble, "questions": questions}
    text = model_text(system, start=start, **given)
    target = admit_path(path)
    if target.suffix.lower() in OTHER_KINDS:
        raise FileError(
            f"{target.name!r} does not name a model file.",
            f"The end of the name, {target.suffix!r}, says that the file is of another"
            " kind, and programs would believe it; models are written as TOML.",
            f'Give "{target.stem}.toml".',
        )
    try:
        write_file(target, text)
    except OSError as reason:
        raise FileError(
            f"{str(path)!r} cannot be written: {reason.strerror}.",
            "The folder must be there and yours to write in, and the disk must have"
            " room. An older file is left as it was.",
            "Give another path.",
        ) from reason


def model_text(
    system: System,
    *,
    start: State | None = None,
    run: Mapping[str, Any] | None = None,
    ensemble: Ensemble | None = None,
    questions: Mapping[str, Any] | None = None,
) -> str:
    """The text of a system's model file."""
    if not isinstance(system, System):
        raise ModelError(
            f"{system!r} is no system that could be written.",
            "A model file says what a system is made of.",
            "Give the system, then the path: ph.save_model(system, 'crane.toml').",
        )
    document, lost = write_system(system)
    if lost:
        raise FileError(
            f"{system.name!r} cannot be written as a file.",
            "A file holds no code, and these are laws of Python:\n" + "\n".join(lost),
            "Say laws of motors, drivers, springs, forces and surfaces by ph.Formula,"
            " or keep the model in Python.",
        )
    if ensemble is not None:
        require_own(system, ensemble.start)
        start, document["sweep"] = ensemble.start, ensemble.described()
    if start is not None:
        document["start"] = write_start(start)
    if run:
        document["run"] = write_run(run)
    document |= write_questions(questions or {})
    text = to_toml(document)
    if len(text.encode()) > LARGEST:
        raise FileError(
            f"{system.name!r} needs {len(text):,} bytes: a model file has at most"
            f" {LARGEST:,}.",
            "Meshes written out by their corners are long.",
            "Keep the mesh in a file of its own and name it in the model file.",
        )
    return text


def _parse(place: Path, text: str) -> dict[str, Any]:
    require_shallow(place, text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as reason:
        raise _parse_error(place, text, str(reason)) from None
    except (ValueError, RecursionError, PolhodeError) as reason:
        raise _parse_error(place, text, str(reason)) from None


def _parse_error(place: Path, text: str, reason: str) -> ModelFileError:
    """The error of the TOML reader, at its line and column."""
    found = re.search(r" \(at line (\d+), column (\d+)\)$", reason)
    spot = Lines(text).spot(len(text))
    if found:
        spot = spot._replace(line=int(found[1]), column=int(found[2]))
    words = re.sub(r" \(at [^()]*\)$", "", reason)
    cut = words if len(words) <= 200 else f"{words[:197]}..."
    return refusal(place, [Issue(spot, f"this is no TOML: {cut}.")])
