"""The registry as frozen dataclasses: what every emitter and the lint read, and all that they read.

Names of types are resolved by `Protocol.types`; every object keeps the file and line that it came from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Side = Literal["client", "agent", "proxy", "conductor", "either"]
MessageKind = Literal["request", "notification"]

PRIMITIVES = frozenset(
    {
        "any",
        "object",
        "boolean",
        "string",
        "uri",
        "date-time",
        "regex",
        "base64",
        "int32",
        "int64",
        "uint16",
        "uint32",
        "uint64",
        "double",
    }
)
"""The built-in type names: JSON values, strings with a format, and numbers with a width."""


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A place in the registry.

    `file` is a POSIX path relative to the repository, `line` counts from 1, `path` are the keys that lead there inside
    the document, joined by dots: `types.PromptRequest.fields.prompt`.
    """

    file: str
    line: int
    path: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class TypeUse:
    """What a field, an alias or an item holds: `NAME`, `list of NAME` or `map of NAME`, with limits, perhaps nullable.

    `minimum` and `maximum` bound a number, `min_length` and `max_length` count the code points of a string,
    `min_items` the items of a list.
    """

    name: str
    container: Literal["list", "map"] | None = None
    nullable: bool = False
    minimum: int | None = None
    maximum: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None

    def __str__(self) -> str:
        text = f"{self.container} of {self.name}" if self.container else self.name
        return f"{text} | null" if self.nullable else text


@dataclass(frozen=True, slots=True)
class Default:
    """The value of an absent field. Wrapped, so that a default of `null` differs from no default."""

    value: Any


@dataclass(frozen=True, slots=True)
class Field:
    """A named member of an object, with what a receiver does when the value is malformed."""

    name: str
    type: TypeUse
    required: bool
    doc: str
    source: Source
    unstable: bool = False
    default: Default | None = None
    default_on_error: bool = False
    default_on_null: bool = False
    skip_invalid_items: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative: of a tagged union (`name` is the tag's value) or of an untagged one (`name` is its title).

    Its content is the type `type`, the inline `fields`, both absent (a tag that stands alone), never both.
    `class_name` is what the bindings call it, where the registry says so.
    """

    name: str
    doc: str
    source: Source
    type: TypeUse | None = None
    fields: tuple[Field, ...] = ()
    unstable: bool = False
    class_name: str | None = None


@dataclass(frozen=True, slots=True)
class Fallback:
    """What an open union makes of a tag that it does not list: `doc` says what a receiver does with it."""

    doc: str
    source: Source
    fields: tuple[Field, ...] = ()
    one_of: tuple[Variant, ...] = ()
    class_name: str | None = None


@dataclass(frozen=True, slots=True)
class TaggedUnion:
    """Objects told apart by the string in the field `tag`.

    `unknown` makes the union open; `absent` allows the tag to be missing or null; `untagged` lists alternatives
    without the tag.
    """

    tag: str
    variants: tuple[Variant, ...]
    unknown: Fallback | None = None
    absent: Variant | None = None
    untagged: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name for one type or one kind of value."""

    type: TypeUse


@dataclass(frozen=True, slots=True)
class EnumValue:
    """A listed value. `name` is how the registry refers to it, `value` is what stands on the wire."""

    name: str
    value: str | int
    doc: str
    source: Source
    title: str | None = None
    unstable: bool = False


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Strings (or int32 numbers) of which some are listed; `unknown` is set where others are accepted too."""

    base: Literal["string", "int32"]
    values: tuple[EnumValue, ...]
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class Struct:
    """A JSON object: its fields, and perhaps a tagged union or an exclusive choice beside them.

    `meta` adds `_meta`. `keeps_extra` says outright that unknown fields belong to the value.
    """

    fields: tuple[Field, ...]
    meta: bool = True
    keeps_extra: bool = False
    union: TaggedUnion | None = None
    one_of: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives without a tag; the first that fits is meant."""

    variants: tuple[Variant, ...]


Shape = Alias | Enumeration | Struct | TaggedUnion | Choice


@dataclass(frozen=True, slots=True)
class TypeDef:
    """A named type. `topic` is the stem of the file under `spec/types` that defines it."""

    name: str
    topic: str
    doc: str
    shape: Shape
    source: Source
    unstable: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """A file of types: what a reader finds in it."""

    name: str
    title: str
    doc: str
    source: Source


@dataclass(frozen=True, slots=True)
class RetryClass:
    """One of the classes defined at the top of `spec/methods.yaml`.

    `methods` is how many methods the audit finds in it, where the registry commits itself.
    """

    name: str
    title: str
    methods: int | None
    meaning: str
    after_lost_response: str
    source: Source


@dataclass(frozen=True, slots=True)
class Retry:
    """What a sender does after a lost response: the class, its reason, and what a repeat does."""

    class_name: str
    why: str
    again: str
    source: Source
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorUse:
    """An error that a request can be answered with, by its name in `ErrorCode`, and when."""

    name: str
    when: str
    source: Source


@dataclass(frozen=True, slots=True)
class Message:
    """A request or a notification of a method. `params` and `result` name types; a notification has no result.

    `side` is who the message is for in the schema's `x-side`: the receiver, `protocol` where either side may
    receive it, `proxy` between a conductor and its proxies.
    """

    method: str
    kind: MessageKind
    sender: Side
    receiver: Side
    side: str
    params: str
    result: str | None
    errors: tuple[ErrorUse, ...]
    retry: Retry
    doc: str
    source: Source


@dataclass(frozen=True, slots=True)
class Method:
    """A method name and its one or two messages.

    `needs` is a dotted path into the capabilities of `agent` or `client`; `when` says in words what else has to
    hold; neither: baseline.
    """

    name: str
    summary: str
    doc: str
    messages: tuple[Message, ...]
    source: Source
    unstable: bool = False
    needs: str | None = None
    when: str | None = None
    rules: tuple[str, ...] = ()

    @property
    def request(self) -> Message | None:
        return next((m for m in self.messages if m.kind == "request"), None)

    @property
    def notification(self) -> Message | None:
        return next((m for m in self.messages if m.kind == "notification"), None)


@dataclass(frozen=True, slots=True)
class Envelope:
    """The types that every JSON-RPC message is made of, beside the method's own."""

    id: str
    error: str
    error_code: str
    ext_request: str
    ext_result: str
    ext_notification: str

    def type_names(self) -> tuple[str, ...]:
        return (self.id, self.error, self.error_code, self.ext_request, self.ext_result, self.ext_notification)


@dataclass(frozen=True, slots=True)
class Phrases:
    """Sentences for what stands all over the schema, so that no type repeats them, and for the JSON-RPC envelopes."""

    meta: str
    unknown_value: str
    unstable: str
    message: str
    method: str
    params: str
    request: str
    request_id: str
    notification: str
    response: str
    response_id: str
    result: str
    error_id: str
    error: str
    protocol_level: str
    extension: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement that binds somebody, and how it is held: scenarios, a reason, or a plan."""

    id: str
    level: str
    who: str
    text: str
    page: str
    source: Source
    checked_by: tuple[str, ...] = ()
    reviewed: str | None = None
    planned: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A conformance scenario: who is tested, and what happens."""

    id: str
    side: str
    title: str
    doc: str
    source: Source


@dataclass(frozen=True, slots=True)
class Example:
    """One exchange of a method: the params of its request or notification, and what the request is answered with.

    `answer` says which of `result` and `error` it is; None for a notification.
    """

    id: str
    method: str
    kind: MessageKind
    title: str
    doc: str
    params: Any
    answer: Literal["result", "error"] | None
    result: Any
    error: Any
    source: Source


@dataclass(frozen=True, slots=True)
class Instance:
    """A value of a type that is valid or not, for the test corpus that ships beside the schema."""

    id: str
    type: str
    valid: bool
    why: str
    value: Any
    source: Source


@dataclass(frozen=True, slots=True)
class DerivedId:
    """A session and a key for which the published vectors say which message id follows, in which namespace."""

    id: str
    namespace: str
    session: str
    key: str
    why: str
    source: Source


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of the guide's notation, such as `{{ rule("KEY-01", "KEY-02") }}`: its name and its arguments."""

    name: str
    arguments: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Moved:
    """A page that moved. `old` and `new` are addresses below the site, without the last slash."""

    old: str
    new: str
    source: Source


@dataclass(frozen=True, slots=True)
class Page:
    """A written page. `slug` is its path on the site without `.md`; `text` is Markdown with mentions in it."""

    slug: str
    title: str
    description: str
    text: str
    mentions: tuple[Mention, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Protocol:
    """The whole registry."""

    title: str
    version: int
    envelope: Envelope
    phrases: Phrases
    retry_classes: tuple[RetryClass, ...]
    methods: tuple[Method, ...]
    topics: tuple[Topic, ...]
    types: Mapping[str, TypeDef]
    rules: tuple[Rule, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    examples: tuple[Example, ...] = ()
    instances: tuple[Instance, ...] = ()
    derived_ids: tuple[DerivedId, ...] = ()
    pages: tuple[Page, ...] = ()
    moved: tuple[Moved, ...] = ()
    has_unstable: bool = field(default=True)

    def messages(self) -> Iterator[Message]:
        """Every message, in registry order."""
        for method in self.methods:
            yield from method.messages

    def message_types(self, messages: Iterable[Message] | None = None) -> Iterator[str]:
        """The names of the params and results of some messages, or of all."""
        for message in self.messages() if messages is None else messages:
            yield message.params
            if message.result:
                yield message.result

    def method(self, name: str) -> Method:
        """The method of that name.

        Raises:
            KeyError: there is none.
        """
        for method in self.methods:
            if method.name == name:
                return method
        raise KeyError(name)

    def counts(self) -> dict[str, int]:
        """How many methods, messages, types and rules there are, and how many methods of each retry class."""
        classes = Counter(method.messages[0].retry.class_name for method in self.methods)
        return {
            "methods": len(self.methods),
            "messages": len(list(self.messages())),
            "types": len(self.types),
            "rules": len(self.rules),
            **{c.name: classes[c.name] for c in self.retry_classes},
        }

    def error_codes(self) -> tuple[EnumValue, ...]:
        """The listed values of the type that the envelope names for error codes."""
        definition = self.types.get(self.envelope.error_code)
        return definition.shape.values if definition and isinstance(definition.shape, Enumeration) else ()


def stable(protocol: Protocol) -> Protocol:
    """The registry without anything that is marked unstable."""
    methods = tuple(m for m in protocol.methods if not m.unstable)
    names = {m.name for m in methods}
    return replace(
        protocol,
        methods=methods,
        types={n: replace(t, shape=_stable_shape(t.shape)) for n, t in protocol.types.items() if not t.unstable},
        examples=tuple(e for e in protocol.examples if e.method in names),
        has_unstable=False,
    )


def _stable_shape(shape: Shape) -> Shape:
    match shape:
        case Struct():
            return replace(
                shape,
                fields=tuple(f for f in shape.fields if not f.unstable),
                union=_stable_union(shape.union) if shape.union else None,
                one_of=_stable_variants(shape.one_of),
            )
        case TaggedUnion():
            return _stable_union(shape)
        case Choice():
            return replace(shape, variants=_stable_variants(shape.variants))
        case Enumeration():
            return replace(shape, values=tuple(v for v in shape.values if not v.unstable))
        case Alias():
            return shape


def _stable_union(union: TaggedUnion) -> TaggedUnion:
    return replace(union, variants=_stable_variants(union.variants), untagged=_stable_variants(union.untagged))


def _stable_variants(variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    return tuple(replace(v, fields=tuple(f for f in v.fields if not f.unstable)) for v in variants if not v.unstable)


def reachable(protocol: Protocol, names: Iterable[str]) -> set[str]:
    """The types that are mentioned by name, by a type so mentioned, and so on."""
    waiting = list(names)
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached and name in protocol.types:
            reached.add(name)
            waiting += [use.name for use, _ in uses(protocol.types[name])]
    return reached


def uses(definition: TypeDef, *, marked_unstable: bool = True) -> Iterator[tuple[TypeUse, Source]]:
    """Every mention of a type inside a definition, with its place.

    Args:
        definition: where to look.
        marked_unstable: also those inside a field, variant or value that is marked unstable.
    """

    def of_fields(fields: tuple[Field, ...]) -> Iterator[tuple[TypeUse, Source]]:
        for item in fields:
            if marked_unstable or not item.unstable:
                yield item.type, item.source

    def of_variants(variants: tuple[Variant, ...]) -> Iterator[tuple[TypeUse, Source]]:
        for item in variants:
            if marked_unstable or not item.unstable:
                if item.type:
                    yield item.type, item.source
                yield from of_fields(item.fields)

    def of_union(union: TaggedUnion) -> Iterator[tuple[TypeUse, Source]]:
        yield from of_variants(union.variants)
        yield from of_variants(union.untagged)
        if union.unknown:
            yield from of_fields(union.unknown.fields)
            yield from of_variants(union.unknown.one_of)

    match definition.shape:
        case Alias(type=use):
            yield use, definition.source
        case Struct() as struct:
            yield from of_fields(struct.fields)
            if struct.union:
                yield from of_union(struct.union)
            yield from of_variants(struct.one_of)
        case TaggedUnion() as union:
            yield from of_union(union)
        case Choice(variants=variants):
            yield from of_variants(variants)
        case Enumeration():
            pass


def endless_types(protocol: Protocol) -> list[list[str]]:
    """Rings of types of which no value can be complete: `A: {type: B}`, `B: {type: A}`.

    Returns:
        Each ring once: names, the first of which is also the last.
    """
    finite: set[str] = set()
    waiting = dict(protocol.types)
    while done := [name for name, item in waiting.items() if not _obstacles(item, finite)]:
        finite.update(done)
        for name in done:
            del waiting[name]

    def way_back(name: str) -> list[str]:
        chain = [name]
        while chain[-1] in waiting and chain.count(chain[-1]) == 1:
            chain.append(_obstacles(waiting[chain[-1]], finite)[0])
        return chain

    # A way that ends elsewhere leads into a ring, or to a name that nothing defines, which is another fault.
    rings = [chain for chain in map(way_back, waiting) if chain[-1] == chain[0]]
    return list({frozenset(ring): ring for ring in reversed(rings)}.values())


def _obstacles(definition: TypeDef, finite: set[str]) -> list[str]:
    """The types that a value of this one has to hold and that are not known to come to an end."""

    def needs(use: TypeUse) -> list[str]:
        ends = use.container or use.nullable or use.name in PRIMITIVES or use.name in finite
        return [] if ends else [use.name]

    def all_of(fields: tuple[Field, ...]) -> list[str]:
        return [name for item in fields if item.required for name in needs(item.type)]

    def any_of(variants: tuple[Variant, ...]) -> list[str]:
        ways: list[list[str]] = [[*(needs(v.type) if v.type else []), *all_of(v.fields)] for v in variants]
        return min(ways, key=len) if ways else []

    def of_union(union: TaggedUnion) -> list[str]:
        return [] if union.unknown or union.absent else any_of((*union.variants, *union.untagged))

    match definition.shape:
        case Alias(type=use):
            return needs(use)
        case Enumeration():
            return []
        case Struct() as struct:
            union = of_union(struct.union) if struct.union else []
            return [*all_of(struct.fields), *union, *any_of(struct.one_of)]
        case TaggedUnion() as union:
            return of_union(union)
        case Choice(variants=variants):
            return any_of(variants)
