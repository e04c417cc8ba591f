"""`acpspec explain NAME`: everything known about one name."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from acp_v2.cli import FAULTY, OK
from acp_v2.cli.knowledge import Facts, Knowledge


def run(arguments: argparse.Namespace) -> int:
    """Print what the name means, or what else may have been meant."""
    knowledge = Knowledge()
    facts = knowledge.about(arguments.name)
    if facts is None:
        print(f"acpspec: nothing is called {arguments.name}{knowledge.hint(arguments.name)}", file=sys.stderr)
        return FAULTY
    if arguments.json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        _Printer().print(facts)
    return OK


class _Printer:
    """Shows facts one under the other; tables of two columns keep long texts off the names before them."""

    def __init__(self) -> None:
        from acp_v2.cli.console import console

        self.out = console()

    def print(self, facts: Facts) -> None:
        from rich.text import Text

        self.out.print(Text.assemble((facts["name"], "bold"), (f" ({facts['kind']})", "dim")))
        for heading in ("summary", "doc"):
            if facts.get(heading):
                self.out.print(self._prose(facts[heading]))
        for heading, value in facts.items():
            if heading in ("kind", "name", "summary", "doc") or value in (None, "", []):
                continue
            match heading, value:
                case (("fields" | "variants"), _):
                    self._heading(heading)
                    self._rows([(row["name"], self._type(row), self._prose(row["doc"])) for row in value])
                case "messages", _:
                    for message in value:
                        self._message(message)
                case "examples", _:
                    self._heading(f"example: {value[0]['title']}")
                    shown = {part: value[0][part] for part in ("params", "result", "error") if part in value[0]}
                    self.out.print_json(json.dumps(shown, ensure_ascii=False), indent=2)
                case _, list():
                    self._heading(heading)
                    self._rows([(self._prose(str(item)),) for item in value])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                case _, bool():
                    self._fact(heading, "yes" if value else "no")
                case _:
                    self._fact(heading, str(value))

    def _message(self, message: dict[str, Any]) -> None:
        retry = message["retry"]
        direction = "either way" if message["from"] == "either" else f"{message['from']} → {message['to']}"
        self._heading(f"{message['kind']}, {direction}")
        if message["doc"]:
            self._rows([(self._prose(message["doc"]),)])
        key = f", key {retry['key']}" if retry["key"] else ""
        rows: list[tuple[Any, ...]] = [("params", message["params"])]
        if message["result"]:
            rows.append(("result", message["result"]))
        rows += [
            ("retry class", f"{retry['class']}{key}"),
            ("why", self._prose(retry["why"])),
            ("sent again", self._prose(retry["again"])),
        ]
        rows += [(f"{e['code']} {e['name']}", self._prose(e["when"])) for e in message["errors"]]
        self._rows(rows)

    def _type(self, row: Facts) -> str:
        required = {True: "required", False: "optional", None: ""}[row.get("required")]
        return "\n".join(filter(None, (row["type"], required)))

    def _prose(self, text: str) -> Any:
        from rich.markdown import Markdown
        from rich.text import Text

        return Markdown(text) if self.out.is_terminal else Text(text)

    def _heading(self, text: str) -> None:
        from rich.text import Text

        self.out.print(Text(f"\n{text}:", "bold"))

    def _fact(self, heading: str, value: str) -> None:
        from rich.text import Text

        self.out.print(Text.assemble((f"{heading}: ", "bold"), value), soft_wrap=not self.out.is_terminal)

    def _rows(self, rows: list[tuple[Any, ...]]) -> None:
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        for first, *others in rows:
            grid.add_row(Text(first, "cyan") if isinstance(first, str) else first, *others)
        self.out.print(Padding(grid, (0, 0, 0, 2)))
