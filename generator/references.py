"""Whether every name that one part of the registry uses of another is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from generator.documents import Documents
from generator.findings import Finding
from generator.model import PRIMITIVES, Protocol, Source, Struct, endless_types, uses
from generator.site_links import generated_pages
from generator.wording import hint, listed


def check_references(protocol: Protocol, documents: Documents) -> Iterator[Finding]:
    """Names that nothing answers to, and types that can only be defined by themselves."""
    references = _References(protocol, documents)
    yield from references.types()
    yield from references.messages()
    yield from references.examples()
    yield from references.rules()
    yield from references.guide()
    for ring in endless_types(protocol):
        yield Finding(protocol.types[ring[0]].source, "alias-cycle", f"{' → '.join(ring)} never comes to an end")


@dataclass(frozen=True, slots=True)
class _References:
    protocol: Protocol
    documents: Documents

    def _unknown(self, code: str, what: str, name: str, known: Iterable[str], source: Source) -> Iterator[Finding]:
        """A finding, unless the name is there, or may be in what could not be read."""
        known = list(known)
        if name not in known and name not in self.documents.aside and self.documents.is_whole:
            yield Finding(source, code, f"no {what} {name}{hint(name, known)}")

    def _type(self, name: str, source: Source) -> Iterator[Finding]:
        yield from self._unknown("unknown-type", "type", name, (*self.protocol.types, *PRIMITIVES), source)

    def types(self) -> Iterator[Finding]:
        for definition in self.protocol.types.values():
            for use, source in uses(definition):
                yield from self._type(use.name, source)
        methods_file = self.documents.methods
        if methods_file is not None:
            for key, name in methods_file.data["protocol"]["envelope"].items():
                yield from self._type(name, methods_file.source(("protocol", "envelope", key)))
        for instance in self.protocol.instances:
            yield from self._type(instance.type, instance.source)

    def messages(self) -> Iterator[Finding]:
        classes = [c.name for c in self.protocol.retry_classes]
        errors = [v.name for v in self.protocol.error_codes()]
        rules = [r.id for r in self.protocol.rules]
        for method in self.protocol.methods:
            for rule in method.rules:
                yield from self._unknown("unknown-rule", "rule", rule, rules, method.source)
            for message in method.messages:
                for part, name in (("params", message.params), ("result", message.result)):
                    if name and self.documents.methods:
                        path = ("methods", method.name, message.kind, part)
                        yield from self._type(name, self.documents.methods.source(path))
                if message.retry.class_name not in classes:
                    text = f"no retry class {message.retry.class_name}; there are {listed(classes, 'and')}"
                    yield Finding(message.retry.source, "unknown-class", text)
                # Where the codes themselves are at fault, that has been said.
                for error in message.errors if errors else ():
                    yield from self._unknown("unknown-error", "error", error.name, errors, error.source)

    def examples(self) -> Iterator[Finding]:
        methods = {m.name: m for m in self.protocol.methods}
        for example in self.protocol.examples:
            method = methods.get(example.method)
            if method is None:
                yield from self._unknown("unknown-method", "method", example.method, methods, example.source)
                continue
            message = method.request if example.kind == "request" else method.notification
            if message is None:
                yield Finding(example.source, "unknown-message", f"{method.name} has no {example.kind}")
            elif bool(example.answer) != bool(message.result):
                text = f"{'needs' if message.result else 'cannot have'} a result or an error"
                yield Finding(example.source, "unknown-message", text)

    def rules(self) -> Iterator[Finding]:
        scenarios = [s.id for s in self.protocol.scenarios]
        for rule in self.protocol.rules:
            for scenario in rule.checked_by:
                yield from self._unknown("unknown-scenario", "scenario", scenario, scenarios, rule.source)
            if self.protocol.pages:
                pages = [p.slug for p in self.protocol.pages]
                yield from self._unknown("unknown-page", "page", rule.page, pages, rule.source)

    def guide(self) -> Iterator[Finding]:
        """What the guide mentions."""
        protocol = self.protocol
        rules = ("unknown-rule", "rule", [r.id for r in protocol.rules])
        known: dict[str, tuple[str, str, list[str]]] = {
            "rule": rules,
            "ref": rules,
            "method": ("unknown-method", "method", [m.name for m in protocol.methods]),
            "type": ("unknown-type", "type", [*protocol.types, *_field_names(protocol)]),
            "retry": ("unknown-class", "retry class", [c.name for c in protocol.retry_classes]),
            "error": ("unknown-error", "error", [e.name for e in protocol.error_codes()]),
            "count": ("page-expression", "count of", list(protocol.counts())),
            "retry_classes_table": ("page-expression", "argument", []),
        }
        for page in protocol.pages:
            for mention in page.mentions:
                code, what, names = known[mention.name]
                for argument in mention.arguments:
                    yield from self._unknown(code, what, argument, names, mention.source)
        yield from self._addresses()

    def _addresses(self) -> Iterator[Finding]:
        """Where the pages stand, and where they stood."""
        generated = {path.removesuffix(".md") for path in generated_pages(self.protocol)}
        for page in self.protocol.pages:
            if page.slug in generated:
                yield Finding(page.source, "page-name", f"{page.slug} is the name of a generated page; choose another")
        pages = [name.removesuffix("/index") for name in sorted({*generated, *(p.slug for p in self.protocol.pages)})]
        for moved in self.protocol.moved:
            yield from self._unknown("unknown-page", "page", moved.new, pages, moved.source)
            if moved.old in pages:
                yield Finding(moved.source, "page-moved", f"a page stands at {moved.old}")


def _field_names(protocol: Protocol) -> Iterator[str]:
    """Every field of an object, as `PromptRequest.prompt`."""
    for definition in protocol.types.values():
        if isinstance(definition.shape, Struct):
            yield from (f"{definition.name}.{field.name}" for field in definition.shape.fields)
