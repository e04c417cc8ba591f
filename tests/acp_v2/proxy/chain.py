"""A client and an agent, of which a test plays both, with a conductor and proxies in between, all in one process."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Self

from acp_v2.proxy import Conductor, Proxy, RawMessage
from acp_v2.transports.memory import MemoryTransport, memory_pair


class End:
    """One end of a chain: sends and receives the text of messages."""

    def __init__(self, transport: MemoryTransport) -> None:
        self.transport = transport

    async def send(self, text: str) -> None:
        await self.transport.send(text)

    async def call(self, method: str, params: str | None, id_text: str | None = None, more: str = "") -> None:
        """Send a call whose parts are given as they are to stand in the text."""
        id_part = "" if id_text is None else f'"id": {id_text}, '
        params_part = "" if params is None else f', "params": {params}'
        await self.send(f'{{"jsonrpc": "2.0", {id_part}"method": {json.dumps(method)}{params_part}{more}}}')

    async def answer(self, request: RawMessage, result: str) -> None:
        await self.send(f'{{"jsonrpc": "2.0", "id": {request.members["id"]}, "result": {result}}}')

    async def text(self) -> str | None:
        return await self.transport.receive()

    async def message(self) -> RawMessage:
        """The next message."""
        text = await self.text()
        assert text is not None, "the connection has ended"
        return RawMessage.read(text)

    async def value(self) -> Any:
        return json.loads((await self.message()).text)


class Chain:
    """The running chain."""

    def __init__(self, proxies: int) -> None:
        client, at_client = memory_pair()
        agent, at_agent = memory_pair()
        pairs = [memory_pair() for _ in range(proxies)]
        self.client = End(client)
        self.agent = End(agent)
        self.conductor = Conductor(at_client, [conductors for conductors, _ in pairs], at_agent)
        self.proxies = [Proxy(own) for _, own in pairs]

    async def __aenter__(self) -> Self:
        self._serving = [asyncio.create_task(proxy.run()) for proxy in self.proxies]
        self.running = asyncio.create_task(self.conductor.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.transport.close()
        await asyncio.gather(self.running, *self._serving)
