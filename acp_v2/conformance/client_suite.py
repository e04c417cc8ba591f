"""The suite for clients: it plays an agent that loses responses and connections, and watches what is sent again."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Final, Protocol, Self

from acp_v2.conformance.end import End
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.options import Options
from acp_v2.conformance.played_agent import Attempt, PlayedAgent, World
from acp_v2.conformance.run import Run
from acp_v2.conformance.runner import Suite
from acp_v2.conformance.scenarios import Steps
from acp_v2.conformance.stage import Stage
from acp_v2.conformance.targets import Log, kill, start_process
from acp_v2.conformance.troubles import ConnectionEnded, NoConnection
from acp_v2.conformance.witness import Witness
from acp_v2.transports import Transport, TransportClosed

AGENT: Final = "{agent}"
_LOOK_SECONDS = 0.02


class ClientTarget(Protocol):
    """A client that can be told to submit a prompt, one at a time.

    `name` is what a report calls it; `cannot_restart` and `cannot_be_given_keys` say why something cannot be done.
    """

    @property
    def name(self) -> str: ...

    @property
    def cannot_restart(self) -> str | None: ...

    @property
    def cannot_be_given_keys(self) -> str | None: ...

    async def start(self, text: str, *, key: str | None = None) -> None:
        """Submit a prompt, with a key of the application's where one is given."""
        ...

    async def start_again(self) -> None:
        """Start it after it was killed, so that it sees to what is pending."""
        ...

    async def connection(self) -> Transport | None:
        """The next connection to the agent that it opens; None where it has ended without one."""
        ...

    async def ended(self) -> bool:
        """Wait for it to end by itself, for as long as anything is waited for. Whether it did."""
        ...

    async def kill(self) -> None:
        """End it without warning."""
        ...

    async def forget(self) -> None:
        """Begin with a client that knows nothing of before."""
        ...

    async def end(self) -> None:
        """Leave nothing behind."""
        ...

    @property
    def log(self) -> str:
        """The end of what it wrote."""
        ...


class CommandClient:
    """A client that is started for each prompt.

    Args:
        command: sends a prompt. `{agent}` in it becomes the agent that it starts, `{text}` the prompt, and `{state}` a
            folder in which it may keep what it needs after a restart.
        restart_command: what is started after the client was killed, with the same words.
        key_command: sends a prompt with a key that stands for `{key}`.
        env: its environment.
        patience: for how many seconds to wait for anything.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        restart_command: Sequence[str] = (),
        key_command: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        patience: float = 30.0,
    ) -> None:
        self.name = shlex.join(command)
        self._commands = {"start": command, "restart": restart_command, "key": key_command}
        self._env = env
        self._patience = patience
        self._stack = AsyncExitStack()
        self._stage: Stage | None = None
        self._state: tempfile.TemporaryDirectory[str] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._log = Log()
        self.cannot_restart = (
            None if restart_command else "it is not known what restarts this client; --restart-cmd says"
        )
        no_key_command = "it is not known how to give this client a key; --key-cmd says"
        self.cannot_be_given_keys = None if key_command else no_key_command

    async def start(self, text: str, *, key: str | None = None) -> None:
        """Run the command."""
        await self._run("start" if key is None else "key", {"{text}": text, "{key}": key or ""})

    async def start_again(self) -> None:
        """Run the command for after a restart."""
        await self._run("restart", {})

    async def connection(self) -> Transport | None:
        """The next connection of the program that stands for the agent."""
        assert self._stage is not None
        coming = asyncio.create_task(self._stage.connection(self._patience))
        try:
            while not coming.done():
                await asyncio.wait([coming], timeout=_LOOK_SECONDS)
                if self._has_ended and not coming.done() and self._stage.is_empty:
                    return None
            return coming.result()
        finally:
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await coming

    async def ended(self) -> bool:
        """Wait for the process."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                while not self._has_ended:
                    await asyncio.sleep(_LOOK_SECONDS)
        return self._has_ended

    async def kill(self) -> None:
        """Kill the process, with everything that it started."""
        if self._process is not None:
            await kill(self._process)
            self._process = None

    async def forget(self) -> None:
        """Another folder."""
        await self.kill()
        if self._state is not None:
            self._state.cleanup()
        self._state = None

    async def end(self) -> None:
        """Kill what runs, and remove the folders."""
        await self.forget()
        await self._log.end()
        await self._stack.aclose()
        self._stage = None

    @property
    def log(self) -> str:
        """The end of what it wrote to its standard output and error."""
        return self._log.text

    @property
    def _has_ended(self) -> bool:
        return self._process is None or self._process.returncode is not None

    async def _run(self, which: str, words: Mapping[str, str]) -> None:
        await self.kill()
        if self._stage is None:
            self._stage = await self._stack.enter_async_context(Stage("agent"))
        if self._state is None:
            self._state = tempfile.TemporaryDirectory(prefix="acpspec-state-", ignore_cleanup_errors=True)
        words = {AGENT: self._stage.program, "{state}": self._state.name, **words}
        command = list(self._commands[which])
        for word, value in words.items():
            command = [part.replace(word, value) for part in command]
        try:
            self._process = await start_process(command, self._env)
        except TransportClosed as error:
            raise NoConnection(str(error)) from None
        self._log.follow(self._process.stdout)


class ClientUnderTest:
    """The client, for one scenario.

    Args:
        target: the client.
        options: how long to wait.
        witness: told of everything on the wire.
        keys: where keys are known, so that they stay out of what is written down.
    """

    def __init__(self, target: ClientTarget, options: Options, witness: Witness, keys: Keys) -> None:
        self.target = target
        self.options = options
        self.keys = keys
        self.world = World()
        self._witness = witness
        self._connections: list[PlayedAgent] = []

    async def __aenter__(self) -> Self:
        await self.target.forget()
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection in self._connections:
            await connection.go()
        await self.target.kill()

    async def connected(self) -> PlayedAgent:
        """The next connection that the client opens.

        Raises:
            ConnectionEnded: it has ended instead.
            NothingCame: it opens none.
        """
        transport = await self.target.connection()
        if transport is None:
            raise ConnectionEnded("the client ended without connecting to its agent")
        number = len(self._connections) + 1
        end = End(transport, number, self._witness, sender="client", patience=self.options.patience)
        self._connections.append(PlayedAgent(end, self.world))
        return self._connections[-1]

    def calls_before(self, attempt: Attempt) -> list[object]:
        """The ids of the requests that came before an attempt on its connection."""
        calls = next(agent.calls for agent in self._connections if agent.end.number == attempt.connection)
        place = next(place for place, call in enumerate(calls) if call is attempt.request)
        return [call["id"] for call in calls[:place] if "id" in call]

    async def submits(self, text: str) -> str:
        """Let it submit a prompt that is accepted; the key.

        Raises:
            Trouble: it does not.
        """
        await self.target.start(text)
        agent = await self.connected()
        attempt = await agent.prompt()
        await agent.accept(attempt)
        await self.target.ended()
        await self.target.kill()
        return str(attempt.key)


class ClientSuite(Suite):
    """The scenarios for clients, with a client to run them on.

    Args:
        target: the client.
        options: how long to wait.
    """

    def __init__(self, target: ClientTarget, options: Options) -> None:
        super().__init__("client", target.name, options)
        self._target = target

    async def perform(self, run: Run, steps: Steps) -> None:
        """Run one scenario."""
        async with ClientUnderTest(self._target, self.options, self.witness, self.keys) as client:
            await steps(run, client)

    async def end(self) -> None:
        """Leave nothing behind."""
        await self._target.end()

    @property
    def log(self) -> str:
        """The end of what the client wrote."""
        return self._target.log
