"""The reference agent: which method is served by which part, and how a connection begins and ends."""

from __future__ import annotations

import logging
from typing import Any, Final, Literal

from acp_v2 import __version__
from acp_v2.agent.greeting import Greeting
from acp_v2.agent.lifecycle import Lifecycle
from acp_v2.agent.live_session import no_such_session
from acp_v2.agent.prompts import Prompts
from acp_v2.agent.sessions import Sessions
from acp_v2.connection import Call, Connection, Handlers, Limits, RequestHandler, Result
from acp_v2.errors import InternalError
from acp_v2.idempotency import NoSuchSessionError, Observer, Store, StoreError, Submissions
from acp_v2.models import Implementation
from acp_v2.transports import Transport

_LOG = logging.getLogger(__name__)

_REFERENCE: Final = Implementation(name="acp-v2-reference", title="ACP v2 reference agent", version=__version__)


class ReferenceAgent:
    """A small, complete agent that follows scripts instead of a model.

    Args:
        store: where sessions, messages and keys are kept. Whoever opened it closes it after the agent.
        while_busy: `hold` a prompt that comes while its session is busy until it is not, or `insert` it at once.
        on_disconnect: `keep` held prompts when the connection that they came on ends, or `drop` those that nobody on
            another connection waits for.
        observer: told of prompts and what became of them.
        limits: what one peer can make the agent hold.
        info: what it says it is.
    """

    def __init__(
        self,
        store: Store,
        *,
        while_busy: Literal["hold", "insert"] = "hold",
        on_disconnect: Literal["keep", "drop"] = "keep",
        observer: Observer | None = None,
        limits: Limits | None = None,
        info: Implementation | None = None,
    ) -> None:
        self._drops = on_disconnect == "drop"
        self._limits = limits
        self._info = info or _REFERENCE
        self._submissions = Submissions(store, observer=observer)
        self._sessions = Sessions(store, self._submissions, holds=while_busy == "hold")
        self._prompts = Prompts(self._sessions, self._submissions)
        lifecycle = Lifecycle(store, self._sessions)
        requests: dict[str, RequestHandler] = {
            "session/new": lifecycle.new,
            "session/list": lifecycle.list,
            "session/resume": lifecycle.resume,
            "session/fork": lifecycle.fork,
            "session/close": lifecycle.close,
            "session/delete": lifecycle.delete,
            "session/prompt": self._prompts.prompt,
        }
        self._handlers = Handlers(
            {method: _over_store(handler) for method, handler in requests.items()},
            {"session/cancel": self._prompts.cancel},
        )

    async def serve(self, transport: Transport) -> None:
        """Serve one of several peers until it is gone."""
        connection = self._connect(transport)
        try:
            await connection.run()
        finally:
            self._disconnected(connection)
            await connection.close()

    async def serve_alone(self, transport: Transport) -> None:
        """Serve the only peer until it sends no more, and end with it; what it asked by then is answered."""
        connection = self._connect(transport)
        try:
            await connection.run()
        finally:
            await self.close()
            await connection.settle()
            await connection.close()

    async def close(self) -> None:
        """Withdraw what is held, break off all work, and wait for what is being inserted."""
        await self._submissions.close()
        await self._sessions.close_all()

    def _connect(self, transport: Transport) -> Connection:
        return Connection(transport, "agent", Greeting(self._info).guard(self._handlers), self._limits)

    def _disconnected(self, connection: Connection) -> None:
        if self._drops:
            self._prompts.drop(connection)
        self._sessions.disconnected(connection)


def _over_store(handler: RequestHandler) -> RequestHandler:
    """A handler whose requests fail with the store, and say so."""

    async def handle(call: Call[Any]) -> Result:
        try:
            return await handler(call)
        except NoSuchSessionError:
            # It was there a moment ago, and somebody has deleted it since.
            raise no_such_session(call.params.session_id) from None
        except StoreError as error:
            _LOG.error("%s failed: %s", call.method, error)  # a trace says no more
            raise InternalError("The store could not do it") from None

    return handle
