"""The reference agent behind a WebSocket: who gets in, and what a frame may be."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from acp_v2.agent import ReferenceAgent
from acp_v2.idempotency import MemoryStore
from acp_v2.transports.sockets import Address, Door
from acp_v2.transports.websocket import listen

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": 2, "info": {"name": "test", "version": "1"}},
}


def run(steps: Callable[[str], Awaitable[None]], **door: Any) -> None:
    """Run steps with the URL of an agent."""

    async def whole() -> None:
        agent = ReferenceAgent(MemoryStore())
        address = Address.parse("ws://127.0.0.1:0/acp")
        socket = address.bind()
        listening = asyncio.create_task(listen(socket, address, Door(**door), agent.serve))
        try:
            await steps(address.url(socket))
        finally:
            listening.cancel()
            await asyncio.wait([listening])
            await agent.close()

    asyncio.run(whole())


async def ask(peer: ClientConnection, message: Any) -> Any:
    await peer.send(message if isinstance(message, str | bytes) else json.dumps(message))
    return json.loads(await peer.recv())


def test_each_frame_is_a_message():
    async def steps(url: str) -> None:
        async with connect(url) as peer:
            assert peer.response is not None
            assert peer.response.headers["Acp-Connection-Id"]
            assert (await ask(peer, INITIALIZE))["result"]["protocolVersion"] == 2
            assert (await ask(peer, [INITIALIZE]))["error"]["code"] == -32600
            assert (await ask(peer, "{"))["error"]["code"] == -32700
            assert (await ask(peer, json.dumps({**INITIALIZE, "id": 2}).encode()))["id"] == 2

    run(steps)


def test_a_frame_that_is_too_large_ends_the_connection():
    async def steps(url: str) -> None:
        async with connect(url) as peer:
            with pytest.raises(ConnectionClosed) as caught:
                await ask(peer, "x" * 1001)
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1009
        async with connect(url) as peer:
            assert "result" in await ask(peer, INITIALIZE)

    run(steps, max_message_bytes=1000)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic right"}, 401),
        ({"Authorization": "Bearer right", "Origin": "https://evil.example"}, 403),
    ],
)
def test_who_is_not_let_in(headers: dict[str, str], status: int):
    async def steps(url: str) -> None:
        with pytest.raises(InvalidStatus) as caught:
            await connect(url, additional_headers=headers)
        assert caught.value.response.status_code == status

    run(steps, token="right", origins={"https://good.example"})


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://good.example"}])
def test_who_is_let_in(headers: dict[str, str]):
    async def steps(url: str) -> None:
        async with connect(url, additional_headers={"Authorization": "Bearer right", **headers}) as peer:
            assert "result" in await ask(peer, INITIALIZE)

    run(steps, token="right", origins={"https://good.example"})


@pytest.mark.parametrize("header", ["Origin", "Authorization"])
def test_a_header_that_comes_twice_lets_nobody_in(header: str, caplog: pytest.LogCaptureFixture):
    right = {"Origin": "https://good.example", "Authorization": "Bearer right"}

    async def steps(url: str) -> None:
        with pytest.raises(InvalidStatus) as caught:
            await connect(url, additional_headers=[*right.items(), (header, "https://evil.example")])
        assert caught.value.response.status_code == (403 if header == "Origin" else 401)

    run(steps, token="right", origins={"https://good.example"})
    assert "Traceback" not in caplog.text


def test_keys_are_in_no_log(caplog: pytest.LogCaptureFixture):
    # The one that connects here is not ours.
    quiet = logging.getLogger("quiet")
    quiet.setLevel(logging.ERROR)

    async def steps(url: str) -> None:
        async with connect(url, logger=quiet) as peer:
            await ask(peer, INITIALIZE)
            params = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}], "idempotencyKey": "a-secret-key"}
            await ask(peer, {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": params})

    with caplog.at_level(logging.DEBUG):
        run(steps)
    assert "a-secret-key" not in caplog.text


def test_there_is_nothing_at_another_path():
    async def steps(url: str) -> None:
        with pytest.raises(InvalidStatus) as caught:
            await connect(url + "/other")
        assert caught.value.response.status_code == 404

    run(steps)
