"""The suite's end of one connection to an agent: it sends what it likes, well formed or not, and keeps what comes."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from acp_v2.conformance.troubles import ConnectionEnded, NothingCame, Refused
from acp_v2.conformance.wire_checks import Leak
from acp_v2.conformance.witness import Witness
from acp_v2.errors import ErrorCode
from acp_v2.transports import MessageRefused, MessageTooLarge, NotDelivered, Transport
from acp_v2.wire import WireError, read_json

MOST_MESSAGES: Final = 5_000
"""So many messages in one scenario are a flood, and end it."""

_SECONDS_TO_CLOSE: Final = 15.0

Update = dict[str, Any]
T = TypeVar("T")


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


class Peer:
    """One connection.

    Args:
        transport: the way to the agent.
        number: tells the connections of a run apart.
        witness: told of everything that is sent and comes.
        patience: for how many seconds to wait for anything.
    """

    def __init__(self, transport: Transport, number: int, witness: Witness, *, patience: float) -> None:
        self.number = number
        self.initialized: dict[str, Any] = {}
        self.updates: list[tuple[str, Update]] = []
        self.leaks: set[Leak] = set()
        self._transport = transport
        self._witness = witness
        self._checks = witness.checks("agent")
        self._patience = patience
        self._sent: dict[int, Sent] = {}
        self._last_id = 0
        self._received = 0
        self._news = asyncio.Condition()
        self._end: str | None = None
        self._sending = asyncio.Lock()
        self._reading = asyncio.create_task(self._read())

    # What it is like

    @property
    def has_ended(self) -> bool:
        """Whether there will be no more messages."""
        return self._end is not None

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

    # Sending

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

    async def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message as it is.

        Raises:
            ConnectionEnded: it cannot be sent.
            NothingCame: the agent does not read it.
        """
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        async with self._sending:
            self._witness.sent(self.number, text, message)
            try:
                async with asyncio.timeout(self._patience):
                    await self._transport.send(text)
            except TimeoutError:
                raise NothingCame(f"the agent did not read a message within {self._patience:g} s") from None
            except (ConnectionError, NotDelivered, MessageRefused) as error:
                reason = self._end or str(error)
                raise ConnectionEnded(f"{_named(message)} could not be sent: {reason}") from None

    # Receiving

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

    async def _read(self) -> None:
        end = "the agent closed it"
        try:
            while True:
                try:
                    text = await self._transport.receive()
                except MessageTooLarge as error:
                    self._witness.fault(self.number, "(not kept)", f"the message is too large: {error}")
                    continue
                if text is None:
                    break
                self._received += 1
                if self._received > MOST_MESSAGES:
                    end = f"the agent sent more than {MOST_MESSAGES:,} messages in one scenario"
                    break
                await self._take(text)
                await self._tell_who_waits()
        except (OSError, ValueError) as error:
            end = str(error) or type(error).__name__
        finally:
            self._end = self._end or end
            self._witness.note(self.number, f"the connection has ended: {self._end}")
        await self._tell_who_waits()

    async def _tell_who_waits(self) -> None:
        async with self._news:
            self._news.notify_all()
        # A peer that never stops sending does not keep anybody else from running.
        await asyncio.sleep(0)

    async def _take(self, text: str | bytes) -> None:
        try:
            message: Any = read_json(text)
        except WireError as error:
            self._witness.fault(self.number, _shown(text), f"what came {error}")
            return
        request = self._request_of(message)
        replays = any(sent.replays for sent in self._sent.values() if not sent.is_answered)
        answers = request.method if request else None
        leak = self._witness.received(self.number, _shown(text), message, self._checks, answers, replays=replays)
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


def _named(message: dict[str, Any]) -> str:
    return str(message.get("method", "an answer"))


def _shown(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
