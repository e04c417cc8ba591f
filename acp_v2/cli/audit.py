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

_NARROW = 110
"""Below so many columns, the class goes under the method's name and leaves its room to the text."""


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
    catalog: dict[str, Any] = load_schema_file("methods.json")
    classes = [name for argument in arguments.classes for name in argument.split(",") if name]
    _refuse_unknown("retry class", classes, catalog["retryClasses"])
    _refuse_unknown("method", arguments.methods, catalog["methods"])
    chosen = [
        row
        for row in rows()
        if (not classes or row.retry_class in classes)
        and (not arguments.methods or row.method in arguments.methods)
        and (arguments.stability in (None, row.stability))
        and (arguments.side is None or _sends(arguments.side, row))
    ]
    {"table": _table, "json": _json, "markdown": _markdown, "csv": _csv}[arguments.format](chosen)
    return OK if chosen else FAULTY


def _refuse_unknown(what: str, names: list[str], known: dict[str, Any]) -> None:
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"no {what} {', '.join(unknown)}; there are {', '.join(known)}")


def _sends(side: str, row: Row) -> bool:
    """Whether a side sends a message; what goes between conductor and proxy is sent by these two."""
    if row.sender == "either":
        return row.group != "Proxy" or side in ("proxy", "conductor")
    return row.sender == side


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
    is_narrow = out.is_terminal and out.width < _NARROW
    table = Table(box=box.SIMPLE_HEAD if out.is_terminal else None, padding=(0, 1), pad_edge=out.is_terminal)
    for heading in ("Method", "From") if is_narrow else ("Method", "From", "Class"):
        table.add_column(heading, no_wrap=True)
    table.add_column("Sent again", ratio=1)
    for group in GROUPS:
        members = [row for row in chosen if row.group == group]
        if members:
            table.add_section()
            table.add_row(Text(group, "bold"))
        for row in members:
            name = Text(row.method)
            if row.stability == "unstable":
                name.append("  unstable", "dim")
            label = Text(row.retry_class, STYLES.get(row.retry_class, ""))
            if row.key:
                label.append(f"  {row.key}", "dim")
            head = [Text("\n").join([name, label])] if is_narrow else [name]
            again: Any = Markdown(row.again) if out.is_terminal else row.again
            table.add_row(*head, row.sender, *([] if is_narrow else [label]), again)
    out.print(table)
    if not out.is_terminal:
        out.print()
    classes = load_schema_file("methods.json")["retryClasses"]
    legend = Table.grid(padding=(0, 2))
    for name in [name for name in classes if any(row.retry_class == name for row in chosen)]:
        legend.add_row(Text(name, STYLES.get(name, "")), classes[name]["afterLostResponse"].replace("`", ""))
    out.print(legend)


def _json(chosen: list[Row]) -> None:
    print(json.dumps([asdict(row) for row in chosen], indent=2, ensure_ascii=False))


_COLUMNS = ("method", "kind", "direction", "class", "key", "stability", "sent again", "why")


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.method,
        row.kind,
        row.direction,
        row.retry_class,
        row.key or "",
        row.stability,
        row.again,
        row.why,
    )


def _markdown(chosen: list[Row]) -> None:
    print(f"| {' | '.join(_COLUMNS)} |")
    print(f"|{' --- |' * len(_COLUMNS)}")
    for row in chosen:
        print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in _cells(row))} |")


def _csv(chosen: list[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_cells(row) for row in chosen)
