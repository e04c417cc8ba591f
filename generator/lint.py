"""What the registry has to say as a whole. `load` sees that it can be read; `lint` sees that it can be relied on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from acp_v2.explaining_validator import ExplainingValidator
from generator.binding_view import BindingError, binding_view
from generator.definitions import Definitions
from generator.findings import Finding
from generator.model import (
    PRIMITIVES,
    Alias,
    Choice,
    Enumeration,
    Example,
    Field,
    Message,
    Method,
    Protocol,
    RetryClass,
    Source,
    Struct,
    TaggedUnion,
    TypeDef,
    Variant,
    reachable,
    stable,
    uses,
)

CLASSES = ("safe", "keyed", "duplicating", "connection_bound")

COUNTED_CLASSES = ("keyed", "duplicating")
"""The classes whose methods are so few that the registry says how many: each is a promise that SDKs rely on."""


def lint(protocol: Protocol, *, release: bool = False) -> list[Finding]:
    """Every finding, in file and line order.

    Args:
        protocol: a registry that loaded.
        release: also refuse what may be left open between releases: checks that are only planned.
    """
    findings = [
        *_retry_classes(protocol),
        *_retry_keys(protocol),
        *_message_types(protocol),
        *_capabilities(protocol),
        *_stability(protocol),
        *_reachability(protocol),
        *_unions(protocol),
        *_docs(protocol),
        *_rules(protocol, release=release),
        *_examples(protocol),
        *_bindings(protocol),
    ]
    return sorted(set(findings))


# Retry classes


def _retry_classes(protocol: Protocol) -> Iterator[Finding]:
    names = [c.name for c in protocol.retry_classes]
    if sorted(names) != sorted(CLASSES):
        message = f"defines {', '.join(names)}; there are exactly {', '.join(CLASSES)}"
        yield Finding(protocol.retry_classes[0].source, "class-set", message)
    for method in protocol.methods:
        for message in method.messages:
            if fault := _class_fault(message):
                yield Finding(message.retry.source, "class-rule", fault)
        if len({m.retry.class_name for m in method.messages}) > 1:
            yield Finding(method.source, "class-rule", "its two messages have different retry classes")
    for retry_class in protocol.retry_classes:
        if retry_class.name in COUNTED_CLASSES:
            yield from _class_count(protocol, retry_class)


def _class_count(protocol: Protocol, retry_class: RetryClass) -> Iterator[Finding]:
    name = retry_class.name
    found = [m for m in protocol.methods if any(x.retry.class_name == name for x in m.messages)]
    if len(found) != retry_class.methods:
        listed = ", ".join(m.name for m in found) or "none"
        text = f"says that {retry_class.methods} methods are {name}, but {len(found)} are: {listed}"
        yield Finding(retry_class.source, f"{name}-count", text)


def _class_fault(message: Message) -> str | None:
    """Why a class cannot be right, from what the message is alone."""
    is_bound = message.retry.class_name == "connection_bound"
    if message.kind == "notification":
        return None if is_bound else "a notification has no response to lose; its class is connection_bound"
    if message.sender != "client":
        return None if is_bound else f"a request that the {message.sender} side sends is connection_bound"
    if message.method == "initialize":
        return None if is_bound else "initialize belongs to one connection; its class is connection_bound"
    return "a request from client to agent is safe, keyed or duplicating, not connection_bound" if is_bound else None


def _retry_keys(protocol: Protocol) -> Iterator[Finding]:
    key_fields: list[Field] = []
    for message in protocol.messages():
        retry = message.retry
        if retry.class_name != "keyed":
            if retry.key:
                yield Finding(retry.source, "retry-key", f"names a key but is {retry.class_name}")
            continue
        params = protocol.types[message.params].shape
        field = next((f for f in params.fields if f.name == retry.key), None) if isinstance(params, Struct) else None
        if not retry.key:
            yield Finding(
                retry.source,
                "retry-key",
                f"is keyed; name the field of {message.params} that is the key",
            )
        elif field is None:
            yield Finding(retry.source, "retry-key", f"{message.params} has no field {retry.key}")
        else:
            key_fields.append(field)
            for holds, what in (
                (not field.required, "optional"),
                (field.type.nullable, "nullable"),
                (not field.default_on_error and not field.default_on_null, "strict: no invalid or null_value line"),
            ):
                if not holds:
                    yield Finding(field.source, "retry-key", f"a retry key has to be {what}")
    for definition in protocol.types.values():
        for field in _all_fields(definition):
            for key in key_fields:
                same_type = field.type.name == key.type.name and key.type.name not in PRIMITIVES
                if field is not key and (field.name == key.name or same_type):
                    message = "the retry key belongs to the keyed method's params alone"
                    yield Finding(field.source, "key-elsewhere", message)


# Types of messages and capabilities


def _message_types(protocol: Protocol) -> Iterator[Finding]:
    for message in protocol.messages():
        if message.sender == message.receiver != "either" or (message.sender == "either") != (
            message.receiver == "either"
        ):
            text = f"goes from {message.sender} to {message.receiver}; from and to are the two ends, or both are either"
            yield Finding(message.source, "message-sides", text)
    owners: dict[str, Message] = {}
    for message in protocol.messages():
        for name in filter(None, (message.params, message.result)):
            owner = owners.setdefault(name, message)
            if owner is not message or message.params == message.result:
                text = f"{name} belongs to {owner.method} already; define another name for it"
                yield Finding(message.source, "message-type", text)
        if not isinstance(_resolved(protocol, message.params).shape, Struct):
            yield Finding(message.source, "message-type", f"{message.params} has no named fields")


def _capabilities(protocol: Protocol) -> Iterator[Finding]:
    for method in protocol.methods:
        if method.needs and (fault := _capability_fault(protocol, method, method.needs)):
            yield Finding(method.source, fault[0], fault[1])


def _capability_fault(protocol: Protocol, method: Method, needs: str) -> tuple[str, str] | None:
    """The code and the text of what is wrong with a path of capabilities."""
    side, *path = needs.split(".")
    opening = next((m.request for m in protocol.methods if m.name == "initialize"), None)
    at = (opening.result if side == "agent" else opening.params) if opening else None
    walked = side
    for step in ("capabilities", *path):
        shape = _resolved(protocol, at).shape if at and at not in PRIMITIVES else None
        field = next((f for f in shape.fields if f.name == step), None) if isinstance(shape, Struct) else None
        if field is None:
            return "capability", f"needs {needs}, but {walked} has no {step}"
        if field.unstable and not method.unstable:
            return "unstable-leak", f"is stable, but needs {needs}, which is unstable"
        at = field.type.name
        walked = walked if step == "capabilities" else f"{walked}.{step}"
    return None


def _resolved(protocol: Protocol, name: str | None) -> TypeDef:
    """A type, behind the aliases that lead to it."""
    definition = protocol.types[name or ""]
    while isinstance(definition.shape, Alias) and definition.shape.type.name in protocol.types:
        definition = protocol.types[definition.shape.type.name]
    return definition


# Stability and reachability


def _stability(protocol: Protocol) -> Iterator[Finding]:
    unstable = {name for name, t in protocol.types.items() if t.unstable}
    for definition in protocol.types.values():
        if not definition.unstable:
            for use, source in uses(definition, marked_unstable=False):
                if use.name in unstable:
                    text = f"is stable and leads to {use.name}, which is not; mark the way there"
                    yield Finding(source, "unstable-leak", text)
    for method in protocol.methods:
        if not method.unstable:
            for message in method.messages:
                for name in {message.params, message.result} & unstable:
                    text = f"is stable and {name} is not; mark one of them"
                    yield Finding(message.source, "unstable-leak", text)


def _reachability(protocol: Protocol) -> Iterator[Finding]:
    reached = _reached(protocol)
    stable_part = stable(protocol)
    stable_reached = _reached(stable_part)
    for name, definition in protocol.types.items():
        if name not in reached:
            yield Finding(definition.source, "unused-type", "nothing refers to it")
        elif name in stable_part.types and name not in stable_reached:
            text = "is stable, but only something unstable leads to it; mark it unstable"
            yield Finding(definition.source, "unstable-only", text)


def _reached(protocol: Protocol) -> set[str]:
    return reachable(protocol, [*protocol.envelope.type_names(), *protocol.message_types()])


# Unions


def _unions(protocol: Protocol) -> Iterator[Finding]:
    for definition in protocol.types.values():
        shape = definition.shape
        if isinstance(shape, TaggedUnion) and shape.absent:
            yield Finding(
                shape.absent.source,
                "tag-field",
                "`absent` needs the tag among the fields beside the union",
            )
        if isinstance(shape, Struct) and shape.union:
            union = shape.union
            field = next((f for f in shape.fields if f.name == union.tag), None)
            optional = field is not None and not field.required and field.type.nullable
            if (field is not None or union.absent) and not (optional and union.absent):
                text = f"{union.tag} is an optional, nullable field with `absent`, or neither"
                yield Finding((field or definition).source, "tag-field", text)


# Docs


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_FILLER = frozenset(
    "a an the of for in to this its is and or that with by on as at it type value object field".split()  # noqa: SIM905
)


def _docs(protocol: Protocol) -> Iterator[Finding]:
    for name, doc, source in _all_docs(protocol):
        said = {w.lower().rstrip("s") for w in _WORD.findall(doc)} - _FILLER
        if said <= {w.lower().rstrip("s") for w in _WORD.findall(name)}:
            yield Finding(source, "doc-repeats-name", f"{doc!r} says no more than the name")
        if not doc.endswith((".", "?", "`)", ".)", ":")):
            yield Finding(source, "doc-sentence", "the doc does not end with a full stop")


def _all_docs(protocol: Protocol) -> Iterator[tuple[str, str, Source]]:
    """Every doc with the names that it must not merely repeat."""
    for method in protocol.methods:
        yield method.name, method.summary, method.source
        yield method.name, method.doc, method.source
        for message in method.messages:
            yield method.name, message.retry.why, message.retry.source
            yield method.name, message.retry.again, message.retry.source
            for error in message.errors:
                yield error.name, error.when, error.source
    for topic in protocol.topics:
        yield topic.title, topic.doc, topic.source
    for item in protocol.types.values():
        yield item.name, item.doc, item.source
        for field in _all_fields(item):
            yield f"{item.name} {field.name}", field.doc, field.source
        for variant in _all_variants(item):
            yield f"{item.name} {variant.name}", variant.doc, variant.source
        if isinstance(item.shape, Enumeration):
            for value in item.shape.values:
                yield f"{item.name} {value.name}", value.doc, value.source


def _all_variants(definition: TypeDef) -> Iterator[Variant]:
    match definition.shape:
        case Struct(union=union, one_of=one_of):
            yield from one_of
        case TaggedUnion() as union:
            pass
        case Choice(variants=variants):
            yield from variants
            return
        case _:
            return
    if union:
        yield from union.variants
        yield from union.untagged
        if union.absent:
            yield union.absent
        if union.unknown:
            yield Variant("unknown", union.unknown.doc, union.unknown.source, fields=union.unknown.fields)
            yield from union.unknown.one_of


def _all_fields(definition: TypeDef) -> Iterator[Field]:
    if isinstance(definition.shape, Struct):
        yield from definition.shape.fields
    for variant in _all_variants(definition):
        yield from variant.fields


# Rules, scenarios and examples


def _quotes(protocol: Protocol) -> Iterator[Finding]:
    """Where the guide quotes a rule, which is once, on the rule's page."""
    if not protocol.pages:
        return
    quotes = [(r, p.slug, m) for p in protocol.pages for m in p.mentions if m.name == "rule" for r in m.arguments]
    for rule in protocol.rules:
        on_its_page = [m for name, slug, m in quotes if name == rule.id and slug == rule.page]
        if not on_its_page:
            yield Finding(rule.source, "rule-quoted", f"spec/guide/{rule.page}.md does not quote it")
        for mention in on_its_page[1:]:
            yield Finding(mention.source, "rule-quoted", f"{rule.id} is quoted on this page already; use ref")
        for name, slug, mention in quotes:
            if name == rule.id and slug != rule.page:
                where = f"{rule.id} is quoted on {rule.page}; use ref here"
                yield Finding(mention.source, "rule-quoted", where)


def _rules(protocol: Protocol, *, release: bool) -> Iterator[Finding]:
    for rule in protocol.rules:
        if not (rule.checked_by or rule.reviewed or rule.planned):
            yield Finding(rule.source, "rule-unchecked", "say checked_by, reviewed or planned")
        if release and rule.planned:
            yield Finding(rule.source, "rule-planned", f"its check is still planned: {rule.planned}")
    yield from _quotes(protocol)
    used = {scenario for rule in protocol.rules for scenario in rule.checked_by}
    for scenario in protocol.scenarios:
        if scenario.id not in used:
            yield Finding(scenario.source, "unused-scenario", "no rule says that it is checked by it")


def _examples(protocol: Protocol) -> Iterator[Finding]:
    shown = {(e.method, e.kind) for e in protocol.examples if e.answer != "error"}
    for message in protocol.messages():
        if (message.method, message.kind) not in shown:
            what = "its params and result" if message.result else "its params"
            yield Finding(message.source, "missing-example", f"no example in spec/examples shows {what}")
    validator = ExplainingValidator({"$defs": Definitions(protocol).all()})
    for example in protocol.examples:
        method = protocol.method(example.method)
        message = method.request if example.kind == "request" else method.notification
        if message:
            yield from _example(example, message, protocol, validator)
    for instance in protocol.instances:
        fault = _fault(validator, instance.type, instance.value)
        if instance.valid and fault:
            yield Finding(instance.source, "invalid-example", f"should be valid, but {instance.type}{fault}")
        if not instance.valid and not fault:
            yield Finding(instance.source, "invalid-example", f"should be invalid, but is a valid {instance.type}")


def _example(
    example: Example, message: Message, protocol: Protocol, validator: ExplainingValidator
) -> Iterator[Finding]:
    answer_type = message.result if example.answer == "result" else protocol.envelope.error
    for part, type_name in (("params", message.params), (example.answer, answer_type)):
        if not part or not type_name:
            continue
        value: Any = getattr(example, part)
        if fault := _fault(validator, type_name, value):
            yield Finding(example.source, "invalid-example", f"{part}{fault}")
        for note in validator.notes(value):
            yield Finding(example.source, "unknown-field", f"{part}{note.pointer} {note.text}")


def _bindings(protocol: Protocol) -> Iterator[Finding]:
    try:
        binding_view(protocol)
    except BindingError as error:
        yield Finding(error.source, "binding", str(error))


def _fault(validator: ExplainingValidator, type_name: str, value: Any) -> str | None:
    """The first thing that is wrong with a value, with its pointer, if there is anything."""
    problem = next(iter(validator.problems(type_name, value)), None)
    return f"{problem.pointer} {problem.text}" if problem else None
