"""The sections [start], [run] and [sweep] of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from polhode.errors import FileError, PolhodeError
from polhode.files.issues import Way, nearest
from polhode.files.loads import read_table
from polhode.files.places import JOINTS, written_place
from polhode.files.scope import INVALID, UNFIT, Bad, Scope
from polhode.files.values import NUMBER, Value, as_finite, is_number, is_one_of, shorten
from polhode.integrate.field.distribution import DISTRIBUTIONS, distribution_from
from polhode.integrate.field.ensemble import DRAWN, ensemble_from
from polhode.integrate.methods.registry import METHODS, known_method
from polhode.integrate.storage.header import settings_of
from polhode.system.state import State


def read_start(scope: Scope, system: Any, table: Any) -> Any:
    """The state of [start]; without one, rest."""
    values = {"t": NUMBER, "coordinates": JOINTS, "speeds": JOINTS}
    found = read_table(scope, ("start",), table, values, ())
    if isinstance(found, Bad):
        return INVALID
    where, moving = found.get("coordinates", {}), found.get("speeds", {})
    known = [*scope.joints, *scope.bodies]
    if not isinstance(system, Bad):
        known = [joint.name for joint in system.joints]
    for word, given in (("coordinates", where), ("speeds", moving)):
        for name in given:
            if name not in known:
                path = ("start", word, name)
                scope.refuse(path, f"there is no such joint. {nearest(name, known)}")
    if scope.report.issues or isinstance(system, Bad):
        return INVALID
    try:
        if not table:
            return system.rest()
        return system.state(where, speeds=moving, t=found.get("t", 0.0))
    except PolhodeError as refused:
        text = " ".join(p for p in (refused.what, refused.repair) if p)
        return scope.refuse(("start",), text)
    except UNFIT as refused:
        return scope.refuse(("start",), f"there is no such state: {refused}.")


def write_start(state: State) -> dict[str, Any]:
    """Coordinates and speeds by joint; quaternions by the names of their parts."""
    where: dict[str, Any] = {}
    moving: dict[str, Any] = {}
    for joint in state.system.joints:
        if joint.coordinates == 0:
            continue
        z = np.atleast_1d(state.speed(joint.name))
        where[joint.name] = written_place(joint, state[joint.name])
        moving[joint.name] = z[0].item() if z.size == 1 else z.tolist()
    return {"t": float(state.t), "coordinates": where, "speeds": moving}


def read_run(scope: Scope, table: Any) -> Any:
    """What `ph.simulate` is given."""
    values = {
        "until": NUMBER,
        "rtol": NUMBER,
        "atol": NUMBER,
        "samples": _SAMPLES,
        "method": _METHOD,
    }
    return read_table(scope, ("run",), table, values, ())


def read_sweep(scope: Scope, start: Any, table: Any) -> Any:
    """The ensemble of [sweep], drawn about the start; None without one."""
    if not table:
        return None
    drawn = dict.fromkeys(DRAWN, _DISTRIBUTIONS)
    values = {"runs": _WHOLE, "seed": _WHOLE, **drawn}
    found = read_table(scope, ("sweep",), table, values, ("runs",))
    if isinstance(found, Bad) or start is INVALID or scope.report.issues:
        return INVALID
    try:
        return ensemble_from(start, found)
    except PolhodeError as refused:
        text = " ".join(p for p in (refused.what, refused.repair) if p)
        return scope.refuse(("sweep",), text)


def write_run(run: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with the method by its kind and its settings."""
    found = {k: v for k, v in run.items() if k != "method" and v is not None}
    if run.get("method") is not None:
        described = settings_of(run["method"])
        if described["kind"] not in METHODS:
            raise FileError(
                f"a run by {described['kind']} cannot be written as a file.",
                "A file names one of the library's own methods, with its numbers.",
                "Leave the method out, and give it to ph.simulate.",
            )
        own = {k: v for k, v in described["settings"].items() if v is not None}
        found["method"] = {"kind": described["kind"], **own}
    return found


def _read_samples(scope: Scope, path: Way, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value > 1:
        return value
    if isinstance(value, list) and all(is_number(v) for v in value):
        times = [as_finite(v) for v in value]
        if None not in times:
            return times
    return scope.refuse(
        path, f"{shorten(value)} is neither a number of rows nor a list of times."
    )


def _read_whole(scope: Scope, path: Way, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return scope.refuse(path, f"{shorten(value)} is no whole number from 0 on.")


def _read_distributions(scope: Scope, path: Way, value: Any) -> Any:
    if not isinstance(value, dict):
        return scope.refuse(path, f"{shorten(value)} is no table of distributions.")
    for name, own in value.items():
        try:
            distribution_from(own)
        except PolhodeError as refused:
            scope.refuse((*path, name), f"{refused.what} {refused.why}")
    return value


def _read_method(scope: Scope, path: Way, value: Any) -> Any:
    table = {"kind": value} if isinstance(value, str) else value
    kind = table.get("kind") if isinstance(table, dict) else None
    if not is_one_of(kind, METHODS):
        known = nearest(kind, METHODS)
        return scope.refuse(path, f"{shorten(kind)} is no method. {known}")
    own = {k: v for k, v in table.items() if k != "kind"}
    noun: Any = known_method(str(kind))
    try:
        return noun(**own)
    except (PolhodeError, TypeError, ValueError, ArithmeticError) as refused:
        first = str(refused).partition("\n")[0]
        return scope.refuse(path, f"{kind} cannot be made so: {first}")


def _unwritten(writer: Any, value: Any, place: str) -> Any:
    return value


_SAMPLES = Value(
    _read_samples, _unwritten, {"anyOf": [{"type": "integer"}, {"type": "array"}]}
)
_WHOLE = Value(_read_whole, _unwritten, {"type": "integer", "minimum": 0})
_DISTRIBUTIONS = Value(
    _read_distributions,
    _unwritten,
    {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {
                word: {"type": "array", "items": {"type": "number"}}
                for word in DISTRIBUTIONS
            },
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    },
)
_METHOD = Value(
    _read_method,
    _unwritten,
    {"anyOf": [{"enum": [*METHODS]}, {"type": "object", "required": ["kind"]}]},
)


def sweep_schema() -> dict[str, Any]:
    """What [sweep] may say: how many runs, the seed, and what is drawn."""
    drawn = dict.fromkeys(DRAWN, _DISTRIBUTIONS.schema)
    properties = {"runs": _WHOLE.schema, "seed": _WHOLE.schema, **drawn}
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": ["runs"],
    }
