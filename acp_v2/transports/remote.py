"""The client's end of a socket, by the scheme of its URL."""

from __future__ import annotations

import importlib
from typing import Final
from urllib.parse import urlsplit

from acp_v2.transports import MAX_MESSAGE_BYTES, Transport

_MODULES: Final = {"ws": "websocket", "wss": "websocket", "http": "http_client", "https": "http_client"}


async def connect(url: str, *, token: str | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES) -> Transport:
    """Connect to an agent that listens at a `ws://`, `wss://`, `http://` or `https://` URL.

    Args:
        url: where the agent listens.
        token: what to show as a bearer token.
        max_message_bytes: how large a message of the agent may be.

    Raises:
        ValueError: the URL is none of these.
        ImportError: the extra `remote` is not installed.
        TransportClosed: the agent cannot be reached, or lets this client not in.
    """
    module = _MODULES.get(urlsplit(url).scheme)
    if module is None:
        raise ValueError("an agent's address begins with ws://, wss://, http:// or https://")
    transport = importlib.import_module(f"acp_v2.transports.{module}")
    return await transport.connect(url, token=token, max_message_bytes=max_message_bytes)
