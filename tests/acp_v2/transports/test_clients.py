"""The client's end of each transport: a process that it starts, and the addresses that it connects to."""

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_v2.agent import ReferenceAgent
from acp_v2.connection import Connection
from acp_v2.idempotency import MemoryStore
from acp_v2.models import InitializeResponse
from acp_v2.transports import MessageRefused, MessageTooLarge, NotDelivered, Transport, TransportClosed, http, websocket
from acp_v2.transports.http_client import HttpClientTransport
from acp_v2.transports.process import spawn
from acp_v2.transports.remote import connect
from acp_v2.transports.sockets import Address, Door

INITIALIZE = {"protocolVersion": 2, "info": {"name": "test", "version": "1"}}


@contextlib.asynccontextmanager
async def listening(scheme: str, door: Door | None = None) -> AsyncIterator[str]:
    """A reference agent on a socket, and its URL."""
    address = Address.parse(f"{scheme}://127.0.0.1:0/acp")
    socket = address.bind()
    module = {"ws": websocket, "http": http}[scheme]
    agent = ReferenceAgent(MemoryStore())
    serving = asyncio.create_task(module.listen(socket, address, door or Door(), agent.serve))
    try:
        yield address.url(socket)
    finally:
        await agent.close()
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving


@contextlib.asynccontextmanager
async def connected(transport: Transport) -> AsyncIterator[Connection]:
    connection = Connection(transport, "client")
    running = asyncio.create_task(connection.run())
    try:
        yield connection
    finally:
        await connection.close()
        await running


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 30))


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "\nState:\tZ" not in status.read_text()


AGENT = [sys.executable, "-m", "acp_v2.cli", "agent"]


class TestProcess:
    def test_an_agent_that_is_started_answers(self) -> None:
        async def test() -> None:
            async with connected(await spawn(AGENT)) as connection:
                answer = await connection.request("initialize", INITIALIZE)
            assert isinstance(answer, InitializeResponse)

        run(test)

    def test_closing_ends_the_process(self) -> None:
        async def test() -> None:
            transport = await spawn(AGENT)
            await transport.close()
            assert transport.process.returncode == 0

        run(test)

    def test_closing_ends_what_the_process_started_too(self) -> None:
        script = "import subprocess, sys; print(subprocess.Popen(['sleep', '1000']).pid, flush=True); sys.stdin.read()"

        async def test() -> None:
            transport = await spawn([sys.executable, "-c", script])
            child = int(await transport.receive() or b"0")
            await transport.close()
            while is_running(child):  # or `run` ends this
                await asyncio.sleep(0.01)

        run(test)

    @pytest.mark.parametrize("command", [["/no/such/program"], [""], ["a\0b"]])
    def test_a_command_that_cannot_be_started_is_named(self, command: list[str]) -> None:
        with pytest.raises(TransportClosed, match="cannot be started"):
            run(lambda: spawn(command))

    def test_a_process_that_is_killed_is_the_end_of_the_messages(self) -> None:
        async def test() -> None:
            transport = await spawn(AGENT)
            transport.kill()
            assert await transport.receive() is None
            await transport.close()
            assert transport.process.returncode == -signal.SIGKILL

        run(test)


@pytest.mark.parametrize("scheme", ["ws", "http"])
class TestRemote:
    def test_a_prompt_is_answered_and_its_updates_come(self, scheme: str) -> None:
        async def test() -> None:
            async with listening(scheme) as url, connected(await connect(url)) as connection:
                await connection.request("initialize", INITIALIZE)
                session = await connection.request("session/new", {"cwd": "/"})
                prompt = {"sessionId": session.session_id, "prompt": [{"type": "text", "text": "hello"}]}
                assert (await connection.request("session/prompt", prompt)).message_id

        run(test)

    def test_closing_ends_the_connection(self, scheme: str) -> None:
        async def test() -> None:
            async with listening(scheme) as url:
                transport = await connect(url)
                async with connected(transport) as connection:
                    await connection.request("initialize", INITIALIZE)
                assert await transport.receive() is None
                with pytest.raises(TransportClosed):
                    await transport.send("{}")

        run(test)

    def test_closing_twice_is_closing(self, scheme: str) -> None:
        async def test() -> None:
            async with listening(scheme) as url:
                transport = await connect(url)
                async with connected(transport) as connection:
                    await connection.request("initialize", INITIALIZE)
                    await asyncio.gather(transport.close(), transport.close())
                    await transport.close()

        run(test)

    def test_nobody_listens(self, scheme: str) -> None:
        async def test() -> None:
            transport = await connect(f"{scheme}://127.0.0.1:9/acp")
            await transport.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}))

        with pytest.raises(TransportClosed, match=f"{scheme}://127.0.0.1:9/acp"):
            run(test)

    @pytest.mark.parametrize("token", [None, "wrong"])
    def test_without_the_token_there_is_no_connection(self, scheme: str, token: str | None) -> None:
        async def test() -> None:
            async with listening(scheme, Door(token="right")) as url:
                transport = await connect(url, token=token)
                await transport.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}))

        with pytest.raises(TransportClosed, match="401"):
            run(test)

    def test_with_the_token_there_is_one(self, scheme: str) -> None:
        async def test() -> None:
            async with (
                listening(scheme, Door(token="right")) as url,
                connected(await connect(url, token="right")) as connection,
            ):
                await connection.request("initialize", INITIALIZE)

        run(test)


def test_an_address_with_another_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with ws://"):
        run(lambda: connect("ftp://127.0.0.1"))


@pytest.mark.parametrize("url", ["ws://", "http://127.0.0.1:99999/", "http://[::1/", "ws://127.0.0.1:0/", "ws://a b/"])
def test_an_address_that_can_be_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="an agent's address"):
        run(lambda: connect(url))


def http_client(monkeypatch: pytest.MonkeyPatch, url: str, *statuses: int | Exception) -> HttpClientTransport:
    """A transport whose POSTs after `initialize` fail so before any arrives."""
    import httpx

    transport = HttpClientTransport(url)
    waiting = list(statuses)
    post = transport._post

    async def failing(text: str, headers: dict[str, str]) -> Any:
        if '"initialize"' in text or not waiting:
            return await post(text, headers)
        status = waiting.pop(0)
        if isinstance(status, Exception):
            raise status
        return httpx.Response(status, text="no", request=httpx.Request("POST", url))

    monkeypatch.setattr(transport, "_post", failing)
    return transport


class TestPosts:
    """What a POST that failed means for its message and for the next one."""

    @pytest.mark.parametrize("status", [500, 503, 429, 408])
    def test_one_that_may_come_through_later_is_not_delivered(
        self, monkeypatch: pytest.MonkeyPatch, status: int
    ) -> None:
        async def test() -> None:
            async with listening("http") as url, connected(http_client(monkeypatch, url, status)) as connection:
                await connection.request("initialize", INITIALIZE)
                with pytest.raises(NotDelivered):
                    await connection.request("session/list", {})
                assert (await connection.request("session/list", {})).sessions == []

        run(test)

    def test_one_that_broke_is_not_delivered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import httpx

        async def test() -> None:
            broken = httpx.ReadError("reset")
            async with listening("http") as url, connected(http_client(monkeypatch, url, broken)) as connection:
                await connection.request("initialize", INITIALIZE)
                with pytest.raises(NotDelivered):
                    await connection.request("session/list", {})
                assert (await connection.request("session/list", {})).sessions == []

        run(test)

    def test_one_that_is_refused_says_so(self) -> None:
        async def test() -> None:
            async with (
                listening("http", Door(max_message_bytes=1000)) as url,
                connected(await connect(url)) as connection,
            ):
                await connection.request("initialize", INITIALIZE)
                with pytest.raises(MessageRefused, match="413"):
                    await connection.request("session/list", {"cwd": "/" * 2000})
                assert (await connection.request("session/list", {})).sessions == []

        run(test)

    def test_a_connection_that_the_agent_forgot_has_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def test() -> None:
            async with listening("http") as url, connected(http_client(monkeypatch, url, 404)) as connection:
                await connection.request("initialize", INITIALIZE)
                with pytest.raises(TransportClosed):
                    await connection.request("session/list", {})
                assert connection.is_closed

        run(test)

    def test_a_notification_that_was_not_delivered_ends_the_connection(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def test() -> None:
            async with listening("http") as url, connected(http_client(monkeypatch, url, 500)) as connection:
                await connection.request("initialize", INITIALIZE)
                connection.tell("session/cancel", {"sessionId": "a"})
                with pytest.raises(TransportClosed):
                    await connection.request("session/list", {})

        run(test)


def test_a_message_over_the_limit_is_skipped() -> None:
    async def test() -> None:
        async with listening("http") as url:
            transport = await connect(url, max_message_bytes=10)
            await transport.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}))
            with pytest.raises(MessageTooLarge):
                await transport.receive()
            await transport.close()

    run(test)
