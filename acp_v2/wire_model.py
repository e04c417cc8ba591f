"""The base of every generated model: between Python objects and the JSON that goes over the wire."""

# No `from __future__ import annotations` here: each of the generated classes would evaluate these annotations again.

import threading
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from acp_v2.wire_names import wire_name
from acp_v2.wire_types import OrAbsent, Untagged

_clashes: set[int] = set()
"""The threads in which what is being read has an unknown field with the Python name of a known one; hardly ever one."""


class _UnknownName:
    """The name of an unknown field. Nothing of this runs for an object without unknown fields."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def note(name: str, info: core_schema.ValidationInfo) -> str:
            if name in info.data:
                _clashes.add(threading.get_ident())
            return name

        return core_schema.with_info_after_validator_function(note, core_schema.str_schema())


class WireModel(BaseModel):
    """An object of the protocol.

    Attributes are named in snake case, fields on the wire in camel case; a constructor takes either. Fields that the
    protocol does not know are kept in `model_extra` and sent on. `model_fields_set` has the fields that are sent.
    """

    model_config = ConfigDict(
        alias_generator=wire_name,
        validate_by_alias=True,
        validate_by_name=True,
        extra="allow",
        strict=True,
        defer_build=True,
        # Names that begin with model_ are the protocol's to use, too.
        protected_namespaces=(),
        # A value may be a key or have other secrets in it.
        hide_input_in_errors=True,
        # So that `model_validate` takes what `model_dump` gives, tags included.
        serialize_by_alias=True,
    )

    if not TYPE_CHECKING:
        # Where one is the Python name of a known field, `settled` has to know. Type checkers would ask for it.
        __pydantic_extra__: dict[Annotated[str, _UnknownName()], Any]

    __tags__: ClassVar[tuple[str, ...]] = ()
    """The fields whose one value says which variant of a union this is; they are sent even though nobody set them."""

    def __init__(self, /, **data: Any) -> None:
        """Build a model from its fields.

        Raises:
            pydantic.ValidationError: a field is missing or malformed.
        """
        super().__init__(**data)
        self.__pydantic_fields_set__.update(self.__tags__)
        for name in self.__pydantic_fields_set__ & type(self).model_fields.keys():
            vars(self)[name] = _tagged(vars(self)[name], type(self).model_fields[name])

    # Without this mark pydantic would call `__init__` for every nested object that it reads from the wire.
    __init__.__pydantic_base_init__ = True  # pyright: ignore[reportFunctionMemberAccess]

    @classmethod
    def from_wire(cls, value: Any) -> Self:
        """The model of a JSON value, as `json.loads` gives it.

        Raises:
            pydantic.ValidationError: it is not of this type, in a place where no lenient policy applies.
        """
        model = cls.__pydantic_validator__.validate_python(value, by_alias=True, by_name=False)
        return settled(model) if _clashes else model

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The model of a JSON text.

        Raises:
            pydantic.ValidationError: it is no JSON, or not of this type.
        """
        model = cls.__pydantic_validator__.validate_json(text, by_alias=True, by_name=False)
        # Asked here too, because a call costs a thirtieth of reading a short message.
        return settled(model) if _clashes else model

    def to_wire(self) -> dict[str, Any]:
        """The JSON value to send: what was never set is left out, an explicit `null` is kept."""
        return self.__pydantic_serializer__.to_python(self, mode="json", by_alias=True, exclude_unset=True)

    def to_json(self) -> bytes:
        """The JSON text to send, as UTF-8 without spaces and line ends."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_unset=True)


_Value = TypeVar("_Value")


def settled(value: _Value) -> _Value:
    """What was read from the wire, with unknown fields taken for what they are: they set nothing.

    pydantic has one set of names for both, and so counts an unknown field as the known one with that Python name.
    """
    thread = threading.get_ident()
    if thread in _clashes:
        _clashes.discard(thread)
        _settle(value)
    return value


def _settle(value: Any) -> None:
    waiting: list[Any] = [value]  # No recursion: a peer may nest deeply.
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, WireModel):
            fields = type(inner).model_fields
            for name in (inner.model_extra or {}).keys() & fields.keys() - set(inner.__tags__):
                # Both may have come; then the known field holds what came under its own name.
                if not fields[name].is_required() and getattr(inner, name) == fields[name].get_default(
                    call_default_factory=True, validated_data={}
                ):
                    inner.__pydantic_fields_set__.discard(name)
            waiting += vars(inner).values()
        elif isinstance(inner, list):
            waiting += cast("list[Any]", inner)
        elif isinstance(inner, dict):
            waiting += cast("dict[str, Any]", inner).values()


def _tagged(value: Any, field: FieldInfo) -> Any:
    """A field's value as it is sent: a variant that came without its tag, from where it needs none, has it here."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [_tagged(item, field) for item in items] if any(isinstance(i, WireModel) for i in items) else items
    if not isinstance(value, WireModel) or not value.__tags__:
        return value
    untagged = {mark.field for mark in field.metadata if isinstance(mark, Untagged)}
    missing = set(value.__tags__) - untagged - value.model_fields_set
    if missing:
        value = value.model_copy()
        value.__pydantic_fields_set__.update(missing)
    return value


class Extensible(WireModel):
    """An object with room for metadata, `_meta` on the wire."""

    meta: Annotated[dict[str, Any] | None, Field(alias="_meta"), OrAbsent()] = None
    """Room for metadata that the protocol does not define."""
