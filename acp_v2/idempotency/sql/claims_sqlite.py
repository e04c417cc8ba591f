"""Claims in SQLite: a row for each, with a lease that its holder renews.

A holder that dies renews no longer, and its claim is free `LEASE_SECONDS` after the last renewal. Leases are measured
on the machine's monotonic clock, which its processes share: nobody's setting of the time ends a lease, and a laptop
that sleeps ends none. After a restart of the machine that clock begins anew; a renewal that lies further in the
future than a lease is long is from before.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from acp_v2.idempotency.lost_claims import KEPT_SECONDS
from acp_v2.idempotency.sql.claims import Claims, HeldClaim, Record, digest_of, error_to_text, outcome_from_row
from acp_v2.idempotency.sql.database import patiently
from acp_v2.idempotency.store import Outcome
from acp_v2.idempotency_key import IdempotencyKey

LEASE_SECONDS: Final = 10.0
"""How long a claim outlives its last renewal. It is renewed every third of that."""

POLL_SECONDS: Final = 0.05
"""How often a process that holds or waits asks whether others have written, which costs a few microseconds."""

_TAKE: Final = """
INSERT INTO acp_claims (digest, id, renewed, lease) VALUES (:digest, :id, :now, :lease)
ON CONFLICT (digest) DO UPDATE
SET id = excluded.id, renewed = excluded.renewed, lease = excluded.lease, is_withdrawn = 0
WHERE abs(excluded.renewed - acp_claims.renewed) > acp_claims.lease
"""

_LOOK_UP: Final = """
SELECT message.id, message.content, EXISTS (
  SELECT 1 FROM acp_claims WHERE digest = :digest AND abs(:now - renewed) <= lease
)
FROM (SELECT 1) LEFT JOIN acp_messages AS message ON message.session_id = :session AND message.key = :key
"""

T = TypeVar("T")


class SqliteClaims(Claims[str]):
    """Claims of a node, in the file of the store. A ticket is the claim's id.

    They have a connection of their own, which does not wait for the disk as those for messages do: a claim that is lost
    when the power fails would have ended with its holder anyway. So a command takes some 20 microseconds, a fifth of
    what it takes to ask another thread for it, and is given in the event loop's own. It waits for no lock there.
    """

    def __init__(self, path: Path, lease: float, patience: float, writing: asyncio.Lock) -> None:
        self._path = path
        self._lease = lease
        self._patience = patience
        self._writing = writing
        self._connection: sqlite3.Connection | None = None
        self._seen_version = -1
        self._renew_at = 0.0
        self._look_at = 0.0
        super().__init__()

    async def open(self) -> None:
        """Clear away what processes that died have left behind."""

        def clear(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM acp_claims WHERE abs(? - renewed) > lease", (time.monotonic(),))

        await self._do(clear, writes=True)

    async def find(self, session_id: str, key: IdempotencyKey) -> Record | None:
        """The record of a key."""
        return await self._do(lambda connection: _find(connection, session_id, key))

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Record | bool:
        """The record of a key; where there is none, whether somebody has claimed it."""
        parameters = {
            "digest": digest_of(session_id, key),
            "now": time.monotonic(),
            "session": session_id if _can_hold(session_id) else None,
            "key": key.encode("utf-8"),
        }

        def look(connection: sqlite3.Connection) -> Record | bool:
            message_id, content, is_claimed = connection.execute(_LOOK_UP, parameters).fetchone()
            return bool(is_claimed) if message_id is None else Record(message_id, content)

        return await self._do(look)

    async def claim(self, session_id: str, key: IdempotencyKey) -> HeldClaim[str] | Record | None:
        """Claim a key, unless there is a record of it; None where somebody has claimed it.

        Whoever is cancelled has claimed nothing.
        """
        # Looked for first, because a retry need not wait until this process may write.
        return await self.find(session_id, key) or await super().claim(session_id, key)

    async def withdraw(self, digest: bytes) -> None:
        """Leave word in the claim's row, which its holder looks at."""
        if held := self._held.get(digest):
            held.withdrawal.set()
            return

        def mark(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE acp_claims SET is_withdrawn = 1 WHERE digest = ?", (digest,))

        await self._do(mark, writes=True)

    @property
    def _interval(self) -> float:
        return POLL_SECONDS

    async def _record(self, session_id: str, key: IdempotencyKey) -> Record | None:
        return await self.find(session_id, key)

    async def _take(self, session_id: str, key: IdempotencyKey, digest: bytes) -> Record | tuple[bool, str]:
        id_ = uuid.uuid4().hex
        if not self._held:
            self._renew_at = time.monotonic() + self._lease / 3

        def take(connection: sqlite3.Connection) -> Record | tuple[bool, str]:
            while True:
                if connection.execute(_TAKE, self._row(digest, id_)).rowcount:
                    # Whoever had it before may have inserted since the last look.
                    if (record := _find(connection, session_id, key)) is None:
                        return True, id_
                    connection.execute("DELETE FROM acp_claims WHERE digest = ? AND id = ?", (digest, id_))
                    return record
                row = connection.execute("SELECT id FROM acp_claims WHERE digest = ?", (digest,)).fetchone()
                # None: it has ended since, and the key is free.
                if row is not None:
                    return False, row[0]

        return await self._do(take, writes=True)

    async def _ticket(self, digest: bytes) -> str | None:
        def find(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT id FROM acp_claims WHERE digest = ?", (digest,)).fetchone()
            return row[0] if row else None

        return await self._do(find)

    async def _give_up(self, held: HeldClaim[str], outcome: Outcome | None) -> None:
        def free(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM acp_claims WHERE digest = ? AND id = ?", (held.digest, held.ticket))

        def tell_and_free(connection: sqlite3.Connection) -> None:
            if outcome is None:
                free(connection)
                return
            now = time.monotonic()
            with _transaction(connection):
                connection.execute("DELETE FROM acp_outcomes WHERE abs(? - told) > ?", (now, KEPT_SECONDS))
                connection.execute(
                    "INSERT INTO acp_outcomes (claim_id, message_id, error, told) VALUES (?, ?, ?, ?)",
                    (held.ticket, outcome.message_id, error_to_text(outcome), now),
                )
                free(connection)

        await self._do(tell_and_free, writes=True)

    async def _look(self, *, has_reason: bool) -> None:
        now = time.monotonic()
        if self._held and now >= self._renew_at:
            self._renew_at = now + self._lease / 3
            await self._renew()
        # A lease runs out without anything being written.
        is_due = now >= self._look_at
        rows = await self._do(lambda connection: self._claims(connection, in_any_case=has_reason or is_due))
        if rows is None:
            return
        now = time.monotonic()
        self._look_at = now + self._lease / 10
        alive = {id_ for id_, renewed, lease, _ in rows if abs(now - renewed) <= lease}
        withdrawn = {id_ for id_, _, _, is_withdrawn in rows if is_withdrawn}
        for waiting in self._waiting:
            if waiting.ticket not in alive:
                self._resolve(waiting)
        for held in self._held.values():
            if held.ticket in withdrawn:
                held.withdrawal.set()

    async def _renew(self) -> None:
        async with self._using:
            held = [(claim.digest, claim.ticket) for claim in self._held.values()]

            def renew(connection: sqlite3.Connection) -> None:
                with _transaction(connection):
                    for digest, id_ in held:
                        renewed = connection.execute(
                            "UPDATE acp_claims SET renewed = ?, lease = ? WHERE digest = ? AND id = ?",
                            (time.monotonic(), self._lease, digest, id_),
                        ).rowcount
                        if not renewed:
                            # It ran out while this process stood still, and perhaps another has taken it.
                            connection.execute(_TAKE, self._row(digest, id_))

            if held:
                await self._do(renew, writes=True)

    async def _told(self, digest: bytes, ticket: str) -> Outcome | None:  # noqa: ARG002
        def find(connection: sqlite3.Connection) -> Any:
            query = "SELECT message_id, error FROM acp_outcomes WHERE claim_id = ?"
            return connection.execute(query, (ticket,)).fetchone()

        row = await self._do(find)
        return outcome_from_row(*row) if row else None

    async def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _row(self, digest: bytes, id_: str) -> dict[str, Any]:
        return {"digest": digest, "id": id_, "now": time.monotonic(), "lease": self._lease}

    def _claims(
        self, connection: sqlite3.Connection, *, in_any_case: bool
    ) -> list[tuple[str, float, float, int]] | None:
        """The claims of all nodes; None where nobody has written since the last time."""
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if version == self._seen_version and not in_any_case:
            return None
        self._seen_version = version
        return connection.execute("SELECT id, renewed, lease, is_withdrawn FROM acp_claims").fetchall()

    async def _do(self, work: Callable[[sqlite3.Connection], T], *, writes: bool = False) -> T:
        """What `work` gives.

        Raises:
            StoreError: it cannot be done.
        """

        async def attempt() -> T:
            return work(self._connected())

        if not writes:
            return await patiently(attempt, self._patience)
        async with self._writing:
            return await patiently(attempt, self._patience)

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self._path, timeout=0, isolation_level=None)
            # Not OFF, with which a checkpoint by this connection could spoil the messages when the power fails. Those
            # that write messages come to it long before; this is for a process that holds and renews for days.
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint=10000")
            self._connection = connection
        return self._connection


def _find(connection: sqlite3.Connection, session_id: str, key: IdempotencyKey) -> Record | None:
    if not _can_hold(session_id):
        return None
    query = "SELECT id, content FROM acp_messages WHERE session_id = ? AND key = ?"
    row = connection.execute(query, (session_id, key.encode("utf-8"))).fetchone()
    return Record(*row) if row else None


def _can_hold(session_id: str) -> bool:
    """Whether such an id can be in the database; otherwise it has no message of that session."""
    try:
        session_id.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None]:
    """All statements of a `with`, or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
