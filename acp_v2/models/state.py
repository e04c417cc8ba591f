# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    AbsentTag,
    Integral,
    OpenUnion,
    OrAbsent,
    UnlistedTag,
)

from . import errors, scalars


class BackgroundSubagent(Extensible):
    """Unstable: may change or go without a new protocol version.

    Lists a subagent session that a `subagent_update` has tied to this session.
    """

    __tags__ = ("type",)

    type: Literal["subagent"] = "subagent"

    session_id: scalars.SessionId
    """The session of the subagent, not the one that lists it."""


class BackgroundTerminal(Extensible):
    """Lists a terminal whose process runs in the background."""

    __tags__ = ("type",)

    type: Literal["terminal"] = "terminal"

    terminal_id: scalars.TerminalId
    """The terminal, which was announced before."""


class BackgroundToolCall(Extensible):
    """Lists a tool call whose work goes on in the background."""

    __tags__ = ("type",)

    type: Literal["tool_call"] = "tool_call"

    tool_call_id: scalars.ToolCallId
    """The tool call, which was announced before."""


class ErrorStopReason(WireModel):
    """Goes with the stop reason `error` and describes the failure by which active work ended."""

    error: Annotated[errors.Error | None, OrAbsent()] = None
    """What failed, as a JSON-RPC error object. Agents should give it. Absent or `null`: no details are reported."""


class IdleStateUpdateBase(Extensible):
    """The agent does nothing in the foreground, though background activity may go on. If this is where foreground
    work ends, agents should give a `stopReason`; otherwise they need not. Repeats, and snapshots sent on
    resuming, may name the last reason again as context, and must not be counted as one more completion,
    cancellation or usage.
    """

    usage: Annotated[Usage | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    The tokens that the completed foreground work took. Absent or `null`: not reported with this update.
    """

    background: Annotated[list[BackgroundWork] | None, FailFast(), OrAbsent()] = None
    """All work that goes on in the background, listed completely. Absent or `null`: the agent does not report such
    work, which does not mean there is none; a malformed list counts as this. `[]`: nothing runs. An agent that
    reports background work must do so in every state update of the session.
    """


class IdleStateUpdateCancelled(IdleStateUpdateBase):
    """The user or the client decided to stop the work: with `session/cancel`, by closing the session, or by some
    means that the agent provides, such as a permission option for stopping. If cancellation ends active
    foreground work, the agent must report this reason and no other; where aborting raises exceptions, it must
    catch them and not report `error`. What it stops for reasons of its own is reported differently, an internal
    timeout as `error` for instance.
    """

    __tags__ = (
        "stop_reason",
        "state",
        "session_update",
    )

    stop_reason: Literal["cancelled"] = "cancelled"

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


class IdleStateUpdateEndTurn(IdleStateUpdateBase):
    """The work ended with success. A command that was handled locally, without a call to the model, ends like this
    too.
    """

    __tags__ = (
        "stop_reason",
        "state",
        "session_update",
    )

    stop_reason: Literal["end_turn"] = "end_turn"

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


class IdleStateUpdateError(IdleStateUpdateBase, ErrorStopReason):
    """The work ended because of a failure, perhaps even before the user's message was inserted. If the prompt
    failed before that, `session/prompt` must be answered with an error as well; once the message is inserted,
    the response to the prompt remains a success.
    """

    __tags__ = (
        "stop_reason",
        "state",
        "session_update",
    )

    stop_reason: Literal["error"] = "error"

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


class IdleStateUpdateMaxTokens(IdleStateUpdateBase):
    """The work ended at the limit of tokens."""

    __tags__ = (
        "stop_reason",
        "state",
        "session_update",
    )

    stop_reason: Literal["max_tokens"] = "max_tokens"

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


class IdleStateUpdateMaxTurnRequests(IdleStateUpdateBase):
    """The work ended at the limit of model requests it was allowed."""

    __tags__ = (
        "stop_reason",
        "state",
        "session_update",
    )

    stop_reason: Literal["max_turn_requests"] = "max_turn_requests"

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


class IdleStateUpdateNone(IdleStateUpdateBase):
    """No reason is given, since the field is missing or `null`."""

    __tags__ = (
        "state",
        "session_update",
    )

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"

    stop_reason: Annotated[None, AbsentTag()] = None


class IdleStateUpdateRefusal(IdleStateUpdateBase):
    """The work ended because the agent declined to go on."""

    __tags__ = (
        "stop_reason",
        "state",
        "session_update",
    )

    stop_reason: Literal["refusal"] = "refusal"

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


class OtherStateUpdate(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client must not take it for `idle`, nor present the previous state as
    confirmed; it shows a generic busy state until it gets one it knows. Agents must still report the standard
    states, unless the client advertised that it supports this one.
    """

    __tags__ = ("session_update",)

    state: Annotated[str, UnlistedTag(frozenset({"running", "idle", "requires_action", "unknown"}))]

    session_update: Literal["state_update"] = "state_update"


class RequiresActionStateUpdate(Extensible):
    """The foreground work as a whole is held up until the user acts, and agents should report so. A pending
    permission request or elicitation is not enough if other foreground work can still advance, or if only
    background activity depends on it. From then on the agent must report `running` when work advances again, or
    `idle` if it ends instead; that one of several requests is answered does not yet mean `running`. An agent
    should ignore answers that come after the work has ended and not take it up again because of them.
    """

    __tags__ = (
        "state",
        "session_update",
    )

    state: Literal["requires_action"] = "requires_action"

    session_update: Literal["state_update"] = "state_update"

    background: Annotated[list[BackgroundWork] | None, FailFast(), OrAbsent()] = None
    """Whatever runs in the background meanwhile, listed completely. Absent or `null`: the agent does not report
    such work, though there may be some; a malformed list counts as this. `[]`: there is none. An agent that
    reports background work must do so in every state update of the session.
    """


class RunningStateUpdate(Extensible):
    """The agent is working in the foreground. That can begin before the user's message is inserted, with a hook
    for example, and says nothing about the insertion.
    """

    __tags__ = (
        "state",
        "session_update",
    )

    state: Literal["running"] = "running"

    session_update: Literal["state_update"] = "state_update"

    background: Annotated[list[BackgroundWork] | None, FailFast(), OrAbsent()] = None
    """Whatever runs apart from the foreground work, listed completely. Absent or `null`: the agent does not report
    such work, though there may be some; a malformed list counts as this. `[]`: there is none. An agent that
    reports background work must do so in every state update of the session.
    """


class UnknownBackgroundWork(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client counts it as work in progress, although it cannot tell the user
    what it is.
    """

    type: Annotated[str, UnlistedTag(frozenset({"terminal", "tool_call", "subagent"}))]


BackgroundWork: TypeAlias = Annotated[
    BackgroundTerminal | BackgroundToolCall | BackgroundSubagent | UnknownBackgroundWork, OpenUnion("type", "type")
]
"""Something that runs apart from the session's foreground work, given by the id of an object that the client
tracks already. The agent must have announced that object before it lists it for the first time, and before
the snapshot that no longer lists it must have reported the `exitStatus` of a terminal or the final status
of a tool call. No piece of work occurs twice: if a process does it, the terminal is listed and the tool
call is not.
"""


class UnknownIdleStateUpdate(IdleStateUpdateBase):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. The session is idle all the same. A client should keep the value, and show
    that work stopped without saying why.
    """

    __tags__ = (
        "state",
        "session_update",
    )

    stop_reason: Annotated[
        str, UnlistedTag(frozenset({"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"}))
    ]

    state: Literal["idle"] = "idle"

    session_update: Literal["state_update"] = "state_update"


IdleStateUpdate: TypeAlias = Annotated[
    IdleStateUpdateEndTurn
    | IdleStateUpdateMaxTokens
    | IdleStateUpdateMaxTurnRequests
    | IdleStateUpdateRefusal
    | IdleStateUpdateCancelled
    | IdleStateUpdateError
    | UnknownIdleStateUpdate
    | IdleStateUpdateNone,
    OpenUnion("stopReason", "stop_reason"),
]
"""The agent does nothing in the foreground, though background activity may go on. If this is where foreground
work ends, agents should give a `stopReason`; otherwise they need not. Repeats, and snapshots sent on
resuming, may name the last reason again as context, and must not be counted as one more completion,
cancellation or usage.
"""


class UnknownStateUpdate(Extensible):
    """Unstable: may change or go without a new protocol version.

    The agent cannot currently make out whether foreground work is going on; it reports this when it has lost
    sight of such activity. That a session has been silent is not reason enough. Clients must stop presenting
    the state before it as confirmed, but may keep that as the last one known; the next state replaces this one
    as usual. It tells neither how a task came out nor that the session is closed. No work is cancelled, no
    pending request settled and no capability withdrawn by it; capabilities have updates of their own.
    """

    __tags__ = (
        "state",
        "session_update",
    )

    state: Literal["unknown"] = "unknown"

    session_update: Literal["state_update"] = "state_update"

    background: Annotated[list[BackgroundWork] | None, FailFast(), OrAbsent()] = None
    """Whatever runs in the background, listed completely. Absent or `null`: the agent does not report such work,
    though there may be some; a malformed list counts as this. `[]`: there is none. An agent that reports
    background work must do so in every state update of the session.
    """


StateUpdate: TypeAlias = Annotated[
    RunningStateUpdate | IdleStateUpdate | RequiresActionStateUpdate | UnknownStateUpdate | OtherStateUpdate,
    OpenUnion("state", "state"),
]
"""A snapshot of a session's foreground work as a whole: the response or workflow the agent is actively
pursuing, be it for a prompt or of its own accord. Running the model, executing tools and waiting for
something the user must do before it continues are all part of it. When it starts, the agent must report
`running`, or `requires_action` if it is blocked on the user from the outset; when none is left it must
report `idle` and should give a stop reason with it. Local commands are no exception. While other foreground
work goes on, the end of one activity needs no `idle` in between. `running` does not tell that a prompt was
inserted, and to reject a prompt does not end the work.

A new session counts as idle until told otherwise. A resume must send the state as of then, before its
response but after any replay; the response alone does not mean `idle`. A snapshot may be repeated, also
with newer details, and that is no further work, completion or usage. Background activity can go on and send
updates during `idle`; these do not change the state.
"""


class Usage(Extensible):
    """Unstable: may change or go without a new protocol version.

    The tokens that the foreground work just completed has taken. They are not summed up over the session.
    """

    total_tokens: Annotated[int, Integral(ge=0)]
    """Tokens of every kind taken together."""

    input_tokens: Annotated[int, Integral(ge=0)]
    """Tokens that went into the model."""

    output_tokens: Annotated[int, Integral(ge=0)]
    """Tokens that came out of the model."""

    thought_tokens: Annotated[int | None, Integral(ge=0), OrAbsent()] = None
    """Tokens the model spent on reasoning. Absent or `null`: not reported."""

    cached_read_tokens: Annotated[int | None, Integral(ge=0), OrAbsent()] = None
    """Tokens that were read from a cache. Absent or `null`: not reported."""

    cached_write_tokens: Annotated[int | None, Integral(ge=0), OrAbsent()] = None
    """Tokens that were written to a cache. Absent or `null`: not reported."""
