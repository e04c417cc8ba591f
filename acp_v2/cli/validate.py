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
from typing import Any, TypeVar

from acp_v2.cli import FAULTY, OK, UsageError
from acp_v2.cli.console import console, say
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
        return _print_json(_with_progress(verdicts, len(lines)))
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
    say((_described(verdict), "bold"))
    if verdict.retry_class:
        say(f"retry class: {verdict.retry_class}")
    _print_findings(verdict)
    say(("valid", "green") if verdict.is_valid else ("not valid", "red"))
    return OK if verdict.is_valid else FAULTY


def _print_many(verdicts: Iterator[tuple[_Line, Verdict]], total: int) -> int:
    counts: Counter[str] = Counter()
    faulty = 0
    for line, verdict in _with_progress(verdicts, total):
        counts[_named(verdict)] += 1
        if not verdict.is_valid:
            faulty += 1
            if faulty <= _SHOWN_AT_MOST:
                say((f"line {line.number}: {_described(verdict)}", "bold"))
                _print_findings(verdict)
    if faulty > _SHOWN_AT_MOST:
        say(f"… and {faulty - _SHOWN_AT_MOST} more messages that are not valid; --json shows all")
    for name, count in counts.most_common():
        say(f"{count:8,} {name}")
    say((f"{total:,} messages, {faulty or 'none'} not valid", "red" if faulty else "green"))
    return FAULTY if faulty else OK


_T = TypeVar("_T")


def _with_progress(items: Iterator[_T], total: int) -> Iterator[_T]:
    """The items, with a bar on a terminal once they have taken more than a second."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.progress import Progress

    started = time.monotonic()
    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("validating", total=total, visible=False)
        for done, item in enumerate(items, 1):
            yield item
            if done % 256 == 0:
                progress.update(task, completed=done, visible=time.monotonic() - started > _PROGRESS_AFTER_SECONDS)


def _described(verdict: Verdict) -> str:
    sender = {None: "", "either": ", sent by either side"}.get(verdict.sender, f", sent by the {verdict.sender}")
    return f"{_named(verdict)}{sender if verdict.method else ''}"


def _named(verdict: Verdict) -> str:
    if verdict.method is None:
        return "no message of ACP v2" if verdict.kind == "unknown" else f"{verdict.kind}, method not known"
    return f"response to {verdict.method}" if verdict.kind == "response" else f"{verdict.kind} {verdict.method}"


def _print_findings(verdict: Verdict) -> None:
    for problem in verdict.problems:
        lenient = f" ({problem.lenient})" if problem.lenient else ""
        say("  ", (problem.pointer or "the message", "cyan"), f" {problem.text}", (lenient, "dim"))
    for note in verdict.notes:
        say("  ", ("note: ", "dim"), note)
