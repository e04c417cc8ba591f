"""One end of a connection on which the suite plays another part than a client's; what comes is kept until wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from acp_v2.conformance.raw_connection import Message, RawConnection
from acp_v2.conformance.witness import Witness
from acp_v2.transports import Transport


class End(RawConnection):
    """One end. Its arguments are those of `RawConnection`."""

    def __init__(self, transport: Transport, number: int, witness: Witness, *, sender: str, patience: float) -> None:
        self.received: list[Message] = []
        self.validates = True
        self._asked: dict[int, str] = {}
        self._taken = 0
        super().__init__(transport, number, witness, sender=sender, patience=patience)

    async def ask(self, method: str, params: Message) -> int:
        """Send a request; its id."""
        self._last_id += 1
        self._asked[self._last_id] = method
        await self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

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

        def is_there() -> bool:
            while self._taken < len(self.received):
                self._taken += 1
                if fits(self.received[self._taken - 1]):
                    return True
            return False

        await self.until(is_there, what)
        return self.received[self._taken - 1]

    async def call_of(self, method: str) -> Message:
        """The next request or notification of a method."""
        return await self.next(lambda message: message.get("method") == method, method)

    async def response_to(self, request_id: int) -> Message:
        """The response to a request of this end."""

        def fits(message: Message) -> bool:
            return "method" not in message and message.get("id") == request_id

        return await self.next(fits, f"the response to {self._asked[request_id]}")

    async def _take(self, message: Any, shown: str) -> None:
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
