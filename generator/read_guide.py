"""Reads the written pages: Markdown below `spec/guide` with a head of YAML and mentions of what the registry knows.

A mention is a Jinja call with strings for arguments, `{{ rule("KEY-01") }}`, so that every name in a page can be
checked with its line. Nothing else of Jinja's language has a place in a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, TemplateSyntaxError, nodes

from generator.findings import Finding
from generator.model import Mention, Moved, Page, Source
from generator.read_yaml import parse_yaml, read_text, read_yaml
from generator.wording import listed

GUIDE = "spec/guide"
MENTIONS = ("rule", "ref", "method", "type", "retry", "error", "count", "retry_classes_table")
"""The words that can stand in `{{ … }}`."""

_HEAD = ("title", "description")
MOVED = "moved.yaml"
_ADDRESS = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*")


def read_moved(root: Path) -> tuple[list[Moved], list[Finding]]:
    """The old and the new addresses of pages that moved: `spec/guide/moved.yaml`, which need not be there."""
    path = root / GUIDE / MOVED
    if not path.exists():
        return [], []
    name = path.relative_to(root).as_posix()
    document, findings = read_yaml(path, name)
    if document is None or findings:
        return [], findings
    data: Any = document.data
    entries = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if not entries:
        return [], [Finding(Source(name, 1), "page-moved", "has to be a mapping of old to new addresses")]
    moved: list[Moved] = []
    for old, new in entries.items():
        source = document.source((old,))
        if not isinstance(new, str) or not _ADDRESS.fullmatch(old) or not _ADDRESS.fullmatch(new):
            text = "has to lead from one address to another, such as guide/keys: prompt-lifecycle"
            findings.append(Finding(source, "page-moved", text))
        else:
            moved.append(Moved(old, new, source))
    return moved, findings


def read_guide(root: Path) -> tuple[list[Page], list[Finding]]:
    """Every page of the checkout at `root`, in the order of their names, and what is wrong with others."""
    pages: list[Page] = []
    findings: list[Finding] = []
    for path in sorted((root / GUIDE).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix != ".md" and path.is_file() and path.name != MOVED:
            findings.append(Finding(Source(name, 1), "stray-file", "is not read; pages are NAME.md"))
        elif path.suffix == ".md" and path.is_file():
            page, faults = _read_page(path, name)
            findings += faults
            if page is not None:
                pages.append(page)
    return pages, findings


def _read_page(path: Path, name: str) -> tuple[Page | None, list[Finding]]:
    text, findings = read_text(path, name)
    if text is None or findings:
        return None, findings
    opening, _, rest = text.partition("\n")
    head, closing, body = rest.partition("\n---\n")
    if opening != "---" or not closing:
        return None, [Finding(Source(name, 1), "page-head", "has to begin with ---, title, description, ---")]
    # The empty line stands for the opening one, so that lines are counted from the top of the file.
    document, findings = parse_yaml(f"\n{head}\n", name)
    data: Any = None if document is None else document.data
    if findings:
        return None, findings
    if not isinstance(data, dict) or sorted(cast("dict[str, Any]", data)) != sorted(_HEAD):
        return None, [Finding(Source(name, 2), "page-head", "its head has a title and a description, and nothing else")]
    fields = cast("dict[str, Any]", data)
    for key in _HEAD:
        if not isinstance(fields[key], str) or not fields[key].strip():
            findings.append(Finding(Source(name, 2, key), "page-head", "has to be some text"))
    mentions, faults = _mentions(body, name, first_line=head.count("\n") + 4)
    if findings or faults:
        return None, findings + faults
    slug = path.relative_to(path.parents[len(Path(name).parts) - 3]).with_suffix("").as_posix()
    return Page(slug, fields["title"], fields["description"], body, tuple(mentions), Source(name, 1)), []


def _mentions(body: str, name: str, first_line: int) -> tuple[list[Mention], list[Finding]]:
    def at(line: int) -> Source:
        return Source(name, first_line + line - 1)

    try:
        template = Environment(autoescape=False).parse(body)  # noqa: S701  # Markdown; it is only read
    except TemplateSyntaxError as error:
        return [], [Finding(at(error.lineno), "page-expression", error.message or "cannot be read")]
    mentions: list[Mention] = []
    findings: list[Finding] = []
    for node in _expressions(template):
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in MENTIONS:
            values: list[Any] = [getattr(argument, "value", None) for argument in node.args]
            if all(isinstance(value, str) for value in values) and not (node.kwargs or node.dyn_args):
                if fault := _number_fault(node.node.name, len(values)):
                    findings.append(Finding(at(node.lineno), "page-expression", fault))
                else:
                    mentions.append(Mention(node.node.name, tuple(values), at(node.lineno)))
                continue
        text = f'has to be a call with strings, as in rule("KEY-01"), of one of {listed(MENTIONS)}'
        findings.append(Finding(at(node.lineno), "page-expression", text))
    return mentions, findings


def _number_fault(name: str, count: int) -> str | None:
    """What is wrong with how many strings a mention has, if anything."""
    if name == "retry_classes_table":
        return f"{name} takes no strings" if count else None
    if name == "rule":
        return None if count else "rule takes one id or more"
    return None if count == 1 else f"{name} takes one string"


def _expressions(template: nodes.Template) -> Iterator[nodes.Node]:
    """What stands between text, statements included."""
    for node in template.body:
        if isinstance(node, nodes.Output):
            yield from (part for part in node.nodes if not isinstance(part, nodes.TemplateData))
        else:
            yield node
