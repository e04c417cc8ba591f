"""How sessions begin, are found again, and end."""

from __future__ import annotations

import posixpath
import re
import time
import uuid
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from acp_v2.agent.live_session import no_such_session
from acp_v2.agent.sessions import Sessions
from acp_v2.connection import Call
from acp_v2.errors import InvalidParams
from acp_v2.idempotency import Store, StoredSession
from acp_v2.models import (
    CloseSessionRequest,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    NewSessionRequest,
    NewSessionResponse,
    ReplayFromStart,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionInfo,
)

PAGE: Final = 50
"""How many sessions `session/list` reports at once."""

_CURSOR = re.compile(r"[0-9a-f]{32}")


class Lifecycle:
    """Serves `session/new`, `list`, `resume`, `fork`, `close` and `delete`.

    Args:
        store: where sessions are kept.
        sessions: which of them are in memory.
    """

    def __init__(self, store: Store, sessions: Sessions) -> None:
        self._store = store
        self._sessions = sessions

    async def new(self, call: Call[NewSessionRequest]) -> NewSessionResponse:
        """Create a session, active on the connection."""
        _check_setup(call.params)
        stored = _new_session(call.params.cwd)
        await self._store.create_session(stored)
        self._sessions.add(stored).join(call.connection)
        return NewSessionResponse(session_id=stored.id)

    async def fork(self, call: Call[ForkSessionRequest]) -> ForkSessionResponse:
        """Create a session with the history of another and none of its keys, active on the connection."""
        _check_setup(call.params)
        if await self._store.find_session(call.params.session_id) is None:
            raise no_such_session(call.params.session_id)
        stored = _new_session(call.params.cwd)
        await self._store.fork_session(call.params.session_id, stored)
        self._sessions.add(stored).join(call.connection)
        return ForkSessionResponse(session_id=stored.id)

    async def list(self, call: Call[ListSessionsRequest]) -> ListSessionsResponse:
        """One page of the sessions in the store."""
        params = call.params
        if params.cursor is not None and not _CURSOR.fullmatch(params.cursor):
            raise InvalidParams("The cursor is not one of this agent's", {"pointer": "/params/cursor"})
        cwd = None if params.cwd is None else _normal(params.cwd)
        found = await self._store.list_sessions(cwd=cwd, after=params.cursor, limit=PAGE + 1)
        response = ListSessionsResponse(sessions=[_info(stored) for stored in found[:PAGE]])
        if len(found) > PAGE:
            response.next_cursor = found[PAGE - 1].id
        return response

    async def resume(self, call: Call[ResumeSessionRequest]) -> ResumeSessionResponse:
        """Make a session active on the connection, with its history first where that is asked for."""
        params = call.params
        _check_setup(params)
        if params.replay_from is not None and not isinstance(params.replay_from, ReplayFromStart):
            raise InvalidParams("This agent replays from the start alone", {"pointer": "/params/replayFrom/type"})
        live = await self._sessions.open(params.session_id)
        with live.visited():
            if _normal(params.cwd) != live.cwd:
                raise InvalidParams("The session has another working directory", {"pointer": "/params/cwd"})
            await live.show(call.connection, replays=params.replay_from is not None)
        return ResumeSessionResponse()

    async def close(self, call: Call[CloseSessionRequest]) -> CloseSessionResponse:
        """End a session wherever it is active or at work; where it is not, there is nothing to do.

        Not only on this connection: whoever sends `session/close` again after a reconnect means the session that he
        left behind on the old one, which may work on, or not have been noticed to be gone.
        """
        await self._sessions.close(call.params.session_id)
        return CloseSessionResponse()

    async def delete(self, call: Call[DeleteSessionRequest]) -> DeleteSessionResponse:
        """End a session wherever it is active, and remove it with its messages and their keys."""
        await self._sessions.close(call.params.session_id)
        await self._store.delete_session(call.params.session_id)
        return DeleteSessionResponse()


def _check_setup(params: Any) -> None:
    """Refuse what a session is to be set up with and this agent does not advertise."""
    if not PurePath(params.cwd).is_absolute():
        raise InvalidParams("The path is not absolute", {"pointer": "/params/cwd"})
    if params.mcp_servers:
        raise InvalidParams("This agent connects to no MCP servers", {"pointer": "/params/mcpServers/0"})
    if params.system_prompt is not None:
        raise InvalidParams("This agent takes no system prompt", {"pointer": "/params/systemPrompt"})


def _new_session(cwd: str) -> StoredSession:
    now = time.time()
    return StoredSession(uuid.uuid4().hex, _normal(cwd), created=now, updated=now)


def _normal(path: str) -> str:
    return posixpath.normpath(path) if path.startswith("/") else path


def _info(stored: StoredSession) -> SessionInfo:
    updated = datetime.fromtimestamp(stored.updated, UTC).isoformat(timespec="milliseconds")
    info = SessionInfo(session_id=stored.id, cwd=stored.cwd, updated_at=updated.replace("+00:00", "Z"))
    if stored.title is not None:
        info.title = stored.title
    return info
