"""The JSON Schema of model files, made from the same tables that read them.

`docs/model-schema.json` is this, written out: editors check and complete with it.
"""

from __future__ import annotations

from typing import Any

from polhode.files.kinds import ACTIONS, CONSTRAINTS, JOINTS, SUPPORTS, Kind
from polhode.files.matter import (
    AMOUNT,
    CLOUD,
    FLUID,
    MESH,
    MOMENTS,
    PLACE,
    SHAPES,
    WORDS,
)
from polhode.files.places import JOINTS as JOINTS_HELD
from polhode.files.questions import question_schemas
from polhode.files.reading import VERSION
from polhode.files.references import POINT
from polhode.files.settings import sweep_schema
from polhode.files.values import (
    DIRECTION,
    MATRIX,
    QUANTITIES,
    QUANTITY,
    THREE,
    THREE_NUMBERS,
    Field,
    Value,
)
from polhode.integrate.methods.registry import METHODS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NUMBER: dict[str, Any] = {"type": "number"}
TEXT: dict[str, Any] = {"type": "string"}
# Said once, and referred to.
SHARED = {
    "point": POINT.schema,
    "direction": DIRECTION.schema,
    "matrix": MATRIX.schema,
    "quantities": QUANTITIES.schema,
    "three": THREE.schema,
    "three numbers": THREE_NUMBERS.schema,
    "quantity": QUANTITY.schema,
}


def model_schema() -> dict[str, Any]:
    """What a model file may say, in the words of JSON Schema."""
    by_name = {
        "bodies": {"anyOf": [_particle(), _body()]},
        "joints": _any(JOINTS),
        "actions": _any(ACTIONS),
        "constraints": _any(CONSTRAINTS | JOINTS),
        "supports": _any(SUPPORTS),
    }
    sections = {word: _named(table) for word, table in by_name.items()}
    points = {"type": "object", "additionalProperties": THREE.schema}
    whole = {
        "$schema": DIALECT,
        "title": "Polhode model",
        **_table(
            {
                "polhode": {"const": VERSION, "description": "version of the form"},
                "name": TEXT,
                "members": {"type": "array", "items": TEXT},
                "world": _table({"name": TEXT, "points": points}),
                "parameters": _named(NUMBER),
                "values": _named(NUMBER),
                **sections,
                "locked": JOINTS_HELD.schema,
                "start": _start(),
                "run": _run(),
                "sweep": sweep_schema(),
                **question_schemas(),
            },
            ["polhode"],
        ),
    }
    inner = {
        name: {key: _shared(part) for key, part in schema.items()}
        for name, schema in SHARED.items()
    }
    return {**_shared(whole), "$defs": inner}


def _shared(schema: Any) -> Any:
    """The same, where what is said often is said by reference."""
    if isinstance(schema, list):
        return [_shared(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    bare = {key: part for key, part in schema.items() if key != "description"}
    for name, known in SHARED.items():
        if bare == known:
            about = {k: v for k, v in schema.items() if k == "description"}
            return {"$ref": f"#/$defs/{name}", **about}
    return {key: _shared(part) for key, part in schema.items()}


def _body() -> dict[str, Any]:
    kinds: dict[str, Value] = {**AMOUNT, **PLACE, **MESH, **CLOUD, **MOMENTS}
    for own in SHAPES.values():
        kinds |= own
    tables = {name: value.schema for name, value in kinds.items()}
    fluid = {name: value.schema for name, value in FLUID.items()}
    return _table(
        {
            "solid": {"enum": [*WORDS]},
            **tables,
            "parts": {"type": "object"},
            "points": {"type": "object", "additionalProperties": THREE.schema},
            "fluid": _table({**fluid, "hull": {"type": "object"}}),
        }
    )


def _particle() -> dict[str, Any]:
    own = {"kind": {"const": "particle"}, "mass": QUANTITY.schema}
    points = {"type": "object", "additionalProperties": THREE.schema}
    return _table({**own, "points": points}, [*own])


def _any(kinds: dict[str, Kind]) -> dict[str, Any]:
    return {"anyOf": [_kind(kind) for kind in kinds.values()]}


def _kind(kind: Kind) -> dict[str, Any]:
    properties = {"kind": {"const": kind.word}}
    properties |= {field.name: _described(field) for field in kind.fields}
    required = [field.name for field in kind.fields if field.is_required]
    return _table(properties, ["kind", *required])


def _described(field: Field) -> dict[str, Any]:
    about = {"description": field.about} if field.about else {}
    return {**field.value.schema, **about}


def _start() -> dict[str, Any]:
    joints = {"type": "object", "description": "by joint: rad, m; rad/s, m/s"}
    return _table({"t": NUMBER, "coordinates": joints, "speeds": joints})


def _run() -> dict[str, Any]:
    method = {"type": "object", "properties": {"kind": {"enum": [*METHODS]}}}
    return _table(
        {
            "until": {**NUMBER, "description": "s"},
            "rtol": NUMBER,
            "atol": NUMBER,
            "samples": {"anyOf": [{"type": "integer"}, {"type": "array"}]},
            "method": {"anyOf": [{"enum": [*METHODS]}, method]},
        }
    )


def _named(table: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": table}


def _table(properties: dict[str, Any], required: Any = ()) -> dict[str, Any]:
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return closed | ({"required": [*required]} if required else {})
