"""Newline-delimited JSON: one message a line, on standard input and output or any two byte streams.

`acp.stdio_streams` of the official Python SDK opens the same two streams, but brings the whole v1 SDK into the agent's
process and refuses a regular file, as in `acpspec agent < messages.ndjson`; its `NdjsonTransport` has no limit on the
length of a line and drops lines that are no JSON, which v2 answers. So this is written anew.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from typing import Any, Protocol, cast

from acp_v2.transports import MAX_MESSAGE_BYTES, MessageTooLarge, TransportClosed

_CHUNK = 64 * 1024
_SECONDS_TO_FLUSH = 5.0


class Reader(Protocol):
    """Where lines come from; `asyncio.StreamReader` is one."""

    async def read(self, n: int) -> bytes:
        """Up to `n` bytes; none at the end."""
        ...


class Writer(Protocol):
    """Where lines go to; `asyncio.StreamWriter` is one."""

    def write(self, data: bytes) -> None:
        """Take bytes to be written."""
        ...

    async def drain(self) -> None:
        """Wait while too much is not written yet."""
        ...

    def close(self) -> None:
        """Write what is left, and let go."""
        ...

    async def wait_closed(self) -> None:
        """Wait until that is done."""
        ...


class LineTransport:
    """Messages as lines. Empty lines are skipped, and the last line needs no end.

    Args:
        reader: where lines come from.
        writer: where they go to.
        max_message_bytes: longer lines are skipped, and the connection says so.
    """

    def __init__(self, reader: Reader, writer: Writer, *, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._reader = reader
        self._writer = writer
        self._max = max_message_bytes
        self._buffer = bytearray()
        self._searched = 0
        self._is_skipping = False
        self._is_closed = False

    async def receive(self) -> bytes | None:
        """The next line with something on it; None at the end of the input.

        Raises:
            MessageTooLarge: a line was too long and was skipped.
        """
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                line = self._take(end)
            else:
                self._searched = len(self._buffer)
                if self._searched > self._max:
                    self._drop()
                chunk = await self._read()
                self._buffer += chunk
                if chunk:
                    continue
                line = self._take(len(self._buffer))
                if not line.strip():
                    return None
            if line.strip():
                return line

    async def send(self, text: str) -> None:
        """Write a line, and wait while the reader is behind."""
        if self._is_closed:
            raise TransportClosed("the output is closed")
        try:
            self._writer.write(text.encode() + b"\n")
            await self._writer.drain()
        except (OSError, ValueError, RuntimeError) as error:
            raise TransportClosed(f"the output is closed: {error}") from None

    async def close(self) -> None:
        """Write what is left, and close the output."""
        if self._is_closed:
            return
        self._is_closed = True
        self._writer.close()
        try:
            async with asyncio.timeout(_SECONDS_TO_FLUSH):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            pass  # Nobody reads what is left.

    async def _read(self) -> bytes:
        try:
            return await self._reader.read(_CHUNK)
        except OSError:
            return b""

    def _take(self, end: int) -> bytes:
        """The line that ends there."""
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        if self._is_skipping or len(line) > self._max:
            self._is_skipping = False
            raise MessageTooLarge(f"A message has at most {self._max} bytes")
        return line

    def _drop(self) -> None:
        self._is_skipping = True
        self._buffer.clear()
        self._searched = 0


async def open_stdio(*, max_message_bytes: int = MAX_MESSAGE_BYTES) -> LineTransport:
    """Standard input and output of this process; what is printed from here on goes to standard error."""
    reader = await _open_reader(os.dup(0))
    sys.stdout.flush()
    output = os.dup(1)
    # A stray `print`, or a library's, would break the stream of messages.
    os.dup2(2, 1)
    return LineTransport(reader, await _open_writer(output), max_message_bytes=max_message_bytes)


async def _open_reader(fd: int) -> Reader:
    if not _can_be_awaited(fd):
        return _BlockingReader(fd)
    reader = asyncio.StreamReader()
    pipe = os.fdopen(fd, "rb", 0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


async def _open_writer(fd: int) -> Writer:
    if not _can_be_awaited(fd):
        return _BlockingWriter(fd)
    loop, pipe = asyncio.get_running_loop(), os.fdopen(fd, "wb", 0)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), pipe
    )
    return asyncio.StreamWriter(cast("Any", transport), protocol, None, loop)


def _can_be_awaited(fd: int) -> bool:
    """Whether asyncio can wait for it: not for a regular file or /dev/null, and for no stream on Windows."""
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd))


class _BlockingReader:
    """A stream that asyncio cannot wait for."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    async def read(self, n: int) -> bytes:
        return await asyncio.to_thread(os.read, self._fd, n)


class _BlockingWriter:
    """Like `_BlockingReader`, to write to."""

    def __init__(self, fd: int) -> None:
        self._file = os.fdopen(fd, "wb")

    def write(self, data: bytes) -> None:
        self._file.write(data)

    async def drain(self) -> None:
        await asyncio.to_thread(self._file.flush)

    def close(self) -> None:
        self._file.close()

    async def wait_closed(self) -> None:
        """It is closed at once."""
