"""A message as the text that came."""

from contextlib import suppress

import pytest

from acp_v2.proxy import RawMessage
from acp_v2.wire import WireError


def test_the_members_are_the_texts_of_their_values():
    message = RawMessage.read(' {"jsonrpc" : "2.0", "id":\t7.0 ,"params": { "a" :1.50, "a": [ ] }\n, "x": null } \r\n')
    assert message.members == {"jsonrpc": '"2.0"', "id": "7.0", "params": '{ "a" :1.50, "a": [ ] }', "x": "null"}
    assert message.text == '{"jsonrpc":"2.0","id":7.0,"params":{ "a" :1.50, "a": [ ] },"x":null}'


@pytest.mark.parametrize("text", ["{}", " { } "])
def test_an_empty_object_has_no_members(text: str):
    assert RawMessage.read(text).members == {}


@pytest.mark.parametrize(
    "value",
    [
        "1.0",
        "1E+2",
        "-0",
        "0.1000",
        "1e999",
        "9" * 5000,
        r'"\u0061\/\ud83d\ude00"',
        r'"\ud800"',
        '"é\U0001fa90"',
        '{"a":1,"a":2}',
        '{"__proto__":{}}',
        "[ 1 , 2 ]",
        "[" * 900 + "]" * 900,
        '"' + "x" * 2_000_000 + '"',
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_a_value_is_not_touched(value: str):
    message = RawMessage.read(f'{{"jsonrpc":"2.0","params":{value}}}')
    assert message.members["params"] == value
    assert message.replaced(id="1").text == f'{{"jsonrpc":"2.0","params":{value},"id":1}}'


def test_bytes_are_utf_8():
    assert RawMessage.read('{"x":"é"}'.encode()).members == {"x": '"é"'}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", -32700),
        ("{", -32700),
        ("{]", -32700),
        ("nothing", -32700),
        ('{"a"}', -32700),
        ('{"a":}', -32700),
        ('{"a":1,}', -32700),
        ('{"a":1 "b":2}', -32700),
        ('{,"a":1}', -32700),
        ("{'a':1}", -32700),
        ('{"a":1}{"a":1}', -32700),
        ('{"a":1} x', -32700),
        ('{"a":[}', -32700),
        ('{"a":NaN}', -32700),
        ('{"a":-Infinity}', -32700),
        ('{"a":01}', -32700),
        ('{"a":"\n"}', -32700),
        ('\ufeff{"a":1}', -32700),
        (b'{"a":"\xff"}', -32700),
        ("[" * 100_000, -32700),
        ('{"a":' + "[" * 100_000, -32700),
        ("[]", -32600),
        ('[{"a":1}]', -32600),
        ("7", -32600),
        ('"a"', -32600),
        ('{"id":1,"id":2}', -32600),
        ('{"id":1,"i\\u0064":2}', -32600),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_is_no_message_has_a_code(text: str | bytes, code: int):
    with pytest.raises(WireError) as caught:
        RawMessage.read(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.0", 1),
        ('"1"', "1"),
        (r'"\u0061"', "a"),
        ("null", None),
        ("true", None),
        ("1.5", None),
        ("[1]", None),
        ("9" * 5000, None),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_an_id_is_compared_by_its_value(text: str, value: object):
    assert RawMessage.read(f'{{"id":{text}}}').id == value


def test_an_id_that_nests_as_deeply_as_python_can_read_is_none():
    read = 0
    for depth in range(800, 1000):
        with suppress(WireError):
            assert RawMessage.read('{"id":' + "[" * depth + "]" * depth + "}").id is None
            read += 1
    assert 0 < read < 200


def test_replacing_leaves_the_order_and_takes_out_what_is_none():
    message = RawMessage.read('{"a":1,"b":2,"c":3}')
    assert message.replaced(b="0", c=None, d="4").text == '{"a":1,"b":0,"d":4}'
    assert message.text == '{"a":1,"b":2,"c":3}'
