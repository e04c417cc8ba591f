"""One session, as an application works with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from acp_v2.client.delivery import Delivery
from acp_v2.client.errors import OutboxError
from acp_v2.client.events import Disconnected, Event, Resumed, Settled, Updated
from acp_v2.client.link import Agent
from acp_v2.client.outbox import Prompt
from acp_v2.client.submission import Submission
from acp_v2.models import SessionUpdate, UserMessage, UserMessageChunk

if TYPE_CHECKING:
    from acp_v2.client.client import Client


class Session:
    """A session that is active; `Client` makes it.

    Attributes:
        id: the session's id.
        setup: what it is resumed with, as on the wire.
    """

    def __init__(self, client: Client, session_id: str, setup: Mapping[str, Any]) -> None:
        self.id = session_id
        self.setup = setup
        self._client = client
        self._events: deque[Event] = deque()
        self._something = asyncio.Event()
        self.is_established = False
        """Whether it was active on a connection, so that it is resumed on the next one."""
        self._cancels = False
        self._is_closed = False
        self._is_replaying = False
        self._mine: dict[str, Submission] = {}
        self._delivery: Delivery | None = None
        self._delivering: asyncio.Task[None] | None = None

    # For applications

    async def prompt(
        self, prompt: Prompt, *, key: str | None = None, meta: Mapping[str, Any] | None = None
    ) -> Submission:
        """Submit what the user says; await what it returns for the `messageId`.

        As `Outbox.submit`, and with its errors.
        """
        return await self._client.outbox.submit(self.id, prompt, key=key, meta=meta)

    async def events(self) -> AsyncIterator[Event]:
        """What happens, from where the last reader left off, until the session or the client is closed.

        What nobody reads is kept, so that an application which prompts reads this, too.
        """
        while True:
            while self._events:
                yield self._events.popleft()
            if self._is_closed:
                return
            self._something.clear()
            await self._something.wait()

    async def cancel(self) -> None:
        """Break off the foreground work, withdraw what is not inserted yet, and answer open questions as cancelled.

        Raises:
            OutboxError: it could not be written that pending prompts are cancelled.
        """
        await self._client.cancel(self)

    async def close(self) -> None:
        """End the session on this connection; it can be resumed later.

        Raises:
            AcpError, TransportClosed: as `Client.request`.
            OutboxError: as `cancel`.
        """
        await self._client.close_session(self)

    # For the client

    def updated(self, update: SessionUpdate) -> None:
        """An update came."""
        submission = self._mine.get(update.message_id) if isinstance(update, UserMessage | UserMessageChunk) else None
        self._put(Updated(update, submission, self._is_replaying))

    def settled(self, submission: Submission) -> None:
        """The outcome of a prompt is known."""
        if submission.message_id is not None:
            self._mine[submission.message_id] = submission
        self._put(Settled(submission))

    async def activate(self, agent: Agent, *, replays: bool = False) -> None:
        """Resume the session on a connection.

        Raises:
            AcpError: the agent's error.
            TransportClosed: the connection ended.
        """
        await self._stop()
        self._is_replaying = replays
        params = {"sessionId": self.id, **self.setup}
        try:
            await agent.connection.request(
                "session/resume", {**params, "replayFrom": {"type": "start"}} if replays else params
            )
        finally:
            self._is_replaying = False
        if self._cancels:
            # Asked for while there was no connection; what was pending then is not sent, but work may go on.
            agent.connection.tell("session/cancel", {"sessionId": self.id})
            self._cancels = False
        self._put(Resumed())
        await self.deliver(agent)

    def cancel_on(self, agent: Agent | None) -> None:
        """Break off the foreground work now, or when the session is active again."""
        if self._delivery is not None and agent is not None and not agent.connection.is_closed:
            agent.connection.tell("session/cancel", {"sessionId": self.id})
        else:
            self._cancels = True

    async def deliver(self, agent: Agent) -> None:
        """Send what is pending, also what ended processes left; the session is active on the connection."""
        self.is_established = True
        with contextlib.suppress(OutboxError):  # It is tried again.
            await self._client.outbox.adopt(self.id)
        if self._is_closed or agent.connection.is_closed:
            return
        self._delivery = Delivery(self._client.outbox, self.id, agent.connection, has_keys=agent.has_keys)
        self._delivering = asyncio.create_task(self._delivery.run())

    async def lost(self) -> None:
        """The connection has ended."""
        await self._stop()
        self._put(Disconnected())

    async def end(self) -> None:
        """There will be no more events."""
        await self._stop()
        self._is_closed = True
        self._something.set()

    async def _stop(self) -> None:
        if self._delivering is not None:
            self._delivering.cancel()
            await asyncio.wait([self._delivering])
            self._delivering = None
        if self._delivery is not None:
            await self._delivery.settle()
            self._delivery = None

    def _put(self, event: Event) -> None:
        self._events.append(event)
        self._something.set()
