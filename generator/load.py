"""Builds the Model from the registry's documents.

Faults are collected, not thrown one by one: `load` raises once, with all that it saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

from generator.documents import Documents, read_documents
from generator.findings import Finding, RegistryError
from generator.model import (
    Alias,
    Choice,
    Default,
    DerivedId,
    Enumeration,
    EnumValue,
    Envelope,
    ErrorUse,
    Example,
    Fallback,
    Field,
    Instance,
    Message,
    MessageKind,
    Method,
    Phrases,
    Protocol,
    Retry,
    RetryClass,
    Rule,
    Scenario,
    Shape,
    Struct,
    TaggedUnion,
    Topic,
    TypeDef,
    TypeUse,
    Variant,
)
from generator.read_guide import read_guide, read_moved
from generator.read_yaml import Document, PathKey
from generator.references import check_references
from generator.wording import listed

Data = dict[str, Any]

_TYPE_EXPRESSION = re.compile(r"(?:(list|map) of )?([A-Za-z][A-Za-z0-9-]*)( \| null)?")
_SHAPE_KEYS = ("type", "fields", "union", "any_of", "enum", "open_enum")


def load(root: Path) -> Protocol:
    """Read the registry of the checkout at `root`.

    Raises:
        RegistryError: with every finding, in file and line order.
    """
    documents, findings = read_documents(root)
    if documents.methods is None:
        raise RegistryError(findings)
    builder = _Builder(findings)
    pages, faults = read_guide(root)
    moved, faults_of_moved = read_moved(root)
    findings += faults + faults_of_moved
    documents.is_whole = documents.is_whole and not faults
    protocol = replace(builder.protocol(documents, documents.methods), pages=tuple(pages), moved=tuple(moved))
    findings += check_references(protocol, documents)
    if findings:
        raise RegistryError(findings)
    return protocol


class _Builder:
    """Turns documents that keep to the notation into the Model, and collects what does not fit together."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings

    def protocol(self, documents: Documents, methods_file: Document) -> Protocol:
        data: Data = methods_file.data
        head: Data = data["protocol"]
        types, topics = self._topics(documents.types)
        return Protocol(
            title=head["title"],
            version=head["version"],
            envelope=Envelope(**head["envelope"]),
            phrases=Phrases(**{name: _text(value) for name, value in head["phrases"].items()}),
            retry_classes=tuple(
                RetryClass(
                    name=name,
                    title=item["title"],
                    methods=item.get("methods"),
                    meaning=_text(item["meaning"]),
                    after_lost_response=_text(item["after_lost_response"]),
                    source=methods_file.source(("retry_classes", name)),
                )
                for name, item in data["retry_classes"].items()
            ),
            methods=tuple(self._method(methods_file, name, item) for name, item in data["methods"].items()),
            topics=topics,
            types=types,
            rules=tuple(self._rules(documents.rules)),
            scenarios=tuple(self._scenarios(documents.scenarios)),
            examples=tuple(self._examples(documents.examples)),
            instances=tuple(self._instances(documents.corpus)),
            derived_ids=tuple(self._derived_ids(documents.derived_ids)),
        )

    def _find(self, finding: Finding) -> None:
        self.findings.append(finding)

    # Methods

    def _method(self, document: Document, name: str, data: Data) -> Method:
        path: PathKey = ("methods", name)
        return Method(
            name=name,
            summary=_text(data["summary"]),
            doc=_text(data["doc"]),
            messages=tuple(
                self._message(document, (*path, kind), name, kind, data[kind])
                for kind in ("request", "notification")
                if kind in data
            ),
            source=document.source(path),
            unstable=data.get("unstable", False),
            needs=data.get("needs"),
            when=_text(data["when"]) if "when" in data else None,
            rules=tuple(data.get("rules", ())),
        )

    def _message(self, document: Document, path: PathKey, method: str, kind: str, data: Data) -> Message:
        retry: Data = data["retry"]
        between = data.get("between")
        return Message(
            method=method,
            kind=cast("MessageKind", kind),
            sender=data["from"],
            receiver=data["to"],
            side={"any": "protocol", "conductor and proxy": "proxy", None: data["to"]}[between],
            params=data["params"],
            result=data.get("result"),
            errors=tuple(
                ErrorUse(name, _text(when), document.source((*path, "errors", name)))
                for name, when in data.get("errors", {}).items()
            ),
            retry=Retry(
                class_name=retry["class"],
                why=_text(retry["why"]),
                again=_text(retry["again"]),
                key=retry.get("key"),
                source=document.source((*path, "retry", "class")),
            ),
            doc=_text(data.get("doc", "")),
            source=document.source(path),
        )

    # Types

    def _topics(self, documents: list[Document]) -> tuple[dict[str, TypeDef], tuple[Topic, ...]]:
        types: dict[str, TypeDef] = {}
        topics: list[Topic] = []
        for document in documents:
            data: Data = document.data
            stem = Path(document.file).stem
            topics.append(Topic(stem, data["title"], _text(data["doc"]), document.source()))
            for name, item in data["types"].items():
                path: PathKey = ("types", name)
                source = document.source(path)
                if name in types:
                    message = f"{name} is defined at {types[name].source} already"
                    self._find(Finding(source, "duplicate-type", message))
                shape = self._shape(document, path, item)
                if shape is not None:
                    types[name] = TypeDef(name, stem, _text(item["doc"]), shape, source, item.get("unstable", False))
        return dict(sorted(types.items())), tuple(topics)

    def _shape(self, document: Document, path: PathKey, data: Data) -> Shape | None:
        source = document.source(path)
        has = {key for key in _SHAPE_KEYS if key in data}
        base = data.get("type", "string")
        if has & {"enum", "open_enum"}:
            has.discard("type")
        if has not in ({"type"}, {"fields"}, {"union"}, {"fields", "union"}, {"any_of"}, {"enum"}, {"open_enum"}):
            what = listed(sorted(has), "and") if has else "none"
            message = f"has {what} of {', '.join(_SHAPE_KEYS)}; a type has one of them, or fields and union"
            self._find(Finding(source, "shape", message))
            return None
        if ("one_of" in data or "meta" in data or "extra" in data) and "fields" not in has:
            self._find(Finding(source, "shape", "meta, extra and one_of belong beside fields"))
            return None
        if ("unknown" in data) != ("open_enum" in data):
            self._find(Finding(source, "shape", "open_enum and unknown belong together"))
            return None
        if "fields" in has:
            return Struct(
                fields=self._fields(document, (*path, "fields"), data["fields"]),
                meta=data.get("meta", True),
                keeps_extra="extra" in data,
                union=self._union(document, (*path, "union"), data["union"]) if "union" in data else None,
                one_of=self._variants(document, (*path, "one_of"), data.get("one_of", {})),
            )
        if "union" in has:
            return self._union(document, (*path, "union"), data["union"])
        if "any_of" in has:
            return Choice(self._variants(document, (*path, "any_of"), data["any_of"]))
        if "type" in has:
            return Alias(self._type_use(document, path, data))
        if base not in ("string", "int32"):
            self._find(Finding(source, "shape", f"the values of an enum are string or int32, not {base}"))
            return None
        key = "enum" if "enum" in has else "open_enum"
        values = tuple(self._value(document, (*path, key, name), name, item, base) for name, item in data[key].items())
        return Enumeration(base, values, _text(data["unknown"]) if "unknown" in data else None)

    def _value(self, document: Document, path: PathKey, name: str, item: str | Data, base: str) -> EnumValue:
        data: Data = {"doc": item} if isinstance(item, str) else item
        value = data.get("value", name)
        if isinstance(value, str) != (base == "string"):
            self._find(
                Finding(document.source(path), "wrong-value", f"a value of {base} has to be one, but is {value!r}")
            )
        return EnumValue(
            name=name,
            value=value,
            doc=_text(data["doc"]),
            source=document.source(path),
            title=data.get("title"),
            unstable=data.get("unstable", False),
        )

    def _union(self, document: Document, path: PathKey, data: Data) -> TaggedUnion:
        unknown: Data | None = data.get("unknown")
        absent: Data | None = data.get("absent")
        return TaggedUnion(
            tag=data["tag"],
            variants=self._variants(document, (*path, "of"), data["of"]),
            unknown=Fallback(
                doc=_text(unknown["doc"]),
                source=document.source((*path, "unknown")),
                fields=self._fields(document, (*path, "unknown", "fields"), unknown.get("fields", {})),
                one_of=self._variants(document, (*path, "unknown", "one_of"), unknown.get("one_of", {})),
                class_name=unknown.get("name"),
            )
            if unknown
            else None,
            absent=Variant("none", _text(absent["doc"]), document.source((*path, "absent"))) if absent else None,
            untagged=self._variants(document, (*path, "untagged"), data.get("untagged", {})),
        )

    def _variants(self, document: Document, path: PathKey, data: Data) -> tuple[Variant, ...]:
        return tuple(self._variant(document, (*path, name), name, item) for name, item in data.items())

    def _variant(self, document: Document, path: PathKey, name: str, data: Data) -> Variant:
        if "type" in data and "fields" in data:
            message = "has type and fields; a variant is one type or inline fields"
            self._find(Finding(document.source(path), "shape", message))
        return Variant(
            name=name,
            doc=_text(data["doc"]),
            source=document.source(path),
            type=self._type_use(document, path, data) if "type" in data else None,
            fields=self._fields(document, (*path, "fields"), data.get("fields", {})),
            unstable=data.get("unstable", False),
            class_name=data.get("name"),
        )

    def _fields(self, document: Document, path: PathKey, data: Data) -> tuple[Field, ...]:
        fields = tuple(self._field(document, (*path, key), key, item) for key, item in data.items())
        seen: dict[str, Field] = {}
        for item in fields:
            if item.name in seen:
                message = f"the field {item.name} stands on line {seen[item.name].source.line} already"
                self._find(Finding(item.source, "duplicate-key", message))
            seen[item.name] = item
        return fields

    def _field(self, document: Document, path: PathKey, key: str, data: Data) -> Field:
        use = self._type_use(document, path, data)
        required = not key.endswith("?")
        source = document.source(path)

        def refuse(what: str) -> None:
            self._find(Finding(source, "type-constraint", what))

        if "invalid_items" in data and use.container != "list":
            refuse("invalid_items is for lists")
        if required and "default" in data:
            refuse("a required field has no default")
        if "null_value" in data and (required or use.nullable):
            refuse("null_value is for optional fields that a sender may not set to null")
        return Field(
            name=key.removesuffix("?"),
            type=use,
            required=required,
            doc=_text(data["doc"]),
            source=source,
            unstable=data.get("unstable", False),
            default=Default(data["default"]) if "default" in data else None,
            default_on_error="invalid" in data,
            default_on_null="null_value" in data,
            skip_invalid_items="invalid_items" in data,
        )

    def _type_use(self, document: Document, path: PathKey, data: Data) -> TypeUse:
        expression: str = data["type"]
        source = document.source((*path, "type"))
        match = _TYPE_EXPRESSION.fullmatch(expression)
        if not match:
            message = f"{expression!r} is no type; write NAME, list of NAME or map of NAME, each perhaps with ' | null'"
            self._find(Finding(source, "type-expression", message))
            return TypeUse("any")
        container, name, null = cast("tuple[Literal['list', 'map'] | None, str, str | None]", match.groups())
        low, _, high = data.get("length", "").partition("..")
        use = TypeUse(
            name=name,
            container=container,
            nullable=bool(null),
            minimum=data.get("min"),
            maximum=data.get("max"),
            min_length=int(low) if low else None,
            max_length=int(high) if high else None,
            min_items=data.get("min_items"),
        )
        is_number = name.startswith(("int", "uint")) or name == "double"
        for key, fits, kind in (
            ("min", is_number and not container, "numbers"),
            ("max", is_number and not container, "numbers"),
            ("length", name == "string" and not container, "strings"),
            ("min_items", container == "list", "lists"),
        ):
            if key in data and not fits:
                message = f"{key} is for {kind}, not for {expression}"
                self._find(Finding(document.source((*path, key)), "type-constraint", message))
        for key, smallest, largest in (("max", use.minimum, use.maximum), ("length", use.min_length, use.max_length)):
            if smallest is not None and largest is not None and smallest > largest:
                source = document.source((*path, key))
                self._find(Finding(source, "type-constraint", f"nothing is between {smallest} and {largest}"))
        return use

    # Rules, scenarios and examples

    def _rules(self, documents: list[Document]) -> Iterator[Rule]:
        for document in documents:
            for rule_id, item in document.data["rules"].items():
                yield Rule(
                    id=rule_id,
                    level=item["level"],
                    who=item["who"],
                    text=_text(item["text"]),
                    page=item["page"],
                    source=document.source(("rules", rule_id)),
                    checked_by=tuple(item.get("checked_by", ())),
                    reviewed=_text(item["reviewed"]) if "reviewed" in item else None,
                    planned=_text(item["planned"]) if "planned" in item else None,
                )

    def _scenarios(self, documents: list[Document]) -> Iterator[Scenario]:
        for document in documents:
            for scenario_id, item in document.data["scenarios"].items():
                source = document.source(("scenarios", scenario_id))
                yield Scenario(scenario_id, item["side"], item["title"], _text(item["doc"]), source)

    def _examples(self, documents: list[Document]) -> Iterator[Example]:
        for document in documents:
            for example_id, item in document.data["examples"].items():
                answer = cast(
                    "Literal['result', 'error'] | None", next((p for p in ("result", "error") if p in item), None)
                )
                yield Example(
                    id=example_id,
                    method=document.data["method"],
                    kind=item.get("kind", "request" if answer else "notification"),
                    title=item["title"],
                    doc=_text(item.get("doc", "")),
                    params=item["params"],
                    answer=answer,
                    result=item.get("result"),
                    error=item.get("error"),
                    source=document.source(("examples", example_id)),
                )

    def _instances(self, documents: list[Document]) -> Iterator[Instance]:
        for document in documents:
            for instance_id, item in document.data["instances"].items():
                value: Any = item.get("value")
                if "repeat" in item:
                    long = item["repeat"]["text"] * item["repeat"]["times"]
                    value = {**value, item["at"]: long} if "at" in item else long
                source = document.source(("instances", instance_id))
                yield Instance(instance_id, item["type"], item["valid"], _text(item["why"]), value, source)

    def _derived_ids(self, documents: list[Document]) -> Iterator[DerivedId]:
        for document in documents:
            namespace: str = document.data["namespace"]
            for pair_id, item in document.data["pairs"].items():
                source = document.source(("pairs", pair_id))
                yield DerivedId(pair_id, namespace, item["session"], item["key"], _text(item["why"]), source)


def _text(text: str) -> str:
    """A doc as Markdown: an empty line inside a folded block reaches us as one line break, and means a paragraph."""
    return re.sub(r"\n+", "\n\n", text.strip())
