"""The messages between a conductor and its proxies: who is told that it is a proxy, and what an envelope holds."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from acp_v2.message_validation import MessageValidator
from acp_v2.proxy import Conductor, Proxy
from acp_v2.transports.memory import memory_pair
from tests.acp_v2.proxy.chain import Chain, End

INITIALIZE = '{"protocolVersion": 2, "info": {"name": "test", "version": "1"}}'


def run(steps: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
    async def whole() -> None:
        async with asyncio.timeout(60):
            await steps(*arguments)

    asyncio.run(whole())


def test_a_proxy_is_told_that_it_is_one_and_the_agent_that_it_is_none():
    async def steps() -> None:
        (client, at_client), (first, at_first), (second, at_second), (agent, at_agent) = (
            memory_pair() for _ in range(4)
        )
        running = asyncio.create_task(Conductor(at_client, [at_first, at_second], at_agent).run())
        client, first, second, agent = End(client), End(first), End(second), End(agent)

        await client.call("initialize", INITIALIZE, "1")
        at_first = await first.message()
        assert (at_first.method, at_first.members["params"]) == ("proxy/initialize", INITIALIZE)
        await first.call("proxy/successor", f'{{"method": "initialize", "params": {INITIALIZE}}}', "1")
        at_second = await second.message()
        assert (at_second.method, at_second.members["params"]) == ("proxy/initialize", INITIALIZE)
        await second.call("proxy/successor", f'{{"method": "initialize", "params": {INITIALIZE}}}', "1")
        at_agent = await agent.message()
        assert (at_agent.method, at_agent.members["params"]) == ("initialize", INITIALIZE)

        for end, request in ((agent, at_agent), (second, at_second), (first, at_first)):
            await end.answer(request, '{"protocolVersion": 2}')
            if end is not first:
                assert (await (second if end is agent else first).message()).members[
                    "result"
                ] == '{"protocolVersion": 2}'
        assert (await client.message()).members == {
            "jsonrpc": '"2.0"',
            "id": "1",
            "result": '{"protocolVersion": 2}',
        }
        await client.transport.close()
        await running

    run(steps)


def test_what_a_proxy_sends_and_gets_is_valid_in_the_schema():
    async def steps() -> None:
        conductor, own = memory_pair()
        running = asyncio.create_task(Proxy(own).run())
        end, validator = End(conductor), MessageValidator()

        await end.call("proxy/initialize", INITIALIZE, "1")
        forwarded = json.loads((await end.message()).text)
        assert validator.check(forwarded).is_valid
        assert forwarded["method"] == "proxy/successor"
        assert forwarded["params"] == {"method": "initialize", "params": json.loads(INITIALIZE)}

        await end.call("session/cancel", '{"sessionId": "s"}')
        forwarded = json.loads((await end.message()).text)
        assert validator.check(forwarded).is_valid
        assert forwarded["params"] == {"method": "session/cancel", "params": {"sessionId": "s"}}

        await end.call("proxy/successor", '{"method":"session/update","params":{ "n":1.0},"_meta":{}}')
        assert (await end.text()) == '{"jsonrpc":"2.0","method":"session/update","params":{ "n":1.0}}'
        await end.call("proxy/successor", '{"method":"_nothing_more"}')
        assert (await end.text()) == '{"jsonrpc":"2.0","method":"_nothing_more"}'
        await end.transport.close()
        await running

    run(steps)


@pytest.mark.parametrize("params", ["{}", '{"method": 5}', "null", "[]", '"x"', '{"method":"a","method":"b"}'])
def test_an_envelope_with_nothing_in_it_is_refused(params: str):
    async def steps() -> None:
        conductor, own = memory_pair()
        running = asyncio.create_task(Proxy(own).run())
        end = End(conductor)
        await end.call("proxy/successor", params, "7")
        refused = await end.value()
        assert (refused["id"], refused["error"]["code"]) == (7, -32602)
        await end.call("proxy/successor", params)
        await end.call("_after", "{}")
        assert json.loads((await end.message()).members["params"])["method"] == "_after"
        await end.transport.close()
        await running

    run(steps)


def test_a_cancellation_in_an_envelope_is_not_passed_on():
    async def steps() -> None:
        async with Chain(1) as chain:
            await chain.client.call("session/prompt", "{}", "1")
            request = await chain.agent.message()
            inside = f'{{"method":"$/cancel_request","params":{{"requestId":{request.id}}}}}'
            await chain.proxies[0]._conductor.transport.send(
                f'{{"jsonrpc":"2.0","method":"proxy/successor","params":{inside}}}'
            )
            await chain.client.call("_after", "{}")
            assert (await chain.agent.message()).method == "_after"

    run(steps)


def test_a_proxy_without_a_conductor_says_so():
    async def steps() -> None:
        client, own = memory_pair()
        running = asyncio.create_task(Proxy(own).run())
        end = End(client)
        await end.call("initialize", INITIALIZE, "1")
        refused = await end.value()
        assert (refused["id"], refused["error"]["code"]) == (1, -32600)
        assert "conductor" in refused["error"]["message"]
        await end.transport.close()
        await running

    run(steps)


@pytest.mark.parametrize("side", ["client", "agent"])
def test_nobody_but_a_proxy_speaks_to_a_proxy_as_its_conductor(side: str):
    async def steps() -> None:
        async with Chain(1) as chain:
            end = getattr(chain, side)
            await end.call("proxy/successor", '{"method":"session/update"}', "1")
            refused = await end.value()
            assert (refused["id"], refused["error"]["code"]) == (1, -32601)

    run(steps)
