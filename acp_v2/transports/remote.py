"""The client's end of a socket, by the scheme of its URL."""

from __future__ import annotations

import importlib
from typing import Final
from urllib.parse import urlsplit

from acp_v2.transports import MAX_MESSAGE_BYTES, Transport

_MODULES: Final = {"ws": "websocket", "wss": "websocket", "http": "http_client", "https": "http_client"}


def check_url(url: str) -> None:
    """Look at an agent's address, before anything is sent there.

    Raises:
        ValueError: it is none.
    """
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port != 0 and not any(map(str.isspace, url))
    except ValueError as error:
        raise ValueError(f"an agent's address cannot be read: {error}") from None
    if parts.scheme not in _MODULES:
        raise ValueError("an agent's address begins with ws://, wss://, http:// or https://")
    if not is_whole:
        raise ValueError("an agent's address is like ws://HOST:PORT/PATH or http://HOST:PORT/PATH")


async def connect(url: str, *, token: str | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES) -> Transport:
    """Connect to an agent that listens at a `ws://`, `wss://`, `http://` or `https://` URL.

    Args:
        url: where the agent listens.
        token: what to show as a bearer token.
        max_message_bytes: how large a message of the agent may be.

    Raises:
        ValueError: the URL is none of these, or has no host or port that can be.
        ImportError: the extra `remote` is not installed.
        TransportClosed: the agent cannot be reached, or lets this client not in.
    """
    check_url(url)
    transport = importlib.import_module(f"acp_v2.transports.{_MODULES[urlsplit(url).scheme]}")
    return await transport.connect(url, token=token, max_message_bytes=max_message_bytes)
