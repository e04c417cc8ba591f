"""What both kinds of sockets have in common: where they listen, whom they let in, and what a client shows."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from acp_v2.transports import MAX_MESSAGE_BYTES, Transport

CONNECTION_ID: Final = "Acp-Connection-Id"
SESSION_ID: Final = "Acp-Session-Id"

Serve = Callable[[Transport], Awaitable[None]]
"""Serves one peer until it is gone."""


def without_user(url: str) -> str:
    """A URL as it is shown: a name and a password in it are nobody's business."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen: `ws://127.0.0.1:8080/acp`, or with `http`. Port 0 is any that is free."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read a URL; without a host it is the loopback interface's.

        Raises:
            ValueError: it is none that can be listened on.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("ws", "http") or parts.query or parts.fragment or parts.username or parts.password:
            raise ValueError("an address is ws://HOST:PORT/PATH or http://HOST:PORT/PATH")
        port = parts.port
        if port is None:
            raise ValueError("an address names a port; 0 is any that is free")
        return cls(parts.scheme, parts.hostname or "127.0.0.1", port, parts.path or "/")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def bind(self) -> socket.socket:
        """A socket that listens there.

        Raises:
            OSError: it is taken, or there is no such interface.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listening = socket.create_server((self.host, self.port), family=family)
        # Handed on to every connection. Without it a small message waits up to 40 ms for the peer to confirm the last;
        # asyncio turns that off by itself only for sockets that it has made.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening

    def url(self, listening: socket.socket) -> str:
        """The URL at which a socket that listens there is reached."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{listening.getsockname()[1]}{self.path}"


@dataclass(frozen=True, slots=True)
class Door:
    """Whom a socket lets in.

    `token` is what has to come as `Authorization: Bearer`, where there is one. `origins` are the web pages that may
    connect. A browser lets any page connect to this machine and says in `Origin` which one it is, so that the others
    are turned away; programs send no `Origin`.
    """

    token: str | None = None
    origins: Collection[str] = ()
    max_message_bytes: int = MAX_MESSAGE_BYTES

    def refusal(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """The HTTP status and the reason for which somebody is not let in, or None."""
        origin = headers.get("Origin")
        if origin is not None and origin not in self.origins:
            return 403, "This origin may not connect"
        if self.token is not None:
            scheme, _, given = headers.get("Authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
                return 401, "A bearer token is needed"
        return None


def bearer(token: str | None) -> dict[str, str]:
    """The headers with which a client shows its token, if it has one."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}
