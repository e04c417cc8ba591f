"""Small programs that what is tested starts as its agent (or as a proxy), and that lead back to the suite.

A program pumps its standard input and output to a socket of the suite, which plays the part. It ends with its
input, and when the suite lets go of the connection: to whoever started it, that looks like an agent that crashed.
"""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Final, Self

from acp_v2.conformance.targets import MAX_MESSAGE_BYTES
from acp_v2.conformance.troubles import NothingCame
from acp_v2.transports import Transport
from acp_v2.transports.stdio import LineTransport

# The shell, for which the first lines are, takes an interpreter whose path is long or has spaces in it.
_PROGRAM: Final = """\
#!/bin/sh
'''exec' {python} -IS "$0"
' '''
import os, socket, threading

suite = socket.socket(socket.AF_UNIX)
suite.connect({address!r})

def up():
    while data := os.read(0, 65536):
        suite.sendall(data)
    suite.shutdown(socket.SHUT_WR)
    os._exit(0)

threading.Thread(target=up, daemon=True).start()
while data := suite.recv(65536):
    while data:
        data = data[os.write(1, data):]
os._exit(0)
"""


class Stage:
    """Where one program leads.

    Args:
        name: what the program is called: `agent`, `proxy`.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = tempfile.TemporaryDirectory(prefix="acpspec-", ignore_cleanup_errors=True)
        self._server: asyncio.Server | None = None
        self._came: asyncio.Queue[Transport] = asyncio.Queue()
        self._all: list[Transport] = []

    @property
    def program(self) -> str:
        """The path of the program."""
        return str(Path(self._folder.name) / self._name)

    @property
    def is_empty(self) -> bool:
        """Whether no connection waits to be taken."""
        return self._came.empty()

    async def __aenter__(self) -> Self:
        address = str(Path(self._folder.name) / "socket")
        self._server = await asyncio.start_unix_server(self._accept, address, limit=MAX_MESSAGE_BYTES)
        program = Path(self.program)
        program.write_text(_PROGRAM.format(python=shlex.quote(sys.executable), address=address), "utf-8")
        program.chmod(0o700)
        return self

    async def __aexit__(self, *_: object) -> None:
        for transport in self._all:
            with contextlib.suppress(OSError):
                await transport.close()
        if self._server is not None:
            self._server.close()
        self._folder.cleanup()

    async def connection(self, seconds: float) -> Transport:
        """The next connection: the program was started.

        Raises:
            NothingCame: it was not.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._came.get()
        except TimeoutError:
            raise NothingCame(f"the {self._name} was not started within {seconds:g} s") from None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        transport = LineTransport(reader, writer, max_message_bytes=MAX_MESSAGE_BYTES)
        self._all.append(transport)
        self._came.put_nowait(transport)
