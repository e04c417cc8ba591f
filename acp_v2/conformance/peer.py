"""The suite's end of one connection to an agent: it sends what it likes, well formed or not, and keeps what comes."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, cast

from acp_v2.conformance.raw_connection import RawConnection
from acp_v2.conformance.troubles import ConnectionEnded, NothingCame, Refused
from acp_v2.conformance.wire_checks import Leak
from acp_v2.conformance.witness import Witness
from acp_v2.errors import ErrorCode
from acp_v2.transports import Transport

Update = dict[str, Any]


@dataclass(eq=False, slots=True)
class Sent:
    """A request that was sent. `answer` is its response as it came, or None."""

    peer: Peer
    id: int
    method: str
    replays: bool = False
    answer: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def is_answered(self) -> bool:
        return self.answer is not None

    @property
    def error(self) -> dict[str, Any] | None:
        """The error that it was answered with, if it was."""
        error = None if self.answer is None else self.answer.get("error")
        return error if isinstance(error, dict) else None  # pyright: ignore[reportUnknownVariableType]

    @property
    def code(self) -> Any:
        """The code of that error."""
        return None if self.error is None else self.error.get("code")

    async def answered(self) -> Sent:
        """Wait for the response, an error or not.

        Raises:
            NothingCame: it did not come in time.
            ConnectionEnded: it will not come.
        """
        await self.peer.until(lambda: self.is_answered, f"an answer to {self.method}")
        return self

    async def result(self) -> dict[str, Any]:
        """Wait for the result.

        Raises:
            Refused: the response is an error.
            NothingCame: it did not come in time.
            ConnectionEnded: it will not come.
        """
        await self.answered()
        answer = self.answer or {}
        if "error" in answer:
            raise Refused(self.method, answer["error"])
        result: Any = answer.get("result")
        return cast("dict[str, Any]", result) if isinstance(result, dict) else {}

    async def cancel(self) -> None:
        """Send `$/cancel_request` for it."""
        await self.peer.tell("$/cancel_request", {"requestId": self.id})


class Peer(RawConnection):
    """One connection, whose other end is an agent.

    Args:
        transport: the way to the agent.
        number: tells the connections of a run apart.
        witness: told of everything that is sent and comes.
        patience: for how many seconds to wait for anything.
    """

    def __init__(self, transport: Transport, number: int, witness: Witness, *, patience: float) -> None:
        self.initialized: dict[str, Any] = {}
        self.updates: list[tuple[str, Update]] = []
        self.leaks: set[Leak] = set()
        self._sent: dict[int, Sent] = {}
        super().__init__(transport, number, witness, sender="agent", patience=patience)

    @property
    def session_capabilities(self) -> dict[str, Any] | None:
        """What the agent said that it can do with sessions; None where it has none."""
        capabilities = self.initialized.get("capabilities")
        session = cast("dict[str, Any]", capabilities).get("session") if isinstance(capabilities, dict) else None
        return cast("dict[str, Any]", session) if isinstance(session, dict) else None

    def begin(self) -> None:
        """Another scenario begins: forget what came before."""
        self.updates.clear()
        self.leaks.clear()
        self._received = 0

    async def ask(self, method: str, params: dict[str, Any]) -> Sent:
        """Send a request."""
        self._last_id += 1
        sent = Sent(self, self._last_id, method, replays=params.get("replayFrom") is not None)
        self._sent[sent.id] = sent
        await self.send({"jsonrpc": "2.0", "id": sent.id, "method": method, "params": params})
        return sent

    async def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result.

        Raises:
            Refused: it was answered with an error.
            NothingCame: the response did not come in time.
            ConnectionEnded: it will not come.
        """
        return await (await self.ask(method, params)).result()

    async def _take(self, message: Any, shown: str) -> None:
        request = self._request_of(message)
        replays = any(sent.replays for sent in self._sent.values() if not sent.is_answered)
        answers = request.method if request else None
        leak = self._witness.received(self.number, shown, message, self._checks, answers, replays=replays)
        if leak:
            self.leaks.add(leak)
        if request is not None:
            request.answer = message
            del self._sent[request.id]
        elif isinstance(message, dict):
            await self._take_call(cast("dict[str, Any]", message))

    def _request_of(self, message: Any) -> Sent | None:
        if not isinstance(message, dict) or "method" in message:
            return None
        request_id: Any = cast("dict[str, Any]", message).get("id")
        if isinstance(request_id, bool) or not isinstance(request_id, int | float):
            return None
        return self._sent.get(cast("int", request_id))

    async def _take_call(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if "id" in message and isinstance(method, str):
            await self._answer_call(message["id"], method)
        params: Any = message.get("params")
        if method != "session/update" or not isinstance(params, dict):
            return
        session_id: Any = cast("dict[str, Any]", params).get("sessionId")
        update: Any = cast("dict[str, Any]", params).get("update")
        if isinstance(session_id, str) and isinstance(update, dict):
            self.updates.append((session_id, cast("Update", update)))

    async def _answer_call(self, request_id: Any, method: str) -> None:
        """The suite grants no permissions, and can do nothing that it did not advertise."""
        answer: dict[str, Any] = {"error": {"code": ErrorCode.METHOD_NOT_FOUND, "message": "Not offered"}}
        if method == "session/request_permission":
            answer = {"result": {"outcome": {"outcome": "cancelled"}}}
        with contextlib.suppress(ConnectionEnded, NothingCame):
            await self.send({"jsonrpc": "2.0", "id": request_id, **answer})
