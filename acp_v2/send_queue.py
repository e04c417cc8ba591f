"""What waits to be sent on one connection, in order and within a limit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from acp_v2.transports import MessageRefused, NotDelivered, Transport, TransportClosed


class SendQueue:
    """Sends messages in the order in which they were put in.

    Putting in never waits, so that whoever changes a state and tells of it does both in one step. Who produces much
    awaits `room` in between; that is where back-pressure takes hold.

    Args:
        transport: where to.
        limit: from how many waiting bytes on there is no room.
        patience: for how many seconds a peer may take nothing before it counts as gone.
        on_failure: told of a message that was refused or may not have arrived, and why; the next ones are sent.
    """

    def __init__(
        self, transport: Transport, *, limit: int, patience: float, on_failure: Callable[[str, Exception], None]
    ) -> None:
        self._on_failure = on_failure
        self._transport = transport
        self._limit = limit
        self._patience = patience
        self._waiting: deque[str] = deque()
        self._bytes = 0
        self._is_closed = False
        self._something = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._is_empty = asyncio.Event()
        self._is_empty.set()

    def put(self, text: str) -> None:
        """Send a message after all others; it is dropped where the queue is closed."""
        if self._is_closed:
            return
        self._waiting.append(text)
        self._bytes += len(text)
        self._something.set()
        self._is_empty.clear()
        if self._bytes >= self._limit:
            self._has_room.clear()

    @property
    def has_room(self) -> bool:
        """Whether `room` would not wait."""
        return self._has_room.is_set()

    async def room(self) -> None:
        """Return when there is room, or the queue is closed and takes nothing any more."""
        await self._has_room.wait()

    async def empty(self) -> None:
        """Return when everything is sent, or the queue is closed."""
        await self._is_empty.wait()

    def close(self) -> None:
        """Drop what waits and take nothing any more."""
        self._is_closed = True
        self._waiting.clear()
        for event in (self._something, self._has_room, self._is_empty):
            event.set()

    async def run(self) -> None:
        """Send until the queue is closed.

        Raises:
            TransportClosed: the peer is gone, or has taken nothing for too long.
        """
        try:
            while not self._is_closed:
                while self._waiting:
                    await self._send(self._waiting[0])
                self._is_empty.set()
                self._something.clear()
                await self._something.wait()
        finally:
            self.close()

    async def _send(self, text: str) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await self._transport.send(text)
        except (NotDelivered, MessageRefused) as error:
            self._on_failure(text, error)
        except TimeoutError:
            raise TransportClosed(f"the peer has taken nothing for {self._patience:g} seconds") from None
        if self._waiting:  # It may have been closed meanwhile.
            self._waiting.popleft()
            self._bytes -= len(text)
        if self._bytes < self._limit:
            self._has_room.set()
