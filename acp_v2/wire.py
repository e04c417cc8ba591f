"""Reads JSON text as ACP wants it read: strictly, whole, and without ever raising anything but `WireError`."""

from __future__ import annotations

import json
import re
from typing import Any, Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

MAX_DEPTH: Final = 200
"""How deep arrays and objects may nest; real messages stay below ten."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class WireError(ValueError):
    """A text that is no JSON-RPC message.

    Attributes:
        code: the JSON-RPC error code to answer with, -32700 or -32600.
        line: the line of the text, from 1, where known.
    """

    def __init__(self, code: int, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.line = line


def read_json(text: str | bytes) -> Any:
    """Read one JSON text.

    Args:
        text: the text; bytes have to be UTF-8.

    Returns:
        Its value, built of dict, list, str, int, float, bool and None.

    Raises:
        WireError: with -32700 where it is not JSON (NaN and Infinity, lone surrogates and bytes that are not UTF-8
            included) or nests deeper than `MAX_DEPTH`; with -32600 where an object has a key twice.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"is not UTF-8: byte 0x{text[error.start]:02x} at offset {error.start}"
            raise WireError(PARSE_ERROR, message) from None
    if text.startswith("\ufeff"):
        raise WireError(PARSE_ERROR, "begins with a byte order mark")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg.lower()} at line {error.lineno}, column {error.colno}"
        raise WireError(PARSE_ERROR, message, error.lineno) from None
    except RecursionError:
        raise WireError(PARSE_ERROR, _TOO_DEEP) from None
    except WireError:
        raise
    except ValueError:
        # The one way left: Python refuses to convert integers of thousands of digits.
        raise WireError(PARSE_ERROR, "has a number with more digits than can be read") from None
    if _is_deep(text) and _depth_exceeds(value, MAX_DEPTH):
        raise WireError(PARSE_ERROR, _TOO_DEEP)
    if _ESCAPED_SURROGATE.search(text) or _LONE_SURROGATE.search(text):
        _refuse_lone_surrogates(value)
    return value


_TOO_DEEP = f"nests deeper than {MAX_DEPTH} levels"


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise WireError(INVALID_REQUEST, f"has the key {json.dumps(twice[:60])} twice in one object")
    return value


def _refuse_constant(name: str) -> Any:
    raise WireError(PARSE_ERROR, f"is not JSON: {name} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)


def _is_deep(text: str) -> bool:
    """Cheap and never wrong when it says no: a text with few brackets cannot nest deeply."""
    return text.count("{") + text.count("[") > MAX_DEPTH


def _depth_exceeds(value: Any, limit: int) -> bool:
    level: list[Any] = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        ]
        if not level:
            return False
    return any(isinstance(item, dict | list) for item in level)


def _refuse_lone_surrogates(value: Any) -> None:
    """A string with half a surrogate pair cannot be written as UTF-8, so it could be neither stored nor forwarded."""
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if _LONE_SURROGATE.search(item):
                raise WireError(PARSE_ERROR, "has a lone surrogate in a string")
        elif isinstance(item, dict):
            waiting += item.keys()  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            waiting += item.values()  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        elif isinstance(item, list):
            waiting += item  # pyright: ignore[reportUnknownArgumentType]
