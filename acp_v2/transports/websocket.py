"""WebSocket: each connection is a socket, and each message a text frame.

The transports of the official Python SDK are bound to v1 and drop frames that are no JSON object, so this stands on
`websockets` directly. It needs the extra `remote`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import uuid
from http import HTTPStatus

import websockets.asyncio.client
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.http11 import Request, Response

from acp_v2.transports import MAX_MESSAGE_BYTES, TransportClosed
from acp_v2.transports.sockets import CONNECTION_ID, Address, Door, Serve, bearer, without_user

_LOG = logging.getLogger(__name__)
# To debug, `websockets` logs what is in the frames, and so keys.
_LOG.addFilter(lambda record: record.levelno > logging.DEBUG)


class WebSocketTransport:
    """One socket.

    A frame that is larger than the limit ends the connection with the close code 1009, as WebSocket has it.
    """

    def __init__(self, peer: Connection) -> None:
        self._peer = peer

    async def receive(self) -> str | bytes | None:
        """The next frame; None where the socket is closed."""
        try:
            return await self._peer.recv()
        except ConnectionClosed:
            return None

    async def send(self, text: str) -> None:
        """Send a frame, and wait while the peer is behind."""
        try:
            await self._peer.send(text)
        except ConnectionClosed as error:
            raise TransportClosed(str(error)) from None

    async def close(self) -> None:
        """Close the socket."""
        await self._peer.close()


async def connect(
    url: str, *, token: str | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES
) -> WebSocketTransport:
    """Connect to an agent that listens at a `ws://` or `wss://` URL.

    Args:
        url: where the agent listens.
        token: what to show as a bearer token.
        max_message_bytes: a larger message ends the connection.

    Raises:
        TransportClosed: nobody listens there, or this client is not let in.
    """
    try:
        socket = await websockets.asyncio.client.connect(
            url,
            additional_headers=bearer(token),
            max_size=max_message_bytes,
            compression=None,
            logger=_LOG,
            proxy=None,
        )
    except (OSError, InvalidHandshake, InvalidURI, ValueError) as error:
        raise TransportClosed(f"{without_user(url)} cannot be reached: {error}") from None
    return WebSocketTransport(socket)


async def listen(listening: socket.socket, address: Address, door: Door, serve_peer: Serve) -> None:
    """Serve everybody who connects until this is cancelled."""

    def admit(_peer: ServerConnection, request: Request) -> Response | None:
        if request.path.partition("?")[0] != address.path:
            return _peer.respond(HTTPStatus.NOT_FOUND, "There is nothing here\n")
        # A header that comes twice is one with both values, which suits neither origin nor token.
        once = Headers({name: ", ".join(request.headers.get_all(name)) for name in request.headers})
        refusal = door.refusal(once)
        return _peer.respond(HTTPStatus(refusal[0]), refusal[1] + "\n") if refusal else None

    def introduce(_peer: ServerConnection, _request: Request, response: Response) -> Response:
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            response.headers[CONNECTION_ID] = str(uuid.uuid4())
        return response

    async def handle(peer: ServerConnection) -> None:
        await serve_peer(WebSocketTransport(peer))

    server = serve(
        handle,
        sock=listening,
        process_request=admit,
        process_response=introduce,
        max_size=door.max_message_bytes,
        compression=None,  # A small frame could unfold to a large one.
        server_header=None,
        logger=_LOG,
    )
    async with server:
        await asyncio.Event().wait()
