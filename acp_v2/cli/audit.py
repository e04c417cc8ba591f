"""`acpspec audit`: which messages may be sent again after their response was lost."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

from acp_v2.cli import FAULTY, OK, UsageError
from acp_v2.schema_files import load_schema_file

GROUPS = ("Client to agent requests", "Agent to client requests", "Notifications", "Proxy")

STYLES = {"safe": "green", "keyed": "cyan", "duplicating": "red", "connection_bound": "yellow"}


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the audit."""

    method: str
    kind: str
    sender: str
    receiver: str
    retry_class: str
    key: str | None
    stability: str
    again: str
    why: str

    @property
    def group(self) -> str:
        if self.method.startswith("proxy/"):
            return "Proxy"
        if self.kind == "notification":
            return "Notifications"
        return "Client to agent requests" if self.sender == "client" else "Agent to client requests"

    @property
    def direction(self) -> str:
        return "either way" if self.sender == "either" else f"{self.sender} → {self.receiver}"


def rows() -> list[Row]:
    """The audit of every message, by group and then in registry order."""
    found = [
        Row(
            method=name,
            kind=message["kind"],
            sender=message["from"],
            receiver=message["to"],
            retry_class=message["retry"]["class"],
            key=message["retry"]["key"],
            stability=method["stability"],
            again=message["retry"]["again"],
            why=message["retry"]["why"],
        )
        for name, method in load_schema_file("methods.json")["methods"].items()
        for message in method["messages"]
    ]
    return sorted(found, key=lambda row: GROUPS.index(row.group))


def run(arguments: argparse.Namespace) -> int:
    """Print the rows that pass the filters, in the format asked for."""
    classes: dict[str, Any] = load_schema_file("methods.json")["retryClasses"]
    wanted: list[str] | None = arguments.retry_class
    if unknown := sorted(set(wanted or ()) - classes.keys()):
        raise UsageError(f"no retry class {', '.join(unknown)}; there are {', '.join(classes)}")
    senders = {"proxy", "conductor"} if arguments.side in ("proxy", "conductor") else {"client", "agent"}
    chosen = [
        row
        for row in rows()
        if (not wanted or row.retry_class in wanted)
        and (arguments.stability in (None, row.stability))
        and (
            arguments.side is None or row.sender == arguments.side or (row.sender == "either" and _passes(row, senders))
        )
    ]
    {"table": _table, "json": _json, "markdown": _markdown, "csv": _csv}[arguments.format](chosen)
    return OK if chosen else FAULTY


def _passes(row: Row, senders: set[str]) -> bool:
    """Whether a message of either side crosses a connection of these sides."""
    return row.group != "Proxy" or senders == {"proxy", "conductor"}


def _table(chosen: list[Row]) -> None:
    from rich import box
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    from acp_v2.cli.console import console

    out = console()
    if not chosen:
        out.print("No message passes these filters.")
        return
    classes = load_schema_file("methods.json")["retryClasses"]
    for group in GROUPS:
        members = [row for row in chosen if row.group == group]
        if not members:
            continue
        table = Table(title=group, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1), title_style="bold")
        for heading, ratio in (("Method", None), ("Direction", None), ("Class", None), ("Sent again", 3)):
            table.add_column(
                heading, ratio=ratio, overflow="fold", no_wrap=ratio is None and out.is_terminal and out.width >= 100
            )
        for row in members:
            name = Text(row.method)
            label = Text(row.retry_class, STYLES.get(row.retry_class, ""))
            # In a pipe a row is a line.
            gap = "\n" if out.is_terminal else "  "
            if row.stability == "unstable":
                name.append(f"{gap}unstable", "dim")
            if row.key:
                label.append(f"{gap}{row.key}", "dim")
            again: Any = Markdown(row.again) if out.is_terminal else row.again
            table.add_row(name, row.direction, label, again)
        out.print(table)
    used = [name for name in classes if any(row.retry_class == name for row in chosen)]
    legend = Table.grid(padding=(0, 2))
    for name in used:
        legend.add_row(Text(name, STYLES.get(name, "")), classes[name]["afterLostResponse"].replace("`", ""))
    out.print(legend)


def _json(chosen: list[Row]) -> None:
    print(json.dumps([asdict(row) for row in chosen], indent=2, ensure_ascii=False))


_COLUMNS = ("method", "kind", "direction", "class", "key", "stability", "sent again", "why")


def _cells(row: Row) -> tuple[str, ...]:
    return (row.method, row.kind, row.direction, row.retry_class, row.key or "", row.stability, row.again, row.why)


def _markdown(chosen: list[Row]) -> None:
    print(f"| {' | '.join(_COLUMNS)} |")
    print(f"|{' --- |' * len(_COLUMNS)}")
    for row in chosen:
        print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in _cells(row))} |")


def _csv(chosen: list[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_cells(row) for row in chosen)
