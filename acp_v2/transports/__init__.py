"""How messages travel: each transport moves the raw text of one JSON-RPC message at a time.

They move text and not decoded values, because only the text still has what an agent has to answer: that it is no
JSON, is an array, or has a key twice. The message transports of the official Python SDK (`agent-client-protocol`) move
decoded objects and silently drop what is none; v1 leaves that open, v2 wants an answer. So they cannot carry v2 on the
side that answers.
"""

from __future__ import annotations

from typing import Final, Protocol

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""How large a message may be where nobody says otherwise: as in the official TypeScript SDK."""


class TransportClosed(ConnectionError):  # noqa: N818  # a state rather than a fault
    """The other side is gone, or this side has closed the transport."""


class MessageTooLarge(Exception):  # noqa: N818  # as the exceptions of the protocol are named
    """A message was larger than the limit and was skipped; the next one can be received."""


class NotDelivered(ConnectionError):  # noqa: N818  # like TransportClosed
    """Whether one message arrived is not known, but the next can be sent: an HTTP POST that failed before its 202."""


class MessageRefused(Exception):  # noqa: N818  # as the exceptions of the protocol are named
    """The other side refused to take one message, and would again; the next one can be sent."""


class Transport(Protocol):
    """A way to and from one peer."""

    async def receive(self) -> str | bytes | None:
        """The next message as it came; None where there will be no more.

        Raises:
            MessageTooLarge: the message was skipped.
        """
        ...

    async def send(self, text: str) -> None:
        """Send one message, and return when the transport can take another.

        Raises:
            TransportClosed: it cannot be sent any more.
            NotDelivered: it is not known whether it arrived.
            MessageRefused: it was not taken.
        """
        ...

    async def close(self) -> None:
        """Let go of the peer. May be called twice."""
        ...
