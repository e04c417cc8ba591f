"""What a store of sessions has to do, so that a key is recorded in one step with the message that it belongs to.

A *record* says that a message was inserted for a key; it lives in the message's own row, and as long as that. A *claim*
says that somebody is at it: it holds the prompt or is inserting it, and the claim ends with its holder. Only a record
outlives its holder.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from acp_v2.acp_error import AcpError
from acp_v2.idempotency_key import IdempotencyKey


class StoreError(Exception):
    """The store cannot do what was asked: it is locked, full, corrupt, or of a newer version. Nothing was stored."""


class NoSuchSessionError(StoreError):
    """The session does not exist, or not any more. Nothing was stored."""

    def __init__(self, message: str = "There is no such session") -> None:
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as it is kept. `created` and `updated` are seconds since 1970.

    A store gives for `updated` when the last message was added, and before that what it was created with.
    """

    id: str
    cwd: str
    title: str | None = None
    created: float = 0.0
    updated: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of a session's history; `content` is the JSON of its content blocks."""

    id: str
    role: Literal["user", "agent"]
    content: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@dataclass(frozen=True, slots=True)
class Recorded:
    """A key's message. `content` is the prompt that was inserted, where the store has it to compare with."""

    message_id: str
    content: list[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A key has no message yet, and somebody has claimed it, on this node or another."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """What became of inserting a message: `is_new` is False where its key was recorded already, for `message_id`.

    `is_retained` is False for a message that lives in no store, such as that of a command handled locally.
    """

    message_id: str
    is_new: bool = True
    is_retained: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a claimed prompt ended: as a message, or with the error that answers every attempt."""

    message_id: str | None = None
    error: AcpError | None = None


class Claim(Protocol):
    """The right to insert a key's prompt, held until `release`."""

    async def withdrawn(self) -> None:
        """Return when somebody on another node asks for the prompt to be withdrawn; otherwise never."""
        ...

    async def release(self, outcome: Outcome | None) -> None:
        """Give the claim up and tell who waits for it how it ended; `None`: it ended without an outcome."""
        ...


class Keys(Protocol):
    """The keys of messages, and who is at inserting one.

    Every method raises `StoreError` where the store cannot do it; then nothing was changed.
    """

    async def find_key(self, session_id: str, key: IdempotencyKey) -> Recorded | None:
        """The message that the key was recorded for, or None."""
        ...

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Recorded | Pending | None:
        """What there is of a key; None: nothing, so that its prompt may be inserted.

        It only reads, because every keyed prompt pays for it. The prompt is then inserted without a claim where it
        need not be held. Two nodes that do so at the same time insert one message all the same, because the message
        and its key are written in one step.
        """
        ...

    async def claim(self, session_id: str, key: IdempotencyKey) -> Claim | Recorded | None:
        """Claim a key, so that attempts on other nodes wait while its prompt is held.

        Where there is a message that the key was recorded for, that; in the same step, so that whoever is granted a
        claim need not look whether the last holder has inserted. None where somebody has claimed it, on this node or
        another.
        """
        ...

    async def outcome(self, session_id: str, key: IdempotencyKey) -> Outcome | None:
        """Wait until a claim ends. None: it ended without an outcome, for example because its holder died."""
        ...

    async def withdraw(self, session_id: str, key: IdempotencyKey) -> None:
        """Ask whoever holds the claim to withdraw the prompt, unless it is being inserted already."""
        ...


class Store(Keys, Protocol):
    """Sessions, their messages, and the keys of these.

    Every method raises `StoreError` where the store cannot do it; then nothing was changed.
    """

    async def create_session(self, session: StoredSession) -> None:
        """Add a session."""
        ...

    async def find_session(self, session_id: str) -> StoredSession | None:
        """The session of that id, or None."""
        ...

    async def list_sessions(
        self, *, cwd: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[StoredSession]:
        """Up to `limit` sessions by id, from behind the id `after`, of one working directory or all."""
        ...

    async def fork_session(self, session_id: str, fork: StoredSession) -> None:
        """Add a session with the messages of another, and none of its keys.

        Raises:
            NoSuchSessionError: the other does not exist.
        """
        ...

    async def delete_session(self, session_id: str) -> None:
        """Remove a session with its messages and their keys; nothing where it is not there."""
        ...

    async def add_message(self, session_id: str, message: StoredMessage, key: IdempotencyKey | None) -> Insertion:
        """Insert a message and record its key in one step, unless the key is recorded already.

        The insertion says under which id: a store that derives ids from keys takes another than the message came with.

        Raises:
            NoSuchSessionError: the session does not exist.
        """
        ...

    def messages(self, session_id: str) -> AsyncIterator[StoredMessage]:
        """The session's messages in their order."""
        ...

    async def remove_message(self, session_id: str, message_id: str) -> None:
        """Remove a message and with it its key."""
        ...

    async def close(self) -> None:
        """Give every claim up and let go of the store."""
        ...
