"""Says in plain words what a database could not do.

Nothing of the driver's own text is taken over: in it may be what was to be written, and so a key.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from sqlalchemy import exc

from acp_v2.idempotency.store import NoSuchSessionError, StoreError


class BusyError(StoreError):
    """Somebody else is writing; it is worth another try."""


class DisconnectedError(StoreError):
    """The connection to the server is gone, and with it the answer."""


IS_THERE_ALREADY: Final = "There is an entry of that id already"

_SQLITE: Final = {
    sqlite3.SQLITE_BUSY: "The store is locked by another process",
    sqlite3.SQLITE_LOCKED: "The store is locked by another process",
    sqlite3.SQLITE_FULL: "The disk is full, or the store has reached its largest size",
    sqlite3.SQLITE_READONLY: "The store's file may not be written to",
    sqlite3.SQLITE_CANTOPEN: "The store's file cannot be opened or made; its folder has to be there and writable",
    sqlite3.SQLITE_CORRUPT: "The store's file is corrupt",
    sqlite3.SQLITE_NOTADB: "The store's file is corrupt, or is no SQLite database",
    sqlite3.SQLITE_IOERR: "The store's file cannot be read or written; its disk may be full or failing",
    sqlite3.SQLITE_PERM: "The store's file may not be opened",
}
"""By the primary result code of SQLite."""

_POSTGRESQL: Final = {
    "08": "The store's server cannot be reached",
    "22021": "A text has a character that the store's server cannot hold",
    "23505": IS_THERE_ALREADY,
    "25006": "The store's server takes no writing: it is a copy of another",
    "28": "The store's server refused the user or the password",
    "3D000": "The store's server has no such database",
    "40": "The store's server broke the change off, because it got in the way of another",
    "42501": "The store's user may not do this in the database",
    "53100": "The disk of the store's server is full",
    "53200": "The store's server is out of memory, or of room for locks (max_locks_per_transaction)",
    "53300": "The store's server has no connection left (max_connections)",
    "57": "The store's server is starting, stopping, or broke the command off",
    "58": "The disk of the store's server is failing",
    "XX001": "The store's database is corrupt",
    "XX002": "The store's database is corrupt",
}
"""By SQLSTATE or its class, the longest that fits."""

_FOREIGN_KEY: Final = "23503"

_GONE: Final = ("08", "57P")
"""SQLSTATEs after which a connection is no more."""


def store_error(error: Exception) -> StoreError | None:
    """The error as callers of a store get it; None for one that is a mistake in the program and none of the store's."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, exc.TimeoutError):
        return StoreError("The store has more to do than it has connections for")
    cause: Any = error.orig if isinstance(error, exc.DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        return _of_sqlite(cause)
    if isinstance(state := getattr(cause, "sqlstate", None), str):
        return _of_postgresql(state)
    if isinstance(cause, TimeoutError):
        return DisconnectedError("The store's server did not answer in time")
    if isinstance(cause, OSError | EOFError):
        return DisconnectedError("The store's server cannot be reached")
    if isinstance(cause, UnicodeError):
        return StoreError("A text has a character that the store cannot hold")
    if isinstance(error, exc.DBAPIError) or type(cause).__module__.startswith("asyncpg"):
        # asyncpg has no one error for it. An internal one is what it raises where the server hung up in mid-sentence.
        is_gone = type(cause).__name__ == "InternalClientError" or "connection" in str(cause)
        return DisconnectedError("The connection to the store's server is gone") if is_gone else _other(cause)
    return None


def _of_sqlite(error: sqlite3.Error) -> StoreError:
    code: int = getattr(error, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return NoSuchSessionError()
    if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
        return StoreError(IS_THERE_ALREADY)
    words = _SQLITE.get(code & 0xFF)
    if words is None:
        return StoreError(f"The store failed ({getattr(error, 'sqlite_errorname', type(error).__name__)})")
    return BusyError(words) if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else StoreError(words)


def _of_postgresql(state: str) -> StoreError:
    if state == _FOREIGN_KEY:
        return NoSuchSessionError()
    words = _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2]) or f"The store's server failed (SQLSTATE {state})"
    return DisconnectedError(words) if state.startswith(_GONE) else StoreError(words)


def _other(cause: Any) -> StoreError:
    return StoreError(f"The store failed ({type(cause).__name__})")
