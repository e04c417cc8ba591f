"""An agent that does what a test says, one connection after another, in the process of the tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Self

from acp_v2.client import Client
from acp_v2.transports import Transport, TransportClosed
from acp_v2.transports.memory import MemoryTransport, memory_pair

CWD = "/work/project"
INITIALIZED = {"protocolVersion": 2, "info": {"name": "scripted", "version": "1"}, "capabilities": {"session": {}}}


class Peer:
    """The agent's end of one connection, on which `initialize` is answered and nothing else is."""

    def __init__(self, transport: MemoryTransport, hello: dict[str, Any]) -> None:
        self._transport = transport
        self._hello = hello
        self.received: list[dict[str, Any]] = []
        self._taken = 0
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def take(self, method: str | None = None) -> dict[str, Any]:
        """The next message that came; it is of this method."""
        while self._taken == len(self.received):
            self._news.clear()
            await self._news.wait()
        message = self.received[self._taken]
        self._taken += 1
        assert method in (None, message.get("method")), message
        return message

    async def answer(self, request: dict[str, Any], result: dict[str, Any]) -> None:
        await self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    async def refuse(self, request: dict[str, Any], code: int, message: str = "no") -> None:
        await self.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})

    async def update(self, session_id: str, **update: Any) -> None:
        params = {"sessionId": session_id, "update": update}
        await self.send({"jsonrpc": "2.0", "method": "session/update", "params": params})

    async def send(self, message: dict[str, Any]) -> None:
        await self._transport.send(json.dumps(message))

    async def cut(self) -> None:
        """End the connection."""
        await self._transport.close()

    async def _read(self) -> None:
        while (text := await self._transport.receive()) is not None:
            message = json.loads(text)
            if message.get("method") == "initialize":
                await self.answer(message, self._hello)
            else:
                self.received.append(message)
                self._news.set()


class ScriptedAgent:
    """Where a client connects to; `peer` gives the connections in their order."""

    def __init__(self, hello: dict[str, Any] = INITIALIZED) -> None:
        self.hello = hello
        self.is_reachable = True
        self.wrap: Callable[[Transport], Transport] = lambda transport: transport
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()

    async def connect(self) -> Transport:
        if not self.is_reachable:
            raise TransportClosed("the agent is away")
        mine, theirs = memory_pair()
        self._peers.put_nowait(Peer(theirs, self.hello))
        return self.wrap(mine)

    async def peer(self) -> Peer:
        return await self._peers.get()

    async def resumed(self, session_id: str = "s") -> Peer:
        """The next connection, on which a session is resumed."""
        peer = await self.peer()
        request = await peer.take("session/resume")
        assert request["params"]["sessionId"] == session_id
        await peer.answer(request, {})
        return peer


class Opened:
    """A client of a scripted agent with one session, and its first connection."""

    def __init__(self, agent: ScriptedAgent | None = None, **options: Any) -> None:
        self.agent = agent or ScriptedAgent()
        self.client = Client(self.agent.connect, **options)

    async def __aenter__(self) -> Self:
        await self.client.__aenter__()
        self.peer = await self.agent.peer()
        creating = asyncio.create_task(self.client.new_session(CWD))
        await self.peer.answer(await self.peer.take("session/new"), {"sessionId": "s"})
        self.session = await creating
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    async def lose(self) -> None:
        """Cut the connection, and have the next one with the session resumed."""
        await self.peer.cut()
        self.peer = await self.agent.resumed()


async def outcome(submission: Awaitable[Any]) -> Any:
    """The message's id, or what is raised instead."""
    try:
        return await submission
    except Exception as error:  # noqa: BLE001
        return error


def run(test: Any) -> None:
    """Run a test to its end, or to one that it would never come to."""
    asyncio.run(asyncio.wait_for(test(), 60))
