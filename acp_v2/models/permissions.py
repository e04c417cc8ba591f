# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    OpenUnion,
    OrAbsent,
    UnlistedTag,
    Untagged,
)

from . import scalars, tools


class CancelledPermissionOutcome(Extensible):
    """The question got no answer, which is no permission."""

    __tags__ = ("outcome",)

    outcome: Literal["cancelled"] = "cancelled"


class CommandPermissionSubject(Extensible):
    """The question is about a command. On a yes the agent runs it; the client is not asked to run anything."""

    __tags__ = ("type",)

    type: Literal["command"] = "command"

    command: str
    """What the agent will run if it is allowed to."""

    cwd: scalars.AbsolutePath
    """The directory the command would run in."""

    tool_call_id: Annotated[scalars.ToolCallId | None, OrAbsent()] = None
    """The tool call this command belongs to. Absent or `null`: none is known."""

    terminal_id: Annotated[scalars.TerminalId | None, OrAbsent()] = None
    """The terminal that goes with the command. Absent or `null`: none is known so far, which can be so until the
    command starts.
    """


class PermissionOption(Extensible):
    """One of the answers the user can choose."""

    option_id: scalars.PermissionOptionId
    """What the client sends back if the user takes this one. No two options of a request must share it."""

    name: str
    """The words on the button."""

    kind: scalars.PermissionOptionKind
    """What taking the option amounts to. It is a hint for presentation; `optionId` is what decides."""


class RequestPermissionRequest(Extensible):
    """Asks whether the agent may go ahead with something sensitive. The client shows the question with the
    options, or answers on its own where the user's settings say so.
    """

    session_id: scalars.SessionId
    """The session in which the agent wants to act."""

    title: str
    """Heading of the question, for this prompt only: it does not retitle the tool call, or whatever else the
    question is about.
    """

    description: Annotated[str | None, OrAbsent()] = None
    """Why the agent asks, in words for the user. Like `title` it alters nothing that is shown elsewhere. Absent or
    `null`: nothing beyond the title is said.
    """

    subject: RequestPermissionSubject | None = None
    """What the question is about, in a form that a program can read. Absent or `null`: only the texts tell."""

    options: Annotated[list[PermissionOption], FailFast(), Field(min_length=1)]
    """The answers to choose from; there must be one at least."""


class RequestPermissionResponse(Extensible):
    """What became of a question for permission."""

    outcome: RequestPermissionOutcome
    """The option taken, or that none was. Only the former can be a permission."""


class SelectedPermissionOutcome(Extensible):
    """The question was answered with one of its options."""

    __tags__ = ("outcome",)

    outcome: Literal["selected"] = "selected"

    option_id: scalars.PermissionOptionId
    """The option taken, as the agent named it in the request."""


class ToolCallPermissionSubject(Extensible):
    """The question is about a tool call."""

    __tags__ = ("type",)

    type: Literal["tool_call"] = "tool_call"

    tool_call: Annotated[tools.ToolCallUpdate, Untagged("session_update")]
    """The tool call, as an update. The client treats it like a `tool_call_update` received at this point, and only
    then shows the prompt: fields present change the stored tool call, and an id not seen before creates one.
    """


class UnknownRequestPermissionOutcome(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. An agent must not take it for a permission. It should keep the payload as it
    came wherever it stores, replays or passes on responses, and otherwise let the request fail or count it as
    declined, as its policy has it.
    """

    outcome: Annotated[str, UnlistedTag(frozenset({"cancelled", "selected"}))]


RequestPermissionOutcome: TypeAlias = Annotated[
    CancelledPermissionOutcome | SelectedPermissionOutcome | UnknownRequestPermissionOutcome,
    OpenUnion("outcome", "outcome"),
]
"""How the question ended."""


class UnknownRequestPermissionSubject(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep the payload as it came wherever it stores, replays or
    passes on the request. Otherwise it should ask with the title and description alone, or decline if its
    policy says so.
    """

    type: Annotated[str, UnlistedTag(frozenset({"tool_call", "command"}))]


RequestPermissionSubject: TypeAlias = Annotated[
    ToolCallPermissionSubject | CommandPermissionSubject | UnknownRequestPermissionSubject, OpenUnion("type", "type")
]
"""The thing the agent wants to do, told apart by `type`."""
