"""Connections to a PostgreSQL server.

asyncpg and not psycopg: it hands out notifications as they arrive, between the commands of the same connection, and
knows at once when its connection has closed. A claim's lock and what is heard about it need to be of one connection.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol

from acp_v2.idempotency.sql.database import MISSING
from acp_v2.idempotency.store import StoreError


class PostgresqlConnection(Protocol):
    """What of asyncpg's connections is used here; asyncpg has no types of its own."""

    async def fetch(self, query: str, *args: Any) -> Sequence[Any]:
        """The rows that a command gives."""
        ...

    async def add_listener(self, channel: str, callback: Callable[[Any, int, str, str], None]) -> None:
        """Call back, with the payload last, for every notification on a channel."""
        ...

    def is_closed(self) -> bool:
        """Whether the connection is no more."""
        ...

    def terminate(self) -> None:
        """Close it without a word to the server."""
        ...

    async def close(self, *, timeout: float | None = None) -> None:
        """Close it properly, within `timeout` seconds."""
        ...


Connect = Callable[[], Awaitable[PostgresqlConnection]]

_KEEPALIVE: Final = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"}
"""For the server's end of a connection, so that it notices within about 11 seconds that a node's machine is gone and
frees its locks; with a system's usual settings that takes two hours.
"""


def connector(url: str, patience: float, **settings: str) -> Connect:
    """What makes connections to the server of a URL, which asyncpg reads as libpq would.

    Args:
        url: `postgresql://…`, with any options of libpq that asyncpg knows, such as `sslmode`.
        patience: seconds to wait for the server, when connecting and for each command.
        settings: of the server, for the session.

    Raises:
        StoreError: asyncpg is not installed.
    """
    try:
        asyncpg: Any = importlib.import_module("asyncpg")
    except ImportError:
        raise StoreError(MISSING.format("PostgreSQL", "asyncpg")) from None
    dsn = "postgresql://" + url.partition("://")[2]

    async def connect() -> PostgresqlConnection:
        # `jit` makes small queries slow and is of no use to them.
        server_settings = {"application_name": "acp-v2", "jit": "off", **_KEEPALIVE, **settings}
        try:
            return await asyncpg.connect(
                dsn, timeout=patience, command_timeout=patience, server_settings=server_settings
            )
        except ValueError:
            # Of an option's value; the text may repeat the URL, and with it the password.
            raise StoreError("The store's URL has an option that asyncpg cannot read") from None

    return connect
