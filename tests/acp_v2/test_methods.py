"""The method table, and what to do after a lost response."""

from typing import Any

import pytest

from acp_v2 import (
    METHODS,
    AfterLostResponse,
    CreateElicitationRequest,
    ErrorCode,
    IdempotencyKey,
    PromptRequest,
    PromptResponse,
    RetryClass,
    TextContent,
)
from acp_v2.schema_files import load_schema_file


def test_the_table_is_that_of_the_registry():
    registry = load_schema_file("methods.json")["methods"]

    assert list(METHODS) == list(registry)
    assert {n: m.retry.value for n, m in METHODS.items()} == {
        n: m["messages"][0]["retry"]["class"] for n, m in registry.items()
    }
    assert {n: m.needs for n, m in METHODS.items()} == {n: m["needs"] for n, m in registry.items()}


def test_a_method_knows_its_classes_key_and_errors():
    method = METHODS["session/prompt"]

    assert method.retry is RetryClass.KEYED
    assert method.retry.value == "keyed"
    assert method.key == "idempotencyKey"
    assert method.notification is None
    assert method.request is not None
    assert (method.request.sender, method.request.receiver) == ("client", "agent")
    assert (method.request.params_type, method.request.result_type) == (PromptRequest, PromptResponse)
    assert ErrorCode.REQUEST_CANCELLED in method.request.errors


def test_params_may_be_a_union():
    request = METHODS["elicitation/create"].request

    assert request is not None
    assert request.params_type is CreateElicitationRequest


def test_a_method_may_have_a_request_and_a_notification():
    method = METHODS["mcp/message"]

    assert method.request is not None
    assert method.notification is not None
    assert (method.request.sender, method.notification.sender) == ("agent", "client")


def test_every_type_of_every_message_is_there():
    for method in METHODS.values():
        for message in method.messages:
            assert message.params_type is not None
            assert (message.result_type is None) == (message.kind == "notification")


PROMPT = PromptRequest(session_id="s", prompt=[TextContent(text="Hi")])
KEYED = PromptRequest(session_id="s", prompt=[TextContent(text="Hi")], idempotency_key=IdempotencyKey("k"))


@pytest.mark.parametrize(
    ("method", "params", "decision"),
    [
        ("session/list", None, AfterLostResponse.SEND_AS_IS),
        ("session/close", {"sessionId": "s"}, AfterLostResponse.SEND_AS_IS),
        ("session/prompt", KEYED, AfterLostResponse.SEND_WITH_SAME_KEY),
        ("session/prompt", KEYED.to_wire(), AfterLostResponse.SEND_WITH_SAME_KEY),
        ("session/prompt", PROMPT, AfterLostResponse.ASK_APPLICATION),
        ("session/prompt", {**PROMPT.to_wire(), "idempotencyKey": None}, AfterLostResponse.ASK_APPLICATION),
        ("session/prompt", None, AfterLostResponse.ASK_APPLICATION),
        ("session/new", {"cwd": "/"}, AfterLostResponse.ASK_APPLICATION),
        ("session/fork", {"sessionId": "s", "cwd": "/"}, AfterLostResponse.ASK_APPLICATION),
        ("initialize", None, AfterLostResponse.DO_NOT_SEND),
        ("session/request_permission", None, AfterLostResponse.DO_NOT_SEND),
        ("session/update", None, AfterLostResponse.DO_NOT_SEND),
    ],
)
def test_what_to_do_after_a_lost_response_follows_from_the_class_and_the_key(method, params, decision):
    assert METHODS[method].after_lost_response(params) is decision


def test_the_table_cannot_be_changed():
    with pytest.raises(TypeError):
        METHODS["x"] = METHODS["initialize"]  # type: ignore[index]


@pytest.mark.parametrize("key", [5, "", "k" * 256, None, ["k"]])
def test_what_is_no_key_does_not_make_a_prompt_safe_to_resend(key: Any):
    params = {"sessionId": "s", "prompt": [], "idempotencyKey": key}

    assert METHODS["session/prompt"].after_lost_response(params) is AfterLostResponse.ASK_APPLICATION
