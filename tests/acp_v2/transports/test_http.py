"""The reference agent behind Streamable HTTP: what each request is answered with, and who gets in."""

import asyncio
import http.client
import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from acp_v2.agent import ReferenceAgent
from acp_v2.idempotency import MemoryStore
from acp_v2.transports import TransportClosed
from acp_v2.transports.http import HttpTransport, Refused, listen
from acp_v2.transports.sockets import Address, Door

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": 2, "info": {"name": "test", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {}}


class Http:
    """Requests to one URL; each over a socket of its own."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)

    async def request(self, method: str, body: Any = None, **headers: str) -> http.client.HTTPResponse:
        return await asyncio.to_thread(self._request, method, body, headers)

    def _request(self, method: str, body: Any, headers: dict[str, str]) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self._url.hostname or "", self._url.port)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if method == "POST":
            names.setdefault("Content-Type", "application/json")
        connection.request(method, self._url.path, data, names)
        return connection.getresponse()

    async def connect(self) -> str:
        """The id of a new connection."""
        response = await self.request("POST", INITIALIZE)
        assert response.status == 200
        assert json.loads(response.read())["result"]["protocolVersion"] == 2
        return response.headers["Acp-Connection-Id"]

    async def stream(self, connection: str, **headers: str) -> "Events":
        response = await self.request("GET", Accept="text/event-stream", Acp_Connection_Id=connection, **headers)
        assert response.status == 200, response.read()
        return Events(response)


class Events:
    """What comes on a stream."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response

    async def next(self) -> Any:
        """The next message; None at the end."""
        return await asyncio.to_thread(self._next)

    def _next(self) -> Any:
        while line := self._response.readline():
            if line.startswith(b"data: "):
                return json.loads(line.removeprefix(b"data: "))
        return None

    def close(self) -> None:
        self._response.close()


def run(steps: Callable[[Http], Awaitable[None]], **door: Any) -> None:
    async def whole() -> None:
        agent = ReferenceAgent(MemoryStore())
        address = Address.parse("http://127.0.0.1:0/acp")
        socket = address.bind()
        listening = asyncio.create_task(listen(socket, address, Door(**door), agent.serve))
        try:
            await steps(Http(address.url(socket)))
        finally:
            listening.cancel()
            await asyncio.wait([listening])
            await agent.close()

    asyncio.run(whole())


def test_responses_come_on_the_streams_of_their_sessions():
    async def steps(http: Http) -> None:
        connection = await http.connect()
        own = await http.stream(connection)
        new = {"jsonrpc": "2.0", "id": "new", "method": "session/new", "params": {"cwd": "/work"}}
        response = await http.request("POST", new, Acp_Connection_Id=connection)
        assert (response.status, response.read()) == (202, b"")
        answer = await own.next()
        session = answer["result"]["sessionId"]

        events = await http.stream(connection, Acp_Session_Id=session)
        prompt = {"sessionId": session, "prompt": [{"type": "text", "text": "Hi"}]}
        message = {"jsonrpc": "2.0", "id": "prompt", "method": "session/prompt", "params": prompt}
        await http.request("POST", message, Acp_Connection_Id=connection, Acp_Session_Id=session)
        seen = [await events.next() for _ in range(5)]
        assert [m["params"]["update"]["sessionUpdate"] for m in seen if "method" in m][:2] == [
            "user_message",
            "state_update",
        ]
        assert [m["id"] for m in seen if "method" not in m] == ["prompt"]

        response = await http.request("DELETE", Acp_Connection_Id=connection)
        assert response.status == 202
        assert await own.next() is None
        assert await events.next() is None
        response = await http.request("POST", LIST, Acp_Connection_Id=connection)
        assert response.status == 404

    run(steps)


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"{", -32700), (b"", -32700), (b"\xff", -32700), (b"[]", -32600), ([INITIALIZE, LIST], -32600), (b"7", -32600)],
)
def test_what_is_no_message_is_answered_in_the_response(body: Any, code: int):
    async def steps(http: Http) -> None:
        for headers in ({}, {"Acp_Connection_Id": await http.connect()}):
            response = await http.request("POST", body, **headers)
            answer = json.loads(response.read())
            assert (response.status, answer["id"], answer["error"]["code"]) == (400, None, code)

    run(steps)


@pytest.mark.parametrize(
    ("method", "body", "headers", "status"),
    [
        ("POST", LIST, {}, 400),
        ("POST", {**INITIALIZE, "id": 1.5}, {}, 400),
        ("POST", {**INITIALIZE, "id": None}, {}, 400),
        ("POST", LIST, {"Acp_Connection_Id": "unknown"}, 404),
        ("POST", LIST, {"Content_Type": "text/plain"}, 415),
        ("POST", {**LIST, "params": {"sessionId": "s"}}, {"known": ""}, 400),
        ("POST", {**LIST, "params": {"sessionId": "s"}}, {"known": "", "Acp_Session_Id": "t"}, 400),
        ("POST", b"x" * 1001, {}, 413),
        ("GET", None, {"Accept": "text/event-stream"}, 400),
        ("GET", None, {"Accept": "text/event-stream", "Acp_Connection_Id": "unknown"}, 404),
        ("GET", None, {"Accept": "text/html", "known": ""}, 406),
        ("DELETE", None, {}, 400),
        ("DELETE", None, {"Acp_Connection_Id": "unknown"}, 404),
        ("PUT", None, {}, 405),
    ],
)
def test_what_a_request_needs(method: str, body: Any, headers: dict[str, str], status: int):
    async def steps(http: Http) -> None:
        sent = dict(headers)
        if "known" in sent:
            del sent["known"]
            sent["Acp_Connection_Id"] = await http.connect()
        response = await http.request(method, body, **sent)
        assert response.status == status

    run(steps, max_message_bytes=1000)


def test_a_stream_has_one_reader_and_keeps_what_nobody_has_read():
    async def steps(http: Http) -> None:
        connection = await http.connect()
        await http.request("POST", LIST, Acp_Connection_Id=connection)
        events = await http.stream(connection)
        assert (await events.next())["id"] == 2
        response = await http.request("GET", Accept="text/event-stream", Acp_Connection_Id=connection)
        assert response.status == 409

    run(steps)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer right", "Origin": "https://evil.example"}, 403),
        ({"Authorization": "Bearer right"}, 200),
        ({"Authorization": "Bearer right", "Origin": "https://good.example"}, 200),
    ],
)
def test_who_is_let_in(headers: dict[str, str], status: int):
    async def steps(http: Http) -> None:
        response = await http.request("POST", INITIALIZE, **headers)
        assert response.status == status

    run(steps, token="right", origins={"https://good.example"})


def test_a_connection_that_nobody_reads_ends():
    async def steps() -> None:
        transport = HttpTransport(grace=0.01)
        assert await transport.receive() is None
        with pytest.raises(TransportClosed):
            await transport.send("{}")

    asyncio.run(steps())


def test_the_agent_waits_for_a_client_that_does_not_read():
    async def steps() -> None:
        transport = HttpTransport(queued_bytes=10)
        sending = asyncio.create_task(transport.send(json.dumps({"method": "_long", "params": {}})))
        await asyncio.sleep(0)
        assert not sending.done()

        events = transport.stream(None).events()
        assert (await anext(events)).startswith(":")
        assert "_long" in await anext(events)
        reading = asyncio.ensure_future(anext(events))
        await sending
        with pytest.raises(Refused):
            transport.stream(None)
        transport.end()
        with pytest.raises(StopAsyncIteration):
            await reading

    asyncio.run(steps())


def test_a_message_that_did_not_reach_its_reader_comes_again():
    async def steps() -> None:
        transport = HttpTransport()
        await transport.send('{"method":"_one"}')
        lost = transport.stream(None).events()
        assert [await anext(lost), await anext(lost)][1] == 'data: {"method":"_one"}\n\n'
        await lost.aclose()

        events = transport.stream(None).events()
        assert [await anext(events), await anext(events)][1] == 'data: {"method":"_one"}\n\n'
        await events.aclose()
        transport.end()

    asyncio.run(steps())
