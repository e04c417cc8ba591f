"""Prompts that go through a proxy or a conductor: their keys arrive as they were sent, and so does every attempt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from acp_v2.conformance.end import End
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.proxy_suite import GREETING, HELLO, ProxyUnderTest, inside
from acp_v2.conformance.raw_connection import Message
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.session import ABSENT

_PROMPT: Final = "session/prompt"
_SUCCESSOR: Final = "proxy/successor"

Arrives = Callable[[], Awaitable[tuple[Message, Message]]]
"""Waits for the next prompt at the other end; gives the request to be answered, and the prompt's params."""


def _cases(keys: Keys) -> dict[str, Any]:
    key = keys.new(lambda marker: f"{marker}-Key")
    return {
        "a key": key,
        "the same key again": key,
        "a key in other case": keys.add(key.upper()),
        "a key with spaces around it": keys.add(f" {key} "),
        "a key with an accent that is written as two characters": keys.new(lambda marker: f"{marker}-e\u0301"),
        "a key with NUL and a character outside the basic plane": keys.new(lambda marker: f"{marker}\0\U0001f511"),
        "null": None,
        "no key": ABSENT,
        "an empty string": "",
        "256 characters": keys.new(lambda marker: marker + "k" * (256 - len(marker))),
        "a number": 5,
        "an object": {"key": keys.new()},
    }


async def _check(run: Run, rule: str, keys: Keys, client: End, *, agent: End, arrives: Arrives) -> None:
    """Send prompts on one end and look at them on the other, which may be the same connection."""
    # The suite sends malformed keys, which are to be handed on.
    agent.validates = False
    for number, (what, key) in enumerate(_cases(keys).items()):
        params: Message = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hello there"}]}
        if key is not ABSENT:
            params["idempotencyKey"] = key
        request_id = await client.ask(_PROMPT, params)
        with run.blaming(rule, expected=f"a prompt with {what} arrives, and its answer comes back"):
            request, came = await arrives()
            await agent.answer(request, {"messageId": f"m{number}"})
            response = await client.response_to(request_id)
        arrived = came.get("idempotencyKey", ABSENT)
        run.check(
            rule,
            type(arrived) is type(key) and arrived == key,
            expected=f"{what} arrives as it was sent",
            came="nothing" if arrived is ABSENT else f"{arrived!r}",
        )
        run.check(
            rule,
            response.get("result") == {"messageId": f"m{number}"},
            expected="the answer of the agent comes back",
            came="another answer",
        )


@scenario("key-through-proxy")
async def key_through_proxy(run: Run, proxy: ProxyUnderTest, keys: Keys) -> None:
    """The suite is the conductor of a proxy, and so both its client and what is behind it."""
    if proxy.is_conductor:
        raise run.skip_rest("what is tested starts an agent, and is a conductor")
    conductor = await proxy.start("proxy")
    hello = await conductor.ask("proxy/initialize", dict(HELLO))
    await conductor.answer(await conductor.call_of(_SUCCESSOR), dict(GREETING))
    await conductor.response_to(hello)

    async def arrives() -> tuple[Message, Message]:
        def fits(message: Message) -> bool:
            return message.get("method") == _SUCCESSOR and inside(message).get("method") == _PROMPT

        envelope = await conductor.next(fits, "the prompt in an envelope")
        return envelope, _params(inside(envelope))

    await _check(run, "PROXY-01", keys, conductor, agent=conductor, arrives=arrives)


@scenario("key-through-conductor")
async def key_through_conductor(run: Run, proxy: ProxyUnderTest, keys: Keys) -> None:
    """The suite is the client of a conductor, its agent, and perhaps a proxy in between."""
    if not proxy.is_conductor:
        raise run.skip_rest("the command has no {agent} in it, so that it is a proxy and no conductor")
    client = await proxy.start("agent")
    hello = await client.ask("initialize", dict(HELLO))
    if proxy.has_proxy:
        await proxy.stand_between()
    agent = await proxy.started("client")
    await agent.answer(await agent.call_of("initialize"), dict(GREETING))
    await client.response_to(hello)

    async def arrives() -> tuple[Message, Message]:
        request = await agent.call_of(_PROMPT)
        return request, _params(request)

    await _check(run, "PROXY-02", keys, client, agent=agent, arrives=arrives)


def _params(call: Message) -> Message:
    params = call.get("params")
    return params if isinstance(params, dict) else {}  # pyright: ignore[reportUnknownVariableType]
