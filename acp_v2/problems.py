"""Says where a value that a model refused is malformed, and how: in JSON pointers and sentences.

pydantic's own errors name its unions' branches and list what every branch has to say. This walks the value and the
types together and follows the tags instead, so that there is one sentence about the variant that was meant. It runs
only when something is wrong, and never repeats the value.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from annotated_types import MinLen
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from acp_v2.wire_types import ExactlyOne, FirstThatFits, NullAsAbsent, OpenUnion, OrAbsent, OrEmpty, SkipInvalidItems

_AT_MOST = 20
_LONGEST_KEY = 200
_STRICT = ConfigDict(strict=True)


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a value is malformed, as a JSON pointer (RFC 6901), and how, without the value itself."""

    pointer: str
    text: str

    def to_wire(self) -> dict[str, str]:
        """As it stands in the `data` of an error."""
        return {"pointer": self.pointer, "message": self.text}


def problems(type_form: Any, value: Any, at: str = "") -> list[Problem]:
    """What keeps a JSON value from being of a type, in the order of the type's fields; nothing where it is.

    Twenty problems are enough; the rest of a value is then not looked at.

    Args:
        type_form: a class or a union of `acp_v2.models`.
        value: the JSON value.
        at: the pointer of the value in its message.
    """
    return list(islice(_explain(type_form, value, at), _AT_MOST))


def _explain(type_form: Any, value: Any, at: str) -> Iterator[Problem]:
    inner, marks = _unwrapped(type_form)
    if (
        _has(marks, OrAbsent)
        or _has(marks, OrEmpty)
        or (value is None and (_has(marks, NullAsAbsent) or _is_nullable(type_form)))
    ):
        return
    if union := _first(marks, OpenUnion):
        yield from _explain_tagged(inner, union, value, at)
    elif _has(marks, ExactlyOne):
        yield from _explain_exactly_one(inner, value, at)
    elif _has(marks, FirstThatFits):
        yield from _explain_first_that_fits(inner, marks, value, at)
    elif isinstance(inner, type) and issubclass(inner, BaseModel):
        yield from _explain_model(inner, value, at)
    elif typing.get_origin(inner) is list:
        yield from _explain_list(inner, marks, value, at)
    elif typing.get_origin(inner) is dict:
        yield from _explain_map(inner, value, at)
    else:
        yield from _explain_leaf(inner, marks, value, at)


def _explain_model(model: type[BaseModel], value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(at, "has to be an object")
        return
    model.model_rebuild()  # Until a model is used, names in its annotations may not be resolved.
    for name, field in model.model_fields.items():
        wire_name = field.alias or name
        if wire_name in value:
            yield from _explain(field, value[wire_name], f"{at}/{_escaped(wire_name)}")
        elif field.is_required():
            yield Problem(at, f"needs the field {wire_name}")


def _explain_list(form: Any, marks: list[Any], value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(at, "has to be an array")
        return
    items = cast("list[Any]", value)
    fewest = next((m.min_length for m in marks if isinstance(m, MinLen)), 0)
    if len(items) < fewest:
        yield Problem(at, f"needs at least {fewest} item{'' if fewest == 1 else 's'}")
    if not _has(marks, SkipInvalidItems):
        (item_type,) = typing.get_args(form)
        for index, item in enumerate(items):
            if _refuses(item_type, item):
                yield from _explain(item_type, item, f"{at}/{index}")


def _explain_map(form: Any, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(at, "has to be an object")
        return
    _, item_type = typing.get_args(form)
    for key, item in cast("dict[str, Any]", value).items():
        if not _refuses(item_type, item):
            continue
        if len(key) > _LONGEST_KEY:
            # Each problem repeats its pointer, and so the key.
            yield Problem(at, "has a malformed value under a key that is too long to repeat")
        else:
            yield from _explain(item_type, item, f"{at}/{_escaped(key)}")


def _explain_tagged(form: Any, union: OpenUnion, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(at, "has to be an object")
        return
    tag = cast("dict[str, Any]", value).get(union.tag)
    members = [m for m in typing.get_args(form) if m is not types.NoneType]
    others = [m for m in members if not union.tags_of(m)]
    meant = next((m for m in members if isinstance(tag, str) and tag in union.tags_of(m)), None)
    if meant is not None:
        # An alternative without the tag may fit nevertheless.
        if all(_refuses(other, value) for other in others):
            yield from _explain(meant, value, at)
    elif isinstance(tag, str) and others:
        yield from _explain(others[0], value, at)
    elif all(_refuses(other, value) for other in others):
        known = ", ".join([t for m in members for t in union.tags_of(m)][:4])
        sentence = (
            "has to be a string"
            if union.tag in value
            else f"needs the field {union.tag}, which says what it is ({known}, …)"
        )
        yield Problem(f"{at}/{_escaped(union.tag)}" if union.tag in value else at, sentence)


def _explain_exactly_one(form: Any, value: Any, at: str) -> Iterator[Problem]:
    members = typing.get_args(form)
    fitting = [m for m in members if not _refuses(m, value)]
    if len(fitting) == 1:
        return
    own = [_own_required(m, members) for m in members]
    if len(fitting) > 1:
        yield Problem(at, f"has {' and '.join(own)}; only one of them may be there")
        return
    claimed = [m for m, name in zip(members, own, strict=True) if isinstance(value, dict) and name in value]
    if len(claimed) == 1 or not isinstance(value, dict):
        yield from _explain(claimed[0] if claimed else members[0], value, at)
        return
    yield Problem(at, f"needs the field {' or '.join(own)}")
    # What else is wrong is the same for all of them.
    yield from (p for p in _explain(members[0], value, at) if p.text != f"needs the field {own[0]}")


def _explain_first_that_fits(form: Any, marks: list[Any], value: Any, at: str) -> Iterator[Problem]:
    if not _refuses(typing.Annotated[form, *marks], value):
        return
    members = [m for m in typing.get_args(form) if m is not types.NoneType]
    kinds = [_kind(m) for m in members]
    fitting = [m for m, kind in zip(members, kinds, strict=True) if kind == _kind_of(value)]
    if not fitting:
        yield Problem(at, f"has to be {' or '.join(dict.fromkeys(kinds))}")
        return
    found = [problems(m, value, at) for m in fitting]
    fewest = next((m.min_items for m in marks if isinstance(m, FirstThatFits)), None)
    yield from min(found, key=len) or [Problem(at, f"needs at least {fewest} item")]


def _explain_leaf(form: Any, marks: list[Any], value: Any, at: str) -> Iterator[Problem]:
    annotated: Any = typing.Annotated[form, *marks] if marks else form
    try:
        _adapter(annotated).validate_python(value)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False, include_input=False):
            yield Problem(at, _sentence(item["msg"]))


def _sentence(text: str) -> str:
    text = re.sub("^Input should be a valid (?=[aeiou])", "Input should be an ", text)
    for said, meant in (
        ("Input should be a valid ", "has to be a "),
        ("Input should be ", "has to be "),
        ("String should have ", "has to have "),
    ):
        if text.startswith(said):
            return meant + text.removeprefix(said)
    return text[:1].lower() + text[1:]


def _refuses(type_form: Any, value: Any) -> bool:
    try:
        _adapter(type_form).validate_python(value, by_alias=True, by_name=False)
    except ValidationError:
        return True
    return False


@lru_cache(maxsize=1024)
def _adapter(type_form: Any) -> TypeAdapter[Any]:
    inner, _ = _unwrapped(type_form)
    has_config = isinstance(inner, type) and issubclass(inner, BaseModel)
    return TypeAdapter(type_form, config=None if has_config else _STRICT)


def _own_required(member: Any, members: tuple[Any, ...]) -> str:
    """The required field that tells an alternative from the others."""
    shared: set[str] = set(members[0].model_fields)
    for other in members[1:]:
        shared &= set(other.model_fields)
    fields = {n: f for n, f in member.model_fields.items() if n not in shared and f.is_required()}
    name, field = next(iter(fields.items()))
    return field.alias or name


def _kind(member: Any) -> str:
    inner, _ = _unwrapped(member)
    if typing.get_origin(inner) is list:
        return "an array"
    return {int: "an integer", float: "a number", str: "a string", bool: "true or false"}.get(inner, "an object")


def _kind_of(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int():
            return "an integer"
        case float():
            return "an integer" if value.is_integer() else "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _unwrapped(type_form: Any) -> tuple[Any, list[Any]]:
    """A type without `Annotated`, `| None` and a field's wrapping, and the annotations that lay around it."""
    marks: list[Any] = []
    while True:
        if isinstance(type_form, FieldInfo):
            marks += type_form.metadata
            type_form = type_form.annotation
        elif typing.get_origin(type_form) is typing.Annotated:
            type_form, *more = typing.get_args(type_form)
            for mark in more:
                marks += mark.metadata if isinstance(mark, FieldInfo) else [mark]
        elif (
            _is_union(type_form)
            and len(present := [m for m in typing.get_args(type_form) if m is not types.NoneType]) == 1
        ):
            type_form = present[0]
        else:
            return type_form, marks


def _is_union(type_form: Any) -> bool:
    return isinstance(type_form, types.UnionType) or typing.get_origin(type_form) is typing.Union


def _is_nullable(type_form: Any) -> bool:
    if isinstance(type_form, FieldInfo):
        type_form = type_form.annotation
    if typing.get_origin(type_form) is typing.Annotated:
        type_form = typing.get_args(type_form)[0]
    return _is_union(type_form) and types.NoneType in typing.get_args(type_form)


def _has(marks: list[Any], kind: type) -> bool:
    return any(isinstance(mark, kind) for mark in marks)


_Mark = typing.TypeVar("_Mark")


def _first(marks: list[Any], kind: type[_Mark]) -> _Mark | None:
    return next((mark for mark in marks if isinstance(mark, kind)), None)
