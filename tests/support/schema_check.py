"""As much of JSON Schema as the schema of model files uses."""

from __future__ import annotations

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def fits(value, schema, whole=None) -> bool:
    """Whether a value is what a schema says."""
    whole = whole or schema
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return any(fits(value, one, whole) for one in schema["anyOf"])
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    kind = schema.get("type")
    if kind and not isinstance(value, TYPES[kind]):
        return False
    if isinstance(value, bool) and kind in ("number", "integer"):
        return False
    if isinstance(value, dict):
        return _table_fits(value, schema, whole)
    if isinstance(value, list):
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        sized = least <= len(value) <= most
        return sized and all(fits(v, schema.get("items", {}), whole) for v in value)
    return True


def _table_fits(table, schema, whole) -> bool:
    own, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    if not set(schema.get("required", ())) <= set(table):
        return False
    for key, value in table.items():
        rule = own.get(key, others)
        if rule is False or not fits(value, rule or {}, whole):
            return False
    return True
