"""`acpspec explain NAME`: everything known about one name."""

from __future__ import annotations

import argparse
import difflib
import importlib
import json
import sys
from collections.abc import Iterable
from typing import Any

from acp_v2.cli import FAULTY, OK, checkout_root
from acp_v2.schema_files import load_schema_file
from acp_v2.schema_text import limits_text, references, type_text

Facts = dict[str, Any]
"""What is known: `kind`, `name`, `doc`, then whatever there is; in this order it is printed."""


def run(arguments: argparse.Namespace) -> int:
    """Print what the name means, or what else may have been meant."""
    known = _Knowledge()
    facts = known.about(arguments.name)
    if facts is None:
        print(f"acpspec: nothing is called {arguments.name}{known.hint(arguments.name)}", file=sys.stderr)
        return FAULTY
    if arguments.json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        _print(facts)
    return OK


class _Knowledge:
    """The generated files, and in a checkout the registry's lines and the lint codes."""

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
        """The facts about a name, or None."""
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
        return None

    def hint(self, name: str) -> str:
        """What may have been meant, as the end of a sentence."""
        fields = (f"{t}.{f}" for t, schema in self.types.items() for f in schema.get("properties", {}))
        names = [*self.methods, *self.types, *self.classes, *self.errors, *self.codes, *(fields if "." in name else ())]
        by_lower = {n.lower(): n for n in names}
        close = difflib.get_close_matches(name.lower(), by_lower, n=3)
        tail = [n for n in self.methods if n.rpartition("/")[2] == name]
        meant = list(dict.fromkeys([*tail, *(by_lower[c] for c in close)]))
        return f"; did you mean {', '.join(meant)}?" if meant else ""

    def _method(self, name: str) -> Facts:
        method = self.methods[name]
        facts: Facts = {"kind": "method", "name": name, "summary": method["summary"], "doc": method["doc"]}
        facts["stability"] = method["stability"]
        facts["needs"] = (
            " and ".join(filter(None, (method["needs"], method["when"]))) or "nothing; every v2 peer has it"
        )
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
            "type": ", ".join(filter(None, (type_text(schema), limits_text(schema)))),
            "required": field in self.types[type_name].get("required", ()),
            "when malformed": _policy(schema),
            "doc": schema.get("description", ""),
        }

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
        facts: Facts = {
            "kind": "error code",
            "name": f"{error['code']} {error['title']}",
            "doc": error["doc"],
            "answers": uses,
        }
        return self._located(facts, "types", "ErrorCode", "open_enum", name)

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
    constants = [repr(p["const"]) for p in schema.get("properties", {}).values() if "const" in p]
    name = (
        constants[0] if constants else repr(schema["const"]) if "const" in schema else f"({schema.get('title', 'any')})"
    )
    content = type_text(schema) if {"allOf", "$ref"} & schema.keys() else ""
    return {"name": name, "type": content, "doc": schema.get("description", "")}


def _print(facts: Facts) -> None:
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    from acp_v2.cli.console import console

    out = console()

    def prose(text: str) -> Any:
        return Markdown(text) if out.is_terminal else Text(text)

    def table(rows: Iterable[Facts]) -> Table:
        grid = Table.grid(padding=(0, 2))
        for row in rows:
            about = [row["type"], "required" if row.get("required") else "optional" if "required" in row else ""]
            grid.add_row(Text(f"  {row['name']}", "cyan"), Text("\n".join(filter(None, about))), prose(row["doc"]))
        return grid

    out.print(Text(facts["name"], "bold"), Text(f"({facts['kind']})", "dim"), soft_wrap=True)
    for heading in ("summary", "doc"):
        if facts.get(heading):
            out.print(prose(facts[heading]))
    for heading, value in facts.items():
        if heading in ("kind", "name", "summary", "doc") or value in (None, "", []):
            continue
        if heading in ("fields", "variants"):
            out.print(Text(f"\n{heading}:", "bold"))
            out.print(table(value))
        elif heading == "messages":
            for message in value:
                _print_message(out, prose, message)
        elif heading == "examples":
            out.print(Text(f"\nexample: {value[0]['title']}", "bold"))
            out.print_json(
                json.dumps({k: value[0][k] for k in ("params", "result") if k in value[0]}, ensure_ascii=False),
                indent=2,
            )
        elif isinstance(value, list):
            out.print(Text(f"\n{heading}:", "bold"))
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                out.print(Text(f"  {item}"), soft_wrap=True)
        else:
            out.print(Text(f"{heading}: ", "bold") + Text(str(value)), soft_wrap=True)


def _print_message(out: Any, prose: Any, message: dict[str, Any]) -> None:
    from rich.text import Text

    retry = message["retry"]
    direction = "either way" if message["from"] == "either" else f"{message['from']} → {message['to']}"
    out.print(Text(f"\n{message['kind']}, {direction}", "bold"))
    if message["doc"]:
        out.print(prose(message["doc"]))
    out.print(f"  params: {message['params']}" + (f"    result: {message['result']}" if message["result"] else ""))
    key = f", key {retry['key']}" if retry["key"] else ""
    out.print(Text("  retry class: ") + Text(retry["class"] + key, "bold"))
    out.print(Text(f"  why: {retry['why']}"))
    out.print(Text(f"  sent again: {retry['again']}"))
    for error in message["errors"]:
        out.print(Text(f"  {error['code']} {error['name']}: {error['when']}"))
