"""One side of a connection: reads messages, has them handled, and sends what is to be sent.

    connection = Connection(transport, "agent", handlers)
    await connection.run()

Messages are handled in the order in which they come, each up to the first point where its handler waits; from there on
handlers run side by side. What is sent goes out in the order in which it was handed over.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from acp_v2.acp_error import AcpError
from acp_v2.errors import InternalError, InvalidRequest, MethodNotFound
from acp_v2.messages import Notification, Rejected, Request, RequestId, Response, parse_message
from acp_v2.models import CancelRequestNotification
from acp_v2.send_queue import SendQueue
from acp_v2.transports import MessageTooLarge, Transport, TransportClosed
from acp_v2.wire_model import WireModel

_LOG = logging.getLogger(__name__)

CANCEL = "$/cancel_request"

Params = TypeVar("Params")


@dataclass(eq=False, slots=True)
class Call(Generic[Params]):
    """A request that is being handled, or a notification, which has no id."""

    connection: Connection
    method: str
    params: Params
    id: RequestId | None
    _on_cancel: Callable[[], None] | None = field(default=None, repr=False)

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Say what `$/cancel_request` for this request does; where nothing is said, it does nothing."""
        self._on_cancel = action

    def cancel(self) -> None:
        """`$/cancel_request` came for this request."""
        if self._on_cancel is not None:
            self._on_cancel()


Result = WireModel | Mapping[str, Any] | None
RequestHandler = Callable[[Call[Any]], Awaitable[Result]]
NotificationHandler = Callable[[Call[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Handlers:
    """What one side does with the other's messages, by method. What raises `AcpError` is answered with that error."""

    requests: Mapping[str, RequestHandler] = field(default_factory=dict[str, RequestHandler])
    notifications: Mapping[str, NotificationHandler] = field(default_factory=dict[str, NotificationHandler])


@dataclass(frozen=True, slots=True)
class Limits:
    """What a peer can make this side hold.

    `queued_bytes` is for messages that the peer does not read: from there on, none of its own are read either. That is
    little, because an answer waits behind all of them.
    `pending_requests` is for requests that are not answered yet; further ones get an error. `patience` is for how many
    seconds it may read nothing before it counts as gone.
    """

    queued_bytes: int = 64 * 1024
    pending_requests: int = 1000
    patience: float = 60.0


class Connection:
    """One side of a connection.

    Args:
        transport: the way to the peer.
        side: which side this is; methods that it does not serve are not found.
        handlers: what it does with the peer's messages.
        limits: what the peer can make it hold.
    """

    def __init__(
        self,
        transport: Transport,
        side: Literal["agent", "client"],
        handlers: Handlers | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._transport = transport
        self._side: Literal["agent", "client"] = side
        self._handlers = handlers or Handlers()
        self._limits = limits or Limits()
        self._queue = SendQueue(
            transport,
            limit=self._limits.queued_bytes,
            patience=self._limits.patience,
            on_failure=self._fail_to_send,
        )
        self._calls: dict[RequestId, Call[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[RequestId, asyncio.Future[Response]] = {}
        self._last_id = 0
        self._writing: asyncio.Task[None] | None = None
        self._is_closed = False

    async def run(self) -> None:
        """Serve the peer until it sends no more or is gone. What is pending by then goes on; see `settle`."""
        reading = asyncio.create_task(self._read())
        self._writing = asyncio.create_task(self._queue.run())
        try:
            await asyncio.wait({reading, self._writing}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
            else:
                _log_end(self._writing)
        finally:
            reading.cancel()
            self._is_closed = True
            self._fail_asked()

    @property
    def is_closed(self) -> bool:
        """Whether it has ended."""
        return self._is_closed

    async def settle(self) -> None:
        """Wait until all requests that came are answered, and the answers sent."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._queue.empty()

    async def close(self) -> None:
        """Let go of the peer. Handlers that run go on; what they answer is dropped."""
        self._is_closed = True
        self._queue.close()
        self._fail_asked()
        if self._writing is not None:
            # It may be waiting for a peer that reads no more.
            self._writing.cancel()
        await self._transport.close()

    # Sending

    async def request(self, method: str, params: WireModel | Mapping[str, Any] | None = None) -> Any:
        """Ask the peer, and wait for its answer; the answer as a model where the protocol has the method.

        A caller that is cancelled cancels the request at the peer, too, and does not wait for what comes of it.

        Raises:
            AcpError: the peer's error.
            TransportClosed: the connection ended before the answer came.
            NotDelivered: whether the request arrived is not known, but the connection goes on.
            MessageRefused: the peer did not take the request.
            pydantic.ValidationError: the answer is malformed.
        """
        return (await self.ask(method, params)).read_result(method)

    async def ask(self, method: str, params: WireModel | Mapping[str, Any] | None = None) -> Response:
        """Ask the peer, and wait for its response, an error or not.

        Raises:
            TransportClosed: the connection ended before the response came.
            NotDelivered: whether the request arrived is not known, but the connection goes on.
            MessageRefused: the peer did not take the request.
        """
        request_id, answer = self.start(method, params)
        try:
            await self.room()
            return await answer
        except asyncio.CancelledError:
            if not answer.done() or answer.cancelled():
                self.tell(CANCEL, {"requestId": request_id})
            raise
        finally:
            self._asked.pop(request_id, None)

    def start(
        self, method: str, params: WireModel | Mapping[str, Any] | None = None
    ) -> tuple[RequestId, asyncio.Future[Response]]:
        """Send a request, and say by which id it can be cancelled and where its response will be."""
        if self._is_closed:
            raise TransportClosed("the connection has ended")
        self._last_id += 1
        answer = asyncio.get_running_loop().create_future()
        self._asked[self._last_id] = answer
        self._put({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": _to_wire(params)})
        return self._last_id, answer

    async def notify(self, method: str, params: WireModel | Mapping[str, Any]) -> None:
        """Tell the peer something, and wait while it is behind with reading."""
        self.tell(method, params)
        await self.room()

    def tell(self, method: str, params: WireModel | Mapping[str, Any]) -> None:
        """Tell the peer something without waiting. Who does this often awaits `room` in between."""
        self._put({"jsonrpc": "2.0", "method": method, "params": _to_wire(params)})

    async def sent(self) -> None:
        """Wait until everything so far is sent; returns at once where the connection has ended."""
        await self._queue.empty()

    @property
    def is_behind(self) -> bool:
        """Whether the peer is behind with reading, so that `room` would wait."""
        return not self._queue.has_room

    async def room(self) -> None:
        """Wait while the peer is behind with reading; returns at once where the connection has ended."""
        await self._queue.room()

    def _put(self, message: Mapping[str, Any]) -> None:
        self._queue.put(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    def _fail_to_send(self, text: str, error: Exception) -> None:
        message = json.loads(text)
        answer = self._asked.pop(message["id"], None) if "method" in message and "id" in message else None
        if answer is None:
            _LOG.warning("a message was not sent: %s", error)
        elif not answer.done():
            answer.set_exception(error)
            answer.exception()  # as in `_fail_asked`

    # Receiving

    async def _read(self) -> None:
        while True:
            # A peer that does not read what it is answered is not read from either.
            await self._queue.room()
            try:
                text = await self._transport.receive()
            except MessageTooLarge as error:
                self._put({"jsonrpc": "2.0", "id": None, "error": InvalidRequest(str(error)).to_wire()})
                continue
            except TransportClosed:
                return
            if text is None:
                return
            self._take(text)
            # The handler's task runs up to where it waits, before the next message is looked at.
            await asyncio.sleep(0)

    def _take(self, text: str | bytes) -> None:
        match parse_message(text, receiver=self._side):
            case Request() as request:
                self._take_request(request)
            case Notification(method=method, params=CancelRequestNotification() as params) if method == CANCEL:
                if call := self._calls.get(params.request_id):
                    call.cancel()
            case Notification(method=method, params=params):
                if handler := self._handlers.notifications.get(method):
                    self._run(self._notified(handler, Call(self, method, params, None)))
            case Response() as response:
                self._take_response(response)
            case Rejected(answer=answer):
                if answer is not None:
                    self._put(answer)

    def _take_request(self, request: Request) -> None:
        if request.id in self._calls:
            # With the id, it would be taken for the answer to the first request.
            error = InvalidRequest("The id is that of a request that is not answered yet")
            self._put({"jsonrpc": "2.0", "id": None, "error": error.to_wire()})
            return
        handler = self._handlers.requests.get(request.method)
        if handler is None:
            self._answer(request.id, MethodNotFound(f"Method not found: {request.method[:100]}"))
        elif len(self._calls) >= self._limits.pending_requests:
            self._answer(request.id, InternalError("Too many requests are pending on this connection"))
        else:
            call = self._calls[request.id] = Call(self, request.method, request.params, request.id)
            self._run(self._handled(handler, call, request.id))

    def _take_response(self, response: Response) -> None:
        answer = self._asked.pop(response.id, None) if response.id is not None else None
        if answer is None:
            _LOG.warning("a response came to nothing that was asked")
        elif not answer.done():
            answer.set_result(response)

    def _run(self, handling: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(handling)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handled(self, handler: RequestHandler, call: Call[Any], request_id: RequestId) -> None:
        try:
            answer: Result | AcpError = await handler(call)
        except AcpError as error:
            answer = error
        except Exception as error:  # noqa: BLE001  # whatever the handler raises, the request gets an answer
            _log_fault(call.method, error)
            answer = InternalError()
        del self._calls[request_id]
        self._answer(request_id, answer)

    async def _notified(self, handler: NotificationHandler, call: Call[Any]) -> None:
        try:
            await handler(call)
        except AcpError as error:
            _LOG.info("%s came to nothing: %s", call.method, error)
        except Exception as error:  # noqa: BLE001  # nobody waits for an answer
            _log_fault(call.method, error)

    def _answer(self, request_id: RequestId, answer: Result | AcpError) -> None:
        if isinstance(answer, AcpError):
            self._put({"jsonrpc": "2.0", "id": request_id, "error": answer.to_wire()})
        else:
            self._put({"jsonrpc": "2.0", "id": request_id, "result": _to_wire(answer)})

    def _fail_asked(self) -> None:
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(TransportClosed("the connection has ended"))
                # Whoever asked may be gone; asyncio would then complain that nobody took the exception.
                answer.exception()
        self._asked.clear()


def _to_wire(value: WireModel | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if value is None:
        return {}
    return value.to_wire() if isinstance(value, WireModel) else value


def _log_end(writing: asyncio.Task[None]) -> None:
    if not writing.cancelled() and (error := writing.exception()) is not None:
        _LOG.info("a connection ended: %s", error)


def _log_fault(method: str, error: Exception) -> None:
    # Where and of which type, but not what it says: that may have a user's text or a key in it.
    where = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("handling %s failed with %s\n%s", method, type(error).__name__, where)
