"""Two ends in one process: for tests, and for an agent that is a library of its client."""

from __future__ import annotations

import asyncio

from acp_v2.transports import TransportClosed

_Line = asyncio.Queue[str | None]


class MemoryTransport:
    """One end of a pair; `memory_pair` makes both."""

    def __init__(self, inbox: _Line, outbox: _Line) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._is_closed = False

    async def receive(self) -> str | None:
        """The next message; None where either end has closed."""
        text = None if self._is_closed and self._inbox.empty() else await self._inbox.get()
        if text is None:
            self._is_closed = True
        return text

    async def send(self, text: str) -> None:
        """Send a message; waits while the other end is behind."""
        if self._is_closed:
            raise TransportClosed("one end has closed")
        await self._outbox.put(text)

    async def close(self) -> None:
        """Tell both ends that there will be no more."""
        if not self._is_closed:
            self._is_closed = True
            _end(self._outbox)
            _end(self._inbox)


def memory_pair(*, queued: int = 100) -> tuple[MemoryTransport, MemoryTransport]:
    """Two ends that send to each other, up to `queued` messages ahead of the receiver."""
    there, back = _Line(queued), _Line(queued)
    return MemoryTransport(there, back), MemoryTransport(back, there)


def _end(line: _Line) -> None:
    if line.full():
        # Whoever closes does not wait for the other end to catch up.
        line.get_nowait()
    line.put_nowait(None)
