"""A store in SQLite, for any number of processes on one machine, or PostgreSQL, for any number of nodes.

It needs the extra `sql`.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

try:
    from sqlalchemy import Delete, Executable, bindparam, delete, func, insert, literal, select
    from sqlalchemy.ext.asyncio import AsyncConnection
except ImportError:
    raise ImportError("SqlStore needs SQLAlchemy; get it with: pip install 'acp-v2[sql]'") from None

from acp_v2.idempotency.sql.claims import Claims, Record, digest_of
from acp_v2.idempotency.sql.claims_postgresql import PostgresqlClaims
from acp_v2.idempotency.sql.claims_sqlite import LEASE_SECONDS, SqliteClaims
from acp_v2.idempotency.sql.database import (
    SQLITE_SCHEMES,
    Database,
    open_postgresql,
    open_sqlite,
    parse_url,
    sqlite_path,
)
from acp_v2.idempotency.sql.failures import IS_THERE_ALREADY, DisconnectedError
from acp_v2.idempotency.sql.migrations import migrate
from acp_v2.idempotency.sql.postgresql import connector
from acp_v2.idempotency.sql.schema import MESSAGES, SESSIONS
from acp_v2.idempotency.store import (
    Claim,
    Insertion,
    NoSuchSessionError,
    Outcome,
    Pending,
    Recorded,
    StoredMessage,
    StoredSession,
    StoreError,
)
from acp_v2.idempotency_key import IdempotencyKey

PATIENCE_SECONDS: Final = 10.0
"""How long to wait for a lock or the server, unless `SqlStore.open` is told otherwise."""

_PAGE: Final = 200
"""Messages read at a time."""


_LAST_ADDED: Final = (
    select(MESSAGES.c.added)
    .where(MESSAGES.c.session_id == SESSIONS.c.id)
    .order_by(MESSAGES.c.sequence.desc())
    .limit(1)
    .scalar_subquery()
)
"""By the index of the session's messages in their order. It is not written to the session, which would make every
message wait for the one before.
"""

_SELECT_SESSIONS: Final = select(
    SESSIONS.c.id,
    SESSIONS.c.cwd,
    SESSIONS.c.title,
    SESSIONS.c.created,
    func.coalesce(_LAST_ADDED, SESSIONS.c.updated).label("updated"),
)


class SqlStore:
    """Sessions, messages and keys in a database, as `Store` describes it. `SqlStore.open` makes one.

    A store belongs to the event loop that it was opened in. Every method raises `StoreError` where the database
    cannot do it; neither its text nor anything that is logged has a key in it. Nothing was changed then, with one
    exception: where a server goes while it is told to change something and does not come back, nobody can say.
    `add_message` asks again, and a key makes it safe to do so later.
    """

    def __init__(self, database: Database, claims: Claims[Any]) -> None:
        self._database = database
        self._claims = claims
        self._is_closed = False

    @classmethod
    async def open(cls, url: str, *, patience: float = PATIENCE_SECONDS, lease: float = LEASE_SECONDS) -> SqlStore:
        """Open the store that a URL names, make it where there is none, and migrate it where it is older.

        Args:
            url: `sqlite:////path/to/file` or `postgresql://user:password@host/database`, with libpq's options.
            patience: seconds to wait for a lock or the server before that is an error.
            lease: seconds that a claim outlives its process in SQLite.

        Raises:
            StoreError: the URL is none of these, a driver is not installed, or the database cannot be opened, is
                corrupt, or was written by a newer version.
        """
        parsed = parse_url(url)
        if parsed.drivername in SQLITE_SCHEMES:
            database = await open_sqlite(parsed, patience)
            assert database.writing is not None
            claims = SqliteClaims(sqlite_path(parsed), lease, patience, database.writing)
        else:
            database = open_postgresql(connector(url, patience), patience)
            # Claims are worth nothing after the server has failed, so they need not wait for its disk.
            claims = PostgresqlClaims(connector(url, patience, synchronous_commit="off"), patience)
        store = cls(database, claims)
        try:
            await migrate(database)
            await claims.open()
        except BaseException:
            await store.close()
            raise
        return store

    async def create_session(self, session: StoredSession) -> None:
        """Add a session.

        Raises:
            StoreError: there is one of that id.
        """
        await self._write(insert(SESSIONS).inline(), _session_row(session))

    async def find_session(self, session_id: str) -> StoredSession | None:
        """The session of that id, or None."""
        found = await self._sessions(_SELECT_SESSIONS.where(SESSIONS.c.id == session_id), session_id)
        return found[0] if found else None

    async def list_sessions(
        self, *, cwd: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[StoredSession]:
        """Up to `limit` sessions by id, from behind the id `after`, of one working directory or all."""
        statement = _SELECT_SESSIONS.order_by(SESSIONS.c.id).limit(max(limit, 0))
        if cwd is not None:
            statement = statement.where(SESSIONS.c.cwd == cwd)
        if after is not None:
            statement = statement.where(SESSIONS.c.id > after)
        return await self._sessions(statement, cwd, after)

    async def fork_session(self, session_id: str, fork: StoredSession) -> None:
        """Add a session with the messages of another, and none of its keys.

        Raises:
            NoSuchSessionError: the session does not exist.
            StoreError: there is one of the fork's id.
        """
        original = select(SESSIONS.c.id).where(SESSIONS.c.id == session_id).with_for_update(read=True)
        messages = (
            select(literal(fork.id), MESSAGES.c.id, MESSAGES.c.role, MESSAGES.c.content)
            .where(MESSAGES.c.session_id == session_id)
            .order_by(MESSAGES.c.sequence)
        )

        async def copy(connection: AsyncConnection) -> None:
            if (await connection.execute(original)).first() is None:
                raise NoSuchSessionError
            await connection.execute(insert(SESSIONS).inline(), _session_row(fork))
            await connection.execute(insert(MESSAGES).from_select(["session_id", "id", "role", "content"], messages))

        self._check_open()
        if not self._database.can_hold(session_id):
            raise NoSuchSessionError
        await self._database.transaction(copy)

    async def delete_session(self, session_id: str) -> None:
        """Remove a session with its messages and their keys; nothing where it is not there."""
        await self._delete(delete(SESSIONS).where(SESSIONS.c.id == session_id), session_id)

    async def add_message(self, session_id: str, message: StoredMessage, key: IdempotencyKey | None) -> Insertion:
        """Insert a message and record its key in one step, unless the key is recorded already.

        Raises:
            NoSuchSessionError: the session does not exist.
            StoreError: it has a message of that id.
        """
        if not self._database.can_hold(session_id):
            raise NoSuchSessionError
        is_repeat = False
        while True:
            try:
                is_new = await self._insert(session_id, message, key)
            except DisconnectedError:
                # The message may be in or not, and only the database can say. Where the answer was on its way, this
                # waits for it.
                if is_repeat:
                    raise
                is_repeat = True
                continue
            # A row of this id that was not there before the first attempt is that attempt's.
            if is_new or (is_repeat and await self._has(session_id, message.id)):
                insertion = Insertion(message.id)
            elif key is not None and (recorded := await self.find_key(session_id, key)) is not None:
                insertion = Insertion(recorded.message_id, is_new=False)
            elif await self._has(session_id, message.id):
                raise StoreError(IS_THERE_ALREADY)
            else:
                # What stood in the way has been removed since.
                continue
            if key is not None:
                self._claims.recorded(digest_of(session_id, key), insertion.message_id)
            return insertion

    async def messages(self, session_id: str) -> AsyncIterator[StoredMessage]:
        """The session's messages in their order."""
        statement = (
            select(MESSAGES.c.sequence, MESSAGES.c.id, MESSAGES.c.role, MESSAGES.c.content)
            .where(MESSAGES.c.session_id == session_id, MESSAGES.c.sequence > bindparam("behind"))
            .order_by(MESSAGES.c.sequence)
            .limit(_PAGE)
        )
        behind, is_more = 0, self._database.can_hold(session_id)
        # By pages, so that whoever is slow to read keeps no connection.
        while is_more:
            rows = await self._rows(statement, {"behind": behind})
            for row in rows:
                yield StoredMessage(row.id, row.role, json.loads(row.content))
            is_more = len(rows) == _PAGE
            behind = rows[-1].sequence if is_more else behind

    async def remove_message(self, session_id: str, message_id: str) -> None:
        """Remove a message and with it its key; nothing where it is not there."""
        where = (MESSAGES.c.session_id == session_id, MESSAGES.c.id == message_id)
        await self._delete(delete(MESSAGES).where(*where), session_id, message_id)

    async def find_key(self, session_id: str, key: IdempotencyKey) -> Recorded | None:
        """The message that the key was recorded for, or None."""
        self._check_open()
        found = await self._claims.find(session_id, key) if self._database.can_hold(session_id) else None
        return _recorded(found) if found else None

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Recorded | Pending | None:
        """What there is of a key: a message, a claim on this node or another, or nothing."""
        self._check_open()
        found = await self._claims.look_up(session_id, key)
        if isinstance(found, Record):
            return _recorded(found)
        return Pending() if found else None

    async def claim(self, session_id: str, key: IdempotencyKey) -> Claim | Recorded | None:
        """Claim a key, unless there is a message that it was recorded for; then that.

        None where somebody has claimed it, on this node or another.
        """
        self._check_open()
        claimed = await self._claims.claim(session_id, key)
        return _recorded(claimed) if isinstance(claimed, Record) else claimed

    async def outcome(self, session_id: str, key: IdempotencyKey) -> Outcome | None:
        """Wait until a claim ends. None: it ended without an outcome, for example because its holder died."""
        self._check_open()
        told = await self._claims.ended(digest_of(session_id, key))
        if told is not None:
            return told
        recorded = await self.find_key(session_id, key)
        return Outcome(recorded.message_id) if recorded else None

    async def withdraw(self, session_id: str, key: IdempotencyKey) -> None:
        """Ask whoever holds the claim to withdraw the prompt; nothing where nobody does."""
        self._check_open()
        await self._claims.withdraw(digest_of(session_id, key))

    async def close(self) -> None:
        """Give every claim up and let go of the database."""
        self._is_closed = True
        await self._claims.close()
        await self._database.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError("The store is closed")

    async def _rows(self, statement: Executable, parameters: dict[str, Any] | None = None) -> Sequence[Any]:
        self._check_open()

        async def read(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(statement, parameters)).all()

        return await self._database.read(read)

    async def _sessions(self, statement: Executable, *ids: str | None) -> list[StoredSession]:
        if not self._database.can_hold(*ids):
            return []
        rows = await self._rows(statement)
        return [StoredSession(row.id, row.cwd, row.title, row.created, row.updated) for row in rows]

    async def _has(self, session_id: str, message_id: str) -> bool:
        where = (MESSAGES.c.session_id == session_id, MESSAGES.c.id == message_id)
        return bool(await self._rows(select(MESSAGES.c.sequence).where(*where)))

    async def _insert(self, session_id: str, message: StoredMessage, key: IdempotencyKey | None) -> bool:
        """Whether a message went in; False where its key or its id is there already."""
        row = {
            "session_id": session_id,
            "id": message.id,
            "role": message.role,
            "content": json.dumps(message.content),
            "key": None if key is None else key.encode("utf-8"),
            "added": time.time(),
        }
        # One statement is one transaction, and no constraint is violated, of which an error would show the values.
        statement = self._database.insert(MESSAGES).on_conflict_do_nothing().inline()
        return await self._write(statement, row) > 0

    async def _delete(self, statement: Delete, *ids: str) -> None:
        if self._database.can_hold(*ids):
            await self._write(statement)

    async def _write(self, statement: Executable, row: dict[str, Any] | None = None) -> int:
        """The number of rows that a statement changed."""
        self._check_open()

        async def write(connection: AsyncConnection) -> int:
            done = await connection.execute(statement, row, execution_options={"preserve_rowcount": True})
            return done.rowcount

        return await self._database.write(write)


def _recorded(record: Record) -> Recorded:
    return Recorded(record.message_id, json.loads(record.content))


def _session_row(session: StoredSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "cwd": session.cwd,
        "title": session.title,
        "created": session.created,
        "updated": session.updated,
    }
