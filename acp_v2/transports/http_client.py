"""Streamable HTTP, the client's end; `acp_v2.transports.http` says how it works.

A stream that breaks is opened again, and what the agent had for it meanwhile comes then; a message may so come twice.
It stands on `httpx` and `httpx-sse`, which come with the extra `remote`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Final, Literal

import httpx
import stamina
from httpx_sse import EventSource, SSEError

from acp_v2.transports import (
    MAX_MESSAGE_BYTES,
    MessageRefused,
    MessageTooLarge,
    NotDelivered,
    TransportClosed,
)
from acp_v2.transports.sockets import CONNECTION_ID, SESSION_ID, bearer, without_user

QUEUED_MESSAGES: Final = 100
"""How many messages wait to be received before the streams are read no further."""

PATIENCE: Final = 60.0
"""For how many seconds a stream may be silent, and is opened again when it broke, before the connection is lost."""

_SECONDS_TO_REOPEN = 0.1
_EVENTS = "text/event-stream"
_OK = 200
_GONE = 404
_AGAIN = (408, 425, 429)
"""Statuses below 500 after which the same message may be taken."""


class _StreamClosed(Exception):  # noqa: N818  # like TransportClosed
    """A stream could not be opened."""


class HttpClientTransport:
    """One connection; it begins when `initialize` is sent.

    Args:
        url: where the agent listens.
        token: what to show as a bearer token.
        max_message_bytes: larger messages of the agent are skipped.
        patience: for how many seconds a stream may be silent or broken.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        patience: float = PATIENCE,
    ) -> None:
        self._url = url
        self._max = max_message_bytes
        self._patience = patience
        self._http = httpx.AsyncClient(
            headers=bearer(token),
            timeout=httpx.Timeout(patience),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=10),
            trust_env=False,  # Messages go to the agent that was named and nowhere else.
        )
        self._connection: dict[str, str] = {}
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue(QUEUED_MESSAGES)
        self._streams: dict[str | None, asyncio.Task[None]] = {}
        self._is_closed = False
        self._ending: asyncio.Task[None] | None = None

    async def receive(self) -> str | None:
        """The next message from any of the streams; None where the connection has ended.

        Raises:
            MessageTooLarge: the message was skipped.
        """
        if self._is_closed and self._inbox.empty():
            return None
        text = await self._inbox.get()
        if text is not None and len(text) > self._max:
            raise MessageTooLarge(f"A message has at most {self._max} bytes")
        return text

    async def send(self, text: str) -> None:
        """POST a message, and return when it was accepted.

        Raises:
            TransportClosed: the connection has ended, or did not come about.
            NotDelivered: it is not known whether this request arrived.
            MessageRefused: the agent does not take this message.
        """
        if self._is_closed:
            raise TransportClosed("the connection has ended")
        if not self._connection:
            await self._begin(text)
            return
        session_id = _session_of(text, "params")
        if session_id is not None:
            self._open(session_id)
        headers = {} if session_id is None else {SESSION_ID: session_id}
        try:
            response = await self._post(text, headers)
        except httpx.HTTPError as error:
            raise _undelivered(text, f"{type(error).__name__}: {error}") from None
        if response.is_success:
            return
        if response.status_code == _GONE:
            self._end()
            raise TransportClosed("the agent does not know the connection any more")
        if response.is_server_error or response.status_code in _AGAIN:
            raise _undelivered(text, f"the agent answered {response.status_code}")
        raise MessageRefused(f"the agent answered {response.status_code}: {response.text[:200]}")

    async def close(self) -> None:
        """End the connection."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._close())
        # Whoever is cancelled while waiting leaves nothing open behind.
        await asyncio.shield(self._ending)

    async def _close(self) -> None:
        if not self._is_closed:
            self._end()
        for stream in self._streams.values():
            stream.cancel()
        if self._streams:
            await asyncio.wait(self._streams.values())
        if self._connection:
            with contextlib.suppress(httpx.HTTPError):
                await self._http.delete(self._url, headers=self._connection, timeout=5)
        await self._http.aclose()

    async def _post(self, text: str, headers: dict[str, str]) -> httpx.Response:
        headers = {**self._connection, **headers, "Content-Type": "application/json", "Accept": "application/json"}
        return await self._http.post(self._url, content=text.encode(), headers=headers)

    async def _begin(self, text: str) -> None:
        """Send the first message, whose answer says how the connection is called."""
        try:
            response = await self._post(text, {})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            url = without_user(self._url)
            raise TransportClosed(f"{url} cannot be reached: {type(error).__name__}: {error}") from None
        connection_id = response.headers.get(CONNECTION_ID)
        if response.status_code != _OK or connection_id is None:
            reason = f"{response.status_code} {response.text[:200].strip()}".strip()
            raise TransportClosed(f"{without_user(self._url)} began no connection: {reason}")
        self._connection = {CONNECTION_ID: connection_id}
        self._open(None)
        await self._inbox.put(response.text)

    def _open(self, session_id: str | None) -> None:
        if session_id not in self._streams and not self._is_closed:
            self._streams[session_id] = asyncio.create_task(self._follow(session_id))

    async def _follow(self, session_id: str | None) -> None:
        """Read a stream, and open it again whenever it breaks, until the connection ends."""
        try:
            while True:
                async for attempt in stamina.retry_context(
                    on=_StreamClosed, attempts=None, timeout=self._patience, wait_max=5.0
                ):
                    with attempt:
                        await self._read(session_id)
        except (_StreamClosed, TransportClosed):
            self._end()

    async def _read(self, session_id: str | None) -> None:
        """Read a stream until it ends or breaks.

        Raises:
            _StreamClosed: it could not be opened.
            TransportClosed: the connection is no more.
        """
        headers = {**self._connection, "Accept": _EVENTS}
        if session_id is not None:
            headers[SESSION_ID] = session_id
        is_open = False
        try:
            async with self._http.stream("GET", self._url, headers=headers) as response:
                if response.status_code == _GONE:
                    raise TransportClosed("the agent does not know the connection any more")
                if response.status_code != _OK:
                    raise _StreamClosed
                is_open = True
                async for event in EventSource(response).aiter_sse():
                    if event.data:
                        await self._take(event.data)
        except (httpx.HTTPError, SSEError):
            if not is_open:
                raise _StreamClosed from None
        # An agent that ends every stream at once is not asked without a pause.
        await asyncio.sleep(_SECONDS_TO_REOPEN)

    async def _take(self, text: str) -> None:
        # A session that begins with this answer has a stream of its own.
        if '"sessionId"' in text and (session_id := _session_of(text, "result")) is not None:
            self._open(session_id)
        await self._inbox.put(text)

    def _end(self) -> None:
        """There will be no more messages."""
        self._is_closed = True
        if self._inbox.full():
            self._inbox.get_nowait()
        self._inbox.put_nowait(None)


async def connect(
    url: str, *, token: str | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES
) -> HttpClientTransport:
    """A transport to the agent that listens at an `http://` or `https://` URL; the connection begins with `initialize`.

    Args:
        url: where the agent listens.
        token: what to show as a bearer token.
        max_message_bytes: larger messages of the agent are skipped.
    """
    return HttpClientTransport(url, token=token, max_message_bytes=max_message_bytes)


def _undelivered(text: str, reason: str) -> ConnectionError:
    """What to say of a message that may not have arrived."""
    message = json.loads(text)
    if "method" in message and "id" in message:
        return NotDelivered(reason)
    # Nobody waits for an answer to it, so that nobody would send it again; a new connection makes that plain.
    return TransportClosed(reason)


def _session_of(text: str, place: Literal["params", "result"]) -> str | None:
    """The session that a message names there, if it names one."""
    try:
        value = json.loads(text)[place]["sessionId"]
    except (ValueError, LookupError, TypeError):
        return None
    return value if isinstance(value, str) else None
