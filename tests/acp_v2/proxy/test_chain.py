"""What passes through a conductor and any number of proxies, and what becomes of it when one of them is gone."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.acp_v2.proxy.chain import Chain

Steps = Callable[[Chain], Coroutine[Any, Any, None]]
Run = Callable[[Steps], None]

LONGEST = "\U0001f511" * 255


@pytest.fixture(params=[0, 1, 3], ids=["no proxy", "a proxy", "three proxies"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs steps with a client and an agent that have so many proxies in between."""
    return lambda steps: run_with(request.param, steps)


def run_with(proxies: int, steps: Steps) -> None:
    async def whole() -> None:
        async with asyncio.timeout(60), Chain(proxies) as chain:
            await steps(chain)

    asyncio.run(whole())


KEYS = [
    f'"{LONGEST}"',
    '""',
    f'"{"k" * 256}"',
    '" k "',
    r'"\u0000"',
    r'"\u006b"',
    r'"\ud800"',
    '"e\u0301"',
    "5",
    "1.0",
    "1E2",
    "null",
    "false",
    '["k"]',
    '{"key": "k"}',
    '"k", "idempotencyKey": "another"',
    '"k" ,\t"_future" : { "x" : 1.50, "x": -0 }',
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: ascii(key)[:30])
def test_a_key_arrives_as_it_was_sent(run: Run, key: str):
    async def steps(chain: Chain) -> None:
        params = f'{{"sessionId": "s",  "prompt": [{{"type":"text","text":"Hi"}}], "idempotencyKey":{key}}}'
        await chain.client.call("session/prompt", params, "1")
        request = await chain.agent.message()
        assert request.method == "session/prompt"
        assert request.members["params"] == params

    run(steps)


@pytest.mark.parametrize(
    "params",
    [
        "{}",
        "[ 1, 2 ]",
        "null",
        '"no object"',
        "123456789012345678901234567890",
        "9" * 5000,
        '{"a":1,"a":2,"\\u0061":3}',
        "[" * 800 + "]" * 800,
        '{"text":"' + "é\U0001fa90" * 100_000 + '"}',
        '{"method":"x","params":{"method":"y"},"id":9}',
    ],
    ids=lambda params: ascii(params)[:30],
)
def test_params_and_results_and_errors_arrive_byte_for_byte(run: Run, params: str):
    async def steps(chain: Chain) -> None:
        await chain.client.call("_extension", params, '"an id"')
        request = await chain.agent.message()
        assert request.members["params"] == params

        await chain.agent.answer(request, params)
        answer = await chain.client.message()
        assert answer.members == {"jsonrpc": '"2.0"', "id": '"an id"', "result": params}

        await chain.client.call("_extension", None, "2")
        request = await chain.agent.message()
        assert "params" not in request.members
        error = f'{{"code": -32001, "message": "No", "data": {params}}}'
        await chain.agent.send(f'{{"jsonrpc":"2.0","error":{error},"id":{request.members["id"]}}}')
        assert (await chain.client.message()).members == {"jsonrpc": '"2.0"', "error": error, "id": "2"}

    run(steps)


def test_calls_of_the_agent_arrive_byte_for_byte(run: Run):
    async def steps(chain: Chain) -> None:
        params = '{"sessionId":"s", "update": {"sessionUpdate":"_new","n":1.0}}'
        await chain.agent.call("session/update", params)
        told = await chain.client.message()
        assert (told.method, told.members["params"]) == ("session/update", params)
        assert "id" not in told.members

        await chain.agent.call("session/request_permission", params, "1")
        asked = await chain.client.message()
        assert (asked.method, asked.members["params"]) == ("session/request_permission", params)
        await chain.client.answer(asked, '{"outcome": 1.0}')
        assert (await chain.agent.message()).members == {"jsonrpc": '"2.0"', "id": "1", "result": '{"outcome": 1.0}'}

    run(steps)


def test_what_is_unknown_beside_method_and_params_goes_along(run: Run):
    async def steps(chain: Chain) -> None:
        await chain.client.call("session/cancel", "{}", more=', "_trace": {"a": 1.0, "a": 2}')
        assert (await chain.agent.message()).members == {
            "jsonrpc": '"2.0"',
            "method": '"session/cancel"',
            "params": "{}",
            "_trace": '{"a": 1.0, "a": 2}',
        }

    run(steps)


def test_both_sides_number_their_requests_as_they_like(run: Run):
    async def steps(chain: Chain) -> None:
        for id_text in ("1", '"1"', "2.0", r'"\u0061"', "0", "-5"):
            await chain.client.call("_of_the_client", f'"{id_text[1:-1]}"', id_text)
            await chain.agent.call("_of_the_agent", "[]", id_text)
        at_agent = [await chain.agent.message() for _ in range(6)]
        at_client = [await chain.client.message() for _ in range(6)]
        assert len({request.id for request in at_agent}) == len({request.id for request in at_client}) == 6
        for request in reversed(at_agent):
            await chain.agent.answer(request, request.members["params"])
        for request in at_client:
            await chain.client.answer(request, "{}")
        answers = [(await chain.client.message()).members["id"] for _ in range(6)]
        assert answers == ["-5", "0", r'"\u0061"', "2.0", '"1"', "1"]
        assert [(await chain.agent.message()).members["id"] for _ in range(6)] == answers[::-1]

    run(steps)


def test_an_id_can_be_used_again_when_its_request_is_answered_and_not_before(run: Run):
    async def steps(chain: Chain) -> None:
        await chain.client.call("_first", "{}", "1")
        await chain.client.call("_second", "{}", "1.0")
        refused = await chain.client.value()
        assert (refused["id"], refused["error"]["code"]) == (None, -32600)
        first = await chain.agent.message()
        await chain.agent.answer(first, "{}")
        await chain.client.message()
        await chain.client.call("_third", "{}", "1")
        assert (await chain.agent.message()).method == "_third"

    run(steps)


def test_an_answer_that_comes_twice_is_passed_on_once(run: Run):
    async def steps(chain: Chain) -> None:
        await chain.client.call("_first", "{}", "1")
        request = await chain.agent.message()
        for _ in range(2):
            await chain.agent.answer(request, "{}")
        await chain.agent.call("_after", "{}")
        assert (await chain.client.message()).members["id"] == "1"
        assert (await chain.client.message()).method == "_after"

    run(steps)


def test_a_cancellation_names_the_request_as_the_next_one_knows_it(run: Run):
    async def steps(chain: Chain) -> None:
        for id_text in ('"first"', "7"):
            await chain.client.call("session/prompt", "{}", id_text)
        requests = [await chain.agent.message() for _ in range(2)]
        await chain.client.call("$/cancel_request", '{"requestId": 7.0, "_why": 1.0}')
        cancel = await chain.agent.message()
        assert cancel.method == "$/cancel_request"
        if not chain.proxies:
            assert cancel.members["params"] == f'{{"requestId":{requests[1].id},"_why":1.0}}'
        assert json.loads(cancel.members["params"])["requestId"] == requests[1].id

        await chain.agent.call("session/request_permission", "{}", "7")
        asked = await chain.client.message()
        await chain.agent.call("$/cancel_request", '{"requestId": 7}')
        assert json.loads((await chain.client.message()).members["params"])["requestId"] == asked.id

    run(steps)


@pytest.mark.parametrize("params", ['{"requestId": 8}', '{"requestId": "7"}', '{"requestId": null}', "{}", "[]", "7"])
def test_a_cancellation_of_what_is_not_pending_cancels_nothing(run: Run, params: str):
    async def steps(chain: Chain) -> None:
        await chain.client.call("session/prompt", "{}", "7")
        await chain.agent.message()
        await chain.client.call("$/cancel_request", params)
        await chain.client.call("_after", "{}")
        assert (await chain.agent.message()).method == "_after"

    run(steps)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no json", -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"m","params":NaN}', -32700),
        ('[{"jsonrpc":"2.0","id":1,"method":"m"}]', -32600),
        ('{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}', -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"m"}', -32600),
        ('{"jsonrpc":"2.0","id":[1],"method":"m"}', -32600),
    ],
)
def test_what_cannot_be_passed_on_is_answered_without_an_id(run: Run, text: str, code: int):
    async def steps(chain: Chain) -> None:
        await chain.client.send(text)
        refused = await chain.client.value()
        assert (refused["id"], refused["error"]["code"]) == (None, code)
        await chain.client.call("_after", "{}")
        assert (await chain.agent.message()).method == "_after"

    run(steps)


def test_an_error_without_an_id_reaches_the_client_where_there_is_no_proxy():
    async def steps(chain: Chain) -> None:
        await chain.client.call("session/prompt", '{"a":1,"a":2}', "1")
        await chain.agent.message()
        error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"twice"}}'
        await chain.agent.send(error)
        assert await chain.client.text() == error

    run_with(0, steps)


def test_when_the_agent_is_gone_the_connection_ends_and_nothing_is_answered_in_its_place(run: Run):
    async def steps(chain: Chain) -> None:
        for id_text in ("1", "2"):
            await chain.client.call("session/prompt", "{}", id_text)
        first = await chain.agent.message()
        await chain.agent.message()
        await chain.agent.answer(first, "{}")
        await chain.client.message()
        await chain.agent.transport.close()
        assert await chain.client.text() is None
        assert await chain.running == "the agent"

    run(steps)


def test_what_the_agent_said_before_it_was_gone_arrives():
    async def steps(chain: Chain) -> None:
        await chain.client.call("session/prompt", "{}", "1")
        request = await chain.agent.message()
        for number in range(50):
            await chain.agent.call("session/update", str(number))
        await chain.agent.answer(request, "{}")
        await chain.agent.transport.close()
        heard = [await chain.client.message() for _ in range(51)]
        assert [message.members.get("params") for message in heard[:50]] == [str(number) for number in range(50)]
        assert heard[50].members["id"] == "1"
        assert await chain.client.text() is None

    run_with(0, steps)


def test_when_the_client_is_gone_the_agent_hears_the_end(run: Run):
    async def steps(chain: Chain) -> None:
        await chain.client.call("session/prompt", "{}", "1")
        await chain.agent.message()
        await chain.agent.call("session/request_permission", "{}", "1")
        await chain.client.message()
        await chain.client.transport.close()
        assert await chain.agent.text() is None
        assert await chain.running is None

    run(steps)


def test_when_a_proxy_is_gone_both_sides_hear_the_end():
    async def steps(chain: Chain) -> None:
        await chain.client.call("session/prompt", "{}", "1")
        await chain.agent.message()
        await chain.proxies[1]._conductor.transport.close()
        assert await chain.client.text() is None
        assert await chain.agent.text() is None
        assert await chain.running == "proxy 2"

    run_with(3, steps)


def test_many_large_messages_both_ways_do_not_wait_for_each_other(run: Run):
    async def steps(chain: Chain) -> None:
        large = json.dumps("x" * 100_000)

        async def send(end: Any) -> None:
            for _ in range(300):
                await end.call("_large", large)

        async def receive(end: Any) -> None:
            for _ in range(300):
                assert (await end.message()).members["params"] == large

        ends = (chain.client, chain.agent)
        # Each sends everything before it reads anything.
        await asyncio.gather(*(send(end) for end in ends))
        await asyncio.gather(*(receive(end) for end in ends))

    run(steps)
