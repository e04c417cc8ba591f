"""Annotations that give the generated models what pydantic has no word for.

Each is put into `Annotated[...]` and builds a pydantic-core schema whose ordinary path runs in native code; Python runs
only where a value is malformed or unusual.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import PydanticCustomError, PydanticOmit, core_schema

CoreSchema = core_schema.CoreSchema

_AS_IT_IS = core_schema.simple_ser_schema("any")
"""Serialises by what a value is at run time, which for a model is its own serialiser; a union would try each choice."""


@dataclass(frozen=True, slots=True)
class Integral:
    """A whole number within limits: an int, or a float without a fraction, never a string or a boolean."""

    ge: int | None = None
    le: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def convert(value: float) -> int:
            if not value.is_integer():
                raise PydanticCustomError("int_from_float", "has a fraction")
            return int(value)

        whole = core_schema.int_schema(ge=self.ge, le=self.le, strict=True)
        integral = core_schema.no_info_after_validator_function(
            convert, core_schema.float_schema(ge=self.ge, le=self.le, strict=True, allow_inf_nan=False)
        )
        return _number(source, [whole, integral], f"Input should be a valid integer{_limits(self.ge, self.le)}")


@dataclass(frozen=True, slots=True)
class Number:
    """Any number within limits; an int stays one, so that none loses digits."""

    ge: int | None = None
    le: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        whole = core_schema.int_schema(ge=self.ge, le=self.le, strict=True)
        other = core_schema.float_schema(ge=self.ge, le=self.le, strict=True, allow_inf_nan=False)
        return _number(source, [whole, other], f"Input should be a valid number{_limits(self.ge, self.le)}")


def _number(source: Any, kinds: list[CoreSchema], message: str) -> CoreSchema:
    """One of several kinds of number, with one error where it is none of them."""
    union = core_schema.union_schema([*kinds], mode="left_to_right", serialization=_AS_IT_IS)
    number = core_schema.custom_error_schema(union, "number", custom_error_message=message, serialization=_AS_IT_IS)
    return core_schema.nullable_schema(number) if types.NoneType in typing.get_args(source) else number


def _limits(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}"
    return f" of {low} or more" if low is not None else f" of {high} or less" if high is not None else ""


class OpenString:
    """Listed strings that type checkers know of, and any other."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.str_schema(strict=True)


class OrAbsent:
    """`x-deserialize-default-on-error`: a malformed value becomes the field's default and counts as unset."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        default = _default_of(source)
        fallback = core_schema.with_info_plain_validator_function(lambda _value, info: _leave_out(info, default))
        return core_schema.union_schema([handler(source), fallback], mode="left_to_right", serialization=_AS_IT_IS)


class OrEmpty:
    """`x-deserialize-default-on-error` on a required list: a malformed one becomes an empty one."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        fallback = core_schema.no_info_plain_validator_function(lambda _value: [])
        return core_schema.union_schema([handler(source), fallback], mode="left_to_right", serialization=_AS_IT_IS)


class NullAsAbsent:
    """`x-deserialize-default-on-null`: `null` becomes the field's default and counts as unset."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        default = _default_of(source)

        def check(value: Any, inner: core_schema.ValidatorFunctionWrapHandler, info: core_schema.ValidationInfo) -> Any:
            return _leave_out(info, default) if value is None else inner(value)

        return core_schema.with_info_wrap_validator_function(check, handler(source))


def _default_of(source: Any) -> Callable[[], Any]:
    """What the field holds when it is left out: nothing where it may be null, else an empty container."""
    origin = typing.get_origin(source)
    if origin in (list, dict):
        return origin
    if isinstance(source, type) and issubclass(source, BaseModel):
        return source
    return lambda: None


def _leave_out(info: core_schema.ValidationInfo, default: Callable[[], Any]) -> Any:
    """Give the field its default and keep it out of `model_fields_set`.

    `info.data` is the very dict that becomes the model's `__dict__`, and an omitted field is not recorded as set.
    """
    if info.field_name is not None:
        info.data[info.field_name] = default()
        raise PydanticOmit
    return default()


class SkipInvalidItems:
    """`x-deserialize-skip-invalid-items`: a malformed item of a list is dropped."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        items: Any = schema
        while items["type"] != "list":
            items = items["schema"]
        items["items_schema"] = core_schema.with_default_schema(items["items_schema"], on_error="omit")
        return schema


@dataclass(frozen=True, slots=True)
class OpenUnion:
    """Models told apart by the tag that each has as a literal; the rest take what no tag decides, in their order.

    `tag` is the name of the field on the wire, `field` its attribute.
    """

    tag: str
    field: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        choices: dict[Any, Any] = {}
        classes: list[type[BaseModel]] = []
        others: list[Any] = []
        for member in typing.get_args(source):
            schema = handler.generate_schema(member)
            values = self.tags_of(member)
            for value in values:
                choices[value] = schema
            if values:
                classes += _classes(member)
            else:
                others.append(schema)
        # Objects are told apart by the name on the wire alone, so that `session_update` there is no tag.
        tagged = core_schema.tagged_union_schema(choices, discriminator=self.tag)
        built = core_schema.is_instance_schema(tuple(classes))
        return core_schema.union_schema([tagged, built, *others], mode="left_to_right", serialization=_AS_IT_IS)

    def tags_of(self, member: Any) -> list[str]:
        """The tags of a member: one for a model, all of its members' for a union; none for a fallback."""
        found: list[str] = []
        for model in _classes(member):
            annotation = model.model_fields[self.field].annotation if self.field in model.model_fields else None
            found += typing.get_args(annotation) if typing.get_origin(annotation) is typing.Literal else ()
        return found


def _classes(member: Any) -> list[type[BaseModel]]:
    """The models of a member: one, or those of a union within the union."""
    if typing.get_origin(member) is typing.Annotated:
        member = typing.get_args(member)[0]
    if isinstance(member, types.UnionType) or typing.get_origin(member) is typing.Union:
        return [model for inner in typing.get_args(member) for model in _classes(inner)]
    return [member]


@dataclass(frozen=True, slots=True)
class FirstThatFits:
    """Alternatives without a tag, tried in their order; lists of them have at least `min_items` items."""

    min_items: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members: list[CoreSchema] = []
        for member in typing.get_args(source):
            schema: Any = _STRICT[member](handler) if member in _STRICT else handler.generate_schema(member)
            if schema["type"] == "list":
                schema = {**schema, "min_length": self.min_items}
            members.append(schema)
        return core_schema.union_schema([*members], mode="left_to_right", serialization=_AS_IT_IS)


_STRICT: dict[Any, Callable[[GetCoreSchemaHandler], CoreSchema]] = {
    int: lambda handler: Integral().__get_pydantic_core_schema__(int, handler),
    str: lambda _handler: core_schema.str_schema(strict=True),
}
"""Members that would otherwise be as lenient as whoever asks for the alias."""


class ExactlyOne:
    """Alternatives of which one fits and no other does, as with JSON Schema's `oneOf`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members = typing.get_args(source)

        def attempt(value: Any, validate: core_schema.ValidatorFunctionWrapHandler) -> Any:
            try:
                return validate(value)
            except ValidationError as error:
                return error

        def pick(attempts: tuple[Any, ...]) -> Any:
            errors = [a for a in attempts if isinstance(a, ValidationError)]
            if len(errors) < len(members) - 1:
                raise PydanticCustomError("one_of", "Input fits more than one alternative; exactly one is allowed")
            if len(errors) == len(members):
                raise min(errors, key=lambda error: error.error_count())
            return next(a for a in attempts if not isinstance(a, ValidationError))

        # A tuple with the value once for each alternative, so that each is tried in the mode of the whole validation.
        each = core_schema.tuple_schema(
            [core_schema.no_info_wrap_validator_function(attempt, handler.generate_schema(m)) for m in members]
        )
        copied = core_schema.no_info_before_validator_function(lambda value: (value,) * len(members), each)
        return core_schema.no_info_after_validator_function(pick, copied, serialization=_AS_IT_IS)


@dataclass(frozen=True, slots=True)
class UnlistedTag:
    """The tag of a fallback: any string but the listed ones, so that a malformed known variant is no unknown one."""

    listed: frozenset[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(value: str) -> str:
            if value in self.listed:
                raise PydanticCustomError("listed_tag", "Input should be none of the listed values")
            return value

        return core_schema.no_info_after_validator_function(check, core_schema.str_schema(strict=True))


class AbsentTag:
    """The tag of the variant without one: `null`; what is no string at all is taken as absent."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def fallback(value: Any, info: core_schema.ValidationInfo) -> Any:
            if isinstance(value, str):
                raise PydanticCustomError("listed_tag", "Input should be null")
            return _leave_out(info, lambda: None)

        return core_schema.union_schema(
            [core_schema.none_schema(), core_schema.with_info_plain_validator_function(fallback)],
            mode="left_to_right",
            serialization=_AS_IT_IS,
        )


@dataclass(frozen=True, slots=True)
class Untagged:
    """A model that is a variant elsewhere, standing alone: the tag that it would carry there is not sent."""

    field: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def strip(value: Any) -> Any:
            if isinstance(value, BaseModel) and self.field in value.model_fields_set:
                value = value.model_copy()
                value.__pydantic_fields_set__.discard(self.field)
            return value

        return core_schema.no_info_after_validator_function(strip, handler(source))
