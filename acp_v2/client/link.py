"""Keeps a client connected to one agent: connects, initialises, and does both again whenever the connection is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import stamina
from pydantic import ValidationError

from acp_v2.client.errors import OutcomeUnknown
from acp_v2.connection import Connection, Handlers, Limits
from acp_v2.errors import UnsupportedProtocolVersion
from acp_v2.method import AfterLostResponse
from acp_v2.methods import METHODS, PROTOCOL_VERSION
from acp_v2.models import InitializeRequest, InitializeResponse
from acp_v2.transports import NotDelivered, Transport, TransportClosed
from acp_v2.wire_model import WireModel

_LOG = logging.getLogger(__name__)

Connect = Callable[[], Awaitable[Transport]]
"""Makes a new transport to the agent; raises `TransportClosed` where that fails."""

OnConnected = Callable[["Agent"], Awaitable[None]]

POSTS: Final = 5
"""How often one message is handed to a connection that goes on, before a new connection is tried."""

_SECONDS_TO_INITIALIZE = 60.0
_SHORT_LIFE = 5.0
_LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent at the other end of one connection.

    Attributes:
        connection: the way to it.
        version: the protocol version that was agreed on.
        greeting: its answer to `initialize`; None where it speaks ACP v1.
    """

    connection: Connection
    version: int
    greeting: InitializeResponse | None

    @property
    def has_keys(self) -> bool:
        """Whether it speaks v2, so that what was lost may be sent again."""
        return self.version >= PROTOCOL_VERSION


class Link:
    """Stays connected.

    Args:
        connect: makes a transport.
        handlers: what the client does with the agent's messages.
        hello: the params of `initialize`.
        login: the authentication method to sign in with after `initialize`, where one is needed.
        on_connected: resumes what was active, before anything else is sent.
        on_lost: told when a connection has ended.
        on_given_up: told when no further one is tried, and why.
        patience: for how many seconds a lost connection is tried again; None: for ever.
        limits: what the agent can make the client hold.
    """

    def __init__(
        self,
        connect: Connect,
        handlers: Handlers,
        hello: InitializeRequest,
        *,
        login: str | None = None,
        on_connected: OnConnected,
        on_lost: Callable[[], Awaitable[None]],
        on_given_up: Callable[[Exception], Awaitable[None]],
        patience: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._connect = connect
        self._handlers = handlers
        self._hello = hello
        self._login = login
        self._on_connected = on_connected
        self._on_lost = on_lost
        self._on_given_up = on_given_up
        self._patience = patience
        self._limits = limits
        self._agent: asyncio.Future[Agent] | None = None
        self._serving: asyncio.Task[None] | None = None
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> Agent:
        """Connect for the first time, and stay connected from then on.

        Raises:
            TransportClosed: the agent cannot be reached, or ended at once.
            AcpError: it refused `initialize` or the login.
        """
        agent, self._serving = await self._begin()
        self._agent = asyncio.get_running_loop().create_future()
        self._agent.set_result(agent)
        self._running = asyncio.create_task(self._stay(agent, self._serving))
        return agent

    async def close(self) -> None:
        """Let go of the agent."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])

    async def agent(self) -> Agent:
        """The agent, when it is connected.

        Raises:
            TransportClosed: it is not and will not be.
        """
        while True:
            if self._agent is None or self._serving is None:
                raise TransportClosed("the client is not open")
            agent = await asyncio.shield(self._agent)
            if not agent.connection.is_closed:
                return agent
            # `_stay` notices in a moment, and has the next one come.
            await asyncio.wait([self._serving])
            await asyncio.sleep(0)

    async def request(self, method: str, params: WireModel | Mapping[str, Any] | None = None) -> tuple[Agent, Any]:
        """Ask the agent, and again on a new connection where the method's retry class allows it.

        Returns the agent that answered, and its result.

        Raises:
            AcpError: the agent's error.
            OutcomeUnknown: the response was lost, and a repeat could do it a second time.
            TransportClosed: the response was lost, and belonged to its connection; or there is no connection any more.
            MessageRefused, pydantic.ValidationError: the agent did not take the request, or its answer is malformed.
        """
        while True:
            agent = await self.agent()
            try:
                retries = stamina.retry_context(on=_is_undelivered(agent, method, params), attempts=POSTS, timeout=None)
                async for attempt in retries:
                    with attempt:
                        return agent, await agent.connection.request(method, params)
            except (TransportClosed, NotDelivered) as error:
                if _belongs_to_connection(method):
                    raise TransportClosed(f"the response to {method} was lost with its connection") from error
                if not _may_repeat(agent, method, params):
                    raise OutcomeUnknown(_what_to_do(method)) from error
                if isinstance(error, NotDelivered):
                    _LOG.info("%s does not get through; trying a new connection", method)
                    await agent.connection.close()

    async def _begin(self) -> tuple[Agent, asyncio.Task[None]]:
        connection = Connection(await self._connect(), "client", self._handlers, self._limits)
        serving = asyncio.create_task(connection.run())
        try:
            async with asyncio.timeout(_SECONDS_TO_INITIALIZE):
                agent = await self._greet(connection)
            await self._on_connected(agent)
        except BaseException as error:
            await connection.close()
            await asyncio.wait([serving])
            if isinstance(error, TimeoutError):
                raise TransportClosed(f"no answer to initialize in {_SECONDS_TO_INITIALIZE:g} seconds") from None
            raise
        return agent, serving

    async def _greet(self, connection: Connection) -> Agent:
        response = await connection.ask("initialize", self._hello)
        if response.error is not None:
            raise response.error
        version = _version_of(response.result)
        if version > PROTOCOL_VERSION or version < 1:
            raise UnsupportedProtocolVersion(
                f"The agent chose version {version}; this client speaks {PROTOCOL_VERSION}"
            )
        greeting = None
        if version == PROTOCOL_VERSION:
            try:
                greeting = InitializeResponse.from_wire(response.result)
            except ValidationError as error:
                raise TransportClosed(f"the agent's answer to initialize is malformed: {error}") from None
        if self._login is not None:
            await connection.request("auth/login", {"methodId": self._login})
        return Agent(connection, version, greeting)

    async def _stay(self, agent: Agent, serving: asyncio.Task[None]) -> None:
        loop = asyncio.get_running_loop()
        short_lives = 0
        try:
            while True:
                began = loop.time()
                await asyncio.wait([serving])
                # First, because closing may take a while and `agent` is not to ask again and again meanwhile.
                self._agent = loop.create_future()
                await agent.connection.close()
                await self._on_lost()
                short_lives = short_lives + 1 if loop.time() - began < _SHORT_LIFE else 0
                if short_lives > 1:
                    # What ends again as soon as it is there, ends perhaps because of what it is sent.
                    await asyncio.sleep(min(_LONGEST_WAIT, 0.1 * 2**short_lives))
                agent, serving = await self._begin_again()
                self._serving = serving
                self._agent.set_result(agent)
        except asyncio.CancelledError:
            self._give_up(TransportClosed("the client is closed"))
            await agent.connection.close()
            await asyncio.wait([serving])
        except Exception as error:  # noqa: BLE001  # whoever waits for the agent is told
            _LOG.warning("the agent cannot be reached any more: %s", error)
            self._give_up(error)
            await self._on_given_up(error)

    async def _begin_again(self) -> tuple[Agent, asyncio.Task[None]]:
        retries = stamina.retry_context(
            on=(TransportClosed, OSError), attempts=None, timeout=self._patience, wait_max=_LONGEST_WAIT
        )
        async for attempt in retries:
            with attempt:
                return await self._begin()
        raise AssertionError  # the context either returns or raises

    def _give_up(self, error: Exception) -> None:
        assert self._agent is not None
        if self._agent.done():
            self._agent = asyncio.get_running_loop().create_future()
        self._agent.set_exception(error)
        self._agent.exception()  # asyncio complains of what nobody took


def _is_undelivered(agent: Agent, method: str, params: Any) -> Callable[[Exception], bool]:
    """Says of an error whether the same connection is tried once more."""
    return lambda error: isinstance(error, NotDelivered) and _may_repeat(agent, method, params)


def _may_repeat(agent: Agent, method: str, params: Any) -> bool:
    if not agent.has_keys or method not in METHODS:
        return False
    after = METHODS[method].after_lost_response(params)
    return after in (AfterLostResponse.SEND_AS_IS, AfterLostResponse.SEND_WITH_SAME_KEY)


def _belongs_to_connection(method: str) -> bool:
    return method in METHODS and METHODS[method].after_lost_response() is AfterLostResponse.DO_NOT_SEND


_WHAT_TO_DO: Mapping[str, str] = {
    "session/new": "An unused session may exist; ask for another one, or look for it with session/list first.",
    "session/fork": "An unused fork may exist; ask for another one, or look for it with session/list first.",
    "session/prompt": "Without a key it may be inserted; resume the session with its history and look for it.",
}


def _what_to_do(method: str) -> str:
    more = _WHAT_TO_DO.get(method, "Whether it took effect only the application can find out.")
    return f"The response to {method[:100]} was lost. {more}"


def _version_of(result: Any) -> int:
    version = cast("dict[str, Any]", result).get("protocolVersion") if isinstance(result, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise TransportClosed("the agent's answer to initialize names no protocol version")
    return version
