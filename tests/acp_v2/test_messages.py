"""Reading one message: its typed form, or the error to answer with. Nothing is ever raised."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from acp_v2 import (
    METHODS,
    AcpError,
    AuthRequired,
    CancelSessionNotification,
    IdempotencyKey,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ParseError,
    PromptRequest,
    PromptResponse,
    TextContent,
    parse_message,
)
from acp_v2.messages import Notification, Rejected, Request, Response

TEXT = {"type": "text", "text": "Hi"}
PROMPT = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [TEXT]}}
CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
RESULT = {"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "Sign in first", "data": {"more": 1}}}
EXTENSION = {"jsonrpc": "2.0", "id": 1, "method": "_example.org/x", "params": [1, {"x": None}]}

MESSAGES = {"request": PROMPT, "notification": CANCEL, "result": RESULT, "error": ERROR, "extension": EXTENSION}


def request(message: Any, **options: Any) -> Request:
    parsed = parse_message(message, **options)
    assert isinstance(parsed, Request)
    return parsed


def notification(message: Any, **options: Any) -> Notification:
    parsed = parse_message(message, **options)
    assert isinstance(parsed, Notification)
    return parsed


def response(message: Any) -> Response:
    parsed = parse_message(message)
    assert isinstance(parsed, Response)
    return parsed


def rejected(message: Any, **options: Any) -> Rejected:
    parsed = parse_message(message, **options)
    assert isinstance(parsed, Rejected)
    check_answer(parsed)
    return parsed


def check_answer(message: Rejected) -> None:
    """An answer is an error response that can be sent."""
    if message.answer is not None:
        assert message.answer == {"jsonrpc": "2.0", "id": message.answer["id"], "error": message.error.to_wire()}
        json.dumps(message.answer, allow_nan=False, ensure_ascii=False).encode()


def prompt(**params: Any) -> dict[str, Any]:
    return {**PROMPT, "params": {**PROMPT["params"], **params}}


def places_of(message: Rejected) -> list[str]:
    assert message.error.code == -32602
    return [problem["pointer"] for problem in message.error.data["problems"]]


# What is well formed


def test_a_request_has_its_id_method_and_typed_params():
    message = request(PROMPT)

    assert (message.id, message.method) == (1, "session/prompt")
    assert message.params == PromptRequest(session_id="s", prompt=[TextContent(text="Hi")])
    assert message.spec is METHODS["session/prompt"]


def test_a_notification_has_its_method_and_typed_params():
    message = notification(CANCEL)

    assert message.method == "session/cancel"
    assert message.params == CancelSessionNotification(session_id="s")
    assert message.spec is METHODS["session/cancel"]


def test_a_response_has_its_id_and_result():
    message = response(RESULT)

    assert (message.id, message.result, message.error) == (1, {"messageId": "m"}, None)


def test_an_error_response_has_its_id_and_a_typed_error():
    message = response(ERROR)

    assert (message.id, message.result) == (1, None)
    assert isinstance(message.error, AuthRequired)
    assert message.error.to_wire() == ERROR["error"]


def test_an_error_response_to_what_could_not_be_read_has_no_id():
    assert response({**ERROR, "id": None}).id is None


def test_a_result_may_be_null():
    message = response({**RESULT, "result": None})

    assert (message.result, message.error) == (None, None)


@pytest.mark.parametrize("kind", MESSAGES)
def test_text_bytes_and_value_are_read_alike(kind: str):
    text = json.dumps(MESSAGES[kind])

    shown = repr(parse_message(MESSAGES[kind]))

    assert "Rejected" not in shown
    assert repr(parse_message(text)) == shown
    assert repr(parse_message(text.encode())) == shown


@pytest.mark.parametrize("kind", MESSAGES)
def test_raw_is_the_message_as_it_came(kind: str):
    value = {**MESSAGES[kind], "later": {"x": [1.0, None]}}

    message = parse_message(json.dumps(value))

    assert not isinstance(message, Rejected)
    assert message.raw == value


def test_raw_keeps_what_a_lenient_field_drops():
    value = prompt(prompt=[{**TEXT, "annotations": 5}], _meta="x")

    message = request(value)

    assert message.params.prompt[0].annotations is None
    assert message.raw == prompt(prompt=[{**TEXT, "annotations": 5}], _meta="x")


@pytest.mark.parametrize("fields", [{}, {"params": None}, {"params": {}}])
def test_params_that_are_absent_or_null_are_empty(fields: dict[str, Any]):
    message = request({"jsonrpc": "2.0", "id": 1, "method": "session/list", **fields})

    assert message.params.to_wire() == {}


def test_an_unknown_field_of_a_message_does_not_matter():
    assert request({**PROMPT, "later": True}).id == 1


def test_a_key_stays_out_of_what_is_printed():
    assert "secret" not in repr(request(prompt(idempotencyKey="secret")))


def test_params_built_by_hand_are_read():
    message = request(prompt(idempotencyKey=IdempotencyKey("k")))

    assert message.params.idempotency_key == "k"


def test_a_line_of_50_mb_is_read():
    text = "x" * 50_000_000

    message = request(json.dumps(prompt(prompt=[{"type": "text", "text": text}])).encode())

    assert message.params.prompt[0].text == text


# Extension methods


def test_params_of_an_extension_request_are_as_they_came():
    message = request(EXTENSION)

    assert message.params == [1, {"x": None}]
    assert message.spec is None


@pytest.mark.parametrize("params", [None, 5, "x", [], {"sessionId": 5}])
def test_an_extension_takes_any_params(params: object):
    assert request({**EXTENSION, "params": params}).params == params


def test_params_of_an_extension_may_be_absent():
    assert notification({"jsonrpc": "2.0", "method": "_x"}).params is None


@pytest.mark.parametrize("receiver", ["agent", "client"])
def test_an_extension_is_for_either_side(receiver: str):
    assert request(EXTENSION, receiver=receiver).method == "_example.org/x"


def test_the_result_of_an_extension_is_as_it_came():
    assert response({**RESULT, "result": [1]}).read_result("_example.org/x") == [1]


# Results


def test_the_result_is_read_as_the_type_of_its_method():
    assert response(RESULT).read_result("session/prompt") == PromptResponse(message_id="m")


def test_an_error_is_raised_as_the_exception_of_its_code():
    with pytest.raises(AuthRequired, match="Sign in first") as caught:
        response(ERROR).read_result("session/prompt")

    assert caught.value.data == {"more": 1}


def test_an_error_of_another_code_is_raised_with_it():
    with pytest.raises(AcpError) as caught:
        response({**ERROR, "error": {"code": 7, "message": "m"}}).read_result("_x")

    assert caught.value.code == 7


def test_a_malformed_result_is_a_validation_error():
    with pytest.raises(ValidationError):
        response({**RESULT, "result": {}}).read_result("session/prompt")


@pytest.mark.parametrize("method", ["no/such", "session/cancel"])
def test_what_is_no_request_has_no_result(method: str):
    with pytest.raises(KeyError, match=method):
        response(RESULT).read_result(method)


# Ids


@pytest.mark.parametrize(
    ("value", "read_as"),
    [(0, 0), (-1, -1), (2**80, 2**80), (1.0, 1), (-0.0, 0), (1e300, int(1e300)), ("", ""), ("1", "1"), ("é", "é")],
)
def test_an_id_is_an_integer_or_a_string(value: object, read_as: object):
    for message in (request({**PROMPT, "id": value}), response({**RESULT, "id": value})):
        assert message.id == read_as
        assert type(message.id) is type(read_as)


@pytest.mark.parametrize("value", [None, True, False, 1.5, [], [1], {}])
def test_a_request_with_another_id_is_answered_under_null(value: object):
    message = rejected({**PROMPT, "id": value})

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is not None
    assert message.answer["id"] is None


@pytest.mark.parametrize("value", [None, True, False, 1.5, [], [1], {}])
def test_a_result_with_another_id_is_refused(value: object):
    message = rejected({**RESULT, "id": value})

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is None


@pytest.mark.parametrize("request_id", [7, "seven", 0, ""])
@pytest.mark.parametrize(
    "fault",
    [
        {"params": {}},
        {"params": 5},
        {"method": "no/such"},
        {"method": 5},
        {"method": "session/cancel"},
        {"jsonrpc": "1.0"},
        {"result": {}},
    ],
)
def test_the_answer_carries_the_id(request_id: object, fault: dict[str, Any]):
    message = rejected({**PROMPT, "id": request_id, **fault})

    assert message.answer is not None
    assert message.answer["id"] == request_id


def test_the_answer_carries_an_integral_float_as_an_integer():
    message = rejected({**PROMPT, "id": 7.0, "params": {}})

    assert message.answer is not None
    assert json.dumps(message.answer["id"]) == "7"


# -32700: no JSON


NO_JSON = {
    "empty": "",
    "white space": " \n",
    "cut off": '{"jsonrpc": "2.0"',
    "two": "{}{}",
    "NaN": '{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": NaN}',
    "Infinity": '{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": [-Infinity]}',
    "a float beyond all": '{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": 1e400}',
    "a negative float beyond all": '{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": [-1e400]}',
    "a huge integer": '{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": ' + "1" * 5_000 + "}",
    "a huge id": '{"jsonrpc": "2.0", "id": ' + "1" * 5_000 + ', "method": "_x"}',
    "lone surrogate": r'{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": "\ud800"}',
    "lone surrogate in a key": r'{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": {"\udfff": 1}}',
    "lone surrogate in the id": r'{"jsonrpc": "2.0", "id": "\ud800", "method": "_x"}',
    "lone surrogate in the method": r'{"jsonrpc": "2.0", "id": 1, "method": "_\ud800"}',
    "lone surrogate, not escaped": '{"jsonrpc": "2.0", "id": 1, "method": "_x", "params": "\ud800"}',
    "1,000 arrays deep": "[" * 1_000 + "]" * 1_000,
    "1,000 objects deep": '{"a":' * 1_000 + "1" + "}" * 1_000,
    "100,000 arrays deep": "[" * 100_000 + "]" * 100_000,
    "100,000 objects deep": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "50 MB deep": "[" * 50_000_000,
    "BOM": "\ufeff" + json.dumps(PROMPT),
    "BOM in bytes": b"\xef\xbb\xbf" + json.dumps(PROMPT).encode(),
    "invalid UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "_\xff"}',
    "UTF-8 of a lone surrogate": b'{"jsonrpc": "2.0", "id": 1, "method": "_\xed\xa0\x80"}',
    "UTF-16": json.dumps(PROMPT).encode("utf-16"),
    "NUL": b"\0",
}


@pytest.mark.parametrize("case", NO_JSON)
def test_what_is_no_json_is_a_parse_error_under_id_null(case: str):
    message = rejected(NO_JSON[case])

    assert isinstance(message.error, ParseError)
    assert message.answer is not None
    assert message.answer["id"] is None


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {"a": 1}
    value["b"] = [value, value]
    return value


NO_JSON_VALUE = {
    "tuple": (1,),
    "set": {1},
    "bytes": b"x",
    "object": object(),
    "NaN": float("nan"),
    "Infinity": [float("-inf")],
    "a huge integer": 10**5_000,
    "lone surrogate": {"x": ["\ud800"]},
    "lone surrogate in a key": [{"\udfff": 1}],
    "integer as key": {1: "x"},
    "None as key": {"x": {None: 1}},
    "tuple as key": {("x",): 1},
    "cycle": cyclic(),
    "1,000 deep": nested(1_000),
    "100,000 deep": nested(100_000),
}


@pytest.mark.parametrize("kind", MESSAGES)
@pytest.mark.parametrize("case", NO_JSON_VALUE)
def test_a_dict_with_something_in_it_that_is_no_json_is_a_parse_error(case: str, kind: str):
    message = rejected({**MESSAGES[kind], "later": NO_JSON_VALUE[case]})

    assert isinstance(message.error, ParseError)


@pytest.mark.parametrize("field", ["jsonrpc", "id", "method", "params", "result", "error"])
@pytest.mark.parametrize("case", NO_JSON_VALUE)
def test_so_is_one_with_it_in_a_field_of_the_message(case: str, field: str):
    assert isinstance(rejected({**PROMPT, field: NO_JSON_VALUE[case]}).error, ParseError)


@pytest.mark.parametrize("key", [1, None, 1.5, ("x",), b"method", "\ud800"])
def test_so_is_one_with_another_key(key: Any):
    assert isinstance(rejected({**PROMPT, key: 1}).error, ParseError)


def test_one_value_in_many_places_is_json():
    shared: Any = {}
    for _ in range(100):
        shared = {"a": shared, "b": shared}

    assert request({**EXTENSION, "params": shared}).params is shared


# -32600: JSON, but no message


@pytest.mark.parametrize(
    "value",
    ["[]", b"[]", [], [1], json.dumps([PROMPT, PROMPT]), [PROMPT, PROMPT], [float("nan")], ["\ud800"]],
)
def test_an_array_is_answered_once_under_id_null(value: object):
    message = rejected(value)

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is not None
    assert message.answer["id"] is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        10**5_000,
        1.5,
        float("nan"),
        True,
        "5",
        b"5",
        "null",
        '"x"',
        (),
        {1},
        bytearray(b"{}"),
        memoryview(b"{}"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_object_is_an_invalid_request(value: object):
    message = rejected(value)

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is not None
    assert message.answer["id"] is None


@pytest.mark.parametrize(
    "text",
    [
        '{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1, "method": "session/list"}',
        '{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "session/list"}',
        '{"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"a": [{"b": 1, "b": 1}]}}',
        r'{"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"a": 1, "\u0061": 1}}',
    ],
)
def test_a_key_that_is_there_twice_is_an_invalid_request(text: str):
    message = rejected(text)

    assert isinstance(message.error, InvalidRequest)
    assert "twice" in message.error.message
    assert message.answer is not None


def test_a_key_that_is_there_twice_among_many_is_an_invalid_request():
    fields = ",".join(f'"{n}":1' for n in range(100_000))

    assert isinstance(rejected(f'{{{fields},"5":1}}').error, InvalidRequest)


@pytest.mark.parametrize("value", [{}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "params": {}}, {"method_": "x"}])
def test_what_is_neither_a_call_nor_a_response_is_answered_under_id_null(value: dict[str, Any]):
    message = rejected(value)

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is not None
    assert message.answer["id"] is None


def test_what_is_neither_but_has_an_id_is_answered_under_it():
    message = rejected({"jsonrpc": "2.0", "id": 7})

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is not None
    assert message.answer["id"] == 7


@pytest.mark.parametrize(
    "fault",
    [
        {"jsonrpc": "1.0"},
        {"jsonrpc": 2.0},
        {"jsonrpc": None},
        {"method": None},
        {"method": 5},
        {"method": ["session/prompt"]},
        {"result": {}},
        {"result": None},
        {"error": {"code": 1, "message": "m"}},
    ],
)
def test_a_malformed_call_is_an_invalid_request(fault: dict[str, Any]):
    assert isinstance(rejected({**PROMPT, **fault}).error, InvalidRequest)
    assert isinstance(rejected({**EXTENSION, **fault}).error, InvalidRequest)


def test_a_call_without_a_version_is_an_invalid_request():
    assert isinstance(rejected({k: v for k, v in PROMPT.items() if k != "jsonrpc"}).error, InvalidRequest)


def test_a_request_without_an_id_is_an_invalid_request():
    message = rejected({k: v for k, v in PROMPT.items() if k != "id"})

    assert isinstance(message.error, InvalidRequest)
    assert message.error.message == "session/prompt is a request and needs an id"
    assert message.answer is None


def test_a_notification_with_an_id_is_an_invalid_request():
    message = rejected({**CANCEL, "id": 1})

    assert isinstance(message.error, InvalidRequest)
    assert message.error.message == "session/cancel is a notification and takes no id"
    assert message.answer is not None


# -32601: no such method


@pytest.mark.parametrize("method", ["no/such", "", "Session/prompt", "session/prompt ", "$/no_such", "é"])
def test_an_unknown_method_is_not_found(method: str):
    message = rejected({**PROMPT, "method": method})

    assert isinstance(message.error, MethodNotFound)
    assert message.error.data == {"method": method}


def test_of_a_long_method_the_answer_repeats_the_beginning():
    message = rejected({**PROMPT, "method": "x" * 1_000_000})

    assert message.error.data == {"method": "x" * 100}
    assert len(json.dumps(message.answer)) < 1_000


@pytest.mark.parametrize(
    ("receiver", "method", "has_id"),
    [
        ("client", "session/prompt", True),
        ("client", "session/prompt", False),
        ("client", "session/cancel", False),
        ("client", "session/cancel", True),
        ("agent", "session/request_permission", True),
        ("agent", "session/update", False),
        ("agent", "session/update", True),
        ("agent", "mcp/message", True),
        ("client", "mcp/message", False),
        ("agent", "proxy/initialize", True),
        ("client", "proxy/initialize", True),
    ],
)
def test_a_method_that_the_receiver_does_not_serve_is_not_found(receiver: str, method: str, *, has_id: bool):
    call = {"jsonrpc": "2.0", "method": method, "params": {}, **({"id": 1} if has_id else {})}

    message = rejected(call, receiver=receiver)

    assert isinstance(message.error, MethodNotFound)
    assert (message.answer is not None) == has_id


@pytest.mark.parametrize(
    ("receiver", "method", "has_id"),
    [("agent", "session/prompt", False), ("agent", "session/cancel", True), ("client", "session/update", True)],
)
def test_a_method_that_the_receiver_serves_the_other_way_is_an_invalid_request(receiver, method, has_id):
    call = {"jsonrpc": "2.0", "method": method, "params": {}, **({"id": 1} if has_id else {})}

    assert isinstance(rejected(call, receiver=receiver).error, InvalidRequest)


@pytest.mark.parametrize("receiver", ["agent", "client", None])
def test_a_method_for_either_side_is_served_by_both(receiver: str | None):
    call = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}

    assert notification(call, receiver=receiver).params.request_id == 1


def test_a_method_of_both_kinds_is_read_by_its_id():
    call = {"jsonrpc": "2.0", "method": "mcp/message", "params": {"serverId": "m", "requestId": "r", "method": "x"}}

    assert type(request({**call, "id": 1}).params).__name__ == "MessageMcpRequest"
    assert type(notification(call).params).__name__ == "MessageMcpNotification"


# -32602: malformed params


@pytest.mark.parametrize(
    ("params", "pointer", "text"),
    [
        (5, "/params", "has to be an object"),
        ([], "/params", "has to be an object"),
        ({"prompt": [TEXT]}, "/params", "needs the field sessionId"),
        ({"sessionId": 5, "prompt": [TEXT]}, "/params/sessionId", "has to be a string"),
        ({"sessionId": None, "prompt": [TEXT]}, "/params/sessionId", "has to be a string"),
        ({"sessionId": "s", "prompt": TEXT}, "/params/prompt", "has to be an array"),
        ({"sessionId": "s", "prompt": []}, "/params/prompt", "needs at least 1 item"),
        ({"sessionId": "s", "prompt": [TEXT, 5]}, "/params/prompt/1", "has to be an object"),
        ({"sessionId": "s", "prompt": [{"type": "text"}]}, "/params/prompt/0", "needs the field text"),
        ({"sessionId": "s", "prompt": [{"type": 5}]}, "/params/prompt/0/type", "has to be a string"),
    ],
)
def test_malformed_params_are_named_by_a_json_pointer(params: object, pointer: str, text: str):
    message = rejected({**PROMPT, "params": params})

    assert isinstance(message.error, InvalidParams)
    assert message.error.message == "Invalid params of session/prompt"
    assert message.error.data == {"pointer": pointer, "problems": [{"pointer": pointer, "message": text}]}


def test_absent_params_lack_what_is_required():
    message = rejected({k: v for k, v in PROMPT.items() if k != "params"})

    assert places_of(message) == ["/params", "/params"]


def form(**properties: Any) -> dict[str, Any]:
    params = {
        "sessionId": "s",
        "mode": "form",
        "message": "m",
        "requestedSchema": {"type": "object", "properties": properties},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params}


def test_names_in_a_pointer_are_escaped():
    message = rejected(form(**{"a/b~c": 5}))

    assert places_of(message) == ["/params/requestedSchema/properties/a~1b~0c"]


def test_every_problem_is_named_in_the_order_of_the_fields():
    message = rejected(prompt(sessionId=5, prompt=[5, TEXT, {}], idempotencyKey=""))

    assert places_of(message) == ["/params/sessionId", "/params/prompt/0", "/params/prompt/2", "/params/idempotencyKey"]
    assert message.error.data["pointer"] == "/params/sessionId"


@pytest.mark.parametrize("item", [5, {}, {"type": 5}, {"type": "text"}, {"type": "resource", "resource": {}}])
def test_twenty_problems_are_enough(item: object):
    message = rejected(prompt(prompt=[item] * 1_000))

    assert len(places_of(message)) == 20


def test_a_problem_behind_many_good_items_is_named():
    message = rejected(prompt(prompt=[TEXT] * 10_000 + [5]))

    assert places_of(message) == ["/params/prompt/10000"]


def test_many_fields_that_nobody_knows_are_no_problem():
    message = rejected(prompt(sessionId=5, **{str(n): n for n in range(100_000)}))

    assert places_of(message) == ["/params/sessionId"]


def test_a_name_too_long_to_repeat_is_not_repeated():
    message = rejected(form(**{f"{n}{'k' * 10_000}": 5 for n in range(20)}))

    assert set(places_of(message)) == {"/params/requestedSchema/properties"}
    assert len(json.dumps(message.answer)) < 10_000


@pytest.mark.parametrize("key", ["", "k" * 256, 5, True, ["k"], {}])
def test_a_malformed_key_is_refused_where_it_stands(key: object):
    assert places_of(rejected(prompt(idempotencyKey=key))) == ["/params/idempotencyKey"]


# What is not answered


@pytest.mark.parametrize(
    "fault",
    [
        {"params": {}},
        {"params": 5},
        {"params": {"sessionId": None}},
        {"method": "no/such"},
        {"method": "session/prompt"},
        {"method": 5},
        {"jsonrpc": "1.0"},
        {"result": {}},
    ],
)
def test_a_malformed_notification_is_not_answered(fault: dict[str, Any]):
    assert rejected({**CANCEL, **fault}).answer is None


@pytest.mark.parametrize(
    "value",
    [
        {**RESULT, "jsonrpc": "1.0"},
        {**RESULT, "error": ERROR["error"]},
        {"jsonrpc": "2.0", "result": {}},
        {"result": {}},
        {"error": None},
        {"jsonrpc": "2.0", "error": ERROR["error"]},
        {**ERROR, "id": True},
        {**ERROR, "error": None},
        {**ERROR, "error": "Sign in first"},
        {**ERROR, "error": {"code": -32000}},
        {**ERROR, "error": {"code": "-32000", "message": "m"}},
        {**ERROR, "error": {"code": 1.5, "message": "m"}},
        {**ERROR, "error": {"code": 1, "message": None}},
    ],
)
def test_a_malformed_response_is_not_answered(value: dict[str, Any]):
    message = rejected(value)

    assert isinstance(message.error, InvalidRequest)
    assert message.answer is None


# Whatever comes


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
JSON_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.integers(3_900, 4_200).map(lambda digits: 10**digits)
    | st.sampled_from(["2.0", "session/prompt", "text", "form"])
)
NAMES = st.sampled_from(["sessionId", "prompt", "type", "text", "mode", "update", "sessionUpdate", "code", "message"])
JSON_VALUES = st.recursive(
    JSON_SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SCALARS = JSON_SCALARS | st.floats() | ANY_TEXT | st.binary(max_size=5)
VALUES = st.recursive(
    SCALARS | st.integers(4_300, 6_000).map(lambda digits: 10**digits),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | SCALARS, inner, max_size=3)
        | st.tuples(inner)
        | st.sets(SCALARS, max_size=1)
    ),
    max_leaves=8,
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": VALUES,
        "id": VALUES,
        "method": st.sampled_from(list(METHODS)) | VALUES,
        "params": VALUES,
        "result": VALUES,
        "error": VALUES,
    },
)
CHANGED = st.builds(lambda message, changes: {**message, **changes}, st.sampled_from(list(MESSAGES.values())), CHANGES)
RECEIVERS = st.sampled_from(["agent", "client", None])
THOROUGHLY = settings(deadline=None, max_examples=200)


@THOROUGHLY
@given(CHANGED | VALUES, RECEIVERS)
def test_nothing_is_raised_for_any_value(value: Any, receiver: Any):
    message = parse_message(value, receiver=receiver)

    assert isinstance(message, Request | Notification | Response | Rejected)
    if isinstance(message, Rejected):
        check_answer(message)
    else:
        json.dumps(message.raw, allow_nan=False, ensure_ascii=False).encode()


@THOROUGHLY
@given(ANY_TEXT | st.binary(), RECEIVERS)
def test_nothing_is_raised_for_any_text(text: str | bytes, receiver: Any):
    check_answer(rejected(text, receiver=receiver))


@THOROUGHLY
@given(st.sampled_from(list(MESSAGES.values())), st.data())
def test_nothing_is_raised_for_a_damaged_text(value: dict[str, Any], data: st.DataObject):
    text = json.dumps(value).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 3, len(text))))

    message = parse_message(text[:start] + data.draw(st.binary(max_size=3)) + text[end:])

    if isinstance(message, Rejected):
        check_answer(message)


@THOROUGHLY
@given(st.sampled_from(list(METHODS)), st.dictionaries(NAMES | st.text(), JSON_VALUES), st.booleans())
def test_only_a_request_is_answered_about_its_params(method: str, params: dict[str, Any], has_id: bool):
    call = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": "i"} if has_id else {})}

    message = parse_message(call)

    if isinstance(message, Rejected):
        check_answer(message)
        assert (message.answer is not None) == has_id
        assert message.answer is None or message.answer["id"] == "i"
    assert isinstance(message, Rejected | (Request if has_id else Notification))


# The key is never repeated


MARKS = st.text("0123456789abcdef", min_size=24, max_size=24)
KEY_SHAPES = [
    lambda mark: mark,
    lambda mark: mark * 20,
    lambda mark: mark + "\ud800",
    lambda mark: [mark],
    lambda mark: {mark: mark},
]
FAULTS = [
    {"method": "no/such"},
    {"method": "session/new"},
    {"method": "session/cancel"},
    {"method": "elicitation/create"},
    {"jsonrpc": "1.0"},
    {"id": None},
    {"result": {}},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


@st.composite
def malformed_prompts(draw: st.DrawFn, key: Any) -> dict[str, Any]:
    """A prompt with a key, in which one thing is replaced or left out, and perhaps a fault of the message itself."""
    message = copy.deepcopy(prompt(idempotencyKey=key))
    *path, last = draw(st.sampled_from(places(message)[1:]))
    parent: Any = message
    for name in path:
        parent = parent[name]
    if draw(st.booleans()):
        del parent[last]
    else:
        parent[last] = draw(JSON_VALUES)
    return {**message, **draw(st.sampled_from([{}, *FAULTS]))}


@THOROUGHLY
@given(st.data(), MARKS, st.sampled_from(KEY_SHAPES), RECEIVERS)
def test_no_answer_repeats_the_key(data: st.DataObject, mark: str, shape: Any, receiver: Any):
    message = parse_message(data.draw(malformed_prompts(shape(mark))), receiver=receiver)

    if isinstance(message, Rejected):
        check_answer(message)
        assert mark not in repr(message)
        assert mark not in f"{message.error} {message.error.to_wire()} {message.answer}"


@THOROUGHLY
@given(st.data(), MARKS, st.sampled_from(KEY_SHAPES))
def test_no_answer_to_a_damaged_text_repeats_the_key(data: st.DataObject, mark: str, shape: Any):
    text = json.dumps(prompt(idempotencyKey=shape(mark)))
    place = data.draw(st.integers(0, len(text)))
    damage = data.draw(
        st.sampled_from(["", '"', "NaN", "\ufeff", "\ud800", r"\ud800", "{", "}", '"idempotencyKey":1,'])
    )

    message = parse_message(text[:place] + damage + text[place + data.draw(st.sampled_from([0, 1, len(text)])) :])

    if isinstance(message, Rejected):
        assert mark not in f"{message.error} {message.error.to_wire()} {message.answer}"
