"""Short words for fragments of the generated JSON Schema: `list of ContentBlock | null`."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_PLAIN = ("int32", "int64", "uint16", "uint32", "uint64", "double", "uri", "date-time", "regex")


def type_text(schema: Schema) -> str:
    """The type that a fragment allows, in the words of the registry."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "allOf" in schema:
        return type_text(schema["allOf"][0])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_text(branch) for branch in schema["anyOf"]))
    if "const" in schema:
        return repr(schema["const"])
    declared: Any = schema.get("type")
    if declared is None:
        return "any"
    types: list[str] = [declared] if isinstance(declared, str) else list(declared)
    return " | ".join(_one(schema, name) for name in types)


def _one(schema: Schema, name: str) -> str:
    if name == "array":
        return f"list of {type_text(schema['items'])}"
    values: Any = schema.get("additionalProperties")
    if name == "object" and isinstance(values, dict):
        return f"map of {type_text(values)}"  # pyright: ignore[reportUnknownArgumentType]
    if name != "null" and schema.get("format") in _PLAIN:
        return str(schema["format"])
    if name == "string" and "contentEncoding" in schema:
        return str(schema["contentEncoding"])
    return name


def references(schema: Any) -> set[str]:
    """The names of the definitions that a fragment refers to, at any depth."""
    found: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if isinstance(reference := item.get("$ref"), str):  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                found.add(reference.rpartition("/")[2])
            waiting += item.values()  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        elif isinstance(item, list):
            waiting += item  # pyright: ignore[reportUnknownArgumentType]
    return found


def limits_text(schema: Schema) -> str:
    """The limits of a fragment in words, or nothing: `1 to 255 characters`."""
    parts: list[str] = []
    for low, high, unit in (
        ("minLength", "maxLength", "character"),
        ("minItems", "maxItems", "item"),
        ("minimum", "maximum", ""),
    ):
        if low in schema and high in schema:
            parts.append(f"{schema[low]} to {_counted(schema[high], unit)}")
        elif low in schema:
            parts.append(f"at least {_counted(schema[low], unit)}")
        elif high in schema:
            parts.append(f"at most {_counted(schema[high], unit)}")
    return ", ".join(parts)


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}" if unit else str(number)
