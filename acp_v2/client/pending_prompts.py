"""The file in which a client keeps the prompts whose outcome it does not know, and what became of the others.

Several processes may share it. Each prompt belongs to the one that sends it, and passes to another when that one has
ended, which its lock on a file beside this one tells at once. No text of a prompt outlives its outcome.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import stat
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from filelock import FileLock, Timeout

from acp_v2.client.errors import OutboxError
from acp_v2.idempotency_key import IdempotencyKey

VERSION: Final = 1
_APPLICATION = 0x41435056  # "ACPV"
_SECONDS_FOR_OTHERS = 10.0

_SCHEMA = """
CREATE TABLE prompts (
  number INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  key BLOB NOT NULL,
  session TEXT NOT NULL,
  digest BLOB NOT NULL,
  submitted REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'inserted', 'failed')),
  cancelled INTEGER NOT NULL DEFAULT 0,
  params TEXT,
  owner TEXT,
  message_id TEXT,
  error TEXT,
  UNIQUE (agent, key)
);
CREATE INDEX open_prompts ON prompts (agent, session) WHERE params IS NOT NULL;
"""

State = Literal["pending", "inserted", "failed"]


@dataclass(frozen=True, slots=True)
class KeptPrompt:
    """One row.

    Attributes:
        number: in the order of submission.
        session_id: the session it is for.
        key: its key.
        digest: says whether two are the same.
        submitted: when, in seconds since 1970.
        state: `pending` until the outcome is known.
        is_cancelled: whether the user took it back.
        params: the prompt and metadata as on the wire; None when the outcome is known and the application was told.
        owner: which process sends it.
        message_id: where it was inserted.
        error: why it was not, as a JSON-RPC error.
    """

    number: int
    session_id: str
    key: IdempotencyKey
    digest: bytes
    submitted: float
    state: State
    is_cancelled: bool
    params: Mapping[str, Any] | None
    owner: str | None
    message_id: str | None
    error: Mapping[str, Any] | None


class PendingPrompts:
    """The prompts of one agent in one file. Each method is one transaction; none may be called by two threads at once.

    Args:
        path: the file; created where there is none, for its owner alone. `:memory:` keeps nothing.
        agent: names the agent, where one file is for several.

    Raises:
        OutboxError: the file cannot be opened, is none of this kind, or was written by a newer version.
    """

    def __init__(self, path: str | Path, agent: str = "") -> None:
        self.owner = uuid.uuid4().hex
        self._path = path
        self._agent = agent
        self._locks = None if str(path) == ":memory:" else Path(f"{path}.owners")
        self._lock = self._lock_of(self.owner)
        with self._explained("opened"):
            if self._locks is not None:
                _make_private(Path(path))
                self._locks.mkdir(mode=0o700, exist_ok=True)
            if self._lock is not None:
                self._lock.acquire(blocking=False)
            self._db = sqlite3.connect(path, timeout=_SECONDS_FOR_OTHERS, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                self._release()
                raise

    def close(self) -> None:
        """Let go of the file; what is pending can be taken up by another process."""
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()
        self._release()

    # What is submitted

    def add(self, key: IdempotencyKey, session_id: str, params: Mapping[str, Any], now: float) -> KeptPrompt:
        """Keep a new prompt, or give what is known of its key.

        Raises:
            OutboxError: it could not be kept.
        """
        digest = digest_of(session_id, params)
        values = (self._agent, key.encode(), session_id, digest, now, _dumps(params), self.owner)
        with self._transaction():
            self._db.execute(
                "INSERT INTO prompts (agent, key, session, digest, submitted, state, params, owner)"
                " VALUES (?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
                values,
            )
            found = self._find(key)
        assert found is not None
        return found

    def revive(self, key: IdempotencyKey, params: Mapping[str, Any], now: float) -> None:
        """Make a prompt that failed pending again, as the application says so."""
        with self._transaction():
            self._db.execute(
                "UPDATE prompts SET state = 'pending', cancelled = 0, error = NULL, params = ?, submitted = ?,"
                " owner = ? WHERE agent = ? AND key = ? AND state = 'failed'",
                (_dumps(params), now, self.owner, self._agent, key.encode()),
            )

    def renew(self, key: IdempotencyKey, now: float) -> None:
        """Make a prompt that has been pending for long as good as a new one."""
        self._update(key, "submitted = ?", now)

    def adopt(self) -> list[KeptPrompt]:
        """Take up what processes that have ended left open, in the order of submission."""
        with self._explained("read"):
            owners = self._db.execute(
                "SELECT DISTINCT owner FROM prompts WHERE agent = ? AND params IS NOT NULL AND owner IS NOT ?",
                (self._agent, self.owner),
            ).fetchall()
        adopted: list[KeptPrompt] = []
        for (owner,) in owners:
            with self._ended(owner) as has_ended:
                if has_ended:
                    adopted += self._adopt_from(owner)
        return sorted(adopted, key=lambda prompt: prompt.number)

    def find(self, key: IdempotencyKey) -> KeptPrompt | None:
        """What is known of a key."""
        with self._explained("read"):
            return self._find(key)

    # What becomes of it

    def cancel(self, key: IdempotencyKey) -> None:
        """Note that the user took a prompt back, so that it is not sent again."""
        self._update(key, "cancelled = 1")

    def inserted(self, key: IdempotencyKey, message_id: str | None) -> None:
        """Note that the message was inserted, and forget the prompt."""
        self._update(key, "state = 'inserted', params = NULL, message_id = ?", message_id)

    def failed(self, key: IdempotencyKey, error: Mapping[str, Any]) -> None:
        """Note why a prompt was not inserted; its text stays until the application was told."""
        self._update(key, "state = 'failed', error = ?", _dumps(error))

    def told(self, key: IdempotencyKey) -> None:
        """Forget the text of a prompt that failed."""
        self._update(key, "params = NULL")

    def tidy(self) -> None:
        """Remove what SQLite still has of texts that were forgotten, where nothing is pending."""
        with contextlib.suppress(sqlite3.Error):
            open_prompts = self._db.execute("SELECT 1 FROM prompts WHERE params IS NOT NULL LIMIT 1").fetchone()
            if open_prompts is None:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _adopt_from(self, owner: str | None) -> list[KeptPrompt]:
        with self._transaction():
            rows = self._db.execute(
                f"UPDATE prompts SET owner = ? WHERE agent = ? AND params IS NOT NULL AND owner IS ?"  # noqa: S608
                f" RETURNING {_COLUMNS}",
                (self.owner, self._agent, owner),
            ).fetchall()
        return [_kept(row) for row in rows]

    def _find(self, key: IdempotencyKey) -> KeptPrompt | None:
        row = self._db.execute(
            f"SELECT {_COLUMNS} FROM prompts WHERE agent = ? AND key = ?",  # noqa: S608  # the names stand below
            (self._agent, key.encode()),
        ).fetchone()
        return None if row is None else _kept(row)

    def _update(self, key: IdempotencyKey, change: str, *values: Any) -> None:
        with self._transaction():
            self._db.execute(
                f"UPDATE prompts SET {change} WHERE agent = ? AND key = ?",  # noqa: S608  # the callers' own words
                (*values, self._agent, key.encode()),
            )

    # The file

    def _prepare(self) -> None:
        application, version = (
            self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application not in (0, _APPLICATION) or (application == 0 and self._has_tables()):
            raise OutboxError(f"{self._path} is a database of something else; choose another file")
        if version > VERSION:
            raise OutboxError(
                f"{self._path} was written by a newer version (format {version}, known is {VERSION}); update acp-v2"
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        # An input that the user was told is kept survives a loss of power.
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("PRAGMA secure_delete = ON")
        with self._transaction():
            # Another process may have been first.
            if self._db.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    def _has_tables(self) -> bool:
        return self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None

    @contextlib.contextmanager
    def _transaction(self) -> Generator[None]:
        with self._explained("written"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _explained(self, action: str) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            raise OutboxError(f"the outbox {self._path} cannot be {action}: {error}") from None

    # Owners

    def _lock_of(self, owner: str) -> FileLock | None:
        return None if self._locks is None else FileLock(self._locks / owner, mode=0o600, thread_local=False)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            Path(self._lock.lock_file).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _ended(self, owner: str | None) -> Generator[bool]:
        """Whether a process has ended, holding its place meanwhile."""
        lock = None if owner is None else self._lock_of(owner)
        if lock is None:
            yield True
            return
        try:
            lock.acquire(blocking=False)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()
            Path(lock.lock_file).unlink(missing_ok=True)


_COLUMNS = "number, session, key, digest, submitted, state, cancelled, params, owner, message_id, error"


def digest_of(session_id: str, params: Mapping[str, Any]) -> bytes:
    """32 bytes that are the same for the same prompt in the same session, whatever the order of its fields."""
    text = json.dumps([session_id, params], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=32).digest()


def _kept(row: tuple[Any, ...]) -> KeptPrompt:
    number, session_id, key, digest, submitted, state, cancelled, params, owner, message_id, error = row
    return KeptPrompt(
        number,
        session_id,
        IdempotencyKey(key.decode()),
        digest,
        submitted,
        state,
        bool(cancelled),
        None if params is None else json.loads(params),
        owner,
        message_id,
        None if error is None else json.loads(error),
    )


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _make_private(path: Path) -> None:
    """Create the file for its owner alone, and take it from others where it is there already."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.name == "posix" and stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
