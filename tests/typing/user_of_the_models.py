"""Builds, narrows and reads models as the author of a client does. A type checker reads this, and a test runs it.

`assert_type` fails in pyright where a type is not what a person expects; the asserts fail at run time.
"""

from typing import Any, assert_never, assert_type

import acp_v2
from acp_v2 import (
    METHODS,
    AcpError,
    AfterLostResponse,
    AgentMessageChunk,
    ContentBlock,
    ErrorCode,
    IdempotencyKey,
    IdleStateUpdateEndTurn,
    InvalidParams,
    KnownToolKind,
    Method,
    Notification,
    PromptRequest,
    PromptResponse,
    Rejected,
    Request,
    Response,
    RetryClass,
    SessionUpdate,
    TextContent,
    ToolCallUpdate,
    ToolKind,
    UnknownSessionUpdate,
    UpdateSessionNotification,
    parse_message,
)


def build() -> PromptRequest:
    request = PromptRequest(
        session_id="sess_01",
        prompt=[TextContent(text="Fix the orbit")],
        idempotency_key=IdempotencyKey.generate(),
    )
    assert_type(request.session_id, str)
    assert_type(request.prompt, list[ContentBlock])
    assert_type(request.idempotency_key, IdempotencyKey | None)
    assert_type(request.to_wire(), dict[str, Any])
    assert_type(request.to_json(), bytes)
    assert_type(PromptRequest.from_wire(request.to_wire()), PromptRequest)
    return request


def show(update: SessionUpdate) -> str:
    """A match on classes narrows an update to its variant, unknown variants included."""
    match update:
        case AgentMessageChunk():
            assert_type(update, AgentMessageChunk)
            return text_of(update.content)
        case ToolCallUpdate():
            return f"{update.title} ({icon(update.kind)})"
        case IdleStateUpdateEndTurn():
            return "done"
        case UnknownSessionUpdate():
            assert_type(update.session_update, str)
            return update.session_update
        case _:
            return ""


def text_of(block: ContentBlock) -> str:
    return block.text if isinstance(block, TextContent) else block.type


def icon(kind: ToolKind | None) -> str:
    """The values of an open enumeration are completed by an editor, and have constants; other strings go as well."""
    return "E" if kind == KnownToolKind.EDIT else "R" if kind == "read" else "?"


def receive(line: bytes) -> str:
    """What a message may be is covered in full; the type checker would say if a kind were forgotten."""
    message = parse_message(line, receiver="client")
    match message:
        case Request():
            assert_type(message.id, str | int)
            return message.method
        case Notification(params=UpdateSessionNotification() as params):
            assert_type(params.update, SessionUpdate)
            return show(params.update)
        case Notification():
            return message.method
        case Response():
            return str(message.id)
        case Rejected():
            assert_type(message.error, AcpError)
            return message.error.message
        case _:
            assert_never(message)


def resend(method: Method, params: PromptRequest) -> str:
    assert_type(METHODS["session/prompt"], Method)
    assert_type(method.retry, RetryClass)
    decision = method.after_lost_response(params)
    match decision:
        case AfterLostResponse.SEND_AS_IS:
            return "again"
        case AfterLostResponse.SEND_WITH_SAME_KEY:
            return "again, with its key"
        case AfterLostResponse.ASK_APPLICATION:
            return "ask"
        case AfterLostResponse.DO_NOT_SEND:
            return "no"
        case _:
            assert_never(decision)


def main() -> None:
    request = build()
    chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "Orbit"}}
    line = PLAIN % {"session_id": "s"}
    assert receive(line.encode()) == "tool title (E)"
    assert show(AgentMessageChunk.from_wire(chunk)) == "Orbit"
    assert show(UnknownSessionUpdate(session_update="_mine")) == "_mine"
    assert show(IdleStateUpdateEndTurn()) == "done"
    assert receive(b"[]").startswith("A message is one object")
    assert resend(METHODS["session/prompt"], request) == "again, with its key"
    assert PromptResponse(message_id="m").to_wire() == {"messageId": "m"}
    assert InvalidParams().code == ErrorCode.INVALID_PARAMS
    assert acp_v2.Usage is not None


PLAIN = (
    '{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "%(session_id)s", "update": '
    '{"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "tool title", "kind": "edit"}}}'
)

if __name__ == "__main__":
    main()
