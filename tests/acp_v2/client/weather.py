"""Connections that break where a test says, and agents to connect to through them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from acp_v2.agent import ReferenceAgent
from acp_v2.client.link import Connect
from acp_v2.idempotency import MemoryStore
from acp_v2.transports import Transport, TransportClosed, http, websocket
from acp_v2.transports.process import ProcessTransport, spawn
from acp_v2.transports.remote import connect
from acp_v2.transports.sockets import Address, Door
from tests.acp_v2.agent.client import Client as Observer

AGENT = [sys.executable, "-m", "acp_v2.cli", "agent"]

Answers = Literal["come", "are lost", "come late", "come twice"]


class Weather:
    """Lets messages of the connections that it makes pass, and says what was sent.

    Args:
        connect: makes the connections.
        kills: whether a process at the other end is killed then, rather than told that there will be no more.
        answers: what happens to the first answer to a prompt. One that is lost takes the connection with it when the
            session is idle; one that is late comes then.
    """

    def __init__(self, connect: Connect, *, kills: bool = False, answers: Answers = "come") -> None:
        self.kills = kills
        self.answers: Answers = answers
        self.has_cut = False
        self.attempts: list[tuple[str, str | None, tuple[int, int]]] = []
        """Of each prompt that was sent: its text, its key, and its connection with its id there."""
        self.connections = 0
        self._connect = connect
        self._until_cut = 0

    def cut_before(self, number: int) -> None:
        """Cut the connection once, before the message that is the n-th in either direction from now on."""
        self.has_cut = False
        self._until_cut = number

    async def connect(self) -> Transport:
        transport = await self._connect()
        self.connections += 1
        return _Line(self, transport, self.connections)

    def cuts(self) -> bool:
        """Whether the connection is cut before the message that is about to pass."""
        self._until_cut -= 1
        self.has_cut = self.has_cut or self._until_cut == 0
        return self._until_cut == 0

    def keys(self, text: str) -> set[str | None]:
        """The keys that a text was sent with."""
        return {key for sent, key, _ in self.attempts if sent == text}


class _Line:
    def __init__(self, weather: Weather, transport: Transport, number: int) -> None:
        self._weather = weather
        self._transport = transport
        self._number = number
        self._prompts: set[int] = set()
        self._kept: str | bytes | None = None
        self._next: list[str | bytes] = []
        self._is_cut = False

    async def send(self, text: str) -> None:
        message = json.loads(text)
        if message.get("method") == "session/prompt":
            params = message["params"]
            attempt = (params["prompt"][0]["text"], params.get("idempotencyKey"), (self._number, message["id"]))
            self._weather.attempts.append(attempt)
            self._prompts.add(message["id"])
        if self._weather.cuts():
            await self._cut()
            raise TransportClosed("the weather")
        await self._transport.send(text)

    async def receive(self) -> str | bytes | None:
        while True:
            text = self._next.pop() if self._next else await self._transport.receive()
            if text is None or self._is_cut:
                return None
            if text is self._kept:
                return text
            if self._weather.cuts():
                await self._cut()
                return None
            message = json.loads(text)
            if self._weather.answers != "come" and message.get("id") in self._prompts and "method" not in message:
                match self._weather.answers:
                    case "come twice":
                        self._weather.answers = "come"
                        self._next.append(text)
                        self._kept = text
                        return text
                    case _:
                        self._kept = text
                        continue
            if self._kept is not None and message.get("params", {}).get("update", {}).get("state") == "idle":
                is_lost = self._weather.answers == "are lost"
                self._weather.answers = "come"
                if is_lost:
                    self._weather.has_cut = True
                    await self._cut()
                    return None
                self._next.append(self._kept)
            return text

    async def close(self) -> None:
        await self._transport.close()

    async def _cut(self) -> None:
        # What the agent says because of it does not arrive any more.
        self._is_cut = True
        if self._weather.kills and isinstance(self._transport, ProcessTransport):
            self._transport.kill()
        await self._transport.close()


class Place:
    """Where an agent is to be found, by whoever connects."""

    def __init__(self, connect: Connect, url: str = "") -> None:
        self.connect = connect
        self.url = url

    @contextlib.asynccontextmanager
    async def observed(self) -> AsyncIterator[Observer]:
        """Somebody else's connection."""
        observer = Observer(await self.connect())
        try:
            await observer.initialize()
            yield observer
        finally:
            await observer.close()

    async def history(self, session_id: str) -> list[tuple[str, str]]:
        """The user's messages as somebody else sees them in a replay: id and text of each."""
        async with self.observed() as observer:
            return await history(observer, session_id)


async def history(observer: Observer, session_id: str) -> list[tuple[str, str]]:
    """The user's messages in a replay: id and text of each."""
    await observer.resume(session_id, replays=True)
    await observer.everything_sent()
    return [(u["messageId"], u["content"][0]["text"]) for u in observer.of(session_id, "user_message")]


@contextlib.asynccontextmanager
async def agent_at(scheme: str, folder: Path, **options: Any) -> AsyncIterator[Place]:
    """A reference agent over stdio, a process for each connection with a store that they share; or over a socket."""
    if scheme == "stdio":
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        yield Place(partial(spawn, [*AGENT, f"--store=sqlite:///{folder / 'sessions'}", *arguments]))
        return
    address = Address.parse(f"{scheme}://127.0.0.1:0/acp")
    socket = address.bind()
    agent = ReferenceAgent(MemoryStore(), **options)
    module = {"ws": websocket, "http": http}[scheme]
    serving = asyncio.create_task(module.listen(socket, address, Door(), agent.serve))
    try:
        url = address.url(socket)
        yield Place(partial(connect, url), url)
    finally:
        await agent.close()
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
