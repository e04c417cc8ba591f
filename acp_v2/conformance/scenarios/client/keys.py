"""The keys that a client makes: how they look, what they are made of, and whose they are."""

from __future__ import annotations

import re
from typing import Final

from acp_v2.conformance.client_suite import ClientUnderTest
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.session import ABSENT

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-([1-8])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
_RANDOM_VERSIONS: Final = ("4", "7")
"""The versions of UUID that have randomness in them, and nothing of what was written."""

_LEAST_CHARACTERS: Final = 20
"""So many characters of 64 kinds have the entropy of a random UUID."""


@scenario("client-same-text-twice")
async def client_same_text_twice(run: Run, client: ClientUnderTest) -> None:
    """The same text is submitted twice on purpose, by a client that remembers the first time."""
    keys = [await client.submits(client.options.prompt) for _ in range(2)]
    run.stop_unless(ABSENT not in keys, "the prompt has no key")
    run.check(
        "SUB-07", keys[0] != keys[1], expected="two keys for two submissions of one text", came="the same key twice"
    )
    run.check(
        "SUB-02",
        all(map(_may_be_random, keys)),
        expected="a random UUID, or something else with as much entropy",
        came=f"{len(keys[0])} characters" if len(keys[0]) < _LEAST_CHARACTERS else "a UUID that is not random",
    )


@scenario("client-same-text-anew")
async def client_same_text_anew(run: Run, client: ClientUnderTest) -> None:
    """The same text in a session of the same id, by a client that knows nothing of the first time."""
    keys: list[str] = []
    for _ in range(2):
        await client.target.forget()
        client.world.sessions.clear()
        client.world.recorded.clear()
        keys.append(await client.submits(client.options.prompt))
    run.stop_unless(ABSENT not in keys, "the prompt has no key")
    run.check(
        "SUB-03",
        keys[0] != keys[1],
        expected="another key for the same text in the same session: none that is computed from them",
        came="the same key",
    )


@scenario("client-given-key")
async def client_given_key(run: Run, client: ClientUnderTest) -> None:
    """The application passes a key of its own."""
    if client.target.cannot_be_given_keys is not None:
        raise run.skip_rest(client.target.cannot_be_given_keys)
    key = client.keys.new()
    await client.target.start(client.options.prompt, key=key)
    agent = await client.connected()
    attempt = await agent.prompt()
    run.check("SDK-03", attempt.key == key, expected="the key that was passed", came="another key, or none")
    await agent.accept(attempt)
    await client.target.ended()


def _may_be_random(key: str) -> bool:
    uuid = _UUID.fullmatch(key)
    return uuid[1] in _RANDOM_VERSIONS if uuid else len(key) >= _LEAST_CHARACTERS
