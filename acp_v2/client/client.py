"""A client for one agent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError

from acp_v2 import __version__
from acp_v2.acp_error import AcpError
from acp_v2.client.link import Agent, Connect, Link
from acp_v2.client.outbox import Outbox
from acp_v2.client.session import Session
from acp_v2.client.submission import Submission
from acp_v2.connection import Call, Handlers, Limits, RequestHandler, Result
from acp_v2.errors import RequestCancelled
from acp_v2.methods import PROTOCOL_VERSION
from acp_v2.models import (
    CancelledPermissionOutcome,
    ClientCapabilities,
    CreateElicitationRequest,
    CreateElicitationResponse,
    ElicitationCapabilities,
    ElicitationFormCapabilities,
    ElicitationUrlCapabilities,
    Implementation,
    InitializeRequest,
    McpServer,
    RequestPermissionRequest,
    RequestPermissionResponse,
    SelectedPermissionOutcome,
    SessionInfo,
    UpdateSessionNotification,
)
from acp_v2.transports import MessageRefused
from acp_v2.transports.process import spawn
from acp_v2.transports.remote import connect as connect_to
from acp_v2.wire_model import WireModel

_LOG = logging.getLogger(__name__)

OnPermission = Callable[[RequestPermissionRequest], Awaitable[str | None]]
"""Asks the user; gives the `optionId` that was chosen, or None where none was."""

OnElicitation = Callable[[CreateElicitationRequest], Awaitable[CreateElicitationResponse]]
"""Asks the user; gives what was entered, or that the user declined or cancelled."""


class Client:
    """Talks to an agent, and to the next one when the connection is lost.

        async with Client.spawn(["my-agent"], outbox=await Outbox.open("outbox.sqlite3")) as client:
            session = await client.new_session("/home/user/project")
            submission = await session.prompt("Hello")
            message_id = await submission

    Args:
        connect: makes a transport to the agent.
        outbox: where prompts are kept until their outcome is known; by default in memory. Whoever opened one closes it.
        info: who the client is.
        capabilities: what it offers; elicitation is added where `on_elicitation` is given.
        login: the authentication method to sign in with on each connection.
        on_permission: answers `session/request_permission`; without it, each is answered as cancelled.
        on_elicitation: answers `elicitation/create`; without it, elicitation is not offered.
        handlers: what else the agent may ask or tell, by method.
        patience: for how many seconds a lost connection is tried again; None: for ever. After that the events of all
            sessions end, and what is pending in them is held.
        limits: what the agent can make the client hold.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        outbox: Outbox | None = None,
        info: Implementation | None = None,
        capabilities: ClientCapabilities | None = None,
        login: str | None = None,
        on_permission: OnPermission | None = None,
        on_elicitation: OnElicitation | None = None,
        handlers: Handlers | None = None,
        patience: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._outbox = outbox
        self._owns_outbox = outbox is None
        self._on_permission = on_permission
        self._on_elicitation = on_elicitation
        self._sessions: dict[str, Session] = {}
        self._early: dict[str, list[UpdateSessionNotification]] = {}
        self._creating = 0
        self._asked: dict[str, set[asyncio.Task[Any]]] = {}
        offered = capabilities or ClientCapabilities()
        if on_elicitation is not None and offered.elicitation is None:
            modes = ElicitationCapabilities(form=ElicitationFormCapabilities(), url=ElicitationUrlCapabilities())
            offered = offered.model_copy()
            offered.elicitation = modes
        hello = InitializeRequest(
            protocol_version=PROTOCOL_VERSION,
            info=info or Implementation(name="acp-v2", version=__version__),
            capabilities=offered,
        )
        self._link = Link(
            connect,
            self._handlers(handlers or Handlers()),
            hello,
            login=login,
            on_connected=self._connected,
            on_lost=self._lost,
            on_given_up=self._given_up,
            patience=patience,
            limits=limits,
        )
        self.agent: Agent | None = None
        """The agent of the newest connection."""

    @classmethod
    def spawn(
        cls,
        command: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """A client of an agent that it starts, and starts again when it ends. Options are those of `Client`."""
        return cls(partial(spawn, command, cwd=cwd, env=env), **options)

    @classmethod
    def to(cls, url: str, *, token: str | None = None, **options: Any) -> Self:
        """A client of an agent that listens at a `ws://` or `http://` URL. Options are those of `Client`."""
        return cls(partial(connect_to, url, token=token), **options)

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            TransportClosed: the agent cannot be reached, or ended at once.
            AcpError: it refused `initialize` or the login.
        """
        if self._outbox is None:
            self._outbox = await Outbox.open()
        self._outbox.listen(self._settled)
        try:
            self.agent = await self._link.open()
        except BaseException:
            await self._close_outbox()
            raise
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the agent. What is pending stays in the outbox."""
        await self._link.close()
        await self._end_sessions()
        await self._close_outbox()

    @property
    def outbox(self) -> Outbox:
        """Where prompts are kept."""
        if self._outbox is None:
            raise RuntimeError("the client is not open; use it with `async with`")
        return self._outbox

    # Sessions

    async def new_session(self, cwd: str | Path, *, mcp_servers: Sequence[McpServer] = (), **more: Any) -> Session:
        """Create a session.

        Args:
            cwd: its working directory, an absolute path.
            mcp_servers: what the agent is to connect to.
            more: further fields of `NewSessionRequest`, by their names on the wire.

        Raises:
            OutcomeUnknown: the response was lost, so that an unused session may exist.
            AcpError, TransportClosed: as `request`.
        """
        setup = _setup(cwd, mcp_servers, more)
        return await self._create("session/new", setup, setup)

    async def resume_session(
        self,
        session_id: str,
        cwd: str | Path,
        *,
        replays: bool = False,
        mcp_servers: Sequence[McpServer] = (),
        **more: Any,
    ) -> Session:
        """Go on with a session. What is pending in it is sent as soon as it is active.

        Args:
            session_id: the session.
            cwd: its working directory, an absolute path.
            replays: whether its history comes as updates first.
            mcp_servers: what the agent is to connect to.
            more: further fields of `ResumeSessionRequest`, by their names on the wire.

        Raises:
            AcpError: the agent's error. With `ResourceNotFound` there is no such session, and what is pending in it
                fails; with any other, that is held.
            TransportClosed: as `request`.
        """
        await self._forget(self._sessions.get(session_id))
        session = self._sessions[session_id] = Session(self, session_id, _setup(cwd, mcp_servers, more))
        try:
            await self._activate(session, replays=replays)
        except BaseException:
            await self._forget(session)
            raise
        return session

    async def fork_session(
        self, session: Session, cwd: str | Path | None = None, *, mcp_servers: Sequence[McpServer] = (), **more: Any
    ) -> Session:
        """Make a session with the history of another. Raises as `new_session`."""
        setup = _setup(session.setup["cwd"] if cwd is None else cwd, mcp_servers, more)
        return await self._create("session/fork", {"sessionId": session.id, **setup}, setup)

    async def list_sessions(self, cwd: str | Path | None = None) -> AsyncIterator[SessionInfo]:
        """All sessions that the agent has, or those of one directory, page by page. Raises as `request`."""
        params: dict[str, Any] = {} if cwd is None else {"cwd": str(cwd)}
        while True:
            page = await self.request("session/list", params)
            for info in page.sessions:
                yield info
            if page.next_cursor is None:
                return
            params["cursor"] = page.next_cursor

    async def close_session(self, session: Session) -> None:
        """As `Session.close`."""
        await self.outbox.cancel_session(session.id)
        self._stop_asking(session.id)
        await self.request("session/close", {"sessionId": session.id})
        await self._forget(session)

    async def delete_session(self, session_id: str) -> None:
        """End a session and remove it with its history. Raises as `request`."""
        await self.outbox.cancel_session(session_id)
        self._stop_asking(session_id)
        await self.request("session/delete", {"sessionId": session_id})
        await self._forget(self._sessions.get(session_id))

    async def cancel(self, session: Session) -> None:
        """As `Session.cancel`."""
        await self.outbox.cancel_session(session.id)
        self._stop_asking(session.id)
        session.cancel_on(self.agent)

    async def request(self, method: str, params: WireModel | Mapping[str, Any] | None = None) -> Any:
        """Ask the agent anything; after a lost response the method's retry class says whether it is asked again.

        Raises:
            AcpError: the agent's error.
            OutcomeUnknown: the response was lost, and a repeat could do it a second time.
            TransportClosed: the response was lost, and belonged to its connection; or there is no connection any more.
            MessageRefused, pydantic.ValidationError: the agent did not take the request, or its answer is malformed.
        """
        return (await self._link.request(method, params))[1]

    # Connections

    async def _connected(self, agent: Agent) -> None:
        self.agent = agent
        for session in [session for session in self._sessions.values() if session.is_established]:
            try:
                await session.activate(agent)
            except (AcpError, MessageRefused, ValidationError) as error:
                # It is gone, or cannot be had any more; the application learns it from its prompts and its events.
                _LOG.info("a session could not be resumed: %s", error)
                await self.outbox.refuse(session.id, error)
                await self._forget(session)

    async def _activate(self, session: Session, *, replays: bool = False) -> None:
        """Resume a session on the connection that there is, or on the next.

        Raises:
            AcpError: the agent's error.
            TransportClosed: there is no connection any more.
        """
        while True:
            agent = await self._link.agent()
            try:
                await session.activate(agent, replays=replays)
            except (AcpError, MessageRefused, ValidationError) as error:
                await self.outbox.refuse(session.id, error)
                raise
            except ConnectionError:
                continue
            return

    async def _lost(self) -> None:
        self._early.clear()
        self._stop_asking(*self._asked)
        for session in list(self._sessions.values()):
            await session.lost()

    async def _given_up(self, error: Exception) -> None:
        for session in list(self._sessions.values()):
            self.outbox.hold_session(session.id, f"the agent cannot be reached any more: {error}")
        await self._end_sessions()

    async def _create(self, method: str, params: Mapping[str, Any], setup: Mapping[str, Any]) -> Session:
        self._creating += 1
        try:
            agent, created = await self._link.request(method, params)
            return await self._begin(agent, created.session_id, setup)
        finally:
            self._creating -= 1
            if self._creating == 0:
                self._early.clear()

    async def _begin(self, agent: Agent, session_id: str, setup: Mapping[str, Any]) -> Session:
        """A session that one connection has made."""
        session = self._sessions[session_id] = Session(self, session_id, setup)
        for notification in self._early.pop(session_id, ()):
            session.updated(notification.update)
        try:
            if agent.connection.is_closed:
                await self._activate(session)
            else:
                await session.deliver(agent)
        except BaseException:
            await self._forget(session)
            raise
        return session

    async def _forget(self, session: Session | None) -> None:
        if session is not None:
            if self._sessions.get(session.id) is session:
                del self._sessions[session.id]
            await session.end()

    async def _end_sessions(self) -> None:
        for session in list(self._sessions.values()):
            await self._forget(session)

    def _settled(self, submission: Submission) -> None:
        session = self._sessions.get(submission.session_id)
        if session is not None:
            session.settled(submission)

    async def _close_outbox(self) -> None:
        if self._outbox is not None:
            self._outbox.unlisten(self._settled)
            if self._owns_outbox:
                await self._outbox.close()
                self._outbox = None

    # What the agent asks and tells

    def _handlers(self, own: Handlers) -> Handlers:
        requests: dict[str, RequestHandler] = {"session/request_permission": self._permit}
        if self._on_elicitation is not None:
            requests["elicitation/create"] = self._elicit
        return Handlers(
            {**requests, **own.requests},
            {**own.notifications, "session/update": self._updated},
        )

    async def _updated(self, call: Call[UpdateSessionNotification]) -> None:
        session = self._sessions.get(call.params.session_id)
        if session is not None:
            session.updated(call.params.update)
        elif self._creating:
            # Updates of a new session may overtake the answer that names it.
            early = self._early.setdefault(call.params.session_id, [])
            if len(self._early) <= _MAX_EARLY and len(early) < _MAX_EARLY:
                early.append(call.params)

    async def _permit(self, call: Call[RequestPermissionRequest]) -> Result:
        if self._on_permission is None:
            return RequestPermissionResponse(outcome=CancelledPermissionOutcome())
        try:
            chosen = await self._ask(call, call.params.session_id, self._on_permission(call.params))
        except asyncio.CancelledError:
            chosen = None
        outcome = CancelledPermissionOutcome() if chosen is None else SelectedPermissionOutcome(option_id=chosen)
        return RequestPermissionResponse(outcome=outcome)

    async def _elicit(self, call: Call[Any]) -> Result:
        assert self._on_elicitation is not None
        try:
            return await self._ask(call, getattr(call.params, "session_id", ""), self._on_elicitation(call.params))
        except asyncio.CancelledError:
            raise RequestCancelled("The question was withdrawn") from None

    async def _ask(self, call: Call[Any], session_id: str, question: Awaitable[Any]) -> Any:
        """Ask the user, until the agent takes the question back or the session is cancelled."""
        asking = asyncio.ensure_future(question)
        asked = self._asked.setdefault(session_id, set())
        asked.add(asking)
        call.on_cancel(lambda: _cancel(asking))
        try:
            return await asking
        finally:
            asked.discard(asking)
            if not asked:
                self._asked.pop(session_id, None)

    def _stop_asking(self, *session_ids: str) -> None:
        for session_id in session_ids:
            for asking in self._asked.get(session_id, ()):
                asking.cancel()


_MAX_EARLY = 1000


def _cancel(asking: asyncio.Future[Any]) -> None:
    asking.cancel()


def _setup(cwd: str | Path, mcp_servers: Sequence[McpServer], more: Mapping[str, Any]) -> dict[str, Any]:
    setup: dict[str, Any] = {"cwd": str(cwd), **more}
    if mcp_servers:
        setup["mcpServers"] = [server.to_wire() for server in mcp_servers]
    return setup
