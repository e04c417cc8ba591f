# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from acp_v2.idempotency_key import IdempotencyKey
from acp_v2.wire_model import Extensible

from . import content, scalars


class CancelSessionNotification(Extensible):
    """Stops the foreground work of a session and withdraws its prompts that are not inserted yet. Background work
    that the latest state update lists goes on; the agent may stop what is not listed there.
    """

    session_id: scalars.SessionId
    """The session whose work and waiting prompts are to be cancelled."""


class PromptRequest(Extensible):
    """Submits a message from the user, with any context that goes with it. The response comes when the message is
    inserted, not when the work is done. If it never comes, only a request with an `idempotencyKey` is safe to
    repeat: without one, a repeat can insert the message a second time and run the work twice.
    """

    session_id: scalars.SessionId
    """The session the message is for, which the client has created or resumed on its connection."""

    prompt: Annotated[list[content.ContentBlock], FailFast(), Field(min_length=1)]
    """The message, block by block. Every agent must support `text` and `resource_link`; `PromptCapabilities` says
    what else it takes, and the client must fit its interface to that. Context the user refers to may go in as
    `resource` or `resource_link`; where it is available `resource` is preferred, as it spares a round trip and
    works for sources the agent cannot reach. Clients must not send an empty array; an agent may answer one with
    `-32602` and insert nothing.
    """

    idempotency_key: IdempotencyKey | None = None
    """Stands for this one submission: for as long as the key lasts, the agent inserts its message at most once,
    however often it is sent; the work that follows is not covered. The client makes the key when the user
    submits, sends the same one on each attempt, also after reconnecting or restarting, and must not use it for
    a different prompt. Every agent that advertises `session` must support it. Absent or `null`: no key, and the
    agent does not look for duplicates. The agent must reject anything else that is not a valid key with
    `-32602`, and must not take it for absent.
    """


class PromptResponse(Extensible):
    """The user's message is inserted: it has an id and a place among the messages of the conversation. That is
    more than being received or held, and says nothing about the work, whose course and end come as
    `state_update`.
    """

    message_id: scalars.MessageId
    """The inserted user message; leaving it out is as invalid as `null`. The update that shows the message carries
    this id too, and may come before or after the response. The agent must echo the message while the session is
    live but need not retain it; if it does and replays it, the id is the same. A retry under the same
    `idempotencyKey` is answered with the original id.
    """
