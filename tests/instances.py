"""Values of every type, made from the Model: valid ones, and ones with something wrong in them."""

import copy
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from generator.binding_view import attribute
from generator.load import load
from generator.model import (
    PRIMITIVES,
    Alias,
    Choice,
    Enumeration,
    Field,
    Protocol,
    Struct,
    TaggedUnion,
    TypeUse,
    Variant,
)

REPOSITORY = Path(__file__).parents[1]

Strategy = st.SearchStrategy[Any]

TEXT = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=2)
PRIVATE = st.dictionaries(st.sampled_from(["_private", "_example.org/x", "notInTheProtocol"]), JSON, max_size=1)

MAX_DEPTH = 4


@cache
def protocol() -> Protocol:
    return load(REPOSITORY)


@cache
def valid(name: str, depth: int = 0) -> Strategy:
    """Values that are valid as the type, policies aside."""
    return st.deferred(lambda: _shape(name, depth))


def _shape(name: str, depth: int) -> Strategy:
    shape = protocol().types[name].shape
    match shape:
        case Alias(type=use):
            return _use(use, depth)
        case Enumeration() as enumeration:
            listed = st.sampled_from([v.value for v in enumeration.values])
            if enumeration.unknown is None:
                return listed
            return listed | (st.integers(-(2**31), 2**31 - 1) if enumeration.base == "int32" else TEXT)
        case Choice(variants=variants):
            return st.one_of([_content(v, depth) for v in variants])
        case TaggedUnion() as union:
            return _union(union, depth)
        case Struct() as struct:
            parts = [_fields([f for f in struct.fields if not struct.union or f.name != struct.union.tag], depth)]
            if struct.meta:
                parts.append(st.fixed_dictionaries({}, optional={"_meta": OBJECT | st.none()}))
            if struct.union:
                parts.append(_union(struct.union, depth))
            if struct.one_of:
                parts.append(st.one_of([_content(v, depth) for v in struct.one_of]))
            return _merged([*parts, PRIVATE])


def _union(union: TaggedUnion, depth: int) -> Strategy:
    ways = [_merged([st.just({union.tag: v.name}), _content(v, depth)]) for v in union.variants]
    if depth >= MAX_DEPTH:
        ways = ways[:1]
    if union.unknown:
        listed = {v.name for v in union.variants}
        tag = (TEXT | st.just("_private")).filter(lambda text: text not in listed)
        parts = [st.fixed_dictionaries({union.tag: tag}), _fields(union.unknown.fields, depth), PRIVATE]
        if union.unknown.one_of:
            parts.append(st.one_of([_content(v, depth) for v in union.unknown.one_of]))
        ways.append(_merged(parts))
    if union.absent:
        ways.append(st.fixed_dictionaries({}, optional={union.tag: st.none()}))
    ways += [_content(v, depth) for v in union.untagged]
    return st.one_of(ways)


def _content(variant: Variant, depth: int) -> Strategy:
    return _use(variant.type, depth) if variant.type else _fields(variant.fields, depth)


def _fields(fields: Iterable[Field], depth: int) -> Strategy:
    fields = list(fields)
    required = {f.name: _use(f.type, depth) for f in fields if f.required}
    optional = {f.name: _use(f.type, depth) for f in fields if not f.required} if depth < MAX_DEPTH else {}
    return st.fixed_dictionaries(required, optional=optional)


def _merged(parts: list[Strategy]) -> Strategy:
    return st.tuples(*parts).map(lambda dicts: {key: value for part in reversed(dicts) for key, value in part.items()})


def _use(use: TypeUse, depth: int) -> Strategy:
    item = _primitive(use) if use.name in PRIMITIVES else valid(use.name, depth + 1)
    if use.container == "list":
        least = use.min_items or 0
        item = st.lists(item, min_size=least, max_size=max(least, 0 if depth >= MAX_DEPTH else 2))
    elif use.container == "map":
        item = st.dictionaries(TEXT, item, max_size=2)
    return item | st.none() if use.nullable else item


def _primitive(use: TypeUse) -> Strategy:
    match use.name:
        case "any":
            return JSON
        case "object":
            return OBJECT
        case "boolean":
            return st.booleans()
        case "double":
            low, high = use.minimum, use.maximum
            return st.integers(low, high) | st.floats(low, high, allow_nan=False, allow_infinity=False)
        case "int32" | "int64" | "uint16" | "uint32" | "uint64":
            low = use.minimum if use.minimum is not None else 0 if use.name.startswith("u") else -(2**40)
            high = use.maximum if use.maximum is not None else 65535 if use.name == "uint16" else 2**40
            whole = st.integers(low, high)
            return whole | whole.map(float)
        case _:
            low, high = use.min_length or 0, use.max_length
            return st.text(min_size=low, max_size=min(high or 20, 20)) | (
                st.just("\U0001f511" * high) if high else st.nothing()
            )


WRONG = [
    None,
    True,
    False,
    0,
    -1,
    1,
    1.5,
    2**70,
    "",
    "x",
    "y" * 300,
    [],
    {},
    [None],
    [{}],
    {"type": "text"},
    {"type": "_x"},
    {"x": 1},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, values: Strategy) -> Any:
    """A value with one or two places changed or removed, or fields under their Python names."""
    value = copy.deepcopy(draw(values))
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(places(value)))
        wrong = copy.deepcopy(draw(st.sampled_from(WRONG)))
        if not place:
            continue
        parent = value
        for key in place[:-1]:
            parent = parent[key]
        match draw(st.sampled_from(["change", "remove", "rename"])):
            case "change":
                parent[place[-1]] = wrong
            case "rename" if isinstance(place[-1], str):
                parent[attribute(place[-1])] = parent.pop(place[-1])
            case _:
                del parent[place[-1]]
    return value
