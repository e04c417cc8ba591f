"""Streamable HTTP: messages to the agent are POSTed, those from it come as server-sent events.

A POST of `initialize` makes a connection and is answered with its response and the header `Acp-Connection-Id`, which
all further requests carry. A GET opens a stream of events: the connection's, or with `Acp-Session-Id` a session's, on
which everything about this session comes. Any other POST is answered with 202, and its response comes on a stream.
DELETE ends the connection.

The server of the official Python SDK is bound to its v1 agent and refuses the stream of a session that is not resumed
yet, so this stands on Starlette and uvicorn. It needs the extra `remote`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
import uuid
from collections import deque
from collections.abc import AsyncIterator, Generator
from typing import Any, Final, cast

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from acp_v2.messages import Rejected, parse_message
from acp_v2.transports import TransportClosed
from acp_v2.transports.sockets import CONNECTION_ID, SESSION_ID, Address, Door, Serve
from acp_v2.wire import WireError, read_json

_LOG = logging.getLogger(__name__)

QUEUED_BYTES: Final = 256 * 1024
"""How much waits for a client on its streams before the agent waits, too."""

QUEUED_POSTS: Final = 100
"""How many messages wait for the agent before the next POST does."""

GRACE_SECONDS: Final = 60.0
"""How long a connection lasts while nobody reads its stream."""

_KEEP_ALIVE_SECONDS = 15.0
_EVENTS = "text/event-stream"
_JSON = "application/json"


class Refused(Exception):  # noqa: N818  # like the protocol's errors
    """An HTTP request cannot be served."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class EventStream:
    """Messages for one GET, kept while nobody reads them."""

    def __init__(self, connection: HttpTransport) -> None:
        self.is_read = False
        self._connection = connection
        self._messages: deque[str] = deque()
        self._something = asyncio.Event()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits for a reader."""
        return not self._messages

    def put(self, text: str) -> None:
        """Add a message."""
        self._messages.append(text)
        self._something.set()

    def end(self) -> None:
        """Wake the reader; there will be no more."""
        self._something.set()

    async def events(self) -> AsyncIterator[str]:
        """What is written to the response, until the connection ends or the reader goes away."""
        if self.is_read:
            return
        self.is_read = True
        self._connection.reader_came(self)
        try:
            # So that the response begins at once.
            yield ": open\n\n"
            while not self._connection.is_closed:
                self._something.clear()
                while self._messages:
                    text = self._messages[0]
                    yield f"data: {text}\n\n"
                    # Taken only now: a reader that went away meanwhile did not get it.
                    self._messages.popleft()
                    self._connection.taken(text)
                try:
                    async with asyncio.timeout(_KEEP_ALIVE_SECONDS):
                        await self._something.wait()
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self._connection.reader_left(self)


class HttpTransport:
    """One connection.

    Args:
        queued_bytes: how much waits on its streams before `send` does.
        grace: for how many seconds it lasts while nobody reads its own stream.
    """

    def __init__(self, *, queued_bytes: int = QUEUED_BYTES, grace: float = GRACE_SECONDS) -> None:
        self.id = str(uuid.uuid4())
        self.is_closed = False
        self._queued_bytes = queued_bytes
        self._grace = grace
        self._bytes = 0
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUED_POSTS)
        self._stream = EventStream(self)
        self._sessions: dict[str, EventStream] = {}
        self._routes: dict[Any, str] = {}
        self._first: tuple[Any, asyncio.Future[str]] | None = None
        self._alone: asyncio.TimerHandle | None = None
        self._start_grace()

    # For the agent

    async def receive(self) -> bytes | None:
        """The next message that was POSTed; None where the connection has ended."""
        return None if self.is_closed and self._inbox.empty() else await self._inbox.get()

    async def send(self, text: str) -> None:
        """Put a message on the stream where it belongs, and wait while too much waits there."""
        if self.is_closed:
            raise TransportClosed("the connection has ended")
        message = json.loads(text)
        if "method" not in message and self._first is not None and _id_of(message) == self._first[0]:
            self._first[1].set_result(text)
            self._first = None
            return
        self._bytes += len(text)
        self._stream_for(message).put(text)
        if self._bytes >= self._queued_bytes:
            self._has_room.clear()
        await self._has_room.wait()

    async def close(self) -> None:
        """End the connection."""
        self.end()

    def end(self) -> None:
        """End the connection: its streams end, and the agent receives no more."""
        if self.is_closed:
            return
        self.is_closed = True
        self._stop_grace()
        self._has_room.set()
        if self._inbox.full():
            self._inbox.get_nowait()
        self._inbox.put_nowait(None)
        for stream in (self._stream, *self._sessions.values()):
            stream.end()
        if self._first is not None:
            self._first[1].set_exception(TransportClosed("the connection has ended"))
            self._first = None

    # For the client

    async def initialize(self, body: bytes, message: dict[str, Any]) -> str:
        """Pass the first message on, and give its response."""
        answer = asyncio.get_running_loop().create_future()
        self._first = (_id_of(message), answer)
        await self._inbox.put(body)
        return await answer

    async def post(self, body: bytes, message: dict[str, Any], session_id: str | None) -> None:
        """Pass a message on. What is answered comes on the stream of the session, where it names one."""
        if session_id is not None and "method" in message and (request_id := _id_of(message)) is not None:
            self._routes[request_id] = session_id
        await self._inbox.put(body)

    def stream(self, session_id: str | None) -> EventStream:
        """The stream of a session, or the connection's own.

        Raises:
            Refused: somebody reads it already.
        """
        stream = self._stream if session_id is None else self._session(session_id)
        if stream.is_read:
            raise Refused(409, "This stream has a reader already")
        return stream

    def reader_came(self, stream: EventStream) -> None:
        """Somebody reads a stream."""
        if stream is self._stream:
            self._stop_grace()

    def reader_left(self, stream: EventStream) -> None:
        """Nobody reads a stream any more."""
        stream.is_read = False
        if stream is self._stream:
            if not self.is_closed:
                self._start_grace()
        elif stream.is_empty:
            self._sessions = {name: other for name, other in self._sessions.items() if other is not stream}

    def taken(self, text: str) -> None:
        """A message was written to its reader."""
        self._bytes -= len(text)
        if self._bytes < self._queued_bytes:
            self._has_room.set()

    def _session(self, session_id: str) -> EventStream:
        return self._sessions.setdefault(session_id, EventStream(self))

    def _stream_for(self, message: dict[str, Any]) -> EventStream:
        session_id = _session_of(message) if "method" in message else self._routes.pop(_id_of(message), None)
        return self._stream if session_id is None else self._session(session_id)

    def _start_grace(self) -> None:
        self._stop_grace()
        self._alone = asyncio.get_running_loop().call_later(self._grace, self.end)

    def _stop_grace(self) -> None:
        if self._alone is not None:
            self._alone.cancel()


class HttpServer:
    """The connections of one listening socket, and what is answered to HTTP requests."""

    def __init__(self, door: Door, serve_peer: Serve, *, grace: float = GRACE_SECONDS) -> None:
        self._door = door
        self._serve_peer = serve_peer
        self._grace = grace
        self._connections: dict[str, HttpTransport] = {}
        self._serving: set[asyncio.Task[None]] = set()

    def app(self, path: str) -> Starlette:
        """The ASGI application."""
        middleware = [
            Middleware(
                CORSMiddleware,
                allow_origins=list(self._door.origins),
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["Authorization", "Content-Type", CONNECTION_ID, SESSION_ID],
                expose_headers=[CONNECTION_ID],
            )
        ]
        route = Route(path, self._answer, methods=["GET", "POST", "DELETE"])
        return Starlette(routes=[route], middleware=middleware if self._door.origins else [])

    async def close(self) -> None:
        """End every connection."""
        for connection in list(self._connections.values()):
            connection.end()
        if self._serving:
            await asyncio.wait(self._serving)

    async def _answer(self, request: Request) -> Response:
        refusal = self._door.refusal(request.headers)
        if refusal is not None:
            headers = {"WWW-Authenticate": "Bearer"} if refusal[0] == 401 else None
            return PlainTextResponse(refusal[1], refusal[0], headers)
        try:
            match request.method:
                case "POST":
                    return await self._post(request)
                case "DELETE":
                    self._connection(request).end()
                    return Response(status_code=202)
                case _:
                    return self._get(request)
        except Refused as error:
            return PlainTextResponse(str(error), error.status)
        except ClientDisconnect:
            return Response(status_code=499)

    def _get(self, request: Request) -> Response:
        accept = request.headers.get("Accept", "")
        if _EVENTS not in accept and "*/*" not in accept:
            raise Refused(406, f"A stream is {_EVENTS}")
        stream = self._connection(request).stream(request.headers.get(SESSION_ID))
        return StreamingResponse(stream.events(), media_type=_EVENTS, headers={"Cache-Control": "no-cache"})

    async def _post(self, request: Request) -> Response:
        if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != _JSON:
            raise Refused(415, f"A message is {_JSON}")
        body = await self._body(request)
        message = _read(body)
        if message is None:
            # Nothing in it can be told, so that no stream could be right for the answer.
            rejected = parse_message(body)
            assert isinstance(rejected, Rejected)
            return JSONResponse(rejected.answer, 400)
        if CONNECTION_ID not in request.headers and message.get("method") == "initialize":
            return await self._initialize(body, message)
        connection = self._connection(request)
        session_id = request.headers.get(SESSION_ID)
        if "method" in message and _session_of(message) not in (None, session_id):
            raise Refused(400, f"{SESSION_ID} has to name the session of the message")
        await connection.post(body, message, session_id)
        return Response(status_code=202)

    async def _initialize(self, body: bytes, message: dict[str, Any]) -> Response:
        if _id_of(message) is None:
            raise Refused(400, "initialize is a request and has an id")
        connection = HttpTransport(grace=self._grace)
        self._connections[connection.id] = connection
        serving = asyncio.ensure_future(self._serve(connection))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)
        try:
            answer = await connection.initialize(body, message)
        except TransportClosed:
            raise Refused(503, "The agent is ending") from None
        return Response(answer, 200, {CONNECTION_ID: connection.id}, _JSON)

    async def _serve(self, connection: HttpTransport) -> None:
        try:
            await self._serve_peer(connection)
        except Exception:  # noqa: BLE001  # it is this connection's alone
            _LOG.exception("a connection failed")
        finally:
            connection.end()
            del self._connections[connection.id]

    def _connection(self, request: Request) -> HttpTransport:
        connection_id = request.headers.get(CONNECTION_ID)
        if connection_id is None:
            raise Refused(400, f"{CONNECTION_ID} is missing")
        connection = self._connections.get(connection_id)
        if connection is None or connection.is_closed:
            raise Refused(404, "There is no such connection")
        return connection

    async def _body(self, request: Request) -> bytes:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self._door.max_message_bytes:
                raise Refused(413, f"A message has at most {self._door.max_message_bytes} bytes")
        return bytes(body)


def _read(body: bytes) -> dict[str, Any] | None:
    """The message as JSON, if it is an object."""
    try:
        value = read_json(body)
    except WireError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _session_of(call: dict[str, Any]) -> str | None:
    """The session that a request or a notification names, if it names one."""
    params = call.get("params")
    session_id = cast("dict[str, Any]", params).get("sessionId") if isinstance(params, dict) else None
    return session_id if isinstance(session_id, str) else None


def _id_of(message: dict[str, Any]) -> Any:
    """The id as a key, in which the text "1" and the number 1 are two; None where there is none."""
    value = message.get("id")
    if isinstance(value, float):
        # Another one is no id, and is answered under none.
        return int(value) if value.is_integer() else None
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


class _Uvicorn(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def listen(listening: socket.socket, address: Address, door: Door, serve_peer: Serve) -> None:
    """Serve everybody who connects until this is cancelled."""
    server = HttpServer(door, serve_peer)
    config = uvicorn.Config(
        server.app(address.path),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    running = _Uvicorn(config)
    serving = asyncio.create_task(running.serve([listening]))
    try:
        await asyncio.shield(serving)
    finally:
        await server.close()
        running.should_exit = True
        await serving
