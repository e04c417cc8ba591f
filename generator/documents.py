"""Finds the registry's files, reads them, and holds each to the notation that `spec/registry.schema.json` describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from acp_v2.explaining_validator import local_ref
from generator.findings import Finding, RegistryError
from generator.model import Source
from generator.read_yaml import Document, PathKey, read_yaml
from generator.wording import hint, listed

Data = dict[str, Any]

_SECTIONS = ("types", "methods", "rules", "scenarios", "examples", "instances", "pairs")
"""The keys below which a document's entries stand, by name."""


@dataclass(slots=True)
class Documents:
    """The registry's documents by kind, without the entries that do not keep to the notation.

    So what is left can be built and looked at further, and all faults be told at once. `aside` has the names of the
    entries that were left out, so that nobody who uses one is told that it does not exist; `is_whole` is False where a
    file could not be read at all. `methods` is None where the Model cannot be built.
    """

    methods: Document | None = None
    types: list[Document] = field(default_factory=list[Document])
    rules: list[Document] = field(default_factory=list[Document])
    scenarios: list[Document] = field(default_factory=list[Document])
    examples: list[Document] = field(default_factory=list[Document])
    corpus: list[Document] = field(default_factory=list[Document])
    derived_ids: list[Document] = field(default_factory=list[Document])
    aside: set[str] = field(default_factory=set[str])
    is_whole: bool = True


def read_documents(root: Path) -> tuple[Documents, list[Finding]]:
    """Read every file of the registry of the checkout at `root`.

    Returns:
        What can be built from, and every finding.

    Raises:
        RegistryError: the notation's own schema cannot be read.
    """
    spec = root / "spec"
    try:
        notation: Data = json.loads((spec / "registry.schema.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        source = Source("spec/registry.schema.json", 1)
        finding = Finding(source, "missing-file", f"the notation's schema cannot be read: {error}")
        raise RegistryError([finding]) from None
    corpus = spec / "examples" / "corpus.yaml"
    files = {
        "methodsFile": [spec / "methods.yaml"],
        "typesFile": sorted((spec / "types").glob("*.yaml")),
        "rulesFile": [p for p in [spec / "rules.yaml"] if p.exists()],
        "scenariosFile": [p for p in [spec / "scenarios.yaml"] if p.exists()],
        "examplesFile": [p for p in sorted((spec / "examples").rglob("*.yaml")) if p != corpus],
        "instancesFile": [p for p in [corpus] if p.exists()],
        "derivedIdsFile": [p for p in [spec / "derived-ids.yaml"] if p.exists()],
    }
    documents = Documents()
    findings = list(_strays(root, files))
    read: dict[str, list[Document]] = {kind: [] for kind in files}
    definitions: Data = notation["$defs"]
    extend: Any = validators.extend  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    validator_class = extend(Draft202012Validator, {"$ref": local_ref(definitions)})
    for kind, paths in files.items():
        validator = validator_class(definitions[kind])
        for path in paths:
            document, faults = read_yaml(path, path.relative_to(root).as_posix())
            if document is not None:
                faults += _notation_findings(document, validator)
            findings += faults
            if document is not None and _set_aside(document, faults, documents.aside):
                read[kind].append(document)
            else:
                documents.is_whole = False
    documents.methods = next(iter(read["methodsFile"]), None)
    documents.types = read["typesFile"]
    documents.rules = read["rulesFile"]
    documents.scenarios = read["scenariosFile"]
    documents.examples = read["examplesFile"]
    documents.corpus = read["instancesFile"]
    documents.derived_ids = read["derivedIdsFile"]
    return documents, findings


def _set_aside(document: Document, faults: list[Finding], aside: set[str]) -> bool:
    """Take the entries with faults out of a document; False where a fault is not inside an entry."""
    for fault in faults:
        section, _, rest = fault.source.path.partition(".")
        name = rest.partition(".")[0]
        if section not in _SECTIONS or not name:
            return False
        data: Any = document.data
        if not isinstance(data, dict) or not isinstance(entries := cast("Data", data).get(section), dict):
            return False
        cast("Data", entries).pop(name, None)
        aside.add(name)
    return True


def _strays(root: Path, paths: dict[str, list[Path]]) -> Iterator[Finding]:
    """Files below the folders of the registry that nothing reads, most likely because of their names."""
    known = {path for files in paths.values() for path in files}
    for folder in ("types", "examples"):
        for path in sorted((root / "spec" / folder).rglob("*")):
            if path.is_file() and path not in known:
                source = Source(path.relative_to(root).as_posix(), 1)
                yield Finding(source, "stray-file", "is not read; the registry's files are NAME.yaml in their folders")


def _notation_findings(document: Document, validator: Any) -> Iterator[Finding]:
    """What the notation's schema says of a document, in sentences."""
    errors = cast("Iterator[ValidationError]", validator.iter_errors(document.data))
    for error in errors:
        path: PathKey = tuple(error.absolute_path)
        yield from _explain(document, path, error)


def _explain(document: Document, path: PathKey, error: ValidationError) -> Iterator[Finding]:
    instance: Any = error.instance
    schema: Data = error.schema if isinstance(error.schema, dict) else {}
    match error.validator:
        case "additionalProperties":
            known = sorted(schema["properties"])
            for key in instance.keys() - schema["properties"].keys():
                message = f"no key {key} here{hint(key, known) or f'; expected {listed(known)}'}"
                yield Finding(document.source((*path, key)), "unknown-key", message)
        case "required":
            missing = [key for key in cast("list[str]", error.validator_value) if key not in instance]
            yield Finding(document.source(path), "missing-key", f"needs {listed(missing, 'and')}")
        case "anyOf":
            branches = cast("list[dict[str, list[str]]]", error.validator_value)
            keys = [key for branch in branches for key in branch["required"]]
            yield Finding(document.source(path), "missing-key", f"needs {listed(keys)}")
        case "pattern" if error.parent is not None or "propertyNames" in error.absolute_schema_path:
            message = f"{instance!r} is not a name of the form {error.validator_value}"
            yield Finding(document.source((*path, cast("str", instance))), "wrong-value", message)
        case _:
            yield Finding(document.source(path), "wrong-value", f"{_expectation(error)}, but is {_short(instance)}")


def _expectation(error: ValidationError) -> str:
    value: Any = error.validator_value
    match error.validator:
        case "type":
            return f"has to be {listed([_article(t) for t in ([value] if isinstance(value, str) else value)])}"
        case "const":
            return f"can only be {json.dumps(value)}"
        case "enum":
            return f"has to be {listed([str(v) for v in value])}"
        case "pattern":
            return "has to have some text" if value == "\\S" else f"has to have the form {value}"
        case "minimum":
            return f"has to be {value} or more"
        case "minLength" | "maxLength":
            bound = "at least" if error.validator == "minLength" else "at most"
            return f"has to have {bound} {value} character{'s' if value != 1 else ''}"
        case "minProperties" | "minItems":
            return f"needs at least {value} entry"
        case "uniqueItems":
            return "must not have an entry twice"
        case "not":
            return f"has only one of {listed(value['required'], 'and')}"
        case _:
            return f"does not keep to {error.validator}: {value}"


def _article(json_type: str) -> str:
    return {
        "object": "a mapping",
        "array": "a list",
        "string": "text",
        "integer": "a whole number",
        "boolean": "true or false",
    }[json_type]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return "empty" if value is None else text if len(text) <= 40 else f"{text[:37]}…"
