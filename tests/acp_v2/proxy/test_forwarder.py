"""What a forwarder does where a message cannot be passed on: it is not sent again, and the connections end."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from acp_v2.proxy import Conductor
from acp_v2.transports import MessageRefused, MessageTooLarge, NotDelivered, Transport
from acp_v2.transports.memory import memory_pair
from tests.acp_v2.proxy.chain import End


class Faulty:
    """A transport that fails where it is told to, and counts what it was given to send."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.sending_fails: Exception | None = None
        self.given: list[str] = []
        self.may_send = asyncio.Event()
        self.may_send.set()
        self.too_large = asyncio.Event()

    async def receive(self) -> Any:
        receiving = asyncio.ensure_future(self._transport.receive())
        failing = asyncio.ensure_future(self.too_large.wait())
        await asyncio.wait([receiving, failing], return_when=asyncio.FIRST_COMPLETED)
        failing.cancel()
        if receiving.done():
            return receiving.result()
        receiving.cancel()
        self.too_large.clear()
        raise MessageTooLarge("A message has at most 10 bytes")

    async def send(self, text: str) -> None:
        self.given.append(text)
        await self.may_send.wait()
        if self.sending_fails is not None:
            raise self.sending_fails
        await self._transport.send(text)

    async def close(self) -> None:
        await self._transport.close()


def run(steps: Callable[[End, End, Faulty, Faulty, "asyncio.Task[str | None]"], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        (client, at_client), (agent, at_agent) = memory_pair(), memory_pair()
        to_client, to_agent = Faulty(at_client), Faulty(at_agent)
        async with asyncio.timeout(60):
            running = asyncio.create_task(Conductor(to_client, [], to_agent).run())
            await steps(End(client), End(agent), to_client, to_agent, running)
            await client.close()
            await running

    asyncio.run(whole())


@pytest.mark.parametrize("error", [NotDelivered("the POST was cut off"), MessageRefused("503")])
def test_a_message_that_may_not_have_arrived_is_not_sent_again_and_its_sender_hears_the_end(error: Exception):
    async def steps(client: End, agent: End, _: Faulty, to_agent: Faulty, running: "asyncio.Task[str | None]") -> None:
        to_agent.sending_fails = error
        await client.call("session/prompt", '{"idempotencyKey":"k"}', "1")
        assert await client.text() is None
        assert await agent.text() is None
        assert await running == "the agent"
        assert len(to_agent.given) == 1

    run(steps)


def test_what_waits_for_a_client_that_is_slow_is_delivered_after_the_agent_is_gone():
    async def steps(client: End, agent: End, to_client: Faulty, *_: Any) -> None:
        to_client.may_send.clear()
        for number in range(3):
            await agent.call("_told", str(number))
        await agent.transport.close()
        assert await agent.text() is None
        for _ in range(100):  # Whatever there is to do without the client is done.
            await asyncio.sleep(0)
        to_client.may_send.set()
        assert [(await client.message()).members["params"] for _ in range(3)] == ["0", "1", "2"]
        assert await client.text() is None

    run(steps)


def test_a_message_that_is_too_large_is_refused_while_it_can_be_no_answer():
    async def steps(client: End, agent: End, to_client: Faulty, *_: Any) -> None:
        to_client.too_large.set()
        refused = await client.value()
        assert (refused["id"], refused["error"]["code"]) == (None, -32600)
        await client.call("_after", "{}", "1")
        assert (await agent.message()).method == "_after"

    run(steps)


def test_a_message_that_is_too_large_and_may_be_an_answer_ends_the_connections():
    async def steps(client: End, agent: End, _: Faulty, to_agent: Faulty, running: "asyncio.Task[str | None]") -> None:
        await client.call("_large", "{}", "1")
        await agent.message()
        to_agent.too_large.set()
        assert await client.text() is None
        assert await agent.text() is None
        assert await running == "the agent"

    run(steps)


def test_nothing_of_a_message_is_logged(caplog: pytest.LogCaptureFixture):
    async def steps(client: End, agent: End, *_: Any) -> None:
        await client.send('{"jsonrpc":"2.0","id":99,"result":"a-secret-key"}')
        await client.call("$/cancel_request", '{"requestId":"a-secret-key"}')
        await client.call("_after", '{"idempotencyKey":"a-secret-key"}')
        await agent.message()

    run(steps)
    assert "an answer came to nothing that was asked" in caplog.text
    assert "secret" not in caplog.text
