"""What is tested and how it is reached: a command over stdio, or an address."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from acp_v2.conformance.troubles import NoConnection
from acp_v2.transports import Transport, TransportClosed
from acp_v2.transports.process import ProcessTransport, spawn
from acp_v2.transports.remote import connect
from acp_v2.transports.sockets import without_user

MAX_MESSAGE_BYTES: Final = 8 * 1024 * 1024
"""What the suite asks for makes no message as large as that."""

_KEPT_LOG = 16 * 1024
_SECONDS_TO_DIE = 5.0
_SECONDS_TO_READ = 0.5


class Target(Protocol):
    """An agent that connections can be opened to.

    `name` is what a report calls it, `is_remote` says whether it is reached over a network and not over stdio, and
    `cannot_restart` why it cannot be restarted, if it cannot.
    """

    @property
    def name(self) -> str: ...

    @property
    def is_remote(self) -> bool: ...

    @property
    def cannot_restart(self) -> str | None: ...

    async def open(self) -> Transport:
        """Another connection.

        Raises:
            TransportClosed: nobody is there.
        """
        ...

    async def restart(self) -> None:
        """End the agent without warning, and with it every connection; the next `open` finds a new one."""
        ...

    async def end(self) -> None:
        """Leave nothing behind that was started."""
        ...

    @property
    def log(self) -> str:
        """The end of what it wrote to its standard error."""
        ...


class StdioTarget:
    """A command that is started for each connection.

    Args:
        command: the program and its arguments.
        env: its environment; by default that of this process.
    """

    is_remote = False
    cannot_restart = None

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str] | None = None) -> None:
        self.name = shlex.join(command)
        self._command = command
        self._env = env
        self._running: list[ProcessTransport] = []
        self._log = Log()

    async def open(self) -> Transport:
        """Start it once more."""
        transport = await spawn(
            self._command, env=self._env, stderr=subprocess.PIPE, max_message_bytes=MAX_MESSAGE_BYTES
        )
        self._running.append(transport)
        self._log.follow(transport.process.stderr)
        return transport

    async def restart(self) -> None:
        """Kill what runs."""
        await self.end()

    async def end(self) -> None:
        """Kill what runs, with everything that it started."""
        for transport in self._running:
            transport.kill()
        for transport in self._running:
            await transport.close()
        self._running.clear()
        await self._log.end()

    @property
    def log(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._log.text


class UrlTarget:
    """An agent at an address.

    Args:
        url: its address.
        token: what to show as a bearer token.
        command: starts the agent there; without one, it runs already.
        restart_command: a line for the shell that restarts an agent which runs already.
        env: the environment of both.
        patience: for how many seconds it may take to start.
    """

    is_remote = True

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        command: Sequence[str] = (),
        restart_command: str | None = None,
        env: Mapping[str, str] | None = None,
        patience: float = 30.0,
    ) -> None:
        self.name = without_user(url)
        self._url = url
        self._token = token
        self._command = command
        self._restart_command = restart_command
        self._env = env
        self._patience = patience
        self._process: asyncio.subprocess.Process | None = None
        self._log = Log()
        can_restart = bool(command or restart_command)
        self.cannot_restart = None if can_restart else "the suite cannot restart this agent; --restart-cmd says how"

    async def open(self) -> Transport:
        """Connect to it; where the suite starts it, it is started.

        Raises:
            NoConnection: it cannot be started, or has ended with an error.
        """
        if self._command and self._process is None:
            try:
                await self._start()
            except TransportClosed as error:
                raise NoConnection(str(error)) from None
        try:
            return await connect(self._url, token=self._token, max_message_bytes=MAX_MESSAGE_BYTES)
        except TransportClosed:
            # One that ended well may have left a server behind.
            if self._process is not None and self._process.returncode:
                raise NoConnection(f"{self._command[0]} ended with {self._process.returncode}") from None
            raise

    async def restart(self) -> None:
        """Kill the process, or run the command that does it."""
        if self._command:
            await self.end()
        elif self._restart_command is not None:
            await self._run_restart_command(self._restart_command)

    async def end(self) -> None:
        """Kill what the suite has started."""
        if self._process is not None:
            await kill(self._process)
            self._process = None
        await self._log.end()

    @property
    def log(self) -> str:
        """The end of what the command wrote."""
        return self._log.text

    async def _start(self) -> None:
        self._process = await start_process(self._command, self._env)
        self._log.follow(self._process.stdout)

    async def _run_restart_command(self, line: str) -> None:
        process = await start_process(["/bin/sh", "-c", line], self._env, output=subprocess.DEVNULL)
        try:
            async with asyncio.timeout(self._patience):
                code = await process.wait()
        except TimeoutError:
            await kill(process)
            raise NoConnection(f"the command of --restart-cmd did not end within {self._patience:g} s") from None
        if code != 0:
            raise NoConnection(f"the command of --restart-cmd ended with {code}")


class Log:
    """Reads what processes write, so that they never wait for it, and keeps the end."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._reading: list[asyncio.Task[None]] = []

    @property
    def text(self) -> str:
        """What is kept."""
        return self._kept.decode("utf-8", "replace")

    def follow(self, stream: asyncio.StreamReader | None) -> None:
        """Read a stream to its end."""
        if stream is not None:
            self._reading.append(asyncio.create_task(self._read(stream)))

    async def end(self) -> None:
        """Read what is left of processes that have ended, and stop."""
        if self._reading:
            # Something else may have a pipe open, and write to it for ever.
            await asyncio.wait(self._reading, timeout=_SECONDS_TO_READ)
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        self._reading.clear()

    async def _read(self, stream: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while chunk := await stream.read(64 * 1024):
                self._kept += chunk
                del self._kept[:-_KEPT_LOG]
                await asyncio.sleep(0)


async def start_process(
    command: Sequence[str], env: Mapping[str, str] | None, *, output: int = subprocess.PIPE
) -> asyncio.subprocess.Process:
    """Start a command that leads a group of its own; both of its outputs go to one pipe.

    Raises:
        TransportClosed: it cannot be started.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise TransportClosed(f"{command[0]} cannot be started: {error}") from None


async def kill(process: asyncio.subprocess.Process) -> None:
    """End a process and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # What left the group may still have the output open, and `wait` would wait for that.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS_TO_DIE):
            await process.wait()
