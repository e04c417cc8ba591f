"""What both ends have that the suite plays: they send what they like, well formed or not, and read what comes."""

from __future__ import annotations

import asyncio
import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from acp_v2.conformance.troubles import ConnectionEnded, NothingCame
from acp_v2.conformance.witness import Witness
from acp_v2.transports import MessageRefused, MessageTooLarge, Transport
from acp_v2.wire import WireError, read_json

MOST_MESSAGES: Final = 5_000
"""So many messages in one scenario are a flood, and end it."""

_SECONDS_TO_CLOSE: Final = 15.0

Message = dict[str, Any]


class RawConnection(ABC):
    """One connection.

    Args:
        transport: the way to the other end.
        number: tells the connections of a run apart.
        witness: told of everything that is sent and comes.
        sender: the side that the other end plays.
        patience: for how many seconds to wait for anything.
    """

    def __init__(self, transport: Transport, number: int, witness: Witness, *, sender: str, patience: float) -> None:
        self.number = number
        self._transport = transport
        self._witness = witness
        self._sender = sender
        self._checks = witness.checks(sender)
        self._patience = patience
        self._last_id = 0
        self._received = 0
        self._news = asyncio.Condition()
        self._end: str | None = None
        self._sending = asyncio.Lock()
        self._reading = asyncio.create_task(self._read())

    @property
    def has_ended(self) -> bool:
        """Whether there will be no more messages."""
        return self._end is not None

    async def send(self, message: Message) -> None:
        """Send a message as it is.

        Raises:
            ConnectionEnded: it cannot be sent.
            NothingCame: the other end does not read it.
        """
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        async with self._sending:
            self._witness.sent(self.number, text, message)
            try:
                async with asyncio.timeout(self._patience):
                    await self._transport.send(text)
            except TimeoutError:
                raise NothingCame(f"the {self._sender} did not read a message within {self._patience:g} s") from None
            except (OSError, MessageRefused) as error:
                named = message.get("method", "an answer")
                raise ConnectionEnded(f"{named} could not be sent: {self._end or error}") from None

    async def tell(self, method: str, params: Message) -> None:
        """Send a notification."""
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def until(self, is_there: Callable[[], object], what: str) -> None:
        """Wait until something has come.

        Raises:
            NothingCame: it did not come in time.
            ConnectionEnded: it will not come.
        """
        try:
            async with asyncio.timeout(self._patience), self._news:
                while not is_there():
                    if self._end is not None:
                        raise ConnectionEnded(f"the connection ended before {what} came: {self._end}")
                    await self._news.wait()
        except TimeoutError:
            self._witness.note(self.number, f"{what} did not come within {self._patience:g} s")
            raise NothingCame(f"{what} did not come within {self._patience:g} s") from None

    async def close(self) -> None:
        """End the connection."""
        self._end = self._end or "the suite closed it"
        self._witness.note(self.number, "the suite closes the connection")
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(_SECONDS_TO_CLOSE):
                await self._transport.close()

    @abstractmethod
    async def _take(self, message: Any, shown: str) -> None:
        """A JSON value came, which looked so."""

    async def _read(self) -> None:
        end = f"the {self._sender} closed it"
        try:
            while (text := await self._receive()) is not None:
                self._received += 1
                if self._received > MOST_MESSAGES:
                    end = f"the {self._sender} sent more than {MOST_MESSAGES:,} messages in one scenario"
                    break
                await self._take_text(text)
                await self._tell_who_waits()
        except (OSError, ValueError) as error:
            end = str(error) or type(error).__name__
        finally:
            self._end = self._end or end
            self._witness.note(self.number, f"the connection has ended: {self._end}")
        await self._tell_who_waits()

    async def _receive(self) -> str | bytes | None:
        while True:
            try:
                return await self._transport.receive()
            except MessageTooLarge as error:
                self._witness.fault(self.number, "(not kept)", f"the message is too large: {error}")

    async def _take_text(self, text: str | bytes) -> None:
        shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
        try:
            message: Any = read_json(text)
        except WireError as error:
            self._witness.fault(self.number, shown, f"what came {error}")
            return
        await self._take(message, shown)

    async def _tell_who_waits(self) -> None:
        async with self._news:
            self._news.notify_all()
        # A peer that never stops sending does not keep anybody else from running.
        await asyncio.sleep(0)
