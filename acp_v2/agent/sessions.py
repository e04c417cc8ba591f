"""The sessions that are in memory, by id."""

from __future__ import annotations

from acp_v2.agent.live_session import LiveSession, no_such_session
from acp_v2.connection import Connection
from acp_v2.idempotency import Store, StoredSession, Submissions


class Sessions:
    """Which sessions are in memory, and which of them are active on a connection.

    Args:
        store: where sessions are kept.
        submissions: told when a session is not active any more.
        holds: whether prompts that come while a session is busy are held.
    """

    def __init__(self, store: Store, submissions: Submissions, *, holds: bool) -> None:
        self._store = store
        self._submissions = submissions
        self._holds = holds
        self._live: dict[str, LiveSession] = {}

    def active(self, connection: Connection, session_id: str) -> LiveSession:
        """A session that is active on a connection. Nothing is looked up for anybody else.

        Raises:
            ResourceNotFound: it is not active there.
        """
        if not self.is_active(connection, session_id):
            raise no_such_session(session_id)
        return self._live[session_id]

    def is_active(self, connection: Connection, session_id: str) -> bool:
        """Whether a session is active on a connection."""
        live = self._live.get(session_id)
        return live is not None and live.is_active_on(connection)

    async def open(self, session_id: str) -> LiveSession:
        """A session that is in memory from now on; enter its `visited` before anything is awaited.

        Raises:
            ResourceNotFound: there is no such session.
        """
        stored = await self._store.find_session(session_id)
        if stored is None:
            raise no_such_session(session_id)
        return self._live.get(session_id) or self.add(stored)

    def add(self, stored: StoredSession) -> LiveSession:
        """Take a session into memory."""
        live = LiveSession(stored, self._store, holds=self._holds, when_quiet=self.tidy)
        self._live[stored.id] = live
        return live

    def tidy(self, live: LiveSession) -> None:
        """Let go of what nobody needs."""
        if not live.is_active:
            self._submissions.session_inactive(live.id)
        if not live.is_needed and self._live.get(live.id) is live:
            del self._live[live.id]

    def disconnected(self, connection: Connection) -> None:
        """A connection ended: its sessions are not active on it any more. Their work goes on."""
        for live in [live for live in self._live.values() if live.is_active_on(connection)]:
            live.leave(connection)
            self.tidy(live)

    def cancel(self, live: LiveSession) -> None:
        """Withdraw the prompts that a session holds, and break off its work."""
        self._submissions.cancel_session(live.id)
        live.cancel()

    async def close(self, session_id: str) -> None:
        """End a session on every connection, where it is in memory."""
        live = self._live.pop(session_id, None)
        if live is not None:
            self._submissions.cancel_session(session_id)
            await live.close()
            self.tidy(live)

    async def close_all(self) -> None:
        """End every session."""
        for session_id in list(self._live):
            await self.close(session_id)
