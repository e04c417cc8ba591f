"""What a message is said to be, and what is said to be wrong with its envelope, side and request."""

from typing import Any

import pytest

from acp_v2.message_validation import MessageValidator, Verdict
from acp_v2.schema_files import load_schema_file

PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}], "idempotencyKey": "k"}


@pytest.fixture
def validator() -> MessageValidator:
    return MessageValidator()


def call(method: str, params: Any = None, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params, **fields}


def problems(verdict: Verdict) -> list[tuple[str, str]]:
    return [(p.pointer, p.text) for p in verdict.problems]


def messages() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for number, example in enumerate(load_schema_file("examples.json")["examples"]):
        identity = {"id": number} if example["kind"] == "request" else {}
        found.append((example["id"], call(example["method"], example["params"], **identity)))
        if "result" in example or "error" in example:
            answer = {k: example[k] for k in ("result", "error") if k in example}
            found.append((f"{example['id']}, answered", {"jsonrpc": "2.0", "id": number, **answer}))
    return found


def test_every_example_is_a_valid_message_of_one_conversation(validator: MessageValidator):
    faulty = {name: problems(v) for name, m in messages() if not (v := validator.check(m)).is_valid}

    assert faulty == {}


def test_a_request_is_known_by_its_method(validator: MessageValidator):
    verdict = validator.check(call("session/prompt", PROMPT, id=1))

    assert (verdict.kind, verdict.method, verdict.sender, verdict.retry_class) == (
        "request",
        "session/prompt",
        "client",
        "keyed",
    )


def test_a_response_is_judged_by_the_request_that_came_before(validator: MessageValidator):
    validator.check(call("session/prompt", PROMPT, id="a"))

    verdict = validator.check({"jsonrpc": "2.0", "id": "a", "result": {}})

    assert (verdict.kind, verdict.method, verdict.sender) == ("response", "session/prompt", "agent")
    assert problems(verdict) == [("/result", "needs the field messageId")]


def test_a_response_is_judged_by_the_method_that_is_named(validator: MessageValidator):
    assert validator.check({"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}}, method="session/prompt").is_valid


def test_a_request_is_answered_once(validator: MessageValidator):
    validator.check(call("session/prompt", PROMPT, id=1))
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}}

    assert validator.check(answer).is_valid
    assert not validator.check(answer).is_valid


def test_both_sides_may_use_one_id_and_each_answer_finds_its_request(validator: MessageValidator):
    validator.check(call("session/prompt", PROMPT, id=1))
    options = [{"optionId": "o", "name": "Yes", "kind": "allow_once"}]
    validator.check(call("session/request_permission", {"sessionId": "s", "title": "t", "options": options}, id=1))

    first = validator.check({"jsonrpc": "2.0", "id": 1, "result": {"outcome": {"outcome": "cancelled"}}})
    second = validator.check({"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}})

    assert (first.method, first.sender, first.is_valid) == ("session/request_permission", "client", True)
    assert (second.method, second.sender, second.is_valid) == ("session/prompt", "agent", True)


def test_the_ids_1_and_1_as_text_are_two(validator: MessageValidator):
    validator.check(call("session/prompt", PROMPT, id=1))

    assert problems(validator.check({"jsonrpc": "2.0", "id": "1", "result": {"messageId": "m"}}))


def test_an_error_needs_no_known_request(validator: MessageValidator):
    error = {"code": -32700, "message": "no JSON"}

    assert validator.check({"jsonrpc": "2.0", "id": None, "error": error}).is_valid


def test_a_message_of_the_wrong_side_is_said_so(validator: MessageValidator):
    params = {"sessionId": "s", "update": {"sessionUpdate": "notice", "severity": "info", "title": "t"}}

    verdict = validator.check(call("session/update", params), sender="client")

    assert problems(verdict) == [
        ("/method", "the client must not send the notification session/update; it goes from agent to client")
    ]


def test_mcp_message_goes_one_way_as_a_request_and_the_other_as_a_notification(validator: MessageValidator):
    params = {"serverId": "s", "requestId": "r", "method": "tools/call"}

    assert validator.check(call("mcp/message", params, id=1), sender="agent").is_valid
    assert validator.check(call("mcp/message", params), sender="client").is_valid
    assert not validator.check(call("mcp/message", params), sender="agent").is_valid
    assert not validator.check(call("mcp/message", params, id=2), sender="client").is_valid


@pytest.mark.parametrize("sender", ["client", "agent", "proxy", "conductor"])
def test_either_side_may_cancel_a_request(validator: MessageValidator, sender: str):
    assert validator.check(call("$/cancel_request", {"requestId": 1}), sender=sender).is_valid


@pytest.mark.parametrize(
    ("message", "pointer", "text"),
    [
        (call("session/prompt", PROMPT), "/id", "session/prompt is a request; it needs an id"),
        (
            call("session/cancel", {"sessionId": "s"}, id=1),
            "/id",
            "session/cancel is a notification; it must not have an id",
        ),
        (call("session/prompt", PROMPT, id=None), "/id", "has to be a string or an integer, but is null"),
        (
            call("session/prompt", PROMPT, id=1.5),
            "/id",
            "has to be a string or an integer, but is a number with a fraction",
        ),
        (call("session/prompt", PROMPT, id=True), "/id", "has to be a string or an integer, but is a boolean"),
        (call("session/prompt", list(PROMPT), id=1), "/params", "is an array; ACP takes params by name, in an object"),
        (call("session/prompt", "x", id=1), "/params", "has to be an object, but is a string"),
        (
            call("session/close", id=1),
            "/params",
            "is missing; CloseSessionRequest needs the field sessionId",
        ),
        (
            call("session/promt", PROMPT, id=1),
            "/method",
            "v2 has no method session/promt; did you mean session/prompt?",
        ),
        ({"jsonrpc": "2.0", "method": 5}, "/method", "has to be a string, but is a number"),
        (
            {"method": "session/cancel", "params": {"sessionId": "s"}},
            "",
            'needs the field jsonrpc with the value "2.0"',
        ),
        ({"jsonrpc": "1.0", "method": "session/cancel", "params": {"sessionId": "s"}}, "/jsonrpc", 'has to be "2.0"'),
        ({"jsonrpc": "2.0"}, "", "has neither a method nor a result nor an error, so it is no message"),
        (
            {"jsonrpc": "2.0", "id": 9, "result": {}},
            "/id",
            "no request with this id came before, so its method is not known; say which with --method",
        ),
        (
            {"jsonrpc": "2.0", "error": {"code": 1, "message": "m"}},
            "",
            "needs the field id, the id of the request that it answers",
        ),
        ([], "", "is an array; v2 has no batches, and answers this with one -32600 and id null"),
        ("x", "", "has to be an object, but is a string"),
    ],
)
def test_what_is_wrong_with_an_envelope_is_one_sentence(
    validator: MessageValidator, message: Any, pointer: str, text: str
):
    assert (pointer, text) in problems(validator.check(message))


def test_a_response_has_a_result_or_an_error_and_not_both(validator: MessageValidator):
    both = {"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}, "error": {"code": 1, "message": "m"}}

    assert problems(validator.check(both, method="session/prompt")) == [
        ("", "has a result and an error; a response has one of them")
    ]


def test_a_response_to_a_notification_is_said_so(validator: MessageValidator):
    verdict = validator.check({"jsonrpc": "2.0", "id": 1, "result": {}}, method="session/cancel")

    assert problems(verdict) == [("", "answers session/cancel, a notification, which gets no response")]


def test_params_may_be_left_out_where_nothing_is_required(validator: MessageValidator):
    assert validator.check({"jsonrpc": "2.0", "id": 1, "method": "session/list"}).is_valid
    assert validator.check({"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": None}).is_valid


def test_an_extension_is_let_pass(validator: MessageValidator):
    verdict = validator.check(call("_example.org/x", [1], id=1))

    assert verdict.is_valid
    assert verdict.notes == ("an extension method, which the schema does not describe",)


def test_a_key_in_the_wrong_place_is_noted(validator: MessageValidator):
    elsewhere = validator.check(call("session/new", {"cwd": "/", "idempotencyKey": "k"}, id=1))
    in_meta = validator.check(call("session/prompt", {**PROMPT, "_meta": {"idempotencyKey": "k"}}, id=2))

    assert elsewhere.notes == ("idempotencyKey has no effect here; only session/prompt takes it",)
    assert in_meta.notes == ("idempotencyKey has no effect in _meta; it belongs in the params of session/prompt",)
    assert elsewhere.is_valid
    assert in_meta.is_valid


def test_a_prompt_without_a_key_is_noted(validator: MessageValidator):
    keyless = {"sessionId": "s", "prompt": PROMPT["prompt"]}

    for params in (keyless, {**keyless, "idempotencyKey": None}):
        verdict = validator.check(call("session/prompt", params, id=1))
        assert verdict.is_valid
        assert verdict.notes == ("without idempotencyKey, sending it again is duplicating",)


@pytest.mark.parametrize(
    ("params", "note"),
    [
        (
            {**PROMPT, "idempotency_key": "k"},
            "/params has the field idempotency_key, which v2 does not know; did you mean idempotencyKey?",
        ),
        (
            {**PROMPT, "prompt": [{"type": "txt", "text": "Hi"}]},
            "/params/prompt/0 has 'txt' as its type, which v2 does not know; did you mean text?",
        ),
        (
            {**PROMPT, "prompt": [{"type": "text", "text": "Hi", "colour": "red"}]},
            "/params/prompt/0 has the field colour, which v2 does not know",
        ),
    ],
)
def test_a_slip_of_the_pen_is_noted(validator: MessageValidator, params: dict[str, Any], note: str):
    verdict = validator.check(call("session/prompt", params, id=1))

    assert verdict.is_valid
    assert verdict.notes == (note,)


@pytest.mark.parametrize(
    "params",
    [
        {**PROMPT, "_meta": {"anything": {"at": "all"}}},
        {**PROMPT, "prompt": [{"type": "_private", "anything": 1}]},
        {**PROMPT, "_private": 1},
    ],
)
def test_what_is_private_is_not_noted(validator: MessageValidator, params: dict[str, Any]):
    assert validator.check(call("session/prompt", params, id=1)).notes == ()


def test_a_message_is_a_call_or_a_response(validator: MessageValidator):
    verdict = validator.check(call("session/prompt", PROMPT, id=1, result={}))

    assert problems(verdict) == [("", "has a method and a result or an error; it is a call or a response, not both")]


@pytest.mark.parametrize(
    ("sender", "valid"), [("client", True), ("conductor", True), ("agent", False), ("proxy", False)]
)
def test_a_conductor_stands_for_the_client(validator: MessageValidator, sender: str, valid: bool):
    assert validator.check(call("session/prompt", PROMPT, id=1), sender=sender).is_valid == valid


def test_what_is_unstable_is_unknown_to_the_stable_schema():
    validator = MessageValidator(stable=True)

    fork = validator.check(call("session/fork", {"sessionId": "s", "cwd": "/"}, id=1))
    assert problems(fork) == [("/method", "session/fork is unstable, and only what is stable was asked for")]
    assert validator.check(call("session/new", {"cwd": "/"}, id=2)).is_valid


def test_a_request_whose_id_is_none_has_no_response(validator: MessageValidator):
    validator.check(call("session/prompt", PROMPT, id=True))

    verdict = validator.check({"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}})

    assert problems(verdict) == [
        ("/id", "no request with this id came before, so its method is not known; say which with --method")
    ]
