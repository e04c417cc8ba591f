"""The pages of the site as Markdown, and the configuration that names them: the Model through `templates/docs`."""

from __future__ import annotations

import json
import posixpath
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generator.binding_view import binding_view
from generator.definitions import Definitions
from generator.emit import NOTICE
from generator.memo import remembered
from generator.model import Example, Message, Method, Moved, Page, Protocol, uses
from generator.python_sample import sample
from generator.site_links import (
    AUDIT,
    CHANGELOG,
    CHECKER,
    ERRORS,
    METHODS,
    REGISTRY,
    SCHEMA,
    SITE_URL,
    TRACEABILITY,
    TYPES,
    Links,
    cell,
    method_page,
    method_slug,
    tidy,
    topic_page,
)

GENERATOR = Path(__file__).resolve().parents[1]
TEMPLATES = GENERATOR.parent / "templates" / "docs"
PAGES_DIR = "site/docs"

_SAMPLE_LINE = 88


@dataclass(frozen=True, slots=True)
class Group:
    """A section of the audit: messages that go the same way."""

    title: str
    doc: str
    messages: tuple[Message, ...]


def emit(protocol: Protocol) -> dict[str, str]:
    """Every page below `site/docs`, and `site/mkdocs.yml`."""
    if not protocol.pages:
        return {}
    sources = [path.read_text("utf-8") for path in (*sorted(GENERATOR.rglob("*.py")), *sorted(TEMPLATES.rglob("*.j2")))]
    return remembered("docs", [protocol, version("ruff"), sources], lambda: _Site(protocol).files())


class _Site:
    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.definitions = Definitions(protocol).all()
        self.samples = _samples(protocol)
        self.environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,  # noqa: S701  # Markdown; `Links.text` escapes what a doc says
        )
        filters: dict[str, Any] = {"cell": cell, "json": _json, "slug": method_slug}
        self.environment.filters.update(filters)
        known: dict[str, Any] = {
            "protocol": protocol,
            "counts": protocol.counts(),
            "notice": NOTICE,
            "site_url": SITE_URL,
        }
        self.environment.globals.update(known)

    def files(self) -> dict[str, str]:
        """The text of every file, by path."""
        protocol = self.protocol
        pages = {
            **{f"{page.slug}.md": partial(self._written, page) for page in protocol.pages},
            **{method_page(m.name): partial(self._method, m) for m in protocol.methods},
            **{topic_page(topic.name): partial(self._topic, topic.name) for topic in protocol.topics},
            METHODS: partial(self._render, "methods.md.j2"),
            TYPES: partial(self._render, "types.md.j2"),
            AUDIT: partial(self._render, "audit.md.j2", groups=audit_groups(protocol)),
            ERRORS: partial(self._render, "errors.md.j2", raised_by=self._raised_by()),
            TRACEABILITY: partial(self._render, "traceability.md.j2"),
            REGISTRY: partial(self._render, "registry.md.j2"),
            SCHEMA: partial(self._render, "schema.md.j2"),
            CHECKER: partial(self._render, "checker.md.j2"),
            CHANGELOG: partial(self._render, "changelog.md.j2"),
        }
        files = {f"{PAGES_DIR}/{path}": make(Links(protocol, path)) for path, make in pages.items()}
        files["site/mkdocs.yml"] = self.environment.get_template("mkdocs.yml.j2").render()
        files[f"{PAGES_DIR}/llms.txt"] = self.environment.get_template("llms.txt.j2").render()
        for page in protocol.moved:
            files[f"{PAGES_DIR}/{page.old}/index.html"] = self._redirect(page)
        return files

    def _redirect(self, page: Moved) -> str:
        """What stands where a page was."""
        html = self.environment.overlay(autoescape=True).get_template("moved.html.j2")
        return html.render(to=f"{posixpath.relpath(page.new, page.old)}/")

    def _render(self, template: str, links: Links, **values: Any) -> str:
        text = self.environment.get_template(template).render(link=links, **values)
        return tidy(f"{text.rstrip()}\n")

    def _written(self, page: Page, links: Links) -> str:
        rules = {rule.id: rule for rule in self.protocol.rules}
        counts = self.protocol.counts()
        blocks: Any = self.environment.get_template("guide.md.j2").make_module({"link": links})

        def rule(*ids: str) -> str:
            return str(blocks.quote([rules[rule_id] for rule_id in ids]))

        def count(name: str) -> str:
            return str(counts[name])

        words: dict[str, Any] = {
            "rule": rule,
            "ref": links.quoted_rule,
            "method": links.method,
            "type": links.type,
            "retry": links.retry,
            "error": links.error,
            "count": count,
            "retry_classes_table": blocks.retry_classes_table,
        }
        body = self.environment.from_string(page.text, words).render()
        return self._render("page.md.j2", links, page=page, body=body.strip())

    def _method(self, method: Method, links: Links) -> str:
        return self._render(
            "method.md.j2",
            links,
            method=method,
            types=self.protocol.types,
            classes={c.name: c for c in self.protocol.retry_classes},
            rules=[r for r in self.protocol.rules if r.id in method.rules],
            error_codes={v.name: v for v in self.protocol.error_codes()},
            examples=[self._example(e) for e in self.protocol.examples if e.method == method.name],
            definitions=self.definitions,
        )

    def _topic(self, name: str, links: Links) -> str:
        (topic,) = [t for t in self.protocol.topics if t.name == name]
        types = [t for t in self.protocol.types.values() if t.topic == name]
        return self._render("topic.md.j2", links, topic=topic, types=types, used_by=self._used_by())

    def _used_by(self) -> dict[str, list[str]]:
        """For each type who mentions it: methods first, then types."""
        users: dict[str, list[str]] = {name: [] for name in self.protocol.types}
        for message in self.protocol.messages():
            for name in (message.params, message.result):
                if name in users and message.method not in users[name]:
                    users[name].append(message.method)
        for definition in self.protocol.types.values():
            for use, _ in uses(definition):
                if use.name in users and definition.name not in users[use.name]:
                    users[use.name].append(definition.name)
        return users

    def _raised_by(self) -> dict[str, list[tuple[Message, str]]]:
        """For each error the requests that list it, and when they do."""
        found: dict[str, list[tuple[Message, str]]] = {v.name: [] for v in self.protocol.error_codes()}
        for message in self.protocol.messages():
            for error in message.errors:
                found[error.name].append((message, error.when))
        return found

    def _example(self, example: Example) -> dict[str, Any]:
        """An example as messages on the wire, and the Python that builds them."""
        head: dict[str, Any] = {"jsonrpc": "2.0"}
        call = {**head, **({"id": 1} if example.kind == "request" else {}), "method": example.method}
        answer = {example.answer: getattr(example, example.answer)} if example.answer else None
        return {
            "title": example.title,
            "doc": example.doc,
            "call": {**call, "params": example.params},
            "answer": {**head, "id": 1, **answer} if answer else None,
            "python": self.samples[example.id],
        }


def audit_groups(protocol: Protocol) -> tuple[Group, ...]:
    """The audit's sections, each message in one."""
    messages = tuple(protocol.messages())

    def chosen(kind: str, *senders: str, proxy: bool = False) -> tuple[Message, ...]:
        return tuple(m for m in messages if m.kind == kind and m.sender in senders and (m.side == "proxy") == proxy)

    everyone = ("client", "agent", "proxy", "conductor", "either")
    return (
        Group("Client to agent requests", "What a client asks of an agent.", chosen("request", "client")),
        Group("Agent to client requests", "What an agent asks of a client.", chosen("request", "agent")),
        Group("Notifications", "They have no response that could be lost.", chosen("notification", *everyone)),
        Group(
            "Proxies",
            "Between a conductor and its proxies. Neither repeats anything on its own.",
            (*chosen("request", *everyone, proxy=True), *chosen("notification", *everyone, proxy=True)),
        ),
    )


def _samples(protocol: Protocol) -> dict[str, str]:
    """For each example the Python that builds its params and its result, formatted all at once."""
    view = binding_view(protocol)
    programs = [_program(protocol, view, example) for example in protocol.examples]
    border = "\n\n# ---\n\n"
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(_SAMPLE_LINE), "-"]
    formatted = subprocess.run(  # noqa: S603  # ruff, with a fixed command
        command, input=border.join(programs), capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout
    parts = [part.strip() for part in formatted.split("# ---\n")]
    return dict(zip((example.id for example in protocol.examples), parts, strict=True))


def _program(protocol: Protocol, view: dict[str, Any], example: Example) -> str:
    method = protocol.method(example.method)
    message = method.request if example.kind == "request" else method.notification
    if message is None:
        raise KeyError(example.id)
    lines: list[str] = []
    names: set[str] = set()
    for variable, type_name, value in _parts(example, message):
        made = sample(view, type_name, value)
        names |= made.names
        lines.append(f"{variable} = {made.expression}")
    imports = f"from acp_v2 import {', '.join(sorted(names))}\n\n" if names else ""
    return imports + "\n".join(lines)


def _parts(example: Example, message: Message) -> Iterator[tuple[str, str, Any]]:
    yield "params", message.params, example.params
    if example.answer == "result" and message.result:
        yield "result", message.result, example.result
    elif example.answer == "error":
        yield "error", "Error", example.error


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
