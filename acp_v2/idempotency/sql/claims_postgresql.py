"""Claims in PostgreSQL: an advisory lock for each, of the one connection that a node keeps for them.

The server frees the locks of a connection that ends, however it ends, so that nobody has to renew anything. Whoever
waits is told by NOTIFY, and looks every `POLL_SECONDS` for what was not told, such as a holder's death. A pooler that
gives a server's connection to several clients in turn (pgbouncer's transaction pooling) takes both away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from acp_v2.idempotency.lost_claims import KEPT_SECONDS
from acp_v2.idempotency.sql.claims import Claims, HeldClaim, Record, digest_of, error_to_text, outcome_from_row
from acp_v2.idempotency.sql.database import patiently
from acp_v2.idempotency.sql.failures import DisconnectedError
from acp_v2.idempotency.sql.postgresql import Connect, PostgresqlConnection
from acp_v2.idempotency.sql.uninterrupted import uninterrupted
from acp_v2.idempotency.store import Outcome
from acp_v2.idempotency_key import IdempotencyKey

POLL_SECONDS: Final = 1.0
"""How long at most until a holder's death is noticed, once the server has noticed it."""

_CHANNEL: Final = "acp_v2_claims"
"""Where nodes tell each other `ended` or `withdraw` and a digest in hexadecimal digits; a key is never told."""

# All that a prompt asks before it is inserted, for one way to the server and back. Of the connection's own schema, so
# that nodes of several versions each have theirs. Volatile, so that each statement sees what is committed by then: the
# second look what the last holder of the lock inserted. The highest outcome is from before the lock is tried: what the
# holder tells after somebody has lost to it has a higher number.
_DEFINE_TAKE: Final = """
CREATE OR REPLACE FUNCTION pg_temp.acp_take(
  in_session text, in_key bytea, in_digest bytea, in_lock bigint,
  OUT message_id text, OUT content text, OUT is_taken boolean, OUT highest bigint
) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT m.id, m.content INTO message_id, content
    FROM acp_messages m WHERE m.session_id = in_session AND m.key = in_key;
  IF FOUND THEN
    RETURN;
  END IF;
  SELECT coalesce(max(o.id), 0) INTO highest FROM acp_outcomes o WHERE o.digest = in_digest;
  is_taken := pg_try_advisory_lock(in_lock);
  IF NOT is_taken THEN
    RETURN;
  END IF;
  SELECT m.id, m.content INTO message_id, content
    FROM acp_messages m WHERE m.session_id = in_session AND m.key = in_key;
  IF FOUND THEN
    PERFORM pg_advisory_unlock(in_lock);
  END IF;
END $$
"""

# A claim is a lock that nobody can share. This shares it for as long as the statement takes: whoever claims the key in
# that moment is refused, looks again, and finds it free.
_LOOK_UP: Final = """
SELECT message.id, message.content, pg_try_advisory_xact_lock_shared($3)
FROM (SELECT) AS key LEFT JOIN acp_messages AS message ON message.session_id = $1 AND message.key = $2
"""

_TAKE: Final = "SELECT * FROM pg_temp.acp_take($1, $2, $3, $4)"

_TELL: Final = """
WITH old AS (
  DELETE FROM acp_outcomes WHERE id IN (
    SELECT id FROM acp_outcomes WHERE told < now() - make_interval(secs => $4) ORDER BY id FOR UPDATE SKIP LOCKED
  )
)
INSERT INTO acp_outcomes (digest, message_id, error) VALUES ($1, $2, $3)
"""

_ENDED: Final = """
SELECT waiting.place
FROM unnest($1::int[], $2::bytea[], $3::bigint[], $4::bigint[]) AS waiting (place, digest, number, highest)
WHERE NOT EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = waiting.number
) OR EXISTS (
  SELECT FROM acp_outcomes WHERE acp_outcomes.digest = waiting.digest AND acp_outcomes.id > waiting.highest
)
"""


class PostgresqlClaims(Claims[int]):
    """Claims of a node, on the server. A ticket is the highest number of an outcome told before the claim was.

    A lock has a number of 64 bits, so that two keys may share one. Then one waits for the other although it need not;
    outcomes go by the whole digest, so that none is answered with the other's.
    """

    def __init__(self, connect: Connect, patience: float) -> None:
        self._connect = connect
        self._patience = patience
        self._connection: PostgresqlConnection | None = None
        self._unlocked: set[HeldClaim[int]] = set()
        super().__init__()

    async def open(self) -> None:
        """Connect.

        Raises:
            StoreError: the server cannot be reached.
        """
        async with self._using:
            await self._ask("SELECT 1")

    async def claim(self, session_id: str, key: IdempotencyKey) -> HeldClaim[int] | Record | None:
        """Claim a key, unless there is a record of it; None where somebody has claimed it.

        Whoever is cancelled has claimed nothing.
        """

        async def give_back(claimed: HeldClaim[int] | Record | None) -> None:
            if isinstance(claimed, HeldClaim):
                await claimed.release(None)

        # The server may have given the lock when the cancellation reaches it.
        return await uninterrupted(super().claim(session_id, key), give_back)

    async def find(self, session_id: str, key: IdempotencyKey) -> Record | None:
        """The record of a key."""
        async with self._using:
            return await self._record(session_id, key)

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Record | bool:
        """The record of a key; where there is none, whether somebody has claimed it."""
        digest = digest_of(session_id, key)
        session = session_id if _can_hold(session_id) else None
        async with self._using:
            rows = await self._ask(_LOOK_UP, session, key.encode("utf-8"), _number(digest))
        ((message_id, content, is_free),) = rows
        if message_id is not None:
            return Record(message_id, content)
        # To a lock of the same connection, it does not say no.
        return not is_free or digest in self._held

    async def withdraw(self, digest: bytes) -> None:
        """Tell the holder. It hears of it or has lost its lock, because both are matters of the same connection."""
        if held := self._held.get(digest):
            held.withdrawal.set()
            return
        async with self._using:
            await self._ask("SELECT pg_notify($1, $2)", _CHANNEL, f"withdraw {digest.hex()}")

    @property
    def _interval(self) -> float:
        return POLL_SECONDS

    async def _record(self, session_id: str, key: IdempotencyKey) -> Record | None:
        query = "SELECT id, content FROM acp_messages WHERE session_id = $1 AND key = $2"
        rows = await self._ask(query, session_id if _can_hold(session_id) else None, key.encode("utf-8"))
        return Record(*rows[0]) if rows else None

    async def _take(self, session_id: str, key: IdempotencyKey, digest: bytes) -> Record | tuple[bool, int]:
        # No session of an id that the database cannot hold has a message; NULL equals none.
        session = session_id if _can_hold(session_id) else None
        rows = await self._ask(_TAKE, session, key.encode("utf-8"), digest, _number(digest))
        ((message_id, content, is_taken, highest),) = rows
        return (is_taken, highest) if message_id is None else Record(message_id, content)

    async def _ticket(self, digest: bytes) -> int | None:
        async with self._using:
            query = "SELECT coalesce(max(id), 0) FROM acp_outcomes WHERE digest = $1"
            ((highest,),) = await self._ask(query, digest)
        return highest

    async def _give_up(self, held: HeldClaim[int], outcome: Outcome | None) -> None:
        self._unlocked.discard(held)
        if outcome is not None:
            # Committed before the lock is free, so that who finds it free finds this as well.
            error = error_to_text(outcome)
            await self._ask(_TELL, held.digest, outcome.message_id, error, KEPT_SECONDS)
        # The lock is free at once, the notification goes out after it.
        free = "SELECT pg_advisory_unlock($1), pg_notify($2, $3)"
        await self._ask(free, _number(held.digest), _CHANNEL, f"ended {held.digest.hex()}")

    async def _look(self, *, has_reason: bool) -> None:  # noqa: ARG002
        async with self._using:
            waiting = list(self._waiting)
            rows = await self._ask(
                _ENDED,
                list(range(len(waiting))),
                [one.digest for one in waiting],
                [_number(one.digest) for one in waiting],
                [one.ticket for one in waiting],
            )
            for row in rows:
                place: int = row["place"]
                self._resolve(waiting[place])
            for held in list(self._unlocked):
                await self._lock_again(held)

    async def _told(self, digest: bytes, ticket: int) -> Outcome | None:
        async with self._using:
            query = "SELECT message_id, error FROM acp_outcomes WHERE digest = $1 AND id > $2 ORDER BY id LIMIT 1"
            rows = await self._ask(query, digest, ticket)
        return outcome_from_row(*rows[0]) if rows else None

    async def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and not connection.is_closed():
            try:
                await connection.close(timeout=self._patience)
            except (OSError, TimeoutError):
                connection.terminate()

    def _heard(self, connection: Any, pid: int, channel: str, payload: str) -> None:  # noqa: ARG002
        """A notification came in."""
        what, _, hexadecimal = payload.partition(" ")
        try:
            digest = bytes.fromhex(hexadecimal)
        except ValueError:
            return
        if what == "withdraw" and (held := self._held.get(digest)):
            held.withdrawal.set()
        if what == "ended":
            for waiting in self._waiting:
                if waiting.digest == digest:
                    self._resolve(waiting)

    async def _ask(self, query: str, *args: Any) -> Sequence[Any]:
        """The rows of a command, given once more on a new connection where the connection got lost.

        Every command here may be given twice: a lock that an ended connection had is free.
        """
        try:
            return await patiently(lambda: self._ask_once(query, *args), self._patience)
        except DisconnectedError:
            if self._connection is not None:
                self._connection.terminate()
                self._connection = None
            return await patiently(lambda: self._ask_once(query, *args), self._patience)

    async def _ask_once(self, query: str, *args: Any) -> Sequence[Any]:
        connection = self._connection
        if connection is None or connection.is_closed():
            connection = await self._connect()
            await connection.add_listener(_CHANNEL, self._heard)
            await connection.fetch(_DEFINE_TAKE)
            self._connection = connection
            self._unlocked = set(self._held.values())
            for held in list(self._unlocked):
                await self._lock_again(held)
        return await connection.fetch(query, *args)

    async def _lock_again(self, held: HeldClaim[int]) -> None:
        """Take a lock once more that went with the last connection.

        Where another node has been quicker, both will insert, and the store keeps the first. Until then this node is
        not told to withdraw; it tries again, because the other may give up.
        """
        assert self._connection is not None
        ((is_taken,),) = await self._connection.fetch("SELECT pg_try_advisory_lock($1)", _number(held.digest))
        if is_taken:
            self._unlocked.discard(held)


def _can_hold(text: str) -> bool:
    """Whether such a text can be in the database: it takes no NUL and no lone surrogate."""
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False


def _number(digest: bytes) -> int:
    """The number of a key's lock: the first 64 bits of its digest, with a sign."""
    return int.from_bytes(digest[:8], signed=True)
