"""Generated models as a person uses them."""

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import acp_v2
from acp_v2 import (
    AcpError,
    AgentMessageChunk,
    Annotations,
    CreateElicitationRequestFormSession,
    DiffChangeMove,
    IdempotencyKey,
    IdleStateUpdateBase,
    IdleStateUpdateEndTurn,
    IdleStateUpdateError,
    IdleStateUpdateNone,
    InitializeRequest,
    ListSessionsResponse,
    McpServerStdio,
    NewSessionRequest,
    PromptRequest,
    RunningStateUpdate,
    SessionStatusResponse,
    TextContent,
    ToolCallPermissionSubject,
    ToolCallUpdate,
    UnknownContentBlock,
    UnknownIdleStateUpdate,
    UnknownSessionUpdate,
    UpdateSessionNotification,
    UsageUpdate,
    UserMessageChunk,
    method,
    models,
    parse_message,
)
from acp_v2.messages import Rejected, Request
from acp_v2.method import read
from acp_v2.models.scalars import KnownToolKind
from acp_v2.schema_files import load_schema_file

TEXT = {"type": "text", "text": "Hi"}
PROMPT = {"sessionId": "s", "prompt": [TEXT]}


def update(**fields: Any) -> Any:
    return UpdateSessionNotification.from_wire({"sessionId": "s", "update": fields}).update


# Names


def test_no_class_has_a_number_that_its_definition_lacks():
    numbered = [name for name in models.__all__ if name[-1].isdigit()]

    assert numbered == []


def test_every_definition_can_be_imported_by_its_name():
    definitions = load_schema_file("schema.unstable.json")["$defs"]
    envelopes = {f"{s}{k}" for s in ("Agent", "Client", "Proxy") for k in ("Request", "Response", "Notification")}

    missing = [n for n in definitions if n not in envelopes and not hasattr(acp_v2, n)]

    assert missing == []


def test_a_class_says_what_its_definition_does():
    assert PromptRequest.__doc__ is not None
    assert PromptRequest.__doc__.startswith("Submits a message from the user")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="NoSuchThing"):
        acp_v2.NoSuchThing  # noqa: B018


# Between attributes and the wire


def test_attributes_are_in_snake_case_and_the_wire_is_in_camel_case():
    prompt = PromptRequest(session_id="s", prompt=[TextContent(text="Hi")])

    assert prompt.session_id == "s"
    assert prompt.to_wire() == PROMPT
    assert json.loads(prompt.to_json()) == PROMPT


def test_a_constructor_takes_both_spellings():
    assert PromptRequest(**PROMPT) == PromptRequest(session_id="s", prompt=[TextContent(text="Hi")])


def test_the_wire_takes_camel_case_alone():
    with pytest.raises(ValidationError):
        PromptRequest.from_wire({"session_id": "s", "prompt": [TEXT]})


def test_what_is_not_set_is_left_out_and_null_is_kept():
    assert "annotations" not in TextContent(text="Hi").to_wire()
    assert TextContent(text="Hi", annotations=None).to_wire() == {**TEXT, "annotations": None}
    assert TextContent.from_wire({**TEXT, "annotations": None}).to_wire() == {**TEXT, "annotations": None}


def test_an_attribute_that_is_assigned_is_sent():
    text = TextContent(text="Hi")
    text.annotations = Annotations(priority=1)

    assert text.to_wire() == {**TEXT, "annotations": {"priority": 1}}


def test_an_unknown_field_and_an_extension_survive():
    value = {**PROMPT, "later": [1, {"x": None}], "_private": True, "_meta": {"traceparent": "00-1"}}

    model = PromptRequest.from_wire(value)

    assert model.to_wire() == value
    assert model.model_extra == {"later": [1, {"x": None}], "_private": True}
    assert model.meta == {"traceparent": "00-1"}


def test_an_unknown_variant_survives_whole():
    value = {"sessionUpdate": "_private", "anything": {"at": ["all"]}}

    model = update(**value)

    assert isinstance(model, UnknownSessionUpdate)
    assert model.session_update == "_private"
    assert model.to_wire() == value


def test_an_unknown_enum_string_survives():
    assert update(sessionUpdate="tool_call_update", toolCallId="c", kind="_dance").kind == "_dance"


def test_a_malformed_known_variant_is_an_error_and_no_unknown_variant():
    with pytest.raises(ValidationError):
        PromptRequest.from_wire({"sessionId": "s", "prompt": [{"type": "text"}]})
    with pytest.raises(ValidationError):
        UnknownContentBlock.from_wire(TEXT)


def test_listed_values_have_constants():
    assert KnownToolKind.SWITCH_MODE == "switch_mode"


@pytest.mark.parametrize("value", [1.0, 1, 2**60, 2**80])
def test_an_integral_number_is_an_integer(value: float):
    assert UsageUpdate.from_wire({"used": value, "size": 1}).used == value
    assert type(UsageUpdate.from_wire({"used": value, "size": 1}).used) is int


@pytest.mark.parametrize("value", ["1", True, 1.5, -1, None, float("inf"), float("nan")])
def test_anything_else_is_no_integer(value: object):
    with pytest.raises(ValidationError):
        UsageUpdate.from_wire({"used": value, "size": 1})


# Tags


def test_a_variant_brings_its_tags():
    notification = UpdateSessionNotification(
        session_id="s", update=AgentMessageChunk(message_id="m", content=TextContent(text="Hi"))
    )

    assert notification.to_wire()["update"] == {
        "sessionUpdate": "agent_message_chunk",
        "messageId": "m",
        "content": TEXT,
    }


def test_a_variant_two_unions_deep_brings_both_tags():
    assert IdleStateUpdateEndTurn().to_wire() == {
        "sessionUpdate": "state_update",
        "state": "idle",
        "stopReason": "end_turn",
    }


def test_a_struct_under_several_tags_has_a_class_for_each():
    chunk = {"messageId": "m", "content": TEXT}

    assert isinstance(update(sessionUpdate="user_message_chunk", **chunk), UserMessageChunk)
    assert isinstance(update(sessionUpdate="agent_message_chunk", **chunk), AgentMessageChunk)


def test_a_variant_beside_fields_has_the_fields_too():
    change = DiffChangeMove(old_path="/a", path="/b", file_type="text")

    assert change.to_wire() == {"operation": "move", "oldPath": "/a", "path": "/b", "fileType": "text"}


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"stopReason": "end_turn"}, IdleStateUpdateEndTurn),
        ({"stopReason": "error", "error": {"code": 1, "message": "m"}}, IdleStateUpdateError),
        ({"stopReason": "_private", "x": 1}, UnknownIdleStateUpdate),
        ({"stopReason": None}, IdleStateUpdateNone),
        ({}, IdleStateUpdateNone),
    ],
)
def test_a_tag_may_be_absent_where_the_union_says_so(fields: dict[str, Any], kind: type):
    value = {"sessionUpdate": "state_update", "state": "idle", **fields}

    model = update(**value)

    assert type(model) is kind
    assert isinstance(model, IdleStateUpdateBase)
    assert model.to_wire() == value


def test_a_tag_that_is_malformed_is_absent_where_the_schema_is_lenient():
    model = update(sessionUpdate="state_update", state="idle", stopReason=5)

    assert isinstance(model, IdleStateUpdateNone)
    assert model.to_wire() == {"sessionUpdate": "state_update", "state": "idle"}


def test_a_variant_that_stands_alone_elsewhere_does_not_bring_the_tag_there():
    subject = ToolCallPermissionSubject(tool_call=ToolCallUpdate(tool_call_id="c"))
    status = SessionStatusResponse(status="open", state=RunningStateUpdate())

    assert subject.to_wire()["toolCall"] == {"toolCallId": "c"}
    assert status.to_wire()["state"] == {"state": "running"}


def test_what_is_embedded_elsewhere_is_not_changed_by_it():
    call = ToolCallUpdate(tool_call_id="c")
    ToolCallPermissionSubject(tool_call=call)

    assert call.to_wire() == {"sessionUpdate": "tool_call_update", "toolCallId": "c"}


def test_exactly_one_of_two_scopes_is_asked_for():
    form = {"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}}

    assert isinstance(read("CreateElicitationRequest", {**form, "sessionId": "s"}), CreateElicitationRequestFormSession)
    for scope in ({}, {"sessionId": "s", "requestId": 1}):
        with pytest.raises(ValidationError):
            read("CreateElicitationRequest", {**form, **scope})


# Lenient policies


def test_a_malformed_lenient_field_is_absent():
    model = TextContent.from_wire({**TEXT, "annotations": 5, "_meta": "x"})

    assert model.annotations is None
    assert model.meta is None
    assert model.model_fields_set == {"type", "text"}
    assert model == TextContent.from_wire(TEXT)
    assert model.to_wire() == TEXT


def test_the_same_holds_for_json_text():
    model = TextContent.from_json(json.dumps({**TEXT, "annotations": {"priority": 2, "audience": ["user"]}}))

    assert model.to_wire() == {**TEXT, "annotations": {"audience": ["user"]}}


def test_the_same_holds_inside_models_of_other_people():
    model = TypeAdapter(list[TextContent]).validate_python([{**TEXT, "annotations": 5}])[0]

    assert model.annotations is None
    assert model.to_wire() == TEXT


def test_a_malformed_item_is_dropped():
    model = update(
        sessionUpdate="plan_update",
        plan={
            "type": "items",
            "planId": "p",
            "entries": [{"content": "c"}, {"content": "c", "priority": "low", "status": "pending"}, 5],
        },
    )

    assert [entry.content for entry in model.plan.entries] == ["c"]


def test_a_malformed_required_list_is_empty():
    assert ListSessionsResponse.from_wire({"sessions": "none"}).to_wire() == {"sessions": []}
    with pytest.raises(ValidationError):
        ListSessionsResponse.from_wire({})


def test_null_is_absent_where_the_schema_says_so():
    model = NewSessionRequest.from_wire({"cwd": "/", "mcpServers": None})

    assert model.mcp_servers == []
    assert model.to_wire() == {"cwd": "/"}
    with pytest.raises(ValidationError):
        NewSessionRequest.from_wire({"cwd": "/", "mcpServers": 5})


def test_a_default_is_not_sent_and_not_shared():
    first, second = McpServerStdio(name="n", command="/c"), McpServerStdio(name="n", command="/c")
    first.args.append("x")

    assert second.args == []
    assert second.to_wire() == {"type": "stdio", "name": "n", "command": "/c"}


def test_malformed_capabilities_are_none():
    value = {"protocolVersion": 2, "info": {"name": "n", "version": "1"}, "capabilities": 5}

    model = InitializeRequest.from_wire(value)

    assert model.capabilities.to_wire() == {}
    assert "capabilities" not in model.to_wire()


@pytest.mark.parametrize(
    ("model", "value"),
    [
        ("PromptRequest", {"session_id": "s", "prompt": [TEXT]}),
        ("CreateElicitationRequest", {"session_id": "s", "mode": "form", "message": "m", "requestedSchema": {}}),
        ("SessionUpdate", {"session_update": "state_update", "state": "running"}),
    ],
)
def test_python_names_are_no_names_on_the_wire(model: str, value: dict[str, Any]):
    with pytest.raises(ValidationError):
        method.read(model, value)


@pytest.mark.parametrize("name", ["idempotency_key", "meta"])
def test_an_unknown_field_with_the_python_name_of_a_known_one_sets_nothing(name: str):
    value = {**PROMPT, name: "x"}

    model = PromptRequest.from_wire(value)

    assert model.idempotency_key is None
    assert model.to_wire() == value


# The idempotency key: valid, null, empty, overlong, non-string and absent, by every way in


KEYS = {
    "valid": ("k", True),
    "longest beyond the BMP": ("\U0001f511" * 255, True),
    "NUL": ("\0", True),
    "null": (None, True),
    "empty": ("", False),
    "overlong": ("k" * 256, False),
    "number": (5, False),
    "boolean": (True, False),
    "array": (["k"], False),
    "object": ({}, False),
}


def by_constructor(value: dict[str, Any]) -> Any:
    fields = {"session_id": value["sessionId"], "prompt": [TextContent(text="Hi")]}
    return PromptRequest(
        **fields, **({"idempotency_key": value["idempotencyKey"]} if "idempotencyKey" in value else {})
    )


def by_message(value: dict[str, Any]) -> Any:
    message = parse_message(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": value}))
    if isinstance(message, Rejected):
        assert message.error.code == -32602
        assert message.error.data["pointer"] == "/params/idempotencyKey"
        raise message.error
    assert isinstance(message, Request)
    return message.params


WAYS = {
    "constructor": by_constructor,
    "from_wire": PromptRequest.from_wire,
    "from_json": lambda value: PromptRequest.from_json(json.dumps(value)),
    "parse_message": by_message,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", KEYS)
def test_a_key_is_taken_or_refused_by_every_way_in(way: str, case: str):
    key, is_valid = KEYS[case]
    value = {**PROMPT, "idempotencyKey": key}

    if is_valid:
        model = WAYS[way](value)
        assert model.idempotency_key == key
        assert isinstance(model.idempotency_key, IdempotencyKey | None)
        assert model.to_wire() == value
        assert json.loads(model.to_json()) == value
    else:
        with pytest.raises((ValidationError, AcpError)):
            WAYS[way](value)


@pytest.mark.parametrize("way", WAYS)
def test_an_absent_key_stays_absent(way: str):
    model = WAYS[way](PROMPT)

    assert model.idempotency_key is None
    assert "idempotencyKey" not in model.to_wire()
