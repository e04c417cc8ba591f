"""The suite for proxies and conductors: it plays everything around them."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Final, Self

from acp_v2 import __version__
from acp_v2.conformance.end import End
from acp_v2.conformance.options import Options
from acp_v2.conformance.raw_connection import Message
from acp_v2.conformance.run import Run
from acp_v2.conformance.runner import Suite
from acp_v2.conformance.scenarios import Steps
from acp_v2.conformance.stage import Stage
from acp_v2.conformance.targets import StdioTarget
from acp_v2.conformance.troubles import NoConnection
from acp_v2.conformance.witness import Witness
from acp_v2.methods import PROTOCOL_VERSION
from acp_v2.proxy import Proxy
from acp_v2.transports import Transport, TransportClosed

AGENT: Final = "{agent}"
PROXY: Final = "{proxy}"
_INFO: Final = {"name": "acpspec-conform", "version": __version__}
HELLO: Final[Message] = {"protocolVersion": PROTOCOL_VERSION, "info": _INFO}
GREETING: Final[Message] = {"protocolVersion": PROTOCOL_VERSION, "info": _INFO, "capabilities": {"session": {}}}


class ProxyUnderTest:
    """A proxy or a conductor, started for one scenario.

    Args:
        command: starts it. With `{agent}` in it, it is a conductor, which starts that as its agent; with `{proxy}` too,
            that as a proxy in between. Without, it is a proxy, whose conductor the suite is.
        env: its environment.
        options: how long to wait.
        witness: told of everything on the wire.
    """

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str] | None, options: Options, witness: Witness
    ) -> None:
        self.options = options
        self._command = command
        self._env = env
        self._witness = witness
        self._stack = AsyncExitStack()
        self._stages: dict[str, Stage] = {}
        self._target: StdioTarget | None = None
        self._connections = 0

    @property
    def is_conductor(self) -> bool:
        """Whether it starts an agent."""
        return any(AGENT in part for part in self._command)

    @property
    def has_proxy(self) -> bool:
        """Whether it starts a proxy."""
        return any(PROXY in part for part in self._command)

    async def __aenter__(self) -> Self:
        command = list(self._command)
        for placeholder, name in ((AGENT, "agent"), (PROXY, "proxy")):
            stage = self._stages[placeholder] = await self._stack.enter_async_context(Stage(name))
            command = [part.replace(placeholder, stage.program) for part in command]
        self._target = StdioTarget(command, env=self._env)
        self._stack.push_async_callback(self._target.end)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @property
    def log(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._target.log if self._target else ""

    async def start(self, sender: str) -> End:
        """Start it; the suite's end of its standard input and output, on which it plays `sender`.

        Raises:
            NoConnection: it cannot be started.
        """
        assert self._target is not None
        try:
            transport = await self._target.open()
        except TransportClosed as error:
            raise NoConnection(str(error)) from None
        return await self._end(transport, sender)

    async def started(self, sender: str) -> End:
        """The suite's end of the agent that it has started.

        Raises:
            NothingCame: it has not.
        """
        return await self._end(await self._stages[AGENT].connection(self.options.patience), sender)

    async def stand_between(self) -> None:
        """Be the proxy that it has started: one that changes nothing.

        Raises:
            NothingCame: it has started none.
        """
        proxy = Proxy(await self._stages[PROXY].connection(self.options.patience))
        running = asyncio.create_task(proxy.run())
        self._stack.callback(running.cancel)

    async def _end(self, transport: Transport, sender: str) -> End:
        self._connections += 1
        end = End(transport, self._connections, self._witness, sender=sender, patience=self.options.patience)
        self._stack.push_async_callback(end.close)
        return end


class ProxySuite(Suite):
    """The scenarios for proxies and conductors.

    Args:
        command: starts what is tested; see `ProxyUnderTest`.
        options: how long to wait.
        env: its environment; by default that of this process.
    """

    def __init__(self, command: Sequence[str], options: Options, *, env: Mapping[str, str] | None = None) -> None:
        super().__init__("proxy", shlex.join(command), options)
        self._command = command
        self._env = env
        self._log = ""

    async def perform(self, run: Run, steps: Steps) -> None:
        """Start it and run one scenario."""
        proxy = ProxyUnderTest(self._command, self._env, self.options, self.witness)
        try:
            async with proxy:
                await steps(run, proxy, self.keys)
        finally:
            self._log = proxy.log or self._log

    @property
    def log(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._log


def inside(envelope: Message) -> Message:
    """The call in an envelope."""
    params = envelope.get("params")
    return params if isinstance(params, dict) else {}  # pyright: ignore[reportUnknownVariableType]
