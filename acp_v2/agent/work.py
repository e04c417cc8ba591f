"""What a session does in the foreground: it follows the scripts of its prompts, one after another."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from acp_v2.agent.script import Prompt, Sleep, joined, reply_to
from acp_v2.idempotency import StoredMessage, StoreError
from acp_v2.models import (
    AgentMessage,
    Error,
    IdleStateUpdateCancelled,
    IdleStateUpdateEndTurn,
    IdleStateUpdateError,
    IdleStateUpdateNone,
    RunningStateUpdate,
)
from acp_v2.wire_model import WireModel

_LOG = logging.getLogger(__name__)

SECONDS_A_CHUNK: Final = 0.02
"""How long a chunk of a reply takes, as one of a model's does."""

Update = WireModel | Mapping[str, Any]
"""An update of a session, as a model or as JSON."""


class Stage(Protocol):
    """Where the work shows: the session it belongs to."""

    def tell(self, update: Update) -> None:
        """Send an update to everybody on whose connection the session is active."""
        ...

    @property
    def is_behind(self) -> bool:
        """Whether one of them is behind with reading."""
        ...

    async def room(self) -> None:
        """Wait while one of them is behind with reading."""
        ...

    async def keep(self, message: StoredMessage) -> None:
        """Add a message to the session's history."""
        ...


class Work:
    """The foreground work of one session.

    Args:
        stage: where it shows.
        when_idle: called each time it has ended.
    """

    def __init__(self, stage: Stage, when_idle: Callable[[], None]) -> None:
        self._stage = stage
        self._when_idle = when_idle
        self._prompts: deque[Prompt] = deque()
        self._task: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()
        self._reply_id = ""
        self._reply: list[dict[str, Any]] = []

    @property
    def is_busy(self) -> bool:
        """Whether it is at it."""
        return self._task is not None

    def snapshot(self) -> list[WireModel]:
        """The updates that say how things stand: the part of a reply that is sent so far, and the state."""
        updates: list[WireModel] = []
        if self._reply:
            updates.append(AgentMessage.from_wire(_message(self._reply_id, "agent_message", self._reply)))
        updates.append(RunningStateUpdate() if self.is_busy else IdleStateUpdateNone())
        return updates

    def begin(self, prompt: Prompt) -> None:
        """Work on a prompt, after those that are there already."""
        self._prompts.append(prompt)
        if self._task is None:
            self._start()

    def stop(self) -> None:
        """Break the work off; it ends as cancelled. What is begun from now on is other work."""
        self._prompts.clear()
        self._stopped.set()

    async def ended(self) -> None:
        """Wait until it has ended."""
        while self._task is not None:
            await asyncio.wait([self._task])

    def _start(self) -> None:
        self._stopped.clear()
        self._stage.tell(RunningStateUpdate())
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        end: WireModel = IdleStateUpdateEndTurn()
        try:
            while self._prompts and not self._stopped.is_set():
                await self._follow(self._prompts.popleft())
        except StoreError as error:
            _LOG.error("a reply was not stored: %s", error)  # a trace says no more
            end = IdleStateUpdateError(error=Error(code=-32603, message="The reply could not be stored"))
        if self._stopped.is_set():
            end = IdleStateUpdateCancelled()
        self._task = None
        self._stage.tell(end)
        if self._prompts:
            self._start()
        else:
            self._when_idle()

    async def _follow(self, prompt: Prompt) -> None:
        if isinstance(prompt.script, Sleep):
            await self._pause(prompt.script.seconds)
        self._reply_id = str(uuid.uuid4())
        for chunk in reply_to(prompt):
            if self._stopped.is_set():
                break
            self._reply.append(chunk)
            # As JSON, because it is what an agent sends most, and already is what a model would be made of.
            self._stage.tell(_message(self._reply_id, "agent_message_chunk", chunk))
            if self._stage.is_behind:
                await self._unless_stopped(self._stage.room())
            await self._pause(SECONDS_A_CHUNK)
        try:
            if self._reply and prompt.is_retained:
                await self._stage.keep(StoredMessage(self._reply_id, "agent", joined(self._reply)))
        finally:
            self._reply.clear()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    async def _unless_stopped(self, waiting: Awaitable[None]) -> None:
        tasks = [asyncio.ensure_future(waiting), asyncio.ensure_future(self._stopped.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()


def _message(message_id: str, kind: str, content: Any) -> dict[str, Any]:
    return {"sessionUpdate": kind, "messageId": message_id, "content": content}
