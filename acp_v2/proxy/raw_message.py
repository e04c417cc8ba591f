"""A JSON-RPC message as the text that came, of which single members can be replaced and the rest is left alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from acp_v2.messages import RequestId, as_request_id
from acp_v2.wire import INVALID_REQUEST, PARSE_ERROR, WireError

_SPACE: Final = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class RawMessage:
    """A JSON object by its members, each a name and the text of its value, in the order in which they came."""

    members: Mapping[str, str]

    @classmethod
    def read(cls, text: str | bytes) -> RawMessage:
        """Read a message.

        Whatever is deeper than its members is checked to be JSON and not looked at any further: numbers keep their
        spelling, keys may stand twice, and what is malformed is for the receiver to say.

        Raises:
            WireError: with -32700 where it is not JSON or nests too deeply for Python; with -32600 where it is no
                object, or one with a member twice, so that nobody can say where it goes.
        """
        if isinstance(text, bytes):
            try:
                text = text.decode("utf-8")
            except UnicodeDecodeError:
                raise WireError(PARSE_ERROR, "is not UTF-8") from None
        members: dict[str, str] = {}
        try:
            for name, value in _members(text):
                if name in members:
                    raise WireError(INVALID_REQUEST, f"has the key {json.dumps(name[:60])} twice")
                members[name] = value
        except json.JSONDecodeError as error:
            message = f"is not JSON: {error.msg.lower()} at line {error.lineno}, column {error.colno}"
            raise WireError(PARSE_ERROR, message, error.lineno) from None
        except RecursionError:
            raise WireError(PARSE_ERROR, "nests too deeply") from None
        return cls(members)

    @property
    def text(self) -> str:
        """The message as it is sent."""
        return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in self.members.items()) + "}"

    @property
    def method(self) -> str | None:
        """The method; None where there is none that is a string."""
        value = self.value("method")
        return value if isinstance(value, str) else None

    @property
    def id(self) -> RequestId | None:
        """The id as it is compared: `1.0` is `1`; None where there is none."""
        return as_request_id(self.value("id"))

    def value(self, name: str) -> Any:
        """The value of a member; None where it is not there, or is more than Python can read."""
        try:
            return json.loads(self.members.get(name, "null"))
        except (ValueError, RecursionError):  # An integer of thousands of digits; and less of the stack is left here.
            return None

    def replaced(self, **values: str | None) -> RawMessage:
        """The same with the texts of some values, or without those for which None is given."""
        members = {name: text for name, text in {**self.members, **values}.items() if text is not None}
        return RawMessage(members)


def _members(text: str) -> Iterator[tuple[str, str]]:
    """The names of an object's members and the texts of their values."""
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        _, end = _DECODER.raw_decode(text, at)
        _expect_end(text, end)
        what = "A message is one object; there are no batches" if text[at] == "[" else "A message is an object"
        raise WireError(INVALID_REQUEST, what)
    at = _skip(text, at + 1)
    is_first = True
    while is_first or text[at : at + 1] != "}":
        if not is_first:
            at = _skip(text, _expect(text, at, ","))
        elif text[at : at + 1] == "}":
            break
        is_first = False
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        name, at = _DECODER.raw_decode(text, at)
        begin = _skip(text, _expect(text, _skip(text, at), ":"))
        _, end = _DECODER.raw_decode(text, begin)
        yield name, text[begin:end]
        at = _skip(text, end)
    _expect_end(text, at + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _expect(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(f"Expecting '{sign}' delimiter", text, at)
    return at + 1


def _expect_end(text: str, at: int) -> None:
    if _skip(text, at) != len(text):
        raise json.JSONDecodeError("Extra data", text, at)


def _refuse_constant(name: str) -> Any:
    raise WireError(PARSE_ERROR, f"is not JSON: {name} is no number")


# Numbers stay text: they are not looked at, and Python refuses to convert very long ones.
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)
