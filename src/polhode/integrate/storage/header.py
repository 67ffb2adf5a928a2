"""What a file says of the run that it holds: model, method, parameters, versions.

All is plain text and numbers. A model is described by its names, kinds and values, so
that another model is refused; the model itself is given again to go on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from polhode.errors import FileError
from polhode.matter.parameter import at
from polhode.version import __version__

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

FORMAT, FORMAT_VERSION = "polhode motion", 3


def describe(system: System) -> dict[str, Any]:
    """The names, kinds and values of a system, in words and numbers."""
    joints = [
        {
            "name": joint.name,
            "kind": type(joint).__name__,
            "first": joint.first.frame.name,
            "second": joint.second.frame.name,
            "coordinates": list(joint.coordinate_names),
            "units": list(joint.units),
            "speeds": list(joint.speed_names),
            "speed_units": list(joint.speed_units),
        }
        for joint in system.joints
    ]
    values = {n: float(at(v, system.table())) for n, v in system.parameters.items()}
    return {
        "name": system.name,
        "bodies": [_member(body) for body in system.bodies],
        "joints": joints,
        "actions": [_member(action) for action in system.actions],
        "constraints": [_member(each) for each in system.constraints],
        "rows": list(system.row_names),
        "parameters": values,
    }


def settings_of(method: Method) -> dict[str, Any]:
    """A method as its name and the values of its fields."""
    fields = dataclasses.fields(cast(Any, method))  # every method is a dataclass
    settings = {f.name: _plain(getattr(method, f.name)) for f in fields if f.init}
    return {"kind": type(method).__name__, "name": method.name, "settings": settings}


def header_of(equations: Equations, method: Method, facts: dict[str, Any]) -> dict:
    """All that a file says before its rows; `facts` are of the run."""
    import jax

    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "polhode": __version__,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "model": describe(equations.system),
        "formulation": equations.name,
        "velocities": list(equations.velocity_names),
        "method": settings_of(method),
        **facts,
    }


def text_of(header: dict[str, Any]) -> str:
    """The header as text, always the same for the same header."""
    return json.dumps(header, sort_keys=True, ensure_ascii=False, allow_nan=False)


def digest(text: str) -> str:
    """The hash of a header's text."""
    return hashlib.sha256(text.encode()).hexdigest()


# What must be in a header, and its type.
FIELDS: dict[str, Any] = {
    "model": dict,
    "formulation": str,
    "velocities": list,
    "method": dict,
    "note": str,
    "events": list,
    "inputs": str,
    "table": dict,
    "start": list,
    "until": float,
    "limit": int,
    "cursor_layout": list,
    "plan_layout": list,
    "digests": dict,
}


def require_fields(header: dict[str, Any]) -> None:
    """Refuse a header that lacks something, or has it of another type: ValueError."""
    for name, kind in FIELDS.items():
        _require_type(f"header.{name}", header.get(name), kind)
    model, method = header["model"], header["method"]
    _require_type("header.model.name", model.get("name"), str)
    _require_type("header.model.joints", model.get("joints"), list)
    for k, joint in enumerate(model["joints"]):
        _require_type(f"header.model.joints[{k}]", joint, dict)
        _require_type(f"header.model.joints[{k}].name", joint.get("name"), str)
        for word in ("coordinates", "units", "speeds", "speed_units"):
            _require_texts(f"header.model.joints[{k}].{word}", joint.get(word))
    _require_texts("header.velocities", header["velocities"])
    _require_texts("header.events", header["events"])
    _require_type("header.method.kind", method.get("kind"), str)
    _require_type("header.method.name", method.get("name"), str)
    _require_type("header.method.settings", method.get("settings"), dict)
    for name, value in header["table"].items():
        _require_type(f"header.table.{name}", value, float)
    if [type(part) for part in header["start"]] != [list] * 3:
        raise ValueError("'header.start' is not t, q and z")
    for part in header["start"]:
        for value in part:
            _require_type("header.start", value, float)
    for word in ("cursor_layout", "plan_layout"):
        for k, leaf in enumerate(header[word]):
            _require_type(f"header.{word}[{k}]", leaf, list)
            if [type(entry) for entry in leaf] != [str, str, list]:
                raise ValueError(f"'header.{word}[{k}]' is not name, kind and shape")
            for size in leaf[2]:
                _require_type(f"header.{word}[{k}]", size, int)


def _require_type(name: str, value: Any, kind: type) -> None:
    kinds = (int, float) if kind is float else (kind,)
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise ValueError(
            f"{name!r} is {str(value)[:60]!r}, where {kind.__name__} belongs"
        )


def _require_texts(name: str, value: Any) -> None:
    _require_type(name, value, list)
    for text in value:
        _require_type(name, text, str)


def require_same(path: Any, header: dict[str, Any], equations: Equations) -> None:
    """Refuse equations of another model, or another form, than the file's."""
    for what, found, given in (
        *_pairs(header["model"], describe(equations.system)),
        ("formulations", header["formulation"], equations.name),
        ("velocities", header["velocities"], list(equations.velocity_names)),
    ):
        if found != given:
            raise FileError(
                f"{str(path)!r} holds a motion of another model than"
                f" {equations.system.name!r}: its {what} differ.",
                f"The file has {_short(found, given)}; the model given has"
                f" {_short(given, found)}.",
                "Give the model that was run, with the same names and values.",
            )


def _pairs(file: dict[str, Any], given: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(word, file.get(word), given[word]) for word in given if word != "name"]


def _short(one: Any, other: Any) -> str:
    """What is in the one and not in the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        only = {k: v for k, v in one.items() if other.get(k) != v}
        return ", ".join(f"{k} = {v!r}" for k, v in only.items()) or "no more"
    if isinstance(one, list) and isinstance(other, list):
        return ", ".join(str(v) for v in one if v not in other) or "another order"
    return repr(one)


def _member(noun: Any) -> dict[str, str]:
    return {"name": str(getattr(noun, "name", "")), "kind": type(noun).__name__}


def _plain(value: Any) -> Any:
    """A setting as text and numbers."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {"kind": type(value).__name__} | {k: _plain(v) for k, v in inner.items()}
    return repr(value)
