"""What an adapter brings: the runtime's sessions as a store, with the look-up of keys that the runtime does not do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager

from acp_v2.adapters.derived_ids import derived_message_id
from acp_v2.adapters.example.runtime import Runtime, RuntimeMessage, RuntimeSession
from acp_v2.adapters.message_id_index import MessageIdIndex
from acp_v2.idempotency import (
    Insertion,
    LocalKeys,
    NoSuchSessionError,
    Recorded,
    StoredMessage,
    StoredSession,
    StoreError,
)
from acp_v2.idempotency_key import IdempotencyKey

Index = MessageIdIndex[list[RuntimeMessage]]


class RuntimeSessions(LocalKeys):
    """A `Store` over the runtime. A key is recorded as the id of its message, and nowhere else.

    `Submissions` looks among the pending prompts and then asks `find_key`, which asks the index of the session. The
    runtime is told of a message only after that, because it would take it twice. Rules: ADAPT-01 to ADAPT-04.

    Args:
        runtime: where the sessions are, opened already.
    """

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(self._find)
        self._runtime = runtime
        self._indexes: dict[str, Index] = {}

    async def _find(self, session_id: str, key: IdempotencyKey) -> Recorded | None:
        message_id = derived_message_id(session_id, key)
        return Recorded(message_id) if await self._has(session_id, message_id) else None

    async def add_message(self, session_id: str, message: StoredMessage, key: IdempotencyKey | None) -> Insertion:
        """Have the runtime add a message, under the id that follows from its key. The key was looked up before.

        Where the runtime fails, it may have the message all the same. That is looked up, because an error would say
        that it was not inserted.

        Raises:
            NoSuchSessionError: the session does not exist.
            StoreError: the runtime failed, and does not have the message or cannot say.
        """
        message_id = message.id if key is None else derived_message_id(session_id, key)
        index = self._index(session_id)
        try:
            with _failing("store a message"):
                await self._runtime.append(session_id, RuntimeMessage(message_id, message.role, message.content))
        except StoreError:
            index.doubt()
            if message.role != "user" or not await self._has(session_id, message_id):
                raise
        if message.role == "user":
            index.add(message_id)
        return Insertion(message_id)

    async def messages(self, session_id: str) -> AsyncIterator[StoredMessage]:
        """The session's messages in their order. Whoever reads them all has filled the index."""
        with _failing("read a session's history"):
            async for page in self._index(session_id).replay():
                for message in page:
                    yield StoredMessage(message.id, message.role, message.content)

    async def remove_message(self, session_id: str, message_id: str) -> None:  # noqa: ARG002
        """The runtime removes whole sessions alone.

        Raises:
            StoreError: always.
        """
        raise StoreError("The runtime removes no single messages")

    async def create_session(self, session: StoredSession) -> None:
        """Add a session."""
        with _failing("store a session"):
            await self._runtime.create(_to_runtime(session))

    async def fork_session(self, session_id: str, fork: StoredSession) -> None:
        """Add a session with the messages of another. Their ids follow from the other's id, so that no key is known."""
        with _failing("fork a session"):
            await self._runtime.fork(session_id, _to_runtime(fork))

    async def find_session(self, session_id: str) -> StoredSession | None:
        """The session of that id, or None."""
        with _failing("read a session"):
            found = await self._runtime.find(session_id)
        return None if found is None else _from_runtime(found)

    async def list_sessions(
        self, *, cwd: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[StoredSession]:
        """Up to `limit` sessions by id, from behind the id `after`, of one working directory or all."""
        with _failing("list the sessions"):
            found = await self._runtime.sessions()
        fitting = (s for s in found if (cwd is None or s.cwd == cwd) and (after is None or s.id > after))
        return [_from_runtime(session) for session in fitting][: max(limit, 0)]

    async def delete_session(self, session_id: str) -> None:
        """Remove a session with its messages; nothing where it is not there."""
        with _failing("delete a session"):
            await self._runtime.delete(session_id)
        self._indexes.pop(session_id, None)

    async def close(self) -> None:
        """Let go of the runtime."""
        self._runtime.close()

    async def _has(self, session_id: str, message_id: str) -> bool:
        with _failing("read a session's history"):
            return await self._index(session_id).contains(message_id)

    def _index(self, session_id: str) -> Index:
        if session_id not in self._indexes:
            self._indexes[session_id] = MessageIdIndex(lambda: self._runtime.pages(session_id), user_message_ids)
        return self._indexes[session_id]


def user_message_ids(page: list[RuntimeMessage]) -> list[str]:
    """The ids that an index keeps of a page."""
    return [message.id for message in page if message.role == "user"]


@contextmanager
def _failing(what: str) -> Generator[None]:
    """Say what the runtime could not do."""
    try:
        yield
    except FileNotFoundError:
        raise NoSuchSessionError from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        # Without what the error says: that of a broken file may have a user's text in it.
        raise StoreError(f"The runtime could not {what}: {type(error).__name__}") from None


def _to_runtime(session: StoredSession) -> RuntimeSession:
    return RuntimeSession(session.id, session.cwd)


def _from_runtime(session: RuntimeSession) -> StoredSession:
    return StoredSession(session.id, session.cwd, updated=session.updated)
