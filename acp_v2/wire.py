"""Reads JSON text as ACP wants it read: strictly, whole, and without ever raising anything but `WireError`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
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
            included), nests deeper than `MAX_DEPTH` or has a number that Python cannot hold; with -32600 where an
            object has a key twice.
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
        message = f"is not JSON: {error.msg.lower().removesuffix(' at')} at line {error.lineno}, column {error.colno}"
        raise WireError(PARSE_ERROR, message, error.lineno) from None
    except RecursionError:
        raise WireError(PARSE_ERROR, _TOO_DEEP) from None
    except WireError:
        raise
    except ValueError:
        # The one way left: Python refuses to convert integers of thousands of digits.
        raise WireError(PARSE_ERROR, _TOO_LONG) from None
    if _may_be_deep(text) or _ESCAPED_SURROGATE.search(text) or _LONE_SURROGATE.search(text):
        check_json(value)
    return value


def check_json(value: Any) -> None:
    """Refuse a value that `read_json` could not have given, such as one with a set, a NaN or itself in it.

    Raises:
        WireError: with -32700.
    """
    level: Iterable[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        # By identity, so that what holds itself, or one thing many times, does not grow from level to level.
        below: dict[int, Any] = {}
        for container in level:
            for child in _children(container):
                if isinstance(child, dict | list):
                    below[id(child)] = child  # pyright: ignore[reportUnknownArgumentType]
                else:
                    _check_scalar(child)
        if not below:
            return
        level = below.values()
    raise WireError(PARSE_ERROR, _TOO_DEEP)


_TOO_DEEP = f"nests deeper than {MAX_DEPTH} levels"
_TOO_LONG = "has a number with more digits than can be read"


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise WireError(INVALID_REQUEST, f"has the key {json.dumps(twice[:60])} twice in one object")
    return value


def _refuse_constant(name: str) -> Any:
    raise WireError(PARSE_ERROR, f"is not JSON: {name} is no number")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        # It would be sent on as Infinity, which is not JSON.
        raise WireError(PARSE_ERROR, "has a number that is too large")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_finite)


def _may_be_deep(text: str) -> bool:
    """Cheap and never wrong when it says no: a text with few brackets cannot nest deeply."""
    return text.count("{") + text.count("[") > MAX_DEPTH


def _children(container: dict[Any, Any] | list[Any]) -> Iterable[Any]:
    if isinstance(container, list):
        return container
    for key in container:
        if not isinstance(key, str):
            raise WireError(PARSE_ERROR, "is not JSON: it has a key that is no string")
        _check_scalar(key)
    return container.values()


def _check_scalar(value: Any) -> None:
    if isinstance(value, str):
        # Half a surrogate pair cannot be written as UTF-8, so it could be neither stored nor forwarded.
        if not value.isascii() and _LONE_SURROGATE.search(value):
            raise WireError(PARSE_ERROR, "has a lone surrogate in a string")
    elif isinstance(value, int):
        try:
            str(value)
        except ValueError:
            raise WireError(PARSE_ERROR, _TOO_LONG) from None
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise WireError(PARSE_ERROR, "is not JSON: it has a number that is not finite")
    elif value is not None:
        raise WireError(PARSE_ERROR, f"is not JSON: it has a {type(value).__name__}")
