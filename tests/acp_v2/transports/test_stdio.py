"""Messages as lines: what counts as one, where the limit is, and how it ends."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_v2.transports import MessageTooLarge, TransportClosed
from acp_v2.transports.stdio import LineTransport


class Output:
    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass

    async def wait_closed(self) -> None:
        pass


def transport(*chunks: bytes, limit: int = 100) -> LineTransport:
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    return LineTransport(reader, Output(), max_message_bytes=limit)


async def received(lines: LineTransport) -> list[str]:
    found: list[str] = []
    while True:
        try:
            line = await lines.receive()
        except MessageTooLarge:
            found.append("too large")
            continue
        if line is None:
            return found
        found.append(line.decode().strip())


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        (b"", []),
        (b"{}\n", ["{}"]),
        (b"{}", ["{}"]),
        (b"\n\r\n  \n{}\r\n\n1\n", ["{}", "1"]),
        (b"x" * 100 + b"\n", ["x" * 100]),
        (b"x" * 101 + b"\n{}\n", ["too large", "{}"]),
        (b"x" * 200_000 + b"\n{}\n", ["too large", "{}"]),
        (b"{}\n" + b"x" * 200_000, ["{}", "too large"]),
    ],
)
def test_lines_are_messages(data: bytes, messages: list[str]):
    async def steps():
        assert await received(transport(data)) == messages

    asyncio.run(steps())


def test_a_message_may_come_in_pieces():
    async def steps():
        assert await received(transport(b'{"a"', b":1", b"}\n{", b"}")) == ['{"a":1}', "{}"]

    asyncio.run(steps())


def test_each_message_is_sent_as_one_line():
    async def steps():
        output = Output()
        lines = LineTransport(asyncio.StreamReader(), output)
        await lines.send('{"text":"é"}')
        await lines.close()
        assert output.data == '{"text":"é"}\n'.encode()
        with pytest.raises(TransportClosed):
            await lines.send("{}")

    asyncio.run(steps())


_ECHO = """
import asyncio
from acp_v2.transports.stdio import open_stdio

async def main():
    transport = await open_stdio()
    print("noise")
    while (line := await transport.receive()) is not None:
        await transport.send(line.decode().strip())
    await transport.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_what_a_process_prints_does_not_get_between_the_messages(tmp_path: Path, kind: str):
    messages = b"{}\n" * 1000
    (tmp_path / "in").write_bytes(messages)
    if kind == "pipe":
        done = subprocess.run([sys.executable, "-c", _ECHO], input=messages, capture_output=True, check=True)
        output = done.stdout
    else:
        with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
            done = subprocess.run(
                [sys.executable, "-c", _ECHO], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, check=True
            )
        output = (tmp_path / "out").read_bytes()
    assert output == messages
    assert done.stderr.decode().split() == ["noise"]


def test_an_input_without_anything_ends_at_once():
    done = subprocess.run([sys.executable, "-c", _ECHO], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert done.stdout == b""


def test_a_peer_that_has_gone_is_noticed():
    async def steps():
        reading, writing = os.pipe()
        os.close(reading)
        transport, protocol = await asyncio.get_running_loop().connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(writing, "wb", 0)
        )
        writer = asyncio.StreamWriter(transport, protocol, None, asyncio.get_running_loop())
        lines = LineTransport(asyncio.StreamReader(), writer)
        with pytest.raises(TransportClosed):
            await send_until_it_fails(lines)
        await lines.close()

    asyncio.run(steps())


async def send_until_it_fails(lines: LineTransport) -> None:
    while True:
        await lines.send("{}")
        await asyncio.sleep(0)
