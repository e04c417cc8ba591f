"""JSON values as the Python that builds them from the bindings' classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from acp_v2.wire_names import wire_name
from generator.binding_view import KEY_TYPE, Schema

_UNLISTED = "UnlistedTag("
_ABSENT = "AbsentTag("


@dataclass(slots=True)
class Sample:
    """Python that builds one value: an expression, and the names that it needs of `acp_v2`."""

    expression: str = ""
    names: set[str] = field(default_factory=set[str])


def sample(view: dict[str, Schema], type_name: str, value: Any) -> Sample:
    """A value of a type of the view as an expression.

    Args:
        view: what `binding_view` gives.
        type_name: the type's name, without its module.
        value: a JSON value that is valid for the type.
    """
    made = Sample()
    made.expression = _Writer(view, made.names).named(type_name, value)
    return made


class _Writer:
    def __init__(self, view: dict[str, Schema], names: set[str]) -> None:
        self.view = {key.partition(".")[2]: schema for key, schema in view.items()}
        self.names = names

    def named(self, name: str, value: Any) -> str:
        """A value of a class or alias."""
        schema = self.view[name]
        if "x-base" in schema and isinstance(value, dict):
            return self._construct(name, cast("dict[str, Any]", value))
        return self._value(schema, value)

    def _value(self, schema: Schema, value: Any) -> str:
        """A value of the schema of a field or an alias."""
        if value is None:
            return "None"
        if "customTypePath" in schema:
            self.names.add(KEY_TYPE)
            return f"{KEY_TYPE}({value!r})"
        if "$ref" in schema:
            return self.named(_target(schema), value)
        if "anyOf" in schema:
            return next((self._value(s, value) for s in schema["anyOf"] if self._fits(s, value)), repr(value))
        if schema.get("type") == "array" and isinstance(value, list):
            items = cast("list[Any]", value)
            return f"[{', '.join(self._value(schema['items'], item) for item in items)}]"
        if isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
            entries = cast("dict[str, Any]", value)
            kind: Schema = schema["additionalProperties"]
            return f"{{{', '.join(f'{k!r}: {self._value(kind, v)}' for k, v in entries.items())}}}"
        return repr(cast("object", value))

    def _construct(self, name: str, value: dict[str, Any]) -> str:
        self.names.add(name)
        properties = self._properties(name)
        attributes = {_wire(attribute, schema): attribute for attribute, schema in properties.items()}
        given: list[str] = []
        extra: dict[str, Any] = {}
        for key, item in value.items():
            if key == "_meta":
                given.append(f"meta={item!r}")
            elif key not in attributes:
                extra[key] = item
            elif "const" not in (schema := properties[attributes[key]]):
                given.append(f"{attributes[key]}={self._value(schema, item)}")
        if extra:
            given.append(f"**{extra!r}")
        return f"{name}({', '.join(given)})"

    def _fits(self, schema: Schema, value: Any) -> bool:
        """Whether an alternative of a union is the one that is meant."""
        if "$ref" in schema:
            target = self.view[_target(schema)]
            if "x-base" not in target:
                return self._fits(target, value)
            return isinstance(value, dict) and all(
                _agrees(_wire(attribute, item), item, cast("dict[str, Any]", value))
                for attribute, item in self._properties(_target(schema)).items()
            )
        if "anyOf" in schema:
            return any(self._fits(s, value) for s in schema["anyOf"])
        if schema.get("type") == "array":
            items = cast("list[Any]", value)
            return isinstance(value, list) and all(self._fits(schema["items"], item) for item in items)
        kinds: dict[str, Any] = {"object": dict, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
        return isinstance(value, kinds.get(schema.get("type", ""), object))

    def _properties(self, name: str) -> dict[str, Schema]:
        """The fields of a class by attribute, inherited ones first."""
        schema = self.view[name]
        inherited: dict[str, Schema] = {}
        for base in schema["x-bases"]:
            inherited |= self._properties(base.partition(".")[2])
        return inherited | schema["properties"]


def _agrees(wire: str, schema: Schema, value: dict[str, Any]) -> bool:
    """Whether a field does not speak against the class that it belongs to."""
    if "const" in schema:
        return value.get(wire) == schema["const"]
    annotations: list[str] = schema["x-annotations"]
    for annotation in annotations:
        if annotation.startswith(_UNLISTED):
            return isinstance(value.get(wire), str) and f'"{value[wire]}"' not in annotation
        if annotation.startswith(_ABSENT):
            return value.get(wire) is None
    return "x-default" in schema or wire in value


def _wire(attribute: str, schema: Schema) -> str:
    """The name of a field on the wire, which may be given outright."""
    outright = next((a for a in schema["x-annotations"] if a.startswith('Field(alias="')), None)
    return outright.split('"')[1] if outright else wire_name(attribute)


def _target(schema: Schema) -> str:
    return schema["$ref"].rpartition(".")[2]
