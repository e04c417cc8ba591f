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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from filelock import FileLock, Timeout

from acp_v2.client.errors import KeyReused, OutboxError
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
  told INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  params TEXT,
  owner TEXT,
  message_id TEXT,
  error TEXT,
  UNIQUE (agent, key)
);
CREATE INDEX open_prompts ON prompts (agent, owner) WHERE told = 0;
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
        params: the prompt and metadata as on the wire; None when it is inserted, or has failed and the application was
            told.
        owner: which process sends it.
        message_id: where it was inserted.
        error: why it was not, as a JSON-RPC error.
    """

    number: int
    session_id: str
    key: IdempotencyKey = field(repr=False)
    digest: bytes = field(repr=False)
    submitted: float
    state: State
    is_cancelled: bool
    params: Mapping[str, Any] | None = field(repr=False)
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
        self._db: sqlite3.Connection | None = None
        try:
            with _explained(path, "opened"):
                db = self._open(path)
                if self._locks is not None and self._lock is not None:
                    _make_private(Path(path))
                    self._locks.mkdir(mode=0o700, exist_ok=True)
                    self._lock.acquire(blocking=False)
                self._prepare(db)
        except BaseException:
            self._let_go()
            raise

    def close(self) -> None:
        """Let go of the file; what is pending can be taken up by another process."""
        self.tidy()
        self._let_go()

    # What is submitted

    def submit(
        self, key: IdempotencyKey, session_id: str, params: Mapping[str, Any], now: float
    ) -> tuple[KeptPrompt, bool]:
        """Keep a new prompt, make one that failed pending again, or give what is known of the key.

        Returns what is kept, and whether the agent has nothing of it: it is new, or the agent has refused it.

        Raises:
            KeyReused: the key is that of another prompt.
            OutboxError: it could not be kept.
        """
        digest = digest_of(session_id, params)
        values = (self._agent, key.encode(), session_id, digest, now, _dumps(params), self.owner)
        with self._transaction() as db:
            added = db.execute(
                "INSERT INTO prompts (agent, key, session, digest, submitted, state, params, owner)"
                " VALUES (?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
                values,
            )
            found = _kept(db.execute(_FIND, (self._agent, key.encode())).fetchone())
            if found.session_id != session_id or found.digest != digest:
                raise KeyReused("the key was passed before with another prompt or for another session; use a new one")
            is_new = added.rowcount == 1
            if found.state == "failed":
                db.execute(
                    "UPDATE prompts SET state = 'pending', told = 0, cancelled = 0, error = NULL, params = ?,"
                    " submitted = ?, owner = ? WHERE number = ?",
                    (_dumps(params), now, self.owner, found.number),
                )
                is_new = found.error is not None and "unknown" not in found.error
                found = _kept(db.execute(_FIND, (self._agent, key.encode())).fetchone())
        return found, is_new

    def renew(self, key: IdempotencyKey, now: float) -> None:
        """Make a prompt that has been pending for long as good as a new one."""
        with self._transaction() as db:
            self._change(db, "submitted = ?", key, now)

    def adopt(self, session_id: str | None = None) -> list[KeptPrompt]:
        """Take up what processes that have ended left open, in the order of submission.

        That is what is to be sent in one session, and of all sessions what is only to be told: outcomes, and prompts
        that were taken back. What is to be sent in other sessions is for the process that has them active.
        """
        with self._explained("read") as db:
            owners = db.execute(
                f"SELECT DISTINCT owner FROM prompts WHERE {_ADOPTABLE} AND owner IS NOT ?",  # noqa: S608
                (self._agent, session_id, self.owner),
            ).fetchall()
        adopted: list[KeptPrompt] = []
        for (owner,) in owners:
            with _explained(self._path, "read"), self._ended(owner) as has_ended:
                if has_ended:
                    adopted += self._adopt_from(owner, session_id)
        return sorted(adopted, key=lambda prompt: prompt.number)

    def left_behind(self) -> list[KeptPrompt]:
        """What is to be sent and belongs to processes that have ended, in the order of submission."""
        with self._explained("read") as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM prompts"  # noqa: S608
                " WHERE agent = ? AND told = 0 AND owner IS NOT ? AND state = 'pending' AND cancelled = 0"
                " ORDER BY number",
                (self._agent, self.owner),
            ).fetchall()
        prompts = [_kept(row) for row in rows]
        have_ended: dict[str | None, bool] = {}
        for owner in {prompt.owner for prompt in prompts}:
            with _explained(self._path, "read"), self._ended(owner) as has_ended:
                have_ended[owner] = has_ended
        return [prompt for prompt in prompts if have_ended[prompt.owner]]

    def find(self, key: IdempotencyKey) -> KeptPrompt | None:
        """What is known of a key."""
        with self._explained("read") as db:
            rows = db.execute(_FIND, (self._agent, key.encode())).fetchall()
            return _kept(rows[0]) if rows else None

    # What becomes of it

    def cancel(self, *keys: IdempotencyKey) -> None:
        """Note that the user took prompts back, so that they are not sent again."""
        with self._transaction() as db:
            for key in keys:
                self._change(db, "cancelled = 1", key)

    def inserted(self, key: IdempotencyKey, message_id: str | None, *, is_told: bool, waits: bool = True) -> None:
        """Note that the message was inserted, and forget the prompt.

        Args:
            key: the key of the prompt.
            message_id: the id of its message, where the agent gave one.
            is_told: whether the application need not be told.
            waits: whether to wait for the disk, or for another process that is writing. Otherwise this takes less than
                handing it to another thread does.

        Raises:
            OutboxError: it could not be written, or could not be at once.
        """
        with self._transaction(lasts=False, waits=waits) as db:
            self._change(db, "state = 'inserted', params = NULL, message_id = ?, told = ?", key, message_id, is_told)

    def failed(self, key: IdempotencyKey, error: Mapping[str, Any], *, is_told: bool) -> None:
        """Note why a prompt was not inserted; where the application is to be told, its text stays until it was."""
        forgotten = ", params = NULL" if is_told else ""
        with self._transaction() as db:
            self._change(db, f"state = 'failed', error = ?, told = ?{forgotten}", key, _dumps(error), is_told)

    def told(self, key: IdempotencyKey, submitted: float) -> None:
        """Note that the application knows the outcome of a prompt, and forget its text.

        Nothing, where it was submitted anew meanwhile.
        """
        with self._transaction(lasts=False) as db:
            db.execute(
                "UPDATE prompts SET told = 1, params = NULL"
                " WHERE agent = ? AND key = ? AND submitted = ? AND state != 'pending'",
                (self._agent, key.encode(), submitted),
            )

    def tidy(self) -> None:
        """Remove what the write-ahead log still has of texts that were forgotten."""
        with contextlib.suppress(OutboxError), self._explained("tidied") as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _adopt_from(self, owner: str | None, session_id: str | None) -> list[KeptPrompt]:
        with self._transaction() as db:
            rows = db.execute(
                f"UPDATE prompts SET owner = ? WHERE {_ADOPTABLE} AND owner IS ? RETURNING {_COLUMNS}",  # noqa: S608
                (self.owner, self._agent, session_id, owner),
            ).fetchall()
            return [_kept(row) for row in rows]

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        self._release()

    def _change(self, db: sqlite3.Connection, change: str, key: IdempotencyKey, *values: Any) -> None:
        db.execute(
            f"UPDATE prompts SET {change} WHERE agent = ? AND key = ?",  # noqa: S608  # the callers' own words
            (*values, self._agent, key.encode()),
        )

    # The file

    def _open(self, path: str | Path) -> sqlite3.Connection:
        if self._locks is not None:
            _create_private(Path(path))
        self._db = db = sqlite3.connect(
            path, timeout=_SECONDS_FOR_OTHERS, isolation_level=None, check_same_thread=False
        )
        application, version = (
            db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application not in (0, _APPLICATION) or (application == 0 and _has_tables(db)):
            raise OutboxError(f"{self._path} is a database of something else; choose another file")
        if version > VERSION:
            raise OutboxError(
                f"{self._path} was written by a newer version (format {version}, known is {VERSION}); update acp-v2"
            )
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        # A prompt is small, and keeping one has the disk write whole pages.
        db.execute("PRAGMA page_size = 1024")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA secure_delete = ON")
        with self._transaction():
            # Another process may have been first.
            if db.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _transaction(self, *, lasts: bool = True, waits: bool = True) -> Generator[sqlite3.Connection]:
        """One step; `lasts` says whether it survives a loss of power at once, for which the disk has to be waited for.

        An input that the user was told is kept does. An insertion that is lost with the power the agent says again.
        """
        with self._explained("written") as db:
            db.execute(f"PRAGMA synchronous = {'FULL' if lasts else 'NORMAL'}")
            db.execute(f"PRAGMA wal_autocheckpoint = {1000 if waits else 0}")
            db.execute(f"PRAGMA busy_timeout = {_SECONDS_FOR_OTHERS * 1000 if waits else 0:.0f}")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _explained(self, action: str) -> Generator[sqlite3.Connection]:
        if self._db is None:
            raise OutboxError(f"the outbox {self._path} is closed")
        with _explained(self._path, action):
            yield self._db

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
_ADOPTABLE = "agent = ? AND told = 0 AND (state != 'pending' OR cancelled = 1 OR session = ?)"
_FIND = f"SELECT {_COLUMNS} FROM prompts WHERE agent = ? AND key = ?"  # noqa: S608  # the names stand above


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


@contextlib.contextmanager
def _explained(path: str | Path, action: str) -> Generator[None]:
    try:
        yield
    except KeyReused:
        raise
    except (sqlite3.Error, OSError, ValueError) as error:
        raise OutboxError(f"the outbox {path} cannot be {action}: {error}") from None


def _has_tables(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def _create_private(path: Path) -> None:
    """Create the file for its owner alone, where there is none."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _make_private(path: Path) -> None:
    """Take the file from others, where it was there already."""
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o600)
