"""What one side of a connection does with what comes, and in which order it sends."""

import asyncio
import json
import logging
from collections.abc import Coroutine
from typing import Any, Self

import pytest

from acp_v2 import AcpError, InvalidParams, ListSessionsResponse, RequestCancelled
from acp_v2.connection import Call, Connection, Handlers, Limits
from acp_v2.transports import TransportClosed
from acp_v2.transports.memory import MemoryTransport, memory_pair

LIST = {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}


class Wire:
    """The peer of a connection, as raw text."""

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport = transport

    async def send(self, message: Any) -> None:
        await self._transport.send(message if isinstance(message, str) else json.dumps(message))

    async def receive(self) -> Any:
        text = await self._transport.receive()
        return None if text is None else json.loads(text)

    async def close(self) -> None:
        await self._transport.close()


class Served:
    """A connection that runs while the block does, and its peer."""

    def __init__(self, handlers: Handlers | None = None, limits: Limits | None = None, queued: int = 100) -> None:
        mine, theirs = memory_pair(queued=queued)
        self.connection = Connection(mine, "agent", handlers, limits)
        self.wire = Wire(theirs)

    async def __aenter__(self) -> Self:
        self.running = asyncio.create_task(self.connection.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()
        await self.running


def run(steps: Coroutine[Any, Any, None]) -> None:
    asyncio.run(steps)


async def settle() -> None:
    """Let everything happen that can happen without further events."""
    for _ in range(50):
        await asyncio.sleep(0)


async def empty_list(call: Call[Any]) -> ListSessionsResponse:
    return ListSessionsResponse(sessions=[])


LISTS = Handlers(requests={"session/list": empty_list})


@pytest.mark.parametrize(
    ("message", "code", "answered_id"),
    [
        ("{", -32700, None),
        ("NaN", -32700, None),
        ('{"jsonrpc":"2.0","id":"\\ud800","method":"session/list"}', -32700, None),
        ([], -32600, None),
        ([LIST, LIST], -32600, None),
        ('{"jsonrpc":"2.0","id":1,"id":2,"method":"session/list"}', -32600, None),
        (7, -32600, None),
        ({**LIST, "id": None}, -32600, None),
        ({**LIST, "method": "session/nothing"}, -32601, 1),
        ({**LIST, "method": "_mine"}, -32601, 1),
        ({**LIST, "method": "session/update"}, -32601, 1),
        ({**LIST, "method": "session/resume"}, -32602, 1),
    ],
)
def test_what_is_wrong_is_answered_once_and_the_connection_goes_on(message: Any, code: int, answered_id: Any):
    async def steps():
        async with Served(LISTS) as served:
            await served.wire.send(message)
            await served.wire.send(LIST)

            answer = await served.wire.receive()
            assert (answer["error"]["code"], answer["id"]) == (code, answered_id)
            assert await served.wire.receive() == {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}

    run(steps())


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "_mine"},
        {"jsonrpc": "2.0", "method": "session/nothing"},
        {"jsonrpc": "2.0", "method": "session/cancel", "params": {}},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
        {"jsonrpc": "2.0", "id": 5, "error": {}},
        {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 99}},
    ],
)
def test_nothing_is_answered_to_a_notification_or_a_response(message: Any):
    async def steps():
        async with Served(LISTS) as served:
            await served.wire.send(message)
            await served.wire.send(LIST)
            assert (await served.wire.receive())["id"] == 1

    run(steps())


def test_requests_are_handled_side_by_side_and_begun_in_their_order():
    async def steps():
        begun: list[Any] = []
        goes_on = asyncio.Event()

        async def handler(call: Call[Any]) -> dict[str, Any]:
            begun.append(call.id)
            if call.id == "slow":
                await goes_on.wait()
            return {"sessions": []}

        async with Served(Handlers(requests={"session/list": handler})) as served:
            for request_id in ("slow", "quick"):
                await served.wire.send({**LIST, "id": request_id})
            assert (await served.wire.receive())["id"] == "quick"
            assert begun == ["slow", "quick"]
            goes_on.set()
            assert (await served.wire.receive())["id"] == "slow"

    run(steps())


def test_what_is_sent_keeps_its_order():
    async def steps():
        async def handler(call: Call[Any]) -> dict[str, Any]:
            call.connection.tell("_before", {"n": 1})
            await call.connection.notify("_before", {"n": 2})
            return {"sessions": []}

        async with Served(Handlers(requests={"session/list": handler}), queued=1) as served:
            await served.wire.send(LIST)
            received = [await served.wire.receive() for _ in range(3)]
        assert [m.get("params", {}).get("n", "answer") for m in received] == [1, 2, "answer"]

    run(steps())


def test_cancelling_reaches_the_handler_of_the_request_with_that_id_and_type():
    async def steps():
        cancelled: list[Any] = []

        async def handler(call: Call[Any]) -> dict[str, Any]:
            ends = asyncio.Event()
            call.on_cancel(ends.set)
            await ends.wait()
            cancelled.append(call.id)
            raise RequestCancelled

        async with Served(Handlers(requests={"session/list": handler})) as served:
            for request_id in (1, "1"):
                await served.wire.send({**LIST, "id": request_id})
            for request_id in ("1", 1):
                await served.wire.send(
                    {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": request_id}}
                )
            answers = [await served.wire.receive() for _ in range(2)]
        assert cancelled == ["1", 1]
        assert {(a["id"], a["error"]["code"]) for a in answers} == {("1", -32800), (1, -32800)}

    run(steps())


def test_a_cancel_right_behind_its_request_finds_it():
    async def steps():
        async def handler(call: Call[Any]) -> dict[str, Any]:
            ends = asyncio.Event()
            call.on_cancel(ends.set)
            await ends.wait()
            raise RequestCancelled

        mine, theirs = memory_pair()
        wire = Wire(theirs)
        await wire.send(LIST)
        await wire.send({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}})
        connection = Connection(mine, "agent", Handlers(requests={"session/list": handler}))
        running = asyncio.create_task(connection.run())
        assert (await wire.receive())["error"]["code"] == -32800
        await connection.close()
        await running

    run(steps())


def test_the_id_of_a_pending_request_is_refused_under_no_id():
    async def steps():
        goes_on = asyncio.Event()

        async def handler(call: Call[Any]) -> dict[str, Any]:
            await goes_on.wait()
            return {"sessions": []}

        async with Served(Handlers(requests={"session/list": handler})) as served:
            await served.wire.send(LIST)
            await served.wire.send({**LIST, "id": 1.0})
            answer = await served.wire.receive()
            assert (answer["id"], answer["error"]["code"]) == (None, -32600)
            goes_on.set()
            assert "result" in await served.wire.receive()

    run(steps())


def test_an_error_of_the_handler_is_answered_and_any_other_exception_tells_nothing(caplog: pytest.LogCaptureFixture):
    async def steps():
        errors: list[Exception] = [InvalidParams("Not this", {"pointer": "/params/cwd"}), RuntimeError("a secret")]

        async def handler(call: Call[Any]) -> dict[str, Any]:
            raise errors.pop(0)

        async with Served(Handlers(requests={"session/list": handler})) as served:
            await served.wire.send(LIST)
            await served.wire.send({**LIST, "id": 2})
            assert (await served.wire.receive())["error"] == {
                "code": -32602,
                "message": "Not this",
                "data": {"pointer": "/params/cwd"},
            }
            assert (await served.wire.receive())["error"] == {"code": -32603, "message": "Internal error"}

    with caplog.at_level(logging.DEBUG):
        run(steps())
    assert "RuntimeError" in caplog.text
    assert "a secret" not in caplog.text


def test_a_request_to_the_peer_is_answered_as_a_model_or_an_exception():
    async def steps():
        async with Served() as served:
            asking = asyncio.create_task(served.connection.request("_what", {"x": 1}))
            question = await served.wire.receive()
            assert question["method"] == "_what"
            await served.wire.send({"jsonrpc": "2.0", "id": question["id"], "result": {"y": 2}})
            assert await asking == {"y": 2}

            asking = asyncio.create_task(served.connection.request("_what"))
            question = await served.wire.receive()
            await served.wire.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32602, "message": "No"}})
            with pytest.raises(InvalidParams, match="No"):
                await asking

    run(steps())


def test_a_caller_that_is_cancelled_cancels_its_request_at_the_peer():
    async def steps():
        async with Served() as served:
            asking = asyncio.create_task(served.connection.request("_what"))
            question = await served.wire.receive()
            asking.cancel()
            assert await served.wire.receive() == {
                "jsonrpc": "2.0",
                "method": "$/cancel_request",
                "params": {"requestId": question["id"]},
            }

    run(steps())


def test_what_was_asked_fails_when_the_peer_goes_away():
    async def steps():
        async with Served() as served:
            asking = asyncio.create_task(served.connection.request("_what"))
            await served.wire.receive()
            await served.wire.close()
            with pytest.raises(TransportClosed):
                await asking
            with pytest.raises(TransportClosed):
                await served.connection.request("_what")

    run(steps())


def test_a_peer_that_does_not_read_is_not_read_from():
    async def steps():
        handled: list[Any] = []

        async def handler(call: Call[Any]) -> dict[str, Any]:
            handled.append(call.id)
            return {"_meta": {"filler": "x" * 1000}, "sessions": []}

        handlers = Handlers(requests={"session/list": handler})
        async with Served(handlers, Limits(queued_bytes=5000), queued=2) as served:
            sending = asyncio.create_task(_send_many(served.wire, 40))
            await settle()
            assert len(handled) < 12

            answered = {(await served.wire.receive())["id"] for _ in range(40)}
            await sending
        assert answered == set(range(40))

    run(steps())


async def _send_many(wire: Wire, count: int) -> None:
    for number in range(count):
        await wire.send({**LIST, "id": number})


def test_a_peer_that_takes_nothing_for_too_long_counts_as_gone():
    async def steps():
        async with Served(LISTS, Limits(patience=0.01), queued=1) as served:
            for number in range(3):
                await served.wire.send({**LIST, "id": number})
            await served.running

    run(steps())


def test_more_requests_than_the_limit_are_refused():
    async def steps():
        async def handler(call: Call[Any]) -> dict[str, Any]:
            await asyncio.Event().wait()
            return {}

        async with Served(Handlers(requests={"session/list": handler}), Limits(pending_requests=2)) as served:
            await _send_many(served.wire, 3)
            answer = await served.wire.receive()
        assert (answer["id"], answer["error"]["code"]) == (2, -32603)

    run(steps())


def test_what_came_before_the_end_of_the_input_is_answered():
    async def steps():
        goes_on = asyncio.Event()

        async def handler(call: Call[Any]) -> dict[str, Any]:
            await goes_on.wait()
            return {"sessions": []}

        mine, theirs = memory_pair()
        connection = Connection(
            _HalfClosed(mine, [json.dumps(LIST)]), "agent", Handlers(requests={"session/list": handler})
        )
        await connection.run()
        goes_on.set()
        await connection.settle()
        await connection.close()
        assert (await Wire(theirs).receive())["id"] == 1

    run(steps())


class _HalfClosed:
    """A transport whose peer has sent everything but still reads."""

    def __init__(self, transport: MemoryTransport, messages: list[str]) -> None:
        self._transport = transport
        self._messages = messages

    async def receive(self) -> str | None:
        return self._messages.pop(0) if self._messages else None

    async def send(self, text: str) -> None:
        await self._transport.send(text)

    async def close(self) -> None:
        await self._transport.close()


def test_an_agent_error_is_read_as_the_exception_of_its_code():
    async def steps():
        async with Served() as served:
            asking = asyncio.create_task(served.connection.ask("_what"))
            question = await served.wire.receive()
            await served.wire.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": 7, "message": "Odd"}})
            response = await asking
            assert isinstance(response.error, AcpError)
            assert response.error.code == 7

    run(steps())
