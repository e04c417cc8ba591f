"""A session that is in memory: on which connections it is active, what it is doing, and what waits."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

from acp_v2.agent.script import Prompt
from acp_v2.agent.turns import Turns
from acp_v2.agent.work import Update, Work
from acp_v2.connection import Connection
from acp_v2.errors import RequestCancelled, ResourceNotFound
from acp_v2.idempotency import Insertion, Store, StoredMessage, StoredSession
from acp_v2.idempotency_key import IdempotencyKey
from acp_v2.models import AgentMessage, UserMessage
from acp_v2.wire_model import WireModel


class LiveSession:
    """One session in memory.

    The store and what the clients are told stay in step because of two things: an update is sent in the same step in
    which the state changes, and a message is stored under the lock under which history is replayed.

    Args:
        stored: the session as it is stored.
        store: where its messages are.
        holds: whether a prompt that comes while it is busy waits until it is not.
        when_quiet: called each time its work has ended.
    """

    def __init__(
        self, stored: StoredSession, store: Store, *, holds: bool, when_quiet: Callable[[LiveSession], None]
    ) -> None:
        self.id = stored.id
        self.cwd = stored.cwd
        self.turns = Turns(lambda: not (holds and self.work.is_busy))
        self.work = Work(self, self._work_ended)
        self._store = store
        self._when_quiet = when_quiet
        self._audience: list[Connection] = []
        self._lock = asyncio.Lock()
        self._visitors = 0
        self._cancels = 0
        self._is_closed = False

    # Who sees it

    def is_active_on(self, connection: Connection) -> bool:
        """Whether a client has created or resumed it on this connection."""
        return connection in self._audience

    @property
    def is_active(self) -> bool:
        """Whether it is active on any connection."""
        return bool(self._audience)

    @property
    def is_needed(self) -> bool:
        """Whether anybody or anything would miss it."""
        return bool(self._audience or self._visitors or self.work.is_busy or not self.turns.is_empty)

    @contextmanager
    def visited(self) -> Generator[None]:
        """Keep it in memory while somebody is about to make it active."""
        self._visitors += 1
        try:
            yield
        finally:
            self._visitors -= 1

    def join(self, connection: Connection) -> None:
        """Make it active on a connection."""
        if connection not in self._audience and not connection.is_closed:
            self._audience.append(connection)

    def leave(self, connection: Connection) -> None:
        """It is not active on this connection any more."""
        if connection in self._audience:
            self._audience.remove(connection)

    async def show(self, connection: Connection, *, replays: bool) -> None:
        """Make it active on a connection: history where it is asked for, then how things stand.

        Raises:
            ResourceNotFound: it was closed meanwhile.
        """
        async with self._lock:
            if replays:
                async for message in self._store.messages(self.id):
                    self._tell_one(connection, _as_update(message))
                    await connection.room()
            if self._is_closed:
                raise no_such_session(self.id)
            self.join(connection)
            for update in self.work.snapshot():
                self._tell_one(connection, update)

    # What happens in it

    def tell(self, update: Update) -> None:
        """Send an update to everybody on whose connection it is active."""
        for connection in self._audience:
            self._tell_one(connection, update)

    @property
    def is_behind(self) -> bool:
        """Whether one of them is behind with reading."""
        return any(connection.is_behind for connection in self._audience)

    async def room(self) -> None:
        """Wait while one of them is behind with reading."""
        for connection in list(self._audience):
            await connection.room()

    async def keep(self, message: StoredMessage) -> None:
        """Add a message to its history."""
        async with self._lock:
            await self._store.add_message(self.id, message, None)

    async def insert(self, prompt: Prompt, key: IdempotencyKey | None) -> Insertion:
        """Insert a prompt's message, tell of it, and begin to work on it.

        Raises:
            RequestCancelled: the session was closed before it came to that.
            StoreError: the store could not do it.
        """
        cancels = self._cancels
        async with self._lock:
            if self._is_closed:
                raise RequestCancelled
            message = StoredMessage(str(uuid.uuid4()), "user", prompt.content)
            if prompt.is_retained:
                insertion = await self._store.add_message(self.id, message, key)
            else:
                insertion = Insertion(message.id, is_retained=False)
            if insertion.is_new:
                self.tell(_as_update(replace(message, id=insertion.message_id)))
                self.work.begin(prompt)
                if cancels != self._cancels:
                    # It came before the cancel, so its work is meant too.
                    self.work.stop()
        return insertion

    def cancel(self) -> None:
        """Break off what it is doing."""
        self._cancels += 1
        self.work.stop()

    async def close(self) -> None:
        """End it: nothing is inserted any more, its work is cancelled, and then nobody is told anything any more."""
        self._is_closed = True
        async with self._lock:
            pass  # What is being inserted is inserted by now, and its work begun.
        self.cancel()
        await self.work.ended()
        self._audience.clear()

    def _work_ended(self) -> None:
        self.turns.advance()
        self._when_quiet(self)

    def _tell_one(self, connection: Connection, update: Update) -> None:
        fields = update.to_wire() if isinstance(update, WireModel) else update
        connection.tell("session/update", {"sessionId": self.id, "update": fields})


def no_such_session(session_id: str) -> ResourceNotFound:
    """The answer where a session does not exist, or is not active on the connection."""
    return ResourceNotFound("There is no such session on this connection", {"sessionId": session_id})


def _as_update(message: StoredMessage) -> WireModel:
    kind = UserMessage if message.role == "user" else AgentMessage
    return kind.from_wire(
        {"sessionUpdate": f"{message.role}_message", "messageId": message.id, "content": message.content}
    )
