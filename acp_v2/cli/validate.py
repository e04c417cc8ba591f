"""`acpspec validate`: what messages are in ACP v2, and what is wrong with them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from acp_v2.cli import FAULTY, OK, UsageError
from acp_v2.explaining_validator import Problem
from acp_v2.message_validation import MessageValidator, Verdict
from acp_v2.wire import WireError, read_json

_SHOWN_AT_MOST = 100
"""So many faulty messages are shown one by one; of more, only the count is."""

_PROGRESS_AFTER_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Line:
    """A message's place in the file and its text."""

    number: int
    text: bytes


def run(arguments: argparse.Namespace) -> int:
    """Validate every message of the file and print the verdicts."""
    content = _read(arguments.file)
    lines = list(_messages(content))
    if not lines:
        raise UsageError(f"{arguments.file} holds no message")
    validator = MessageValidator(stable=arguments.stable)
    if (
        arguments.method is not None
        and not arguments.method.startswith("_")
        and arguments.method not in validator.methods
    ):
        raise UsageError(f"v2 has no method {arguments.method}; `acpspec audit` lists them")
    verdicts = _validated(lines, validator, arguments)
    if arguments.json:
        return _print_json(verdicts)
    return _print_one(next(verdicts)[1]) if len(lines) == 1 else _print_many(verdicts, len(lines))


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


def _messages(content: bytes) -> Iterator[_Line]:
    """One message that may span lines, or one on each line; told apart by whether the first line is JSON by itself."""
    lines = [_Line(n, text) for n, text in enumerate(content.split(b"\n"), 1) if text.strip()]
    if len(lines) > 1 and not _is_json(lines[0].text) and not _is_json(lines[1].text):
        yield _Line(1, content)
    else:
        yield from lines


def _is_json(text: bytes) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list)


def _validated(
    lines: list[_Line], validator: MessageValidator, arguments: argparse.Namespace
) -> Iterator[tuple[_Line, Verdict]]:
    for line in lines:
        try:
            message: Any = read_json(line.text.strip())
        except WireError as error:
            problem = Problem("", f"{error}; the answer is {error.code}")
            yield line, Verdict("unknown", None, None, None, (problem,))
        else:
            yield line, validator.check(message, sender=arguments.sender, method=arguments.method)


def _print_json(verdicts: Iterator[tuple[_Line, Verdict]]) -> int:
    code = OK
    for line, verdict in verdicts:
        print(json.dumps({"line": line.number, "valid": verdict.is_valid, **asdict(verdict)}, ensure_ascii=False))
        code = code if verdict.is_valid else FAULTY
    return code


def _print_one(verdict: Verdict) -> int:
    from acp_v2.cli.console import console

    out = console()
    out.print(f"[bold]{_described(verdict)}[/bold]", soft_wrap=True)
    if verdict.retry_class:
        out.print(f"retry class: {verdict.retry_class}", soft_wrap=True)
    _print_findings(out, verdict)
    out.print("[green]valid[/green]" if verdict.is_valid else "[red]not valid[/red]")
    return OK if verdict.is_valid else FAULTY


def _print_many(verdicts: Iterator[tuple[_Line, Verdict]], total: int) -> int:
    from rich.progress import Progress

    from acp_v2.cli.console import console

    out = console()
    counts: Counter[str] = Counter()
    faulty = 0
    started = time.monotonic()
    with Progress(console=console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("validating", total=total, visible=False)
        for done, (line, verdict) in enumerate(verdicts, 1):
            counts[f"{verdict.kind} {verdict.method or '(method not known)'}"] += 1
            if not verdict.is_valid:
                faulty += 1
                if faulty <= _SHOWN_AT_MOST:
                    out.print(f"[bold]line {line.number}: {_described(verdict)}[/bold]", soft_wrap=True)
                    _print_findings(out, verdict)
            if done % 256 == 0:
                progress.update(task, completed=done, visible=time.monotonic() - started > _PROGRESS_AFTER_SECONDS)
    if faulty > _SHOWN_AT_MOST:
        out.print(f"… and {faulty - _SHOWN_AT_MOST} more messages that are not valid; --json shows all")
    for name, count in counts.most_common():
        out.print(f"{count:8,} {name}", markup=False, soft_wrap=True)
    style = "red" if faulty else "green"
    out.print(f"[{style}]{total:,} messages, {faulty or 'none'} not valid[/{style}]")
    return FAULTY if faulty else OK


def _described(verdict: Verdict) -> str:
    from rich.markup import escape

    if verdict.method is None:
        return {"unknown": "no message of ACP v2"}.get(verdict.kind, verdict.kind)
    sender = {None: "", "either": ", sent by either side"}.get(verdict.sender, f", sent by the {verdict.sender}")
    what = f"response to {verdict.method}" if verdict.kind == "response" else f"{verdict.kind} {verdict.method}"
    return escape(f"{what}{sender}")


def _print_findings(out: Any, verdict: Verdict) -> None:
    from rich.markup import escape

    for problem in verdict.problems:
        lenient = f" [dim]({problem.lenient})[/dim]" if problem.lenient else ""
        where = problem.pointer or "the message"
        out.print(f"  [cyan]{escape(where)}[/cyan] {escape(problem.text)}{lenient}", soft_wrap=True)
    for note in verdict.notes:
        out.print(f"  [dim]note:[/dim] {escape(note)}", soft_wrap=True)
