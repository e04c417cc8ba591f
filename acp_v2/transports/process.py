"""A peer that this process starts and talks to over the standard streams of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, cast

from acp_v2.transports import MAX_MESSAGE_BYTES, TransportClosed
from acp_v2.transports.stdio import LineTransport

SECONDS_TO_END: Final = 5.0
"""How long a process may take to end by itself when its input has ended, and again when it is told to."""

_SECONDS_TO_LOOK = 0.01


class ProcessTransport(LineTransport):
    """A process as a peer; `spawn` starts it.

    The process leads a group of its own, so that what it started ends with it.
    """

    def __init__(self, process: asyncio.subprocess.Process, *, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        super().__init__(process.stdout, process.stdin, max_message_bytes=max_message_bytes)
        self.process = process
        self._ending: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End the input of the process and wait until it has ended; it is told to, where it does not by itself."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        # Whoever is cancelled while waiting leaves no process behind.
        await asyncio.shield(self._ending)

    def kill(self) -> None:
        """End the process and what it started without a chance to finish anything."""
        self._signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    async def _end(self) -> None:
        await super().close()
        if not await self._ends():
            self._signal(signal.SIGTERM)
            await self._ends()
        # Also where it has ended: it may have left others in its group.
        self.kill()
        await self.process.wait()
        # What left the group may hold the pipes open for ever. asyncio has no public word for letting go of them.
        cast("Any", self.process)._transport.close()  # noqa: SLF001

    async def _ends(self) -> bool:
        try:
            async with asyncio.timeout(SECONDS_TO_END):
                # `wait` would also wait for whatever it started and left behind with the same output.
                while self.process.returncode is None:
                    await asyncio.sleep(_SECONDS_TO_LOOK)
        except TimeoutError:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self.process.send_signal(number)
            else:
                os.killpg(self.process.pid, number)


async def spawn(
    command: Sequence[str],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    stderr: int | IO[bytes] | None = None,
    max_message_bytes: int = MAX_MESSAGE_BYTES,
) -> ProcessTransport:
    """Start a command and talk to it.

    Args:
        command: the program and its arguments; no shell reads them.
        cwd: where it runs; by default where this process does.
        env: its environment; by default that of this process.
        stderr: where its standard error goes, as `subprocess` has it; by default to that of this process.
        max_message_bytes: longer messages of it are skipped.

    Raises:
        TransportClosed: it cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=cwd,
            env=env,
            start_new_session=sys.platform != "win32",
        )
    except (OSError, ValueError) as error:
        name = command[0] if command else "nothing"
        raise TransportClosed(f"{name} cannot be started: {error}") from None
    return ProcessTransport(process, max_message_bytes=max_message_bytes)
