"""The base of every generated model: between Python objects and the JSON that goes over the wire."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from acp_v2.wire_names import wire_name
from acp_v2.wire_types import OrAbsent


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
    )

    __tags__: ClassVar[tuple[str, ...]] = ()
    """The fields whose one value says which variant of a union this is; they are sent even though nobody set them."""

    def __init__(self, /, **data: Any) -> None:
        """Build a model from its fields.

        Raises:
            pydantic.ValidationError: a field is missing or malformed.
        """
        super().__init__(**data)
        self.__pydantic_fields_set__.update(self.__tags__)

    # Without this mark pydantic would call `__init__` for every nested object that it reads from the wire.
    __init__.__pydantic_base_init__ = True  # pyright: ignore[reportFunctionMemberAccess]

    def model_post_init(self, _context: Any, /) -> None:
        """Take unknown fields with the Python name of a known one for what they are: they set nothing."""
        if self.__pydantic_extra__:
            self.__pydantic_fields_set__.difference_update(
                self.__pydantic_extra__.keys() & type(self).model_fields.keys()
            )

    @classmethod
    def from_wire(cls, value: Any) -> Self:
        """The model of a JSON value, as `json.loads` gives it.

        Raises:
            pydantic.ValidationError: it is not of this type, in a place where no lenient policy applies.
        """
        return cls.__pydantic_validator__.validate_python(value, by_alias=True, by_name=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The model of a JSON text.

        Raises:
            pydantic.ValidationError: it is no JSON, or not of this type.
        """
        return cls.__pydantic_validator__.validate_json(text, by_alias=True, by_name=False)

    def to_wire(self) -> dict[str, Any]:
        """The JSON value to send: what was never set is left out, an explicit `null` is kept."""
        return self.__pydantic_serializer__.to_python(self, mode="json", by_alias=True, exclude_unset=True)

    def to_json(self) -> bytes:
        """The JSON text to send, as UTF-8 without spaces and line ends."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_unset=True)


class Extensible(WireModel):
    """An object with room for metadata, `_meta` on the wire."""

    meta: Annotated[dict[str, Any] | None, Field(alias="_meta"), OrAbsent()] = None
    """Room for metadata that the protocol does not define."""
