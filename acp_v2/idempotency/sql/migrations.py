"""How a store gets from each version to the next. A new store takes all steps, so that every opening tests them.

A step is never changed once it was released; what is to be different comes in a further step.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from acp_v2.idempotency.sql.database import Database
from acp_v2.idempotency.store import StoreError

Steps = tuple[tuple[str, ...], ...]

# Ids are compared by their code points everywhere ("C"), so that a list has one order in both databases.
POSTGRESQL: Final[Steps] = (
    (
        """CREATE TABLE acp_store (version INTEGER NOT NULL)""",
        """INSERT INTO acp_store (version) VALUES (0)""",
        """CREATE TABLE acp_sessions (
             id TEXT COLLATE "C" PRIMARY KEY,
             cwd TEXT NOT NULL,
             title TEXT,
             updated DOUBLE PRECISION NOT NULL
           )""",
        """CREATE TABLE acp_messages (
             sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
             session_id TEXT COLLATE "C" NOT NULL REFERENCES acp_sessions (id) ON DELETE CASCADE,
             id TEXT COLLATE "C" NOT NULL,
             role TEXT NOT NULL,
             content TEXT NOT NULL,
             key BYTEA,
             UNIQUE (session_id, key),
             UNIQUE (session_id, id)
           )""",
        # Claims are locks of the server and have no table.
        """CREATE TABLE acp_outcomes (
             id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
             digest BYTEA NOT NULL,
             message_id TEXT,
             error TEXT,
             told TIMESTAMPTZ NOT NULL DEFAULT now()
           )""",
        """CREATE INDEX acp_outcomes_by_digest ON acp_outcomes (digest, id)""",
    ),
    (
        """ALTER TABLE acp_sessions ADD COLUMN created DOUBLE PRECISION NOT NULL DEFAULT 0""",
        """UPDATE acp_sessions SET created = updated""",
        """CREATE INDEX acp_sessions_by_cwd ON acp_sessions (cwd, id)""",
        """CREATE INDEX acp_messages_in_order ON acp_messages (session_id, sequence)""",
    ),
    (
        # When it was added; not known of older messages and of those that a fork has taken over.
        """ALTER TABLE acp_messages ADD COLUMN added DOUBLE PRECISION""",
    ),
)

SQLITE: Final[Steps] = (
    (
        """CREATE TABLE acp_store (version INTEGER NOT NULL)""",
        """INSERT INTO acp_store (version) VALUES (0)""",
        """CREATE TABLE acp_sessions (
             id TEXT PRIMARY KEY NOT NULL,
             cwd TEXT NOT NULL,
             title TEXT,
             updated REAL NOT NULL
           )""",
        # AUTOINCREMENT, so that no number comes twice, not even that of a removed message.
        """CREATE TABLE acp_messages (
             sequence INTEGER PRIMARY KEY AUTOINCREMENT,
             session_id TEXT NOT NULL REFERENCES acp_sessions (id) ON DELETE CASCADE,
             id TEXT NOT NULL,
             role TEXT NOT NULL,
             content TEXT NOT NULL,
             key BLOB,
             UNIQUE (session_id, key),
             UNIQUE (session_id, id)
           )""",
        """CREATE TABLE acp_claims (
             digest BLOB PRIMARY KEY NOT NULL,
             id TEXT NOT NULL,
             renewed REAL NOT NULL,
             lease REAL NOT NULL,
             is_withdrawn INTEGER NOT NULL DEFAULT 0
           ) WITHOUT ROWID""",
        """CREATE TABLE acp_outcomes (
             claim_id TEXT PRIMARY KEY NOT NULL,
             message_id TEXT,
             error TEXT,
             told REAL NOT NULL
           )""",
    ),
    (
        """ALTER TABLE acp_sessions ADD COLUMN created REAL NOT NULL DEFAULT 0""",
        """UPDATE acp_sessions SET created = updated""",
        """CREATE INDEX acp_sessions_by_cwd ON acp_sessions (cwd, id)""",
        """CREATE INDEX acp_messages_in_order ON acp_messages (session_id, sequence)""",
    ),
    (
        # When it was added; not known of older messages and of those that a fork has taken over.
        """ALTER TABLE acp_messages ADD COLUMN added REAL""",
    ),
)

VERSION: Final = len(SQLITE)
"""The version that this program reads and writes."""

_MIGRATING: Final = 0x6163702D6D696772
"""The lock of the server under which one node at a time migrates; any number that nobody else uses."""


async def migrate(database: Database, version: int = VERSION) -> None:
    """Bring the store to a version, from whichever it has or from nothing, in one transaction.

    Raises:
        StoreError: it has a version newer than this program knows.
    """
    if await database.read(_version) == version:
        return

    async def steps(connection: AsyncConnection) -> None:
        if database.is_postgresql:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATING})
        # Looked up once more, now that nobody else can be at it.
        found = await _version(connection)
        for number in range(found, version):
            for statement in (POSTGRESQL if database.is_postgresql else SQLITE)[number]:
                await connection.exec_driver_sql(statement)
            await connection.execute(text("UPDATE acp_store SET version = :version"), {"version": number + 1})

    await database.transaction(steps)


async def _version(connection: AsyncConnection) -> int:
    """The store's version; 0 where there is none yet."""
    # Not to_regclass, which may remember from before a lock was waited for that there was no such table.
    is_there = (
        "SELECT count(*) FROM pg_class WHERE relname = 'acp_store' AND pg_table_is_visible(oid)"
        if connection.dialect.name == "postgresql"
        else "SELECT count(*) FROM sqlite_master WHERE name = 'acp_store'"
    )
    if not (await connection.exec_driver_sql(is_there)).scalar():
        return 0
    version: Any = (await connection.exec_driver_sql("SELECT version FROM acp_store")).scalar()
    if not isinstance(version, int):
        raise StoreError("The store does not say its version; something else has written to it")
    if version > VERSION:
        raise StoreError(
            f"The store has version {version}, and this program knows versions up to {VERSION}: "
            "it takes a newer release of acp-v2 to open it"
        )
    return version
