"""Passes messages on between connections: each request once, under an id of its own on each of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from acp_v2.acp_error import AcpError
from acp_v2.connection import CANCEL
from acp_v2.errors import InvalidRequest, ParseError
from acp_v2.messages import RequestId
from acp_v2.proxy.raw_message import RawMessage
from acp_v2.send_queue import SendQueue
from acp_v2.transports import MAX_MESSAGE_BYTES, MessageTooLarge, Transport, TransportClosed
from acp_v2.wire import INVALID_REQUEST, WireError

_LOG = logging.getLogger(__name__)

PATIENCE: Final = 60.0
"""For how many seconds a peer may take nothing before it counts as gone."""

SECONDS_TO_END: Final = 5.0
"""How long a peer may take to hear what is left for it, and again to fall silent after that."""

_QUEUED: Final = MAX_MESSAGE_BYTES
"""How much waits for one peer before nothing more is read for it. That is much on purpose: two peers that each wait for
the other to read, with a forwarder between them, would wait for ever."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose request was passed on: the connection that it came on, and its id there, as a value and as its text."""

    origin: Hop
    id: RequestId
    id_text: str


class Hop:
    """One of the connections between which messages are passed on.

    Args:
        transport: the way to the peer.
        name: what the peer is called where something is said of it.
    """

    def __init__(self, transport: Transport, name: str) -> None:
        self.name = name
        self.transport = transport
        self.queue = SendQueue(transport, limit=_QUEUED, patience=PATIENCE, on_failure=_end_of_hop)
        self.asked: dict[int, Asked] = {}
        self.passed_on: dict[RequestId, tuple[Hop, int]] = {}
        self._last_id = 0

    def new_id(self) -> int:
        """An id that no request on this connection has had."""
        self._last_id += 1
        return self._last_id

    def answer(self, id_text: str, error: AcpError) -> None:
        """Answer a request of the peer with an error of the forwarder's own."""
        self.queue.put(f'{{"jsonrpc":"2.0","id":{id_text},"error":{json.dumps(error.to_wire())}}}')


Route = Callable[[Hop, RawMessage], tuple[Hop, RawMessage]]
"""Where a request or notification goes, and as what. An `AcpError` that it raises answers the request instead."""


class Forwarder:
    """Passes messages on until one of the connections ends, and then ends the others.

    It sends nothing twice and answers nothing in another's place. So where a peer is gone, the requests that it had not
    answered stay without an answer, and whoever asked learns of it because the connection ends: an error would say of a
    prompt that it was not inserted, which nobody knows.

    Args:
        hops: the connections, first the one whose peer asked for all this.
        route: which way messages go.
        unaddressed: for each connection the one that errors without an id go to, which name no request; others are
            dropped.
    """

    def __init__(self, hops: Sequence[Hop], route: Route, unaddressed: dict[Hop, Hop] | None = None) -> None:
        self._hops = hops
        self._route = route
        self._unaddressed = unaddressed or {}

    async def run(self) -> Hop:
        """Pass messages on. Returns the connection that ended first."""
        reading = {hop: asyncio.create_task(self._read(hop)) for hop in self._hops}
        writing = {hop: asyncio.create_task(_write(hop)) for hop in self._hops}
        tasks = [*reading.values(), *writing.values()]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
            first, *behind = self._hops
            ended = next(hop for hop in self._hops if reading[hop].done() or writing[hop].done())
            # One after the other, so that what was said before the end arrives: at the other end of the row.
            for hop in behind if ended is first else reversed(behind):
                if hop is not ended:
                    await _flushed(hop)
                await hop.transport.close()
                await asyncio.wait([reading[hop]], timeout=SECONDS_TO_END)
            await _flushed(first)
            return ended
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(*(hop.transport.close() for hop in self._hops))

    async def _read(self, hop: Hop) -> None:
        while True:
            try:
                text = await hop.transport.receive()
            except TransportClosed:
                return
            except MessageTooLarge as error:
                if hop.asked:
                    _LOG.error("%s: %s; it may have been an answer", hop.name, error)
                    return
                hop.answer("null", InvalidRequest(str(error)))
                continue
            if text is None:
                return
            receiver = self._take(hop, text)
            if receiver is not None:
                await receiver.queue.room()

    def _take(self, hop: Hop, text: str | bytes) -> Hop | None:
        """Pass a message on. Returns the connection that it went to, if any."""
        try:
            message = RawMessage.read(text)
        except WireError as error:
            kind = InvalidRequest if error.code == INVALID_REQUEST else ParseError
            hop.answer("null", kind(f"The message {error}"))
            return None
        if "method" not in message.members:
            return self._take_answer(hop, message)
        if "id" not in message.members:
            return self._take_notification(hop, message)
        return self._take_request(hop, message)

    def _take_request(self, hop: Hop, message: RawMessage) -> Hop | None:
        request_id, id_text = message.id, message.members["id"]
        if request_id is None:
            hop.answer("null", InvalidRequest("id is a string or an integer"))
        elif request_id in hop.passed_on:
            # With the id, it would be taken for the answer to the first request.
            hop.answer("null", InvalidRequest("The id is that of a request that is not answered yet"))
        else:
            try:
                receiver, passed = self._route(hop, message)
            except AcpError as error:
                hop.answer(id_text, error)
                return None
            number = receiver.new_id()
            receiver.asked[number] = Asked(hop, request_id, id_text)
            hop.passed_on[request_id] = (receiver, number)
            receiver.queue.put(passed.replaced(id=str(number)).text)
            return receiver
        return None

    def _take_notification(self, hop: Hop, message: RawMessage) -> Hop | None:
        if message.method == CANCEL:
            return self._take_cancel(hop, message)
        try:
            receiver, passed = self._route(hop, message)
        except AcpError as error:
            _LOG.warning("%s: a notification came to nothing: %s", hop.name, error)
            return None
        if passed.method == CANCEL:
            # It was in an envelope, and names an id of another connection.
            _LOG.warning("%s: a cancellation is not passed on to another hop", hop.name)
            return None
        receiver.queue.put(passed.text)
        return receiver

    def _take_cancel(self, hop: Hop, message: RawMessage) -> Hop | None:
        """Cancel the request that was passed on for the one that is meant; there may be none any more."""
        with contextlib.suppress(WireError):
            params = RawMessage.read(message.members.get("params", "{}"))
            meant = RawMessage({"id": params.members.get("requestId", "null")}).id
            if meant is not None and meant in hop.passed_on:
                receiver, number = hop.passed_on[meant]
                receiver.queue.put(message.replaced(params=params.replaced(requestId=str(number)).text).text)
                return receiver
        return None

    def _take_answer(self, hop: Hop, message: RawMessage) -> Hop | None:
        number = message.id
        asked = hop.asked.pop(number, None) if isinstance(number, int) else None
        if asked is not None:
            del asked.origin.passed_on[asked.id]
            asked.origin.queue.put(message.replaced(id=asked.id_text).text)
            return asked.origin
        receiver = self._unaddressed.get(hop) if message.members.get("id") == "null" else None
        if receiver is None:
            _LOG.warning("%s: an answer came to nothing that was asked", hop.name)
        else:
            receiver.queue.put(message.text)
        return receiver


async def _flushed(hop: Hop) -> None:
    """Wait until what waits for a peer is sent, as long as that may take."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SECONDS_TO_END):
            await hop.queue.empty()


async def _write(hop: Hop) -> None:
    try:
        await hop.queue.run()
    except TransportClosed as error:
        _LOG.info("%s: %s", hop.name, error)


def _end_of_hop(_text: str, error: Exception) -> None:
    # A message is not sent again here, and its sender has to learn of it.
    raise TransportClosed(f"a message was not passed on: {error}")
