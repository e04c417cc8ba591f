# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    Integral,
    Number,
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)

from . import commands, config, plans, scalars, session, state, subagents, terminals, tools
from . import content as content_1


class AgentMessage(Extensible):
    """Creates a message from the agent or patches it. Updates and chunks of a message take effect in the order of
    their arrival, so that `content` given here overrides every earlier chunk, and later chunks extend it.
    """

    __tags__ = ("session_update",)

    session_update: Literal["agent_message"] = "agent_message"

    message_id: scalars.MessageId
    """The message to patch; an id the client does not know yet makes a new one."""

    content: Annotated[list[content_1.ContentBlock] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The whole content of the message, which replaces what there was. Absent: no change, and a new message starts
    empty. `null` or `[]`: cleared.
    """


class AgentThought(Extensible):
    """Creates a thought, a message that holds the agent's reasoning, or patches it. Updates and chunks take effect
    in the order of their arrival: `content` given here overrides every earlier chunk, and later chunks extend
    it.
    """

    __tags__ = ("session_update",)

    session_update: Literal["agent_thought"] = "agent_thought"

    message_id: scalars.MessageId
    """The thought to patch; an id that no thought has had yet makes a new one."""

    content: Annotated[list[content_1.ContentBlock] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The whole content of the thought, which replaces what there was. Absent: no change, and a new thought starts
    empty. `null` or `[]`: cleared.
    """


class CompactionSummaryChunk(Extensible):
    """One more block for the summary of a compaction; blocks are appended in the order they are received. An id
    not seen before creates a compaction, with status `in_progress`.
    """

    __tags__ = ("session_update",)

    session_update: Literal["compaction_summary_chunk"] = "compaction_summary_chunk"

    compaction_id: scalars.CompactionId
    """The compaction whose summary is extended."""

    content: content_1.ContentBlock
    """The block to append."""


class CompactionUpdate(Extensible):
    """Creates or patches a compaction, by which an agent cuts down what a session's context holds. The first
    notification about it sets its position in the timeline; later ones with the same id patch it there.
    `summary`, `error` and `_meta` stay when absent and are cleared by `null`. Other values replace what is
    stored, except that a `_meta` object is merged into it by top-level key.
    """

    __tags__ = ("session_update",)

    session_update: Literal["compaction_update"] = "compaction_update"

    compaction_id: scalars.CompactionId
    """The compaction; the agent chose this id, and no other compaction in the session has it."""

    status: scalars.CompactionStatus
    """Where the compaction stands now."""

    summary: Annotated[list[content_1.ContentBlock] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The whole summary, fit to be shown to the user; it replaces the one before, chunks included. Absent: no
    change. `null` or `[]`: cleared.
    """

    error: Annotated[str | None, OrAbsent()] = None
    """Tells people what went wrong with the compaction. Absent: no change. `null`: cleared."""


class ContentChunk(Extensible):
    """One more block of a message that is being streamed. Whatever content the message has at that point, the
    block is appended to it.
    """

    message_id: scalars.MessageId
    """The message that the block belongs to. All its chunks carry this id; those of other messages may come in
    between.
    """

    content: content_1.ContentBlock
    """The block to append."""


class AgentMessageChunk(ContentChunk):
    """Appends one block to an agent message that is being streamed."""

    __tags__ = ("session_update",)

    session_update: Literal["agent_message_chunk"] = "agent_message_chunk"


class AgentThoughtChunk(ContentChunk):
    """Appends one block to a thought, the agent's inner reasoning, as it is streamed."""

    __tags__ = ("session_update",)

    session_update: Literal["agent_thought_chunk"] = "agent_thought_chunk"


class Cost(Extensible):
    """What a session has cost, as a number with its unit."""

    amount: Annotated[float, Number()]
    """The total for the session up to now, not what was added since the last report."""

    currency: str
    """What `amount` counts: money, given by its ISO 4217 code such as `USD`, or another unit such as `credits`."""


class Notice(Extensible):
    """Tells the user something, with no answer expected. It is a live event and not part of the session's history.
    Clients need no capability for it and may ignore it if they do not support it, so agents must not count on
    its being received, shown or seen.
    """

    __tags__ = ("session_update",)

    session_update: Literal["notice"] = "notice"

    severity: scalars.NoticeSeverity
    """Hints at how the notice might be presented."""

    title: Annotated[str, Field(min_length=1)]
    """The notice in short, as plain text that makes sense without the description. Must not be empty."""

    description: Annotated[str | None, OrAbsent()] = None
    """Details or advice, as plain text. Absent or `null`: there is nothing to add."""


class UnknownSessionUpdate(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A receiver should keep the raw payload when it stores, replays, proxies or
    forwards a session's history, and otherwise ignore the update or show it generically.
    """

    session_update: Annotated[
        str,
        UnlistedTag(
            frozenset(
                {
                    "user_message_chunk",
                    "user_message",
                    "agent_message_chunk",
                    "agent_message",
                    "agent_thought_chunk",
                    "agent_thought",
                    "state_update",
                    "tool_call_content_chunk",
                    "tool_call_update",
                    "terminal_update",
                    "terminal_output_chunk",
                    "plan_update",
                    "plan_removed",
                    "available_commands_update",
                    "config_option_update",
                    "session_info_update",
                    "usage_update",
                    "notice",
                    "compaction_update",
                    "compaction_summary_chunk",
                    "subagent_update",
                    "session_message",
                    "session_message_chunk",
                }
            )
        ),
    ]


class UpdateSessionNotification(Extensible):
    """Carries one update of a session. An agent can send it whenever it likes as long as the session exists,
    whether or not a prompt is being worked on.
    """

    session_id: scalars.SessionId
    """The session that the update is about."""

    update: SessionUpdate
    """What is new; its `sessionUpdate` names the kind of update."""


class UsageUpdate(Extensible):
    """Reports how much of the context window is taken up and what the session has cost."""

    __tags__ = ("session_update",)

    session_update: Literal["usage_update"] = "usage_update"

    used: Annotated[int, Integral(ge=0)]
    """How many tokens the context holds at present."""

    size: Annotated[int, Integral(ge=0)]
    """How many tokens fit into the context window in total."""

    cost: Annotated[Cost | None, OrAbsent()] = None
    """What the session has cost since it began. Absent: the figure reported last still stands. `null`: that figure
    is cleared. A value takes its place.
    """


class UserMessage(Extensible):
    """Creates a message from the user or patches it. A client applies the updates and chunks of a message in the
    order in which they reach it: `content` given here takes the place of all that was gathered before, chunks
    included, and chunks that follow are appended to it.
    """

    __tags__ = ("session_update",)

    session_update: Literal["user_message"] = "user_message"

    message_id: scalars.MessageId
    """The message to patch, or an id not seen before for a new one."""

    content: Annotated[list[content_1.ContentBlock] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The content of the message, whole. Absent: it stays as it is, and that of a new message is empty. An array
    replaces it; `null` or `[]` clears it.
    """


class UserMessageChunk(ContentChunk):
    """Appends one block to a user message that is being streamed."""

    __tags__ = ("session_update",)

    session_update: Literal["user_message_chunk"] = "user_message_chunk"


SessionUpdate: TypeAlias = Annotated[
    UserMessageChunk
    | UserMessage
    | AgentMessageChunk
    | AgentMessage
    | AgentThoughtChunk
    | AgentThought
    | state.StateUpdate
    | tools.ToolCallContentChunk
    | tools.ToolCallUpdate
    | terminals.TerminalUpdate
    | terminals.TerminalOutputChunk
    | plans.PlanUpdate
    | plans.PlanRemoved
    | commands.AvailableCommandsUpdate
    | config.ConfigOptionUpdate
    | session.SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | subagents.SubagentUpdate
    | subagents.SessionMessage
    | subagents.SessionMessageChunk
    | UnknownSessionUpdate,
    OpenUnion("sessionUpdate", "session_update"),
]
"""One piece of news from a session: part of a message, progress of a tool call, a change of state and the
like.
"""
