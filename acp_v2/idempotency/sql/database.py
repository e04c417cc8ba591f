"""The database of a store: opened by a URL, asked in one way, failing in one way."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import random
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import URL, event, exc, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from acp_v2.idempotency.sql.failures import BusyError, DisconnectedError, store_error
from acp_v2.idempotency.sql.uninterrupted import uninterrupted
from acp_v2.idempotency.store import StoreError

T = TypeVar("T")

MISSING: Final = "A store in {} needs {}; get it with: pip install 'acp-v2[sql]'"

SQLITE_WAIT_SECONDS: Final = 0.02
"""How long SQLite itself waits for a lock before it is asked again.

Its own waiting backs off to 100 ms, so that a process that has just written is always there before those that wait.
"""


class Database:
    """A pool of connections.

    SQLite is written to in WAL mode with `synchronous=FULL`. WAL lets others read while one writes. A commit is then
    in the system's hands before it returns, which is what a SIGKILL leaves whole, and on the disk, which is what is
    left when the power fails; `NORMAL` would give up the latter, and with it messages that were already answered.
    PostgreSQL has `synchronous_commit` for the same, and it is on unless the server is told otherwise.

    Args:
        engine: the connections; each statement commits by itself unless it is in a `transaction`.
        patience: seconds to wait for a lock, a connection, or the server.
    """

    def __init__(self, engine: AsyncEngine, patience: float) -> None:
        self._engine = engine
        self._patience = patience
        self.is_postgresql = engine.dialect.name == "postgresql"
        self.insert = postgresql.insert if self.is_postgresql else sqlite.insert
        # SQLite lets one write at a time. Inside the process that is a queue, which is fair and costs nothing.
        self.writing: asyncio.Lock | None = None if self.is_postgresql else asyncio.Lock()

    async def read(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """What `work` gives, which only reads; asked once more where the connection got lost."""
        try:
            return await self._run(work)
        except DisconnectedError:
            return await self._run(work)

    async def write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """What `work` gives, which is one statement that writes."""
        return await uninterrupted(self._write(work))

    async def transaction(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """What `work` gives, all of whose statements take effect, or none."""
        return await uninterrupted(self._write(lambda connection: self._all_or_nothing(connection, work)))

    def can_hold(self, *texts: str | None) -> bool:
        """Whether such texts can be in the database at all; PostgreSQL takes no NUL, and neither a lone surrogate."""
        try:
            for text in texts:
                (text or "").encode("utf-8")
        except UnicodeEncodeError:
            return False
        return not (self.is_postgresql and any("\0" in text for text in texts if text))

    async def close(self) -> None:
        """Let go of every connection."""
        await self._engine.dispose()

    async def _write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        if self.writing is None:
            return await self._run(work)
        async with self.writing:
            return await self._run(work)

    async def _run(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async def run() -> T:
            async with self._engine.connect() as connection:
                return await work(connection)

        return await patiently(run, self._patience)

    async def _all_or_nothing(self, connection: AsyncConnection, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        # Spelled out, because the drivers are set to commit each statement. IMMEDIATE, because SQLite refuses to let
        # a transaction write that began by reading while another wrote.
        await connection.exec_driver_sql("BEGIN" if self.is_postgresql else "BEGIN IMMEDIATE")
        try:
            result = await work(connection)
            await connection.exec_driver_sql("COMMIT")
        except BaseException:
            try:
                await connection.exec_driver_sql("ROLLBACK")
            except (exc.SQLAlchemyError, OSError):
                await connection.invalidate()
            raise
        return result


async def patiently(attempt: Callable[[], Awaitable[T]], patience: float) -> T:
    """The result of `attempt`, repeated for `patience` seconds while another process is writing.

    Raises:
        StoreError: it failed, or took too long; without the driver's error, which may say too much.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return await attempt()
        except Exception as error:  # told apart below
            failure = store_error(error)
            if failure is None:
                raise
        if not isinstance(failure, BusyError):
            raise failure from None
        if time.monotonic() >= until:
            raise StoreError(f"{failure}, and was for {patience:g} seconds") from None
        # At random, so that processes that met once do not meet every time.
        await asyncio.sleep(random.uniform(0.001, 0.01))  # noqa: S311


async def open_sqlite(url: URL, patience: float) -> Database:
    """The database in a file, which is made where there is none.

    Raises:
        StoreError: the URL names no file, or one that is no database or cannot be opened.
    """
    _need("aiosqlite", "SQLite")
    path = sqlite_path(url)
    if not path.exists():
        # A person's conversations: others on the machine need not read them. The files beside it take after it.
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreError(f"The store's file cannot be made: {error.strerror}") from None

    async def prepare_file() -> None:
        with contextlib.closing(sqlite3.connect(path, timeout=SQLITE_WAIT_SECONDS)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")

    # Before the pool, which leaves a thread behind for a moment where a connection fails as it is made.
    await patiently(prepare_file, patience)
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        connect_args={"timeout": SQLITE_WAIT_SECONDS},
        pool_size=4,
        max_overflow=0,
        pool_timeout=patience,
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
        hide_parameters=True,
    )

    def prepare(connection: Any, record: Any) -> None:  # noqa: ARG001
        cursor = connection.cursor()
        for setting in ("synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", prepare)
    return Database(engine, patience)


def open_postgresql(connect: Callable[[], Awaitable[Any]], patience: float) -> Database:
    """The database of a server; `connect` makes a connection of asyncpg's."""
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connect,
        pool_size=5,
        max_overflow=5,
        pool_timeout=patience,
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
        hide_parameters=True,
    )

    def refuse_closed(connection: Any, record: Any, proxy: Any) -> None:  # noqa: ARG001
        # asyncpg notices at once that a server has gone; the pool then makes a new connection.
        if connection.driver_connection.is_closed():
            raise exc.DisconnectionError

    event.listen(engine.sync_engine, "checkout", refuse_closed)
    return Database(engine, patience)


def parse_url(url: str) -> URL:
    """The URL of a store.

    Raises:
        StoreError: it is none; what was given is not repeated, because a password may be in it.
    """
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):
        parsed = None
    if parsed is None or parsed.drivername not in {*SQLITE_SCHEMES, *POSTGRESQL_SCHEMES}:
        raise StoreError("A store's URL is sqlite:////path/to/file or postgresql://user@host/database")
    return parsed


SQLITE_SCHEMES: Final = ("sqlite", "sqlite+aiosqlite")
POSTGRESQL_SCHEMES: Final = ("postgresql", "postgres", "postgresql+asyncpg")


def sqlite_path(url: URL) -> Path:
    """The file that a URL names.

    Raises:
        StoreError: it names none.
    """
    if not url.database or url.database == ":memory:" or url.query:
        raise StoreError("A store's URL names a file, as in sqlite:////path/to/file; in memory there is MemoryStore")
    return Path(url.database)


def _need(module: str, what: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError:
        raise StoreError(MISSING.format(what, module)) from None
