"""What the generated files know of a name, as facts: for `acpspec explain`."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator
from typing import Any

from acp_v2.cli import checkout_root
from acp_v2.schema_files import load_schema_file
from acp_v2.schema_text import limits_text, references, type_text

Facts = dict[str, Any]
"""What is known: `kind`, `name`, then whatever there is, in the order in which it is shown."""


class Knowledge:
    """The generated files, and in a checkout the registry's lines and the codes of findings."""

    def __init__(self) -> None:
        catalog: Any = load_schema_file("methods.json")
        self.methods: dict[str, Any] = catalog["methods"]
        self.classes: dict[str, Any] = catalog["retryClasses"]
        self.errors: dict[str, Any] = catalog["errorCodes"]
        self.types: dict[str, Any] = load_schema_file("schema.unstable.json")["$defs"]
        self.stable: dict[str, Any] = load_schema_file("schema.json")["$defs"]
        self.codes: dict[str, str] = {}
        if checkout_root():
            self.codes = importlib.import_module("generator.findings").CODES

    def about(self, name: str) -> Facts | None:
        """The facts about a name, whatever the case of its letters, or None."""
        exact = self._about(name)
        if exact is not None:
            return exact
        same = [known for known in self._names() if known.lower() == name.lower()]
        return self._about(same[0]) if len(same) == 1 else None

    def _about(self, name: str) -> Facts | None:
        type_name, dot, field = name.partition(".")
        if name in self.methods:
            return self._method(name)
        if type_name in self.types:
            return self._field(type_name, field) if dot else self._type(type_name)
        if name in self.classes:
            return self._class(name)
        if name in self.codes:
            return {"kind": "finding", "name": name, "doc": self.codes[name]}
        for error_name, error in self.errors.items():
            if name in (error_name, str(error["code"]), error["title"]):
                return self._error(error_name)
        if type_name in ("agent", "client") and dot:
            return self._capability(type_name, field)
        return self._places(name)

    def hint(self, name: str) -> str:
        """What may have been meant, as the end of a sentence."""
        by_lower = {n.lower(): n for n in self._names() if "." not in n or "." in name}
        close = difflib.get_close_matches(name.lower(), by_lower, n=3)
        tail = [n for n in self.methods if n.rpartition("/")[2] == name]
        meant = list(dict.fromkeys([*tail, *(by_lower[c] for c in close)]))
        return f"; did you mean {', '.join(meant)}?" if meant else ""

    def _names(self) -> Iterator[str]:
        yield from (*self.methods, *self.types, *self.classes, *self.errors, *self.codes)
        for name, schema in self.types.items():
            yield from (f"{name}.{field}" for field in schema.get("properties", {}))

    def _method(self, name: str) -> Facts:
        method = self.methods[name]
        facts: Facts = {"kind": "method", "name": name, "summary": method["summary"], "doc": method["doc"]}
        facts["stability"] = method["stability"]
        facts["needs"] = method["needs"] or "no capability"
        facts["when"] = method["when"]
        facts["messages"] = method["messages"]
        facts["rules"] = method["rules"]
        facts["examples"] = [e for e in load_schema_file("examples.json")["examples"] if e["method"] == name]
        return self._located(facts, "methods", name)

    def _type(self, name: str) -> Facts:
        schema = self.types[name]
        facts: Facts = {"kind": "type", "name": name, "doc": schema.get("description", "")}
        facts["stability"] = "stable" if name in self.stable else "unstable"
        if "x-method" in schema:
            facts["method"] = schema["x-method"]
            facts["retry class"] = schema["x-retry-class"]
        if not ({"properties", "anyOf", "oneOf"} & schema.keys()):
            facts["is"] = ", ".join(filter(None, (type_text(schema), limits_text(schema))))
        facts["fields"] = [self._field_row(name, f) for f in schema.get("properties", {})]
        facts["variants"] = [_variant_row(v) for v in (*schema.get("anyOf", ()), *schema.get("oneOf", ()))]
        facts["used by"] = sorted(n for n, other in self.types.items() if name in references(other) and n != name)
        return self._located(facts, "types", name)

    def _field(self, type_name: str, field: str) -> Facts | None:
        if field not in self.types[type_name].get("properties", {}):
            return None
        row = self._field_row(type_name, field)
        facts: Facts = {"kind": "field", **row, "name": f"{type_name}.{field}"}
        return self._located(facts, "types", type_name, "fields", field)

    def _field_row(self, type_name: str, field: str) -> Facts:
        schema = self.types[type_name]["properties"][field]
        return {
            "name": field,
            "doc": schema.get("description", ""),
            "type": ", ".join(filter(None, (type_text(schema), limits_text(schema)))),
            "required": field in self.types[type_name].get("required", ()),
            "when malformed": _policy(schema),
        }

    def _capability(self, side: str, path: str) -> Facts | None:
        """`agent.session.fork`, as methods name what they need: the field that advertises it."""
        type_name = {"agent": "AgentCapabilities", "client": "ClientCapabilities"}[side]
        *steps, last = path.split(".")
        for step in steps:
            schema = self.types[type_name].get("properties", {}).get(step, {})
            inner = sorted(references(schema))
            if not inner:
                return None
            type_name = inner[0]
        facts = self._field(type_name, last)
        if facts:
            needed = f"{side}.{path}"
            facts["needed by"] = [name for name, method in self.methods.items() if method["needs"] == needed]
        return facts

    def _class(self, name: str) -> Facts:
        entry = self.classes[name]
        members = [
            m for m, method in self.methods.items() if any(x["retry"]["class"] == name for x in method["messages"])
        ]
        return {
            "kind": "retry class",
            "name": name,
            "doc": entry["meaning"],
            "after a lost response": entry["afterLostResponse"],
            "methods": members,
        }

    def _error(self, name: str) -> Facts:
        error = self.errors[name]
        uses = [
            f"{method_name}: {use['when']}"
            for method_name, method in self.methods.items()
            for message in method["messages"]
            for use in message["errors"]
            if use["name"] == name
        ]
        facts: Facts = {"kind": "error code", "name": f"{error['code']} {error['title']}", "doc": error["doc"]}
        facts["answers"] = uses
        return self._located(facts, "types", "ErrorCode", "open_enum", name)

    def _places(self, word: str) -> Facts | None:
        """Where a word is a field, the tag of a variant, or a listed value."""
        places: list[str] = []
        for name, schema in self.types.items():
            if schema.get("x-docs-ignore"):
                continue
            if word in schema.get("properties", {}):
                places.append(f"field {name}.{word}")
            for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
                if branch.get("const") == word:
                    places.append(f"value of {name}: {branch['description']}")
                if any(p.get("const") == word for p in branch.get("properties", {}).values()):
                    places.append(f"variant of {name}: {branch['description']}")
        if len(places) == 1 and places[0].startswith("field "):
            return self._about(places[0].removeprefix("field "))
        if word == "_meta":
            doc = self.types["PromptRequest"]["properties"]["_meta"]["description"]
            return {"kind": "field", "name": word, "doc": doc, "in": f"{len(places)} types"}
        if not places:
            return None
        similar = [name for name in self.methods if name.rpartition("/")[2] == word]
        return {"kind": "word", "name": word, "stands for": places, "see also": similar}

    def _located(self, facts: Facts, *path: str) -> Facts:
        """With the place in the registry, where this runs in a checkout and YAML can be read."""
        root = checkout_root()
        if root is not None:
            try:
                locate = importlib.import_module("generator.locate").locate
            except ModuleNotFoundError:
                return facts
            facts["defined at"] = locate(root, path)
        return facts


def _policy(schema: dict[str, Any]) -> str:
    if schema.get("x-deserialize-default-on-error"):
        text = "taken as absent"
    elif schema.get("x-deserialize-default-on-null"):
        text = "null is taken as absent, anything else is rejected"
    else:
        text = "the message is rejected"
    return f"{text}; malformed items are dropped" if schema.get("x-deserialize-skip-invalid-items") else text


def _variant_row(schema: dict[str, Any]) -> Facts:
    constants = [str(p["const"]) for p in schema.get("properties", {}).values() if "const" in p]
    listed = str(schema["const"]) if "const" in schema else f"({schema.get('title', 'any')})"
    content = type_text(schema) if {"allOf", "$ref"} & schema.keys() else ""
    return {"name": constants[0] if constants else listed, "type": content, "doc": schema.get("description", "")}
