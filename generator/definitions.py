"""JSON Schema (draft 2020-12) for the Model's types: what a schema file, an OpenRPC file or a page shows of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from generator.model import (
    PRIMITIVES,
    Alias,
    Choice,
    Enumeration,
    EnumValue,
    Fallback,
    Field,
    Message,
    Protocol,
    Struct,
    TaggedUnion,
    TypeDef,
    TypeUse,
    Variant,
)

Schema = dict[str, Any]

_PRIMITIVE_SCHEMAS: dict[str, Schema] = {
    "any": {},
    "object": {"type": "object", "additionalProperties": True},
    "boolean": {"type": "boolean"},
    "string": {"type": "string"},
    "uri": {"type": "string", "format": "uri"},
    "date-time": {"type": "string", "format": "date-time"},
    "regex": {"type": "string", "format": "regex"},
    "base64": {"type": "string", "contentEncoding": "base64"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "uint16": {"type": "integer", "format": "uint16", "minimum": 0, "maximum": 65535},
    "uint32": {"type": "integer", "format": "uint32", "minimum": 0},
    "uint64": {"type": "integer", "format": "uint64", "minimum": 0},
    "double": {"type": "number", "format": "double"},
}


@dataclass(frozen=True, slots=True)
class Definitions:
    """Renders the types of one protocol.

    `ref_prefix` is what stands before a definition's name in a `$ref`.
    """

    protocol: Protocol
    ref_prefix: str = "#/$defs/"

    def all(self) -> dict[str, Schema]:
        """Every type of the registry by name, annotated with the message that it belongs to."""
        messages = {name: m for m in self.protocol.messages() for name in (m.params, m.result) if name}
        return {
            name: {**self.definition(item), **(message_annotations(messages[name]) if name in messages else {})}
            for name, item in self.protocol.types.items()
        }

    def ref(self, name: str) -> Schema:
        """A reference to a definition."""
        return {"$ref": f"{self.ref_prefix}{name}"}

    def wrapped_ref(self, name: str) -> Schema:
        """A reference that other keywords can stand beside."""
        return {"allOf": [self.ref(name)]}

    def definition(self, item: TypeDef) -> Schema:
        """The definition of one type."""
        described: Schema = {"description": self._described(item.doc, unstable=item.unstable)}
        match item.shape:
            case Alias(type=use):
                return {**described, **self.use(use)}
            case Enumeration() as shape:
                return {**described, **self._enumeration(shape)}
            case Struct() as shape:
                return {**described, **self._struct(shape)}
            case TaggedUnion() as shape:
                return {**described, "anyOf": self._union(shape)}
            case Choice(variants=variants):
                return {**described, "anyOf": [self._titled(v, meta=True) for v in variants]}

    def use(self, use: TypeUse) -> Schema:
        """The schema of a value that a field or an alias holds."""
        limits: Schema = {
            keyword: limit
            for keyword, limit in (
                ("minimum", use.minimum),
                ("maximum", use.maximum),
                ("minLength", use.min_length),
                ("maxLength", use.max_length),
                ("minItems", use.min_items),
            )
            if limit is not None
        }
        if use.container == "list":
            schema: Schema = {"type": "array", "items": self._item(use.name), **limits}
        elif use.container == "map":
            schema = {"type": "object", "additionalProperties": self._item(use.name)}
        elif use.name in PRIMITIVES:
            schema = {**_PRIMITIVE_SCHEMAS[use.name], **limits}
        elif use.nullable:
            return {"anyOf": [self.ref(use.name), {"type": "null"}]}
        else:
            return self.wrapped_ref(use.name)
        return {**schema, "type": [schema["type"], "null"]} if use.nullable else schema

    def field(self, item: Field) -> Schema:
        """The schema of a field, with the annotations that say what a receiver does with a malformed value."""
        schema: Schema = {"description": self._described(item.doc, unstable=item.unstable), **self.use(item.type)}
        if item.default is not None:
            schema["default"] = item.default.value
        if item.default_on_error:
            schema["x-deserialize-default-on-error"] = True
        if item.default_on_null:
            schema["x-deserialize-default-on-null"] = True
        if item.skip_invalid_items:
            schema["x-deserialize-skip-invalid-items"] = True
        return schema

    def _item(self, name: str) -> Schema:
        return dict(_PRIMITIVE_SCHEMAS[name]) if name in PRIMITIVES else self.ref(name)

    def _described(self, doc: str, *, unstable: bool = False) -> str:
        return f"{self.protocol.phrases.unstable}\n\n{doc}" if unstable else doc

    def _properties(self, fields: Iterable[Field], *, meta: bool) -> Schema:
        fields = tuple(fields)
        properties = {item.name: self.field(item) for item in fields}
        if meta:
            properties["_meta"] = {
                "description": self.protocol.phrases.meta,
                "type": ["object", "null"],
                "additionalProperties": True,
                "x-deserialize-default-on-error": True,
            }
        required = [item.name for item in fields if item.required]
        return {
            "type": "object",
            **({"properties": properties} if properties else {}),
            **({"required": required} if required else {}),
        }

    def _struct(self, shape: Struct) -> Schema:
        schema = self._properties(shape.fields, meta=shape.meta)
        if shape.keeps_extra:
            schema["additionalProperties"] = True
        if shape.union:
            schema["anyOf"] = self._union(shape.union)
        if shape.one_of:
            schema["oneOf"] = [self._titled(v) for v in shape.one_of]
        return schema

    def _enumeration(self, shape: Enumeration) -> Schema:
        base = _PRIMITIVE_SCHEMAS[shape.base]

        def value(item: EnumValue) -> Schema:
            titled: Schema = {"title": item.title} if item.title else {}
            return {
                **titled,
                "description": self._described(item.doc, unstable=item.unstable),
                **base,
                "const": item.value,
            }

        listed = [value(item) for item in shape.values]
        if shape.unknown is None:
            return {"oneOf": listed}
        return {"anyOf": [*listed, {**self._unknown(shape, shape.unknown), **base}]}

    def _unknown(self, shape: Enumeration, doc: str) -> Schema:
        if shape.base == "int32":
            return {"title": "Other", "description": doc}
        title = "unknown" if any(v.value == "other" for v in shape.values) else "other"
        return {"title": title, "description": f"{self.protocol.phrases.unknown_value} {doc}"}

    def _union(self, union: TaggedUnion) -> list[Schema]:
        branches = [self._tagged(union.tag, v) for v in union.variants]
        if union.unknown:
            branches.append(self._fallback(union, union.unknown))
        if union.absent:
            tag: Schema = {union.tag: {"type": "null"}}
            branches.append({"title": "none", "description": union.absent.doc, "type": "object", "properties": tag})
        return [*branches, *(self._titled(v) for v in union.untagged)]

    def _tagged(self, tag: str, variant: Variant) -> Schema:
        content = self._properties(variant.fields, meta=False)
        schema: Schema = {
            "description": self._described(variant.doc, unstable=variant.unstable),
            "type": "object",
            "properties": {tag: {"type": "string", "const": variant.name}, **content.get("properties", {})},
            "required": [tag, *content.get("required", ())],
        }
        return {**schema, **(self.wrapped_ref(variant.type.name) if variant.type else {})}

    def _fallback(self, union: TaggedUnion, fallback: Fallback) -> Schema:
        """The branch for tags that are not listed; `not` keeps a malformed known variant out of it."""
        content = self._properties(fallback.fields, meta=False)
        tag: Schema = {"description": self.protocol.phrases.unknown_value, "type": "string"}
        listed = [
            {
                "type": "object",
                "properties": {union.tag: {"type": "string", "const": v.name}},
                "required": [union.tag],
            }
            for v in union.variants
        ]
        schema: Schema = {
            "title": "other",
            "description": f"{self.protocol.phrases.unknown_value} {fallback.doc}",
            "type": "object",
            "properties": {union.tag: tag, **content.get("properties", {})},
            "required": [union.tag, *content.get("required", ())],
            "not": {"anyOf": listed},
        }
        if fallback.one_of:
            return {**schema, "oneOf": [self._titled(v) for v in fallback.one_of], "unevaluatedProperties": True}
        return {**schema, "additionalProperties": True}

    def _titled(self, variant: Variant, *, meta: bool = False) -> Schema:
        """An alternative without a tag: known by its title."""
        schema: Schema = {"title": variant.name, "description": self._described(variant.doc, unstable=variant.unstable)}
        if variant.type is None:
            return {**schema, **self._properties(variant.fields, meta=meta)}
        return {**schema, **self.use(variant.type)}


def message_annotations(message: Message) -> Schema:
    """What ties a definition to its message: the official `x-method` and `x-side`, and this project's retry class."""
    schema: Schema = {
        "x-side": message.side,
        "x-method": message.method,
        "x-retry-class": message.retry.class_name,
    }
    if message.retry.key:
        schema["x-retry-key"] = message.retry.key
    return schema
