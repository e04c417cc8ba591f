# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    Integral,
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)

from . import content as content_1
from . import diffs, scalars, terminals


class CancelToolCallRequest(Extensible):
    """Cancels a single tool call. Clients must not send it for a call that does not advertise
    `capabilities.cancel` at that time. The answer is `-32602` if the call is not cancellable, is final already
    or is not known. The foreground state does not change by this alone.

    The agent responds as soon as it accepts the cancellation, which may be before the work has stopped. That it
    has stopped is told by a `tool_call_update` with a final status: `cancelled` normally, `completed` or
    `failed` where the work was done sooner.
    """

    session_id: scalars.SessionId
    """The session that the tool call belongs to."""

    tool_call_id: scalars.ToolCallId
    """The tool call to cancel, one that currently advertises `capabilities.cancel`."""


class CancelToolCallResponse(Extensible):
    """The agent has accepted the cancellation. The work may not have stopped yet; a `tool_call_update` will tell."""


class Content(Extensible):
    """Makes an ordinary content block an item of a tool call's content."""

    __tags__ = ("type",)

    type: Literal["content"] = "content"

    content: content_1.ContentBlock
    """The block, for example text, an image or a resource."""


class ToolCallCancelCapabilities(Extensible):
    """Says that the tool call can be cancelled with `tool_call/cancel`. It needs no fields to do so."""


class ToolCallCapabilities(Extensible):
    """What clients can do with a tool call at present. A malformed value means that they can do nothing, lest a
    client make a request that was never on offer.
    """

    cancel: Annotated[ToolCallCancelCapabilities | None, OrAbsent()] = None
    """Lets the client cancel the call with `tool_call/cancel`; any object will do, also `{}`. Absent or `null`:
    not supported. Agents should take it back when the call has a final status.
    """


class ToolCallContentChunk(Extensible):
    """Appends one item to the content that a tool call has at that point. An agent that wants to replace the
    content instead can send `tool_call_update` with `content`.
    """

    __tags__ = ("session_update",)

    session_update: Literal["tool_call_content_chunk"] = "tool_call_content_chunk"

    tool_call_id: scalars.ToolCallId
    """The tool call whose content is extended."""

    content: ToolCallContent
    """The item to append."""


class ToolCallLocation(Extensible):
    """A place in a file that a tool looks at or changes. Clients can use it to follow the agent from file to file
    as it works.
    """

    path: scalars.AbsolutePath
    """The absolute path of the file."""

    line: Annotated[int | None, Integral(ge=1), OrAbsent()] = None
    """The line, where the first one is `1`; `0` is invalid. Absent or `null`: no line in particular."""


class ToolCallUpdate(Extensible):
    """Creates or patches a tool call, which is something the model has asked for and the agent carries out: to
    read a file, run code or get data from elsewhere, for example. Only `toolCallId` is required. Any other
    field stays as it is when absent, is cleared or unset by `null`, and is replaced by a value. Lists are
    replaced as a whole, and `[]` clears them like `null`. A `_meta` object is an exception, as it is merged
    into the stored one by top-level key. Where the client does not know the id yet, absent fields begin with
    their defaults.
    """

    __tags__ = ("session_update",)

    session_update: Literal["tool_call_update"] = "tool_call_update"

    tool_call_id: scalars.ToolCallId
    """The tool call to patch, or an id not yet used in the session for a new one."""

    name: Annotated[str | None, OrAbsent()] = None
    """What the tool is called in code, for example `read_file`. Absent: no change. `null`: cleared. A new call
    without it has no name to show.
    """

    title: Annotated[str | None, OrAbsent()] = None
    """Tells people what the tool is doing. Absent: no change, and a new call has no title. `null`: removed."""

    kind: Annotated[scalars.ToolKind | None, OrAbsent()] = None
    """The category of the tool, by which a client can choose icons and presentation. Absent: no change, and a new
    call is `other`. `null`: `other` again.
    """

    status: Annotated[scalars.ToolCallStatus | None, OrAbsent()] = None
    """How far the call has come. Absent: no change, and a new call is `pending`. `null`: `pending` again."""

    content: Annotated[list[ToolCallContent] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """All that the call has produced; it replaces what is stored, chunks included. Absent: no change. `null` or
    `[]`: cleared.
    """

    locations: Annotated[list[ToolCallLocation] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The places in files that the call works on, which lets a client follow the agent. Absent: no change. `null`
    or `[]`: cleared.
    """

    raw_input: Any = None
    """The parameters as the tool was given them. Absent: no change. `null`: cleared."""

    raw_output: Any = None
    """The result as the tool returned it. Absent: no change. `null`: cleared."""

    capabilities: Annotated[ToolCallCapabilities | None, OrAbsent()] = None
    """What a client can do with the call at present, such as cancel it. Absent: no change, and a new call allows
    nothing. `null`: cleared. An object replaces the former one entirely.
    """


class UnknownToolCallContent(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A receiver should keep the raw payload when it stores, replays, proxies or
    forwards what a tool put out, and otherwise ignore the item or show it generically.
    """

    type: Annotated[str, UnlistedTag(frozenset({"content", "diff", "terminal"}))]


ToolCallContent: TypeAlias = Annotated[
    Content | diffs.Diff | terminals.Terminal | UnknownToolCallContent, OpenUnion("type", "type")
]
"""One item of what a tool call produces."""
