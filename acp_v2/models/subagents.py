# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import FailFast

from acp_v2.wire_model import Extensible
from acp_v2.wire_types import (
    OrAbsent,
    SkipInvalidItems,
    Untagged,
)

from . import content as content_1
from . import scalars
from . import state as state_1


class SessionCancelCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Being there, even as `{}`, means that a child's work can be cancelled and the child itself stays.
    """


class SessionMessage(Extensible):
    """Unstable: may change or go without a new protocol version.

    A message between two sessions, as it appears in one of them. An id not seen before creates it; otherwise
    the fields given change it.
    """

    __tags__ = ("session_update",)

    session_update: Literal["session_message"] = "session_message"

    message_id: scalars.MessageId
    """Names the message in the transcript of the session that this update is for."""

    sender_session_id: Annotated[scalars.SessionId | None, OrAbsent()] = None
    """The session that wrote the message. Absent: no change. `null`: cleared."""

    recipient_session_id: Annotated[scalars.SessionId | None, OrAbsent()] = None
    """The session the message is meant for. Absent: no change. `null`: cleared."""

    sender_message_id: Annotated[scalars.MessageId | None, OrAbsent()] = None
    """For the recipient's copy, the `messageId` that the sender's copy has in the sender's transcript; it may come
    while the text is already streaming. Absent: no change. `null`: cleared.
    """

    recipient_message_id: Annotated[scalars.MessageId | None, OrAbsent()] = None
    """For the sender's copy, the `messageId` that the recipient's copy has in the recipient's transcript; it may
    come while the text is already streaming. Absent: no change. `null`: cleared.
    """

    content: Annotated[list[content_1.ContentBlock] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The whole message. An array replaces all that was there, streamed parts included. Absent: no change; `null`
    clears it.
    """


class SessionMessageChunk(Extensible):
    """Unstable: may change or go without a new protocol version.

    The next piece of a message between sessions. Who sent it to whom is told by `session_message`, which may
    come before the pieces, among them or after the last.
    """

    __tags__ = ("session_update",)

    session_update: Literal["session_message_chunk"] = "session_message_chunk"

    message_id: scalars.MessageId
    """The message that grows, by its id in the transcript of the session this update is for."""

    content: content_1.ContentBlock
    """The block to add at the end."""


class SubagentSessionCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    What a client may do to one child session. Each operation that changes something has to be granted here:
    that the agent supports the method for other sessions does not count.
    """

    cancel: Annotated[SessionCancelCapabilities | None, OrAbsent()] = None
    """Lets the client stop what this child is doing now; the session goes on. Absent or `null`: not allowed."""


class SubagentUpdate(Extensible):
    """Unstable: may change or go without a new protocol version.

    Says, on the session of the immediate parent, that this parent has made a child session and owns it; later
    updates change what is shown of the child, never whose it is. The first one must come before any live
    request or notification with the child's session id, and before messages that name the child as sender or
    recipient. The child's events then arrive by themselves: there is nothing to load, resume or subscribe to.
    Every v2 client must understand this update, keep track of children and respect what may not be done to
    them; no capability announces that.

    Fields are patches: left out they keep what is stored, `null` unsets it, any other value replaces it; an
    object in `_meta` is merged by top-level key. The tie outlives the child's work, whether completed or
    cancelled, and the parent may send the same child more messages. Receivers should take a repeated report as
    no news.
    """

    __tags__ = ("session_update",)

    session_update: Literal["subagent_update"] = "subagent_update"

    session_id: scalars.SessionId
    """The child. All messages about it use this id, which is opaque."""

    title: Annotated[str | None, OrAbsent()] = None
    """What the parent calls the child, for people; several children may be called the same. Absent: no change;
    `null` clears it, and the client then makes up a label.
    """

    description: Annotated[str | None, OrAbsent()] = None
    """What the child is for, as the parent puts it; it is not a record of what the child was told. Absent: no
    change; `null` clears it.
    """

    capabilities: Annotated[SubagentSessionCapabilities | None, OrAbsent()] = None
    """What the client may do that changes the child's session. Unset: nothing. Reading is not limited by it and
    follows the usual rules.
    """

    state: Annotated[state_1.StateUpdate | None, Untagged("session_update"), OrAbsent()] = None
    """What the child's foreground work is doing, repeated here from the child's own `state_update`; agents should
    keep the two in step. Absent: no change; an object replaces the former one as a whole. `null` withdraws the
    report: the child's activity is then uncertain, which is neither idle nor cancelled.
    """

    cwd: scalars.AbsolutePath | None = None
    """The directory the agent put the child in. Absent: no change. `null`: cleared. While it is unset, the child
    works where its immediate parent does.
    """

    additional_directories: Annotated[list[scalars.AbsolutePath] | None, FailFast()] = None
    """Further workspace roots the agent gave the child, as the whole list; `[]` means that it has none. Absent,
    they stay; `null` clears them. While they are unset those of the immediate parent apply, whatever `cwd`
    says.
    """
