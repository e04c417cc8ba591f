"""An agent process under load: many sessions that stream echoes, and retries of prompts that it has inserted.

The client reads messages without models, so that it costs little beside the agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from acp_v2.transports import Transport
from acp_v2.transports.process import ProcessTransport, spawn
from acp_v2.transports.websocket import connect
from tests.acp_v2.agent.client import CWD, REPOSITORY, new_key, prompt

COMMAND = (sys.executable, "-m", "acp_v2.cli", "agent")
RECORDED = 2000
"""How many inserted prompts are remembered, to be retried."""


class Peer:
    """One connection to the agent."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._last_id = 0
        self._idle: dict[str, asyncio.Event] = {}
        self.messages = 0
        self._reading = asyncio.create_task(self._read())

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """The result."""
        self._last_id += 1
        answer = self._asked[self._last_id] = asyncio.get_running_loop().create_future()
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        await self._transport.send(json.dumps(message))
        return await answer

    async def new_session(self) -> str:
        session_id = (await self.request("session/new", {"cwd": CWD}))["sessionId"]
        self._idle[session_id] = asyncio.Event()
        return session_id

    async def prompt(self, session_id: str, text: str, key: str) -> str:
        """The id of the message."""
        return (await self.request("session/prompt", prompt(session_id, text, key)))["messageId"]

    async def echo(self, session_id: str, text: str, key: str) -> str:
        """Prompt, and wait for the end of the reply."""
        self._idle[session_id].clear()
        message_id = await self.prompt(session_id, text, key)
        await self._idle[session_id].wait()
        return message_id

    async def close(self) -> None:
        self._reading.cancel()
        await self._transport.close()

    async def _read(self) -> None:
        while (text := await self._transport.receive()) is not None:
            self.messages += 1
            text = text if isinstance(text, str) else text.decode()
            # Updates are most of it, and what is in them matters for none but the last.
            if '"method"' in text and '"idle"' not in text:
                continue
            message = json.loads(text)
            if "id" not in message:
                self._idle[message["params"]["sessionId"]].set()
            elif not (answer := self._asked.pop(message["id"])).done():
                answer.set_result(message["result"])


class Load:
    """Sessions that each prompt again as soon as the reply has ended.

    Args:
        process_id: the agent's.
        peers: connections to it, among which the sessions are divided.
        text: what is echoed.
    """

    def __init__(self, process_id: int, peers: Sequence[Peer], text: str) -> None:
        self.process_id = process_id
        self._peers = peers
        self._text = text
        self._inserted: deque[tuple[Peer, str, str, str]] = deque(maxlen=RECORDED)
        self.prompts = 0
        self._streams: list[asyncio.Task[None]] = []

    async def begin(self, sessions: int) -> None:
        """Return when every session has had a prompt inserted."""
        for number in range(sessions):
            peer = self._peers[number % len(self._peers)]
            self._streams.append(asyncio.create_task(self._stream(peer, await peer.new_session())))
        while self.prompts < 2 * sessions:
            await asyncio.sleep(0.1)
            self._check()

    @property
    def messages(self) -> int:
        """How many have come."""
        return sum(peer.messages for peer in self._peers)

    async def retry(self) -> float:
        """Send an inserted prompt once more: the seconds until it is answered."""
        self._check()
        peer, session_id, key, message_id = random.choice(self._inserted)  # noqa: S311
        began = time.perf_counter()
        answer = await peer.prompt(session_id, self._text, key)
        seconds = time.perf_counter() - began
        assert answer == message_id
        return seconds

    async def end(self) -> None:
        for stream in self._streams:
            stream.cancel()
        await asyncio.gather(*self._streams, return_exceptions=True)

    async def _stream(self, peer: Peer, session_id: str) -> None:
        while True:
            key = new_key()
            message_id = await peer.echo(session_id, self._text, key)
            self.prompts += 1
            self._inserted.append((peer, session_id, key, message_id))

    def _check(self) -> None:
        for stream in self._streams:
            if stream.done():
                stream.result()


@contextlib.asynccontextmanager
async def load(store: str, text: str, *, sessions: int, sockets: int = 0) -> AsyncGenerator[Load]:
    """An agent process under load.

    Args:
        store: the agent's store.
        text: what is echoed, a word in each chunk.
        sessions: how many there are.
        sockets: over how many WebSockets they come; 0: over stdio.
    """
    async with contextlib.AsyncExitStack() as stack:
        if sockets:
            process = await _listening(store)
            stack.push_async_callback(_end, process)
            assert process.stderr
            url = (await process.stderr.readline()).decode().split()[-1]
            transports: list[Transport] = [await connect(url) for _ in range(sockets)]
            process_id = process.pid
        else:
            spawned: ProcessTransport = await spawn([*COMMAND, "--store", store], cwd=REPOSITORY, env=_environment())
            transports, process_id = [spawned], spawned.process.pid
        peers = [Peer(transport) for transport in transports]
        for peer in peers:
            stack.push_async_callback(peer.close)
            await peer.request("initialize", {"protocolVersion": 2, "info": {"name": "load", "version": "1"}})
        load = Load(process_id, peers, text)
        stack.push_async_callback(load.end)
        await load.begin(sessions)
        yield load


async def _listening(store: str) -> asyncio.subprocess.Process:
    arguments = ("--store", store, "--listen", "ws://127.0.0.1:0/")
    return await asyncio.create_subprocess_exec(
        *COMMAND, *arguments, stderr=asyncio.subprocess.PIPE, cwd=REPOSITORY, env=_environment()
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGTERM)
    await process.wait()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def resident_bytes(process_id: int) -> int:
    """The memory that a process has in use (Linux)."""
    pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
