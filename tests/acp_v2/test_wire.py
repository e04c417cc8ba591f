"""Reading JSON text: what is refused, with which code, and that nothing else is raised."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_v2.wire import INVALID_REQUEST, MAX_DEPTH, PARSE_ERROR, WireError, read_json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def refused(text: str | bytes) -> WireError:
    with pytest.raises(WireError) as caught:
        read_json(text)
    return caught.value


@given(JSON_VALUES)
def test_what_is_json_is_read(value: object):
    text = json.dumps(value)

    assert read_json(text) == value
    assert read_json(text.encode()) == value


@given(st.text() | st.binary())
def test_nothing_but_a_wire_error_is_raised(text: str | bytes):
    with contextlib.suppress(WireError):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", PARSE_ERROR, "line 1, column 1"),
        ('{"a": 1,}', PARSE_ERROR, "line 1"),
        ('{"a": 1}\n{"b": 2}', PARSE_ERROR, "line 2"),
        ("NaN", PARSE_ERROR, "NaN"),
        ('{"a": -Infinity}', PARSE_ERROR, "-Infinity"),
        (b'{"a": "\xff"}', PARSE_ERROR, "byte 0xff at offset 7"),
        ("\ufeff{}", PARSE_ERROR, "byte order mark"),
        ('{"a": 1, "a": 1}', INVALID_REQUEST, 'the key "a" twice'),
        ('{"x": {"a": 1, "b": 2, "b": 3}}', INVALID_REQUEST, 'the key "b" twice'),
        (r'{"a": "\ud800"}', PARSE_ERROR, "lone surrogate"),
        (r'{"\udfff": 1}', PARSE_ERROR, "lone surrogate"),
        (r'["\ude00\ud83d"]', PARSE_ERROR, "lone surrogate"),
        ("1" * 5000, PARSE_ERROR, "digits"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), PARSE_ERROR, "deeper"),
        ("[" * 100_000, PARSE_ERROR, "deeper"),
        ('{"a":' * 1_000 + "1" + "}" * 1_000, PARSE_ERROR, "deeper"),
    ],
)
def test_what_is_no_json_is_refused_with_its_code(text: str | bytes, code: int, words: str):
    error = refused(text)

    assert error.code == code
    assert words in str(error)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\udd11"', "\U0001f511"),
        ('"\\u0000"', "\0"),
        ('"\U0001f511"', "\U0001f511"),
        ("1.0", 1.0),
        (str(2**63), 2**63),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)),
    ],
)
def test_what_is_unusual_but_json_is_kept(text: str, value: object):
    assert read_json(text) == value


@pytest.mark.parametrize("text", ['"abc', '"a\nb"'])
def test_where_it_stops_being_json_is_said_once(text: str):
    with pytest.raises(WireError) as caught:
        read_json(text)

    assert " at at " not in str(caught.value)
    assert " at line 1, column " in str(caught.value)
