"""One end of a connection on which the suite plays another part than a client's; what comes is kept until wanted."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any, cast

from acp_v2.conformance.troubles import ConnectionEnded, NothingCame
from acp_v2.conformance.witness import Witness
from acp_v2.transports import MessageTooLarge, Transport
from acp_v2.wire import WireError, read_json

Message = dict[str, Any]

_SECONDS_TO_CLOSE = 15.0


class End:
    """One end.

    Args:
        transport: the way to the other end.
        number: tells the connections of a run apart.
        witness: told of everything that is sent and comes.
        sender: the side that the other end plays.
        patience: for how many seconds to wait for anything.
    """

    def __init__(self, transport: Transport, number: int, witness: Witness, *, sender: str, patience: float) -> None:
        self.number = number
        self.received: list[Message] = []
        self.validates = True
        self._transport = transport
        self._witness = witness
        self._checks = witness.checks(sender)
        self._patience = patience
        self._asked: dict[int, str] = {}
        self._taken = 0
        self._last_id = 0
        self._news = asyncio.Condition()
        self._end: str | None = None
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
        self._witness.sent(self.number, text, message)
        try:
            async with asyncio.timeout(self._patience):
                await self._transport.send(text)
        except TimeoutError:
            raise NothingCame(f"a message was not read within {self._patience:g} s") from None
        except OSError as error:
            raise ConnectionEnded(f"a message could not be sent: {self._end or error}") from None

    async def ask(self, method: str, params: Message) -> int:
        """Send a request; its id."""
        self._last_id += 1
        self._asked[self._last_id] = method
        await self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    async def tell(self, method: str, params: Message) -> None:
        """Send a notification."""
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def answer(self, request: Message, result: Message) -> None:
        """Answer a request."""
        await self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    async def refuse(self, request: Message, code: int, text: str) -> None:
        """Answer a request with an error."""
        await self.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": text}})

    async def next(self, fits: Callable[[Message], bool], what: str) -> Message:
        """The next message of a kind; those of other kinds that came before it are passed over.

        Raises:
            NothingCame: it did not come in time.
            ConnectionEnded: it will not come.
        """
        try:
            async with asyncio.timeout(self._patience), self._news:
                while True:
                    while self._taken < len(self.received):
                        message = self.received[self._taken]
                        self._taken += 1
                        if fits(message):
                            return message
                    if self._end is not None:
                        raise ConnectionEnded(f"the connection ended before {what} came: {self._end}")
                    await self._news.wait()
        except TimeoutError:
            raise NothingCame(f"{what} did not come within {self._patience:g} s") from None

    async def call_of(self, method: str) -> Message:
        """The next request or notification of a method."""
        return await self.next(lambda message: message.get("method") == method, method)

    async def response_to(self, request_id: int) -> Message:
        """The response to a request of this end."""

        def fits(message: Message) -> bool:
            return "method" not in message and message.get("id") == request_id

        return await self.next(fits, f"the response to {self._asked[request_id]}")

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

    async def _read(self) -> None:
        try:
            while (text := await self._receive()) is not None:
                self._take(text)
                async with self._news:
                    self._news.notify_all()
                await asyncio.sleep(0)
        finally:
            self._end = self._end or "the other end closed it"
            self._witness.note(self.number, f"the connection has ended: {self._end}")
        async with self._news:
            self._news.notify_all()

    async def _receive(self) -> str | bytes | None:
        while True:
            try:
                return await self._transport.receive()
            except MessageTooLarge as error:
                self._witness.fault(self.number, "(not kept)", f"the message is too large: {error}")
            except OSError:
                return None

    def _take(self, text: str | bytes) -> None:
        shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
        try:
            message: Any = read_json(text)
        except WireError as error:
            self._witness.fault(self.number, shown, f"what came {error}")
            return
        if not isinstance(message, dict):
            self._witness.fault(self.number, shown, "what came is no object")
            return
        fields = cast("Message", message)
        answers = None if "method" in fields else self._asked.get(fields.get("id", 0))
        if self.validates:
            self._witness.received(self.number, shown, fields, self._checks, answers, replays=False)
        else:
            self._witness.saw(self.number, shown, fields)
        self.received.append(fields)
