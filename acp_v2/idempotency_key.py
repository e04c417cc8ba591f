"""The idempotency key of `session/prompt`: one key for one submission, the same on every attempt."""

from __future__ import annotations

import uuid
from typing import Any, Final, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

SHORTEST: Final = 1
LONGEST: Final = 255
"""Limits of a key's length in code points, as in the schema's `IdempotencyKey`."""


class IdempotencyKey(str):
    """An opaque, case-sensitive string of 1 to 255 code points that the client makes for one submission.

    It is kept as sent: nothing is trimmed, normalised or folded. `repr` does not show it, so that it stays out of logs.
    """

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        """Take a string for a key.

        Raises:
            TypeError: it is no string.
            ValueError: it is empty, has more than 255 code points, or has a lone surrogate.
        """
        if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"an idempotency key is a string, not {type(value).__name__}")
        if not SHORTEST <= len(value) <= LONGEST:
            raise ValueError(f"an idempotency key has {SHORTEST} to {LONGEST} characters, this one has {len(value)}")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("an idempotency key has no lone surrogates") from None
        return super().__new__(cls, value)

    @classmethod
    def generate(cls) -> Self:
        """A new random key, a UUID version 4 (RFC 9562)."""
        return cls(str(uuid.uuid4()))

    def __repr__(self) -> str:
        return "IdempotencyKey(…)"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def make(value: str) -> IdempotencyKey:
            try:
                return value if type(value) is cls else cls(value)
            except ValueError as error:
                raise PydanticCustomError("idempotency_key", "{reason}", {"reason": str(error)}) from None

        # Lengths are checked twice on purpose: here in native code, with the error that pydantic gives for strings.
        text = core_schema.str_schema(min_length=SHORTEST, max_length=LONGEST, strict=True)
        return core_schema.no_info_after_validator_function(
            make, text, serialization=core_schema.plain_serializer_function_ser_schema(_plain)
        )


def _plain(value: Any) -> Any:
    """The key as an ordinary string; what was put in its place by force goes out as it is, to be refused."""
    return str.__str__(value) if isinstance(value, str) else value
