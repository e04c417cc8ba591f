# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    NullAsAbsent,
    OpenUnion,
    OrAbsent,
    OrEmpty,
    SkipInvalidItems,
    UnlistedTag,
    Untagged,
)

from . import commands, config, mcp, scalars
from . import content as content_1
from . import state as state_1


class ArchiveSessionRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Hides a session from the default `session/list` results but keeps its id and saved history. If it is active,
    the agent must first cancel its work and free its resources, just as for `session/close`. Needs the
    `session.archive` capability.
    """

    session_id: scalars.SessionId
    """The session to archive. One that is archived already is no error; one that does not exist gets `-32002`."""


class ArchiveSessionResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    The session is archived and listed only when the `archived` filter asks for it.
    """


class CloseSessionRequest(Extensible):
    """Ends an active session: the agent must cancel its work as `session/cancel` does, and then free its
    resources. Unlike a cancel, this stops background work too. If foreground work is cut off, the agent must
    send its final updates and an idle `state_update` with `stopReason: "cancelled"` ahead of the success
    response; for a session already idle no such update is needed. After the response nothing else is sent for
    the session on this connection.

    Prompts whose message is not inserted yet, held ones included, are cancelled as well. The agent must answer
    those that closing keeps from being inserted with `-32800`, and those already inserted with success and
    their `messageId`; these answers may also come after the close response.
    """

    session_id: scalars.SessionId
    """The session to close. For one that is unknown or not active the request should succeed, and clients should
    take a `-32002` as success.
    """


class CloseSessionResponse(Extensible):
    """The session is no longer active on the agent and its resources are free."""


class DeleteSessionRequest(Extensible):
    """Takes a session off the `session/list` results; whether its stored data goes too is up to the agent. Needs
    the `session.delete` capability.
    """

    session_id: scalars.SessionId
    """The session to delete. For one that is already gone or never existed the request should succeed."""


class DeleteSessionResponse(Extensible):
    """The session will not be listed any more."""


class ForkSessionRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Branches a new session off the context of an existing one, for instance to have a summary written that
    leaves no mark in the original's history. Needs the `session.fork` capability; every such request creates
    another fork.
    """

    session_id: scalars.SessionId
    """The session to branch from, whose own history stays as it is."""

    cwd: scalars.AbsolutePath
    """The directory the fork works in. Must be absolute."""

    additional_directories: Annotated[list[scalars.AbsolutePath], FailFast(), NullAsAbsent()] = Field(
        default_factory=list
    )
    """All further workspace roots of the fork, each an absolute path. Absent, `null` or empty: it has none."""

    mcp_servers: Annotated[list[mcp.McpServer], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """The MCP servers to connect to for the fork. Absent and `null` read as an empty list."""

    system_prompt: SystemPrompt | None = None
    """System-level instructions for the fork; clients should repeat what they used for the source. Absent or
    `null`: the agent may keep a system prompt stored with the source or go by its defaults. Clients must only
    send it if the agent advertises `session.systemPrompt`.
    """


class ForkSessionResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    The fork exists, as a session in its own right.
    """

    session_id: scalars.SessionId
    """The id of the fork, not of the session it came from."""

    config_options: Annotated[list[config.SessionConfigOption], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """The config options the fork begins with, until a `config_option_update` replaces them. Absent or empty: none
    are advertised. Must be sent as an array, not `null`; a `null` received counts as absent.
    """

    available_commands: Annotated[list[commands.AvailableCommand], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """The commands the fork begins with, until an `available_commands_update` replaces them. Absent or empty: none
    are advertised yet. Must be sent as an array, not `null`; a `null` received counts as absent.
    """


class ListSessionsRequest(Extensible):
    """Asks for one page of the sessions the agent knows. Listing is for discovery only; no session is loaded or
    changed by it.
    """

    cwd: scalars.AbsolutePath | None = None
    """Keeps only sessions whose `cwd` is this very directory; being a subdirectory of it or naming it in
    `additionalDirectories` is no match. Must be absolute; the agent may normalise paths before it compares
    them. Absent or `null`: no such filter.
    """

    cursor: scalars.SessionListCursor | None = None
    """The `nextCursor` of the page before, handed back unread. Absent or `null`: the first page."""

    archived: scalars.SessionArchiveFilter | None = None
    """Unstable: may change or go without a new protocol version.

    Which sessions to list by archive state, on top of `cwd` and before the result is cut into pages. Absent or
    `null`: `exclude`. Only to be sent if the agent advertises `session.archive`; it stays the same while a
    client follows `nextCursor`.
    """


class ListSessionsResponse(Extensible):
    """One page of the sessions that matched."""

    sessions: Annotated[list[SessionInfo], FailFast(), SkipInvalidItems(), OrEmpty()]
    """The sessions on this page. When nothing matches, the agent must send an empty array."""

    next_cursor: scalars.SessionListCursor | None = None
    """Goes into `cursor` to fetch the page that follows. Absent or `null`: this page was the last. An empty string
    is a cursor like any other, not the end.
    """


class NewSessionRequest(Extensible):
    """Asks the agent to start a conversation in a working directory. Every such request creates another session."""

    cwd: scalars.AbsolutePath
    """The directory the session works in and resolves relative paths against. Must be absolute."""

    additional_directories: Annotated[list[scalars.AbsolutePath], FailFast(), NullAsAbsent()] = Field(
        default_factory=list
    )
    """Further workspace roots, each an absolute path; they widen the session's scope and leave `cwd` the base of
    relative paths. Absent, `null` or empty: no further roots. Clients must only send it if the agent advertises
    `session.additionalDirectories`.
    """

    mcp_servers: Annotated[list[mcp.McpServer], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """The MCP servers the agent should connect to, each over a transport it advertises. Absent, `null` or empty:
    none.
    """

    system_prompt: SystemPrompt | None = None
    """Unstable: may change or go without a new protocol version.

    System-level instructions for the session. Absent or `null`: the agent works with its defaults. Clients must
    only send it if the agent advertises `session.systemPrompt`.
    """


class NewSessionResponse(Extensible):
    """The session exists. It counts as `idle` until a state update says something else; updates can overtake this
    response, and the client must not replace a state it has already been told when the response comes in.
    """

    session_id: scalars.SessionId
    """The new session's id, which every later request about this conversation carries."""

    config_options: Annotated[list[config.SessionConfigOption], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """The config options at the start; each `config_option_update` replaces the list. Absent or empty: the agent
    advertises none. A sender must write an array, not `null`; a receiver reads `null` as absent.
    """

    available_commands: Annotated[list[commands.AvailableCommand], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """The commands at the start; each `available_commands_update` replaces the list. Absent or empty: none are
    advertised yet. A sender must write an array, not `null`; a receiver reads `null` as absent.
    """


class ReplayFromStart(Extensible):
    """Asks for the retained conversation from its beginning, first entry included; it has no parameters."""

    __tags__ = ("type",)

    type: Literal["start"] = "start"


class ResumeSessionRequest(Extensible):
    """Makes an existing session ready to go on over this connection and, if `replayFrom` asks for it, replays
    retained history. Resuming an active session synchronises it again.
    """

    session_id: scalars.SessionId
    """The session to go on with, for example one from `session/list`."""

    cwd: scalars.AbsolutePath
    """The session's own working directory, absolute; clients must send that one. An agent may answer any other
    with `-32602`, and may normalise paths before it compares them.
    """

    additional_directories: Annotated[list[scalars.AbsolutePath], FailFast(), NullAsAbsent()] = Field(
        default_factory=list
    )
    """All further workspace roots from now on, each an absolute path; they may differ from any list used or
    reported before, provided that `cwd` is the session's. Absent, `null` or empty: none, and earlier ones do
    not come back.
    """

    mcp_servers: Annotated[list[mcp.McpServer], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """Every MCP server the client wants connected. Absent, `null` or empty: none, and the agent should not bring
    back those of an earlier request.
    """

    replay_from: ReplayFrom | None = None
    """Where replay begins, that position included. Absent or `null`: no history is replayed; `{"type": "start"}`:
    all that is retained, ahead of the response. The agent must answer an unsupported or malformed cursor with
    `-32602`, and must neither pick another one nor resume without replay.
    """

    system_prompt: SystemPrompt | None = None
    """Unstable: may change or go without a new protocol version.

    System-level instructions from here on; clients should repeat the value the session was created with. Absent
    or `null`: the agent may keep a system prompt stored with the session or go by its defaults. Clients must
    only send it if the agent advertises `session.systemPrompt`.
    """


class ResumeSessionResponse(Extensible):
    """The session is ready. With or without replay, the agent must send a current `state_update` ahead of this
    response and behind any replayed history; the response alone does not mean `idle`.
    """

    config_options: Annotated[list[config.SessionConfigOption], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """The config options as they stand on resuming; a later `config_option_update` replaces them. Absent or empty:
    the agent advertises none. A sender must write an array, not `null`, which receivers read as absent.
    """

    available_commands: Annotated[list[commands.AvailableCommand], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """The commands as they stand on resuming; a later `available_commands_update` replaces them. Absent or empty:
    none are advertised yet. A sender must write an array, not `null`, which receivers read as absent.
    """


class SessionInfo(Extensible):
    """What `session/list` tells about one session."""

    session_id: scalars.SessionId
    """The id by which the session can be resumed or otherwise addressed."""

    cwd: scalars.AbsolutePath
    """The session's working directory, an absolute path. A client that resumes the session must send it again."""

    additional_directories: Annotated[list[scalars.AbsolutePath], FailFast(), NullAsAbsent()] = Field(
        default_factory=list
    )
    """The further workspace roots of the session, complete, in order and each absolute. Absent, `null` or empty:
    none reported. A client must not merge the list with one it had before.
    """

    title: Annotated[str | None, OrAbsent()] = None
    """A title to show to the user. Absent or `null`: there is none."""

    updated_at: Annotated[str | None, OrAbsent()] = None
    """When the session was last active, as an RFC 3339 timestamp. Absent or `null`: not reported."""

    archived: Annotated[bool | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Whether the session is archived. An agent that advertises `session.archive` must include this for every
    session it lists. Absent or `null`: not reported.
    """


class SessionInfoUpdate(Extensible):
    """Reports changed metadata of a session, such as its title, so that clients need not list again. An absent
    field stays as it was, `null` clears it, and an `_meta` object is merged into the stored one by its
    top-level keys.
    """

    __tags__ = ("session_update",)

    session_update: Literal["session_info_update"] = "session_info_update"

    title: Annotated[str | None, OrAbsent()] = None
    """The title to show from now on. `null`: the session has none any more."""

    updated_at: Annotated[str | None, OrAbsent()] = None
    """When the session was last active, as an RFC 3339 timestamp. `null`: no longer known."""


class SessionStatusRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Asks whether the agent has a session in memory and what it is doing. Answering must have no side effects:
    nothing is loaded, started, ended or altered, and the asking connection is not attached to the session.
    Needs the `session.status` capability.
    """

    session_id: scalars.SessionId
    """The session to look at. For one the agent does not know, it answers `-32002` with this `sessionId` in
    `data`.
    """


class SessionStatusResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    How things stood when the agent answered. A session that was `open` may be gone by the time the client sends
    anything else.
    """

    status: scalars.SessionStatus
    """Whether the session is in memory. A client must read a value it does not know as `saved`."""

    state: Annotated[state_1.StateUpdate | None, Untagged("session_update"), OrAbsent()] = None
    """What the session's foreground work is doing, in the form that `state_update` has; the agent should include
    it when `status` is `open`. It marks no transition, so clients must not count an `idle` here as one more
    completion. Absent, `null` or malformed: not reported, and clients must not take that for `idle`.
    """


class SetSessionTitleRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Gives a session a title from the client's side. Whatever `session/list` would return can be retitled. The
    agent answers only when the title is stored, and should not put a generated one in its place after that.
    Needs the `session.title` capability.
    """

    session_id: scalars.SessionId
    """The session to retitle, which need not be active on the connection. One that does not exist gets `-32002`."""

    title: str
    """The title wanted; leaving it out is as invalid as `null`. The agent may normalise it, say trim or shorten
    it, and answers `-32602` if it fails validation or nothing is left of it.
    """


class SetSessionTitleResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    The title is stored, in the form given here.
    """

    title: str
    """The title as stored, which is not what was sent if the agent normalised it. Clients should show this one."""


class SystemPrompt(Extensible):
    """Unstable: may change or go without a new protocol version.

    Instructions from the client that apply at system level. Clients must only send them if the agent advertises
    `session.systemPrompt`. An agent that cannot apply them, because of the mode or of a content type, must
    answer with an error in place of creating, resuming or forking the session.
    """

    mode: scalars.SystemPromptMode
    """How the content and the agent's own instructions combine. An agent must answer a mode it does not support
    with an error, not read it as `append` or `override`.
    """

    content: Annotated[list[content_1.ContentBlock], FailFast()]
    """The instructions. An agent with the capability must accept `text` blocks. Clients must not send other types
    until a capability allows them, and an agent must answer any type it does not support, unknown ones
    included, with an error. Clients must not send an empty array; an agent may answer one with `-32602`, and
    the session is then neither created, resumed nor forked.
    """


class UnarchiveSessionRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Brings an archived session back into the default `session/list` results, id and saved history unchanged,
    without ever loading or resuming it. A client that wants to go on with the conversation should send this
    before `session/resume`. Needs the `session.archive` capability.
    """

    session_id: scalars.SessionId
    """The session to bring back. One that is not archived is no error; one that does not exist gets `-32002`."""


class UnarchiveSessionResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    The session is listed by default again. It is not resumed by that.
    """


class UnknownReplayFrom(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. An agent that does not support the cursor must answer with `-32602`, and
    must neither pick another one nor resume without replay. Intermediaries should keep the raw payload when
    they store, replay or forward it.
    """

    type: Annotated[str, UnlistedTag(frozenset({"start"}))]


ReplayFrom: TypeAlias = Annotated[ReplayFromStart | UnknownReplayFrom, OpenUnion("type", "type")]
"""The point in a session's history at which replay begins. That point is itself replayed."""
