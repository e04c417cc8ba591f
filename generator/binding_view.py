"""What the Python bindings need of the Model, as JSON Schema in which every variant has a name of its own.

Each key of the view is `MODULE.NAME`. What JSON Schema has no word for stands in `x-…` keys, which the templates below
`templates/python` read: `x-doc` (lines of the docstring), `x-tags` (attributes that are always sent), `x-annotations`
(what goes into `Annotated`), `x-default` (the default as Python), `x-constants` (an open enum's values).
"""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from acp_v2.wire_names import wire_name
from generator.model import (
    PRIMITIVES,
    Alias,
    Choice,
    Enumeration,
    Fallback,
    Field,
    Protocol,
    Shape,
    Source,
    Struct,
    TaggedUnion,
    TypeDef,
    TypeUse,
    Variant,
)

Schema = dict[str, Any]

SCALARS = "scalars"
"""The module of types that are no objects. Ids are used across topics, whose modules would need each other."""

KEY_TYPE = "IdempotencyKey"
"""The one scalar with a class of its own, written by hand."""

_KEY_CLASS = "acp_v2.idempotency_key.IdempotencyKey"

_NUMBERS = {
    "int32": "Integral({})",
    "int64": "Integral({})",
    "uint16": "Integral({})",
    "uint32": "Integral({})",
    "uint64": "Integral({})",
    "double": "Number({})",
}
_IMPLIED_LIMITS = {"uint16": (0, 65535), "uint32": (0, None), "uint64": (0, None)}
_DOC_WIDTH = 108

_TAKEN = frozenset(
    {
        "bool",
        "construct",
        "copy",
        "dict",
        "float",
        "from_json",
        "from_orm",
        "from_wire",
        "int",
        "json",
        "list",
        "meta",
        "model_computed_fields",
        "model_config",
        "model_construct",
        "model_copy",
        "model_dump",
        "model_dump_json",
        "model_extra",
        "model_fields",
        "model_fields_set",
        "model_json_schema",
        "model_parametrized_name",
        "model_post_init",
        "model_rebuild",
        "model_validate",
        "model_validate_json",
        "model_validate_strings",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "schema",
        "schema_json",
        "str",
        "to_json",
        "to_wire",
        "update_forward_refs",
        "validate",
    }
)
"""Names that `WireModel` or its annotations use, so that no attribute can have them."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A field whose one value says which variant an object is."""

    field: str
    value: str


class BindingError(Exception):
    """The bindings have no word for something in the registry, or would have one name for two things."""

    def __init__(self, source: Source, message: str) -> None:
        super().__init__(message)
        self.source = source


def binding_view(protocol: Protocol) -> dict[str, Schema]:
    """A schema for each class and alias of the bindings, by `MODULE.NAME`.

    Raises:
        BindingError: two classes would have one name, or the bindings have no word for something.
    """
    if not (_latest and _latest[0][0] is protocol):
        view = _View(protocol)
        for definition in protocol.types.values():
            view.define(definition)
        _latest[:] = [(protocol, dict(sorted(view.schemas.items())))]
    return _latest[0][1]


_latest: list[tuple[Protocol, dict[str, Schema]]] = []
"""The view that was asked for last, because the lint and two emitters ask for the same."""


class _View:
    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.schemas: dict[str, Schema] = {}
        self._names: set[str] = set()
        self._memberships = _memberships(protocol)

    # Names and modules

    def module(self, name: str) -> str:
        """The module that a definition's class or alias is in."""
        definition = self.protocol.types[name]
        return SCALARS if _is_scalar(definition.shape) else definition.topic

    def _qualified(self, name: str) -> str:
        return f"{self.module(name)}.{name}"

    def _ref(self, qualified: str) -> Schema:
        return {"$ref": f"#/$defs/{qualified}"}

    def _tags(self, name: str) -> tuple[Tag, ...]:
        """The tags that a type carries as the one variant of one union, and that union as a variant of another."""
        memberships = self._memberships.get(name, [])
        if len(memberships) != 1:
            return ()
        union, tag, _ = memberships[0]
        return (tag, *self._tags(union))

    # Definitions

    def define(self, definition: TypeDef) -> None:
        """Add what one type of the Model becomes."""
        match definition.shape:
            case Alias() as alias:
                self._alias(definition, alias)
            case Enumeration() as enumeration:
                self._enumeration(definition, enumeration)
            case Choice() as choice:
                self._choice(definition, choice)
            case TaggedUnion() as union:
                members = [self._variant(definition, union, v, base=None) for v in union.variants]
                self._union(definition, union, members, base=None)
            case Struct() as struct:
                self._struct(definition, struct)

    def _struct(self, definition: TypeDef, struct: Struct) -> None:
        name = definition.name
        doc = _doc(self.protocol, definition)
        union = struct.union
        if union is not None:
            # Variants of their own, because each has the fields beside the union too.
            fields = tuple(f for f in struct.fields if f.name != union.tag)
            base = self._class(definition, f"{name}Base", fields, meta=struct.meta, doc=doc)
            members = [self._variant(definition, union, v, base=base) for v in union.variants]
            self._union(definition, union, members, base=base)
        elif struct.one_of:
            base = self._class(definition, f"{name}Base", struct.fields, meta=struct.meta, doc=doc)
            self._one_of(definition, name, struct.one_of, [base], doc)
        else:
            tags = self._tags(name)
            self._class(definition, name, struct.fields, meta=struct.meta, tags=tags, doc=doc)
            for union_name, tag, variant in () if tags else self._memberships.get(name, ()):
                self._subclass(definition, union_name, tag, variant)

    def _alias(self, definition: TypeDef, alias: Alias) -> None:
        name = definition.name
        if name == KEY_TYPE:
            return
        if alias.type.name in self.protocol.types and not _is_scalar(self.protocol.types[alias.type.name].shape):
            base = self._qualified(alias.type.name)
            self._class(definition, name, (), meta=False, bases=[base], doc=_doc(self.protocol, definition))
            return
        schema, annotations = self._use(alias.type)
        self._put(
            definition,
            name,
            {**schema, "x-annotations": annotations, "x-doc": doc_lines(_doc(self.protocol, definition))},
        )

    def _enumeration(self, definition: TypeDef, shape: Enumeration) -> None:
        values = [v.value for v in shape.values]
        base = "integer" if shape.base == "int32" else "string"
        listed: Schema = {"type": base, "enum": values}
        annotation = "Integral()" if shape.base == "int32" else "OpenString()"
        self._put(
            definition,
            definition.name,
            {
                **({"anyOf": [listed, {"type": base}]} if shape.unknown is not None else listed),
                "x-annotations": [annotation] if shape.unknown is not None else [],
                "x-doc": doc_lines(_doc(self.protocol, definition)),
                "x-constants": [
                    {"name": _constant(v.name), "value": v.value, "doc": doc_lines(v.doc)} for v in shape.values
                ],
            },
        )

    def _choice(self, definition: TypeDef, shape: Choice) -> None:
        if any(v.type and v.type.name == "any" for v in shape.variants) and _is_scalar(shape):
            self._put(
                definition, definition.name, {"x-annotations": [], "x-doc": doc_lines(_doc(self.protocol, definition))}
            )
            return
        members: list[Schema] = []
        fewest: set[int] = set()
        for variant in shape.variants:
            if variant.type is None:
                name = variant.class_name or f"{definition.name}{variant.name}"
                members.append(self._ref(self._class(definition, name, variant.fields, meta=True, doc=variant.doc)))
            else:
                members.append(self._use(variant.type)[0])
                if variant.type.min_items:
                    fewest.add(variant.type.min_items)
        if len(fewest) > 1:
            raise BindingError(
                definition.source, "the bindings have no word for alternative lists of different lengths"
            )
        annotation = f"FirstThatFits({f'min_items={fewest.pop()}' if fewest else ''})"
        self._put(
            definition,
            definition.name,
            {"anyOf": members, "x-annotations": [annotation], "x-doc": doc_lines(_doc(self.protocol, definition))},
        )

    # Unions

    def _variant(self, owner: TypeDef, union: TaggedUnion, variant: Variant, base: str | None) -> str:
        """The class (or, behind a tag of its own, the union) of one variant. Returns its key in the view."""
        content = variant.type.name if variant.type else None
        shape = self.protocol.types[content].shape if content else None
        if base is None and content is not None:
            if self._tags(content) or not isinstance(shape, Struct) or shape.union:
                return self._qualified(content)
            return f"{owner.topic}.{_class_name(owner, variant)}"
        tags = (Tag(union.tag, variant.name), *self._tags(owner.name))
        name = _class_name(owner, variant)
        bases = [base] if base else []
        if isinstance(shape, Struct) and shape.one_of:
            inherited = [f"{self.module(content or '')}.{content}{v.name}" for v in shape.one_of]
            alternatives = [
                self._class(
                    owner,
                    f"{name}{v.name}",
                    (),
                    meta=False,
                    bases=[*bases, other],
                    tags=tags,
                    doc=f"{variant.doc} {v.doc}",
                )
                for v, other in zip(shape.one_of, inherited, strict=True)
            ]
            return self._exactly_one(owner, name, alternatives, variant.doc)
        if content:
            bases.append(self._qualified(content))
        return self._class(owner, name, variant.fields, meta=False, bases=bases, tags=tags, doc=variant.doc)

    def _subclass(self, definition: TypeDef, union_name: str, tag: Tag, variant: Variant) -> None:
        """A struct that several tags use: a class for each."""
        owner = self.protocol.types[union_name]
        bases = [self._qualified(definition.name)]
        tags = (tag, *self._tags(union_name))
        self._class(owner, _class_name(owner, variant), (), meta=False, bases=bases, tags=tags, doc=variant.doc)

    def _union(self, owner: TypeDef, union: TaggedUnion, members: list[str], base: str | None) -> None:
        tags = self._tags(owner.name)
        bases = [base] if base else []
        if union.unknown:
            members.append(self._fallback(owner, union, union.unknown, bases, tags))
        if union.absent:
            name = f"{owner.name}None"
            key = self._class(owner, name, (), meta=False, bases=bases, tags=tags, doc=union.absent.doc)
            self.schemas[key]["properties"][attribute(union.tag)] = {
                "type": "null",
                "x-doc": [],
                "x-annotations": ["AbsentTag()", *_own_alias(union.tag)],
                "x-default": "None",
            }
            members.append(key)
        members += [self._qualified(v.type.name) for v in union.untagged if v.type]
        self._put(
            owner,
            owner.name,
            {
                "anyOf": [self._ref(m) for m in members],
                "x-annotations": [f'OpenUnion("{union.tag}", "{attribute(union.tag)}")'],
                "x-doc": doc_lines(_doc(self.protocol, owner)),
            },
        )

    def _fallback(
        self, owner: TypeDef, union: TaggedUnion, unknown: Fallback, bases: list[str], tags: tuple[Tag, ...]
    ) -> str:
        name = unknown.class_name or f"Unknown{owner.name}"
        doc = f"{self.protocol.phrases.unknown_value} {unknown.doc}"
        listed = ", ".join(f'"{v.name}"' for v in union.variants)
        tag: Schema = {
            "type": "string",
            "x-doc": [],
            "x-annotations": [f"UnlistedTag(frozenset({{{listed}}}))", *_own_alias(union.tag)],
        }

        def build(class_name: str, parents: list[str]) -> str:
            key = self._class(owner, class_name, unknown.fields, meta=False, bases=parents, tags=tags, doc=doc)
            self.schemas[key]["properties"] = {attribute(union.tag): tag, **self.schemas[key]["properties"]}
            return key

        if unknown.one_of:
            scopes = [(v, self._qualified(v.type.name)) for v in unknown.one_of if v.type]
            alternatives = [build(f"{name}{v.name}", [*bases, scope]) for v, scope in scopes]
            return self._exactly_one(owner, name, alternatives, doc)
        return build(name, bases)

    def _one_of(self, owner: TypeDef, name: str, variants: Iterable[Variant], bases: list[str], doc: str) -> None:
        alternatives = [
            self._class(
                owner, f"{name}{v.name}", (), meta=False, bases=[*bases, self._qualified(v.type.name)], doc=v.doc
            )
            for v in variants
            if v.type
        ]
        self._exactly_one(owner, name, alternatives, doc)

    def _exactly_one(self, owner: TypeDef, name: str, alternatives: list[str], doc: str) -> str:
        schema = {
            "anyOf": [self._ref(a) for a in alternatives],
            "x-annotations": ["ExactlyOne()"],
            "x-doc": doc_lines(doc),
        }
        return self._put(owner, name, schema)

    # Classes and fields

    def _class(
        self,
        owner: TypeDef,
        name: str,
        fields: tuple[Field, ...],
        *,
        meta: bool,
        doc: str,
        bases: list[str] | None = None,
        tags: tuple[Tag, ...] = (),
    ) -> str:
        properties: Schema = {
            attribute(t.field): {
                "const": t.value,
                "x-doc": [],
                "x-annotations": _own_alias(t.field),
                "x-default": f'"{t.value}"',
            }
            for t in tags
        }
        properties |= {attribute(f.name): self._field(f) for f in fields}
        schema: Schema = {
            "type": "object",
            "properties": properties,
            "x-doc": doc_lines(doc),
            "x-tags": [attribute(t.field) for t in tags],
            "x-base": "Extensible" if meta else "WireModel",
            "x-bases": bases or [],
        }
        return self._put(owner, name, schema)

    def _put(self, owner: TypeDef, name: str, schema: Schema) -> str:
        """Add a class or an alias to its owner's module."""
        if name in self._names:
            raise BindingError(owner.source, f"two classes would be called {name}; give a variant another `name`")
        self._names.add(name)
        key = f"{self.module(owner.name)}.{name}"
        self.schemas[key] = schema
        return key

    def _field(self, item: Field) -> Schema:
        schema, annotations = self._use(item.type)
        if item.skip_invalid_items:
            annotations.append("SkipInvalidItems()")
        outer = self._tags(item.type.name) if item.type.name in self.protocol.types else ()
        if outer:
            if item.type.container:
                raise BindingError(item.source, "the bindings have no word for a list of variants outside their union")
            annotations += [f'Untagged("{attribute(t.field)}")' for t in outer]
        if item.default_on_error and item.required and item.type.container != "list":
            raise BindingError(item.source, "the bindings have no default for a required field that is no list")
        if item.default_on_error and item.type.name != "any":
            annotations.append("OrEmpty()" if item.required else "OrAbsent()")
        if item.default_on_null:
            annotations.append("NullAsAbsent()")
        annotations += _own_alias(item.name)
        schema = {**schema, "x-annotations": annotations, "x-doc": doc_lines(_field_doc(self.protocol, item))}
        if not item.required:
            schema["x-default"] = _default(item)
        return schema

    def _use(self, use: TypeUse) -> tuple[Schema, list[str]]:
        """The schema of a value and the annotations that its limits need."""
        item, annotations = self._named(use)
        if use.container == "list":
            schema: Schema = {"type": "array", "items": item}
            # One malformed item refuses the list; a million of them would be a million errors.
            annotations = ["FailFast()", *([f"Field(min_length={use.min_items})"] if use.min_items else [])]
        elif use.container == "map":
            schema = {"type": "object", "additionalProperties": item}
        else:
            schema = item
        return ({"anyOf": [schema, {"type": "null"}]} if use.nullable else schema), annotations

    def _named(self, use: TypeUse) -> tuple[Schema, list[str]]:
        name = use.name
        if name == KEY_TYPE:
            return {"customTypePath": _KEY_CLASS}, []
        if name not in PRIMITIVES:
            return self._ref(self._qualified(name)), []
        if name in _NUMBERS:
            low, high = _IMPLIED_LIMITS.get(name, (None, None))
            low = low if use.minimum is None else use.minimum
            high = high if use.maximum is None else use.maximum
            limits = ", ".join(f"{word}={limit}" for word, limit in (("ge", low), ("le", high)) if limit is not None)
            return {"type": "number" if name == "double" else "integer"}, [_NUMBERS[name].format(limits)]
        if name == "any":
            return {}, []
        if name == "object":
            return {"type": "object", "additionalProperties": True}, []
        if name == "boolean":
            return {"type": "boolean"}, []
        lengths = (("min_length", use.min_length), ("max_length", use.max_length))
        limits = ", ".join(f"{word}={limit}" for word, limit in lengths if limit is not None)
        return {"type": "string"}, [f"Field({limits})"] if limits else []


def _memberships(protocol: Protocol) -> dict[str, list[tuple[str, Tag, Variant]]]:
    """For each type the unions, tags and variants whose content it is."""
    found: dict[str, list[tuple[str, Tag, Variant]]] = {}
    for definition in protocol.types.values():
        shape = definition.shape
        if isinstance(shape, TaggedUnion):
            for variant in shape.variants:
                if variant.type:
                    entry = (definition.name, Tag(shape.tag, variant.name), variant)
                    found.setdefault(variant.type.name, []).append(entry)
    return found


def _is_scalar(shape: Shape) -> bool:
    """Whether a type's values are no objects of the protocol's own."""
    match shape:
        case Alias(type=use):
            return use.name in PRIMITIVES
        case Enumeration():
            return True
        case Choice(variants=variants):
            return all(v.type is not None and v.type.name in PRIMITIVES for v in variants)
        case _:
            return False


def attribute(name: str) -> str:
    """An attribute's name: `sessionId` is `session_id`, and `class`, which Python keeps for itself, is `class_`."""
    words = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    return f"{words}_" if keyword.iskeyword(words) or words in _TAKEN else words


def _own_alias(name: str) -> list[str]:
    return [] if wire_name(attribute(name)) == name else [f'Field(alias="{name}")']


def pascal(text: str) -> str:
    """A class's name: `max_tokens` is `MaxTokens`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", text))


def _constant(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).upper()


def _class_name(owner: TypeDef, variant: Variant) -> str:
    return variant.class_name or f"{owner.name}{pascal(variant.name)}"


def _default(item: Field) -> str:
    """The default of an optional field, as Python."""
    if item.default is not None and item.default.value == {} and not item.type.container:
        return "Field(default_factory=TYPE)"
    if item.type.nullable or item.type.name == "any":
        return "None"
    if item.type.container:
        return f"Field(default_factory={'list' if item.type.container == 'list' else 'dict'})"
    raise BindingError(
        item.source, "the bindings have no default for an optional field that is neither nullable nor a list"
    )


def _doc(protocol: Protocol, definition: TypeDef) -> str:
    return f"{protocol.phrases.unstable}\n\n{definition.doc}" if definition.unstable else definition.doc


def _field_doc(protocol: Protocol, item: Field) -> str:
    return f"{protocol.phrases.unstable}\n\n{item.doc}" if item.unstable else item.doc


def doc_lines(doc: str) -> list[str]:
    """A docstring's lines, wrapped, as they stand between triple quotes."""
    escaped = re.sub(r'"(?="")|"$', r"\"", doc.replace("\\", "\\\\"))
    paragraphs = escaped.split("\n\n")
    return list(
        _joined(textwrap.wrap(p, _DOC_WIDTH, break_long_words=False, break_on_hyphens=False) for p in paragraphs)
    )


def _joined(paragraphs: Iterable[list[str]]) -> Iterator[str]:
    for number, lines in enumerate(paragraphs):
        if number:
            yield ""
        yield from lines
