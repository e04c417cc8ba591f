"""A store in memory, for one process: what it holds ends with it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Literal

from acp_v2.idempotency.lost_claims import LostClaims
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

Place = tuple[str, IdempotencyKey]
"""A session's id and a key in it."""


@dataclass(frozen=True, slots=True)
class _Message:
    role: Literal["user", "agent"]
    content: str
    """JSON text, so that nobody who has the message can change what is stored."""
    key: IdempotencyKey | None


@dataclass(slots=True)
class _Session:
    session: StoredSession
    messages: dict[str, _Message] = field(default_factory=dict[str, _Message])
    ids_by_key: dict[IdempotencyKey, str] = field(default_factory=dict[IdempotencyKey, str])


class MemoryStore:
    """Sessions, messages and keys of one process, and the claims of whoever shares the store in it."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._claims: dict[Place, MemoryClaim] = {}
        self._lost: LostClaims[MemoryClaim] = LostClaims()

    async def create_session(self, session: StoredSession) -> None:
        """Add a session.

        Raises:
            StoreError: there is one of that id.
        """
        if session.id in self._sessions:
            raise StoreError("There is a session of that id already")
        self._sessions[session.id] = _Session(session)

    async def find_session(self, session_id: str) -> StoredSession | None:
        """The session of that id, or None."""
        stored = self._sessions.get(session_id)
        return stored.session if stored else None

    async def list_sessions(
        self, *, cwd: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[StoredSession]:
        """Up to `limit` sessions by id, from behind the id `after`, of one working directory or all."""
        found = [
            stored.session
            for id_, stored in sorted(self._sessions.items())
            if (cwd is None or stored.session.cwd == cwd) and (after is None or id_ > after)
        ]
        return found[: max(limit, 0)]

    async def fork_session(self, session_id: str, fork: StoredSession) -> None:
        """Add a session with the messages of another, and none of its keys.

        Raises:
            NoSuchSessionError: the session does not exist.
            StoreError: there is one of the fork's id.
        """
        original = self._existing(session_id)
        await self.create_session(fork)
        self._sessions[fork.id].messages = {
            id_: _Message(message.role, message.content, None) for id_, message in original.messages.items()
        }

    async def delete_session(self, session_id: str) -> None:
        """Remove a session with its messages and their keys; nothing where it is not there."""
        self._sessions.pop(session_id, None)

    async def add_message(self, session_id: str, message: StoredMessage, key: IdempotencyKey | None) -> Insertion:
        """Insert a message and record its key in one step, unless the key is recorded already.

        Raises:
            NoSuchSessionError: the session does not exist.
            StoreError: it has a message of that id.
        """
        stored = self._existing(session_id)
        if key is not None and (recorded := stored.ids_by_key.get(key)) is not None:
            return Insertion(recorded, is_new=False)
        if message.id in stored.messages:
            raise StoreError("There is a message of that id already")
        stored.messages[message.id] = _Message(message.role, json.dumps(message.content), key)
        if key is not None:
            stored.ids_by_key[key] = message.id
        stored.session = replace(stored.session, updated=time.time())
        return Insertion(message.id)

    async def messages(self, session_id: str) -> AsyncIterator[StoredMessage]:
        """The session's messages in their order."""
        stored = self._sessions.get(session_id)
        for id_, message in list(stored.messages.items() if stored else ()):
            yield StoredMessage(id_, message.role, json.loads(message.content))

    async def remove_message(self, session_id: str, message_id: str) -> None:
        """Remove a message and with it its key; nothing where it is not there."""
        stored = self._sessions.get(session_id)
        message = stored.messages.pop(message_id, None) if stored else None
        if stored and message and message.key is not None:
            del stored.ids_by_key[message.key]

    async def find_key(self, session_id: str, key: IdempotencyKey) -> Recorded | None:
        """The message that the key was recorded for, or None."""
        stored = self._sessions.get(session_id)
        message_id = stored.ids_by_key.get(key) if stored else None
        if stored is None or message_id is None:
            return None
        return Recorded(message_id, json.loads(stored.messages[message_id].content))

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Recorded | Pending | None:
        """What there is of a key: a message, a claim, or nothing."""
        recorded = await self.find_key(session_id, key)
        return recorded or (Pending() if (session_id, key) in self._claims else None)

    async def claim(self, session_id: str, key: IdempotencyKey) -> Claim | Recorded | None:
        """Claim a key, unless there is a message that it was recorded for; None where somebody has claimed it."""
        if (recorded := await self.find_key(session_id, key)) is not None:
            return recorded
        place = (session_id, key)
        if (holder := self._claims.get(place)) is not None:
            self._lost.add(place, holder)
            return None
        claim = MemoryClaim(self._claims, place)
        self._claims[place] = claim
        return claim

    async def outcome(self, session_id: str, key: IdempotencyKey) -> Outcome | None:
        """Wait until a claim ends. None: it ended without an outcome."""
        place = (session_id, key)
        claim = self._lost.take(place) or self._claims.get(place)
        if claim is not None and (outcome := await asyncio.shield(claim.ended)) is not None:
            return outcome
        recorded = await self.find_key(session_id, key)
        return Outcome(recorded.message_id) if recorded else None

    async def withdraw(self, session_id: str, key: IdempotencyKey) -> None:
        """Ask whoever holds the claim to withdraw the prompt; nothing where nobody does."""
        if (claim := self._claims.get((session_id, key))) is not None:
            claim.withdrawal.set()

    async def close(self) -> None:
        """Give every claim up."""
        for claim in list(self._claims.values()):
            await claim.release(None)

    def _existing(self, session_id: str) -> _Session:
        if (stored := self._sessions.get(session_id)) is None:
            raise NoSuchSessionError
        return stored


class MemoryClaim:
    """A claim among those of a `MemoryStore`."""

    def __init__(self, claims: dict[Place, MemoryClaim], place: Place) -> None:
        self._claims = claims
        self._place = place
        self.withdrawal = asyncio.Event()
        self.ended: asyncio.Future[Outcome | None] = asyncio.get_running_loop().create_future()

    async def withdrawn(self) -> None:
        """Return when the prompt is to be withdrawn; otherwise never."""
        await self.withdrawal.wait()

    async def release(self, outcome: Outcome | None) -> None:
        """Give the claim up and tell who waits how it ended; once is enough."""
        if not self.ended.done():
            del self._claims[self._place]
            self.ended.set_result(outcome)
