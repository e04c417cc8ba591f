"""Crash truth: wherever the agent is killed, the client that sends its prompt again has it inserted exactly once."""

import asyncio
import random
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from acp_v2.cli.agent import open_store
from acp_v2.idempotency import StoredSession
from acp_v2.transports import TransportClosed
from tests.acp_v2.agent.client import CWD, Client, OverStdio, Pending, new_key
from tests.acp_v2.agent.killed_agent import HELD, POINTS

KILLED_AGENT = Path(__file__).with_name("killed_agent.py")
SESSION = "session"
TEXT = "Hello there"


async def store_session(url: str) -> None:
    store = await open_store(url)
    await store.create_session(StoredSession(SESSION, CWD))
    await store.close()


async def resumed(place: OverStdio) -> Client:
    client = await place.connect()
    await client.resume(SESSION)
    return client


async def history(client: Client) -> list[str]:
    before = len(client.updates)
    await client.resume(SESSION, replays=True)
    messages = [u for _, u in client.updates[before:] if u["sessionUpdate"] == "user_message"]
    return [message["messageId"] for message in messages if message["content"][0]["text"] == TEXT]


def start_prompt(client: Client, key: str, point: str | None) -> Pending:
    """Send a prompt, and before it, where the point is one of a held prompt, another during which it is held."""
    if point in HELD:
        client.start_prompt(SESSION, "/sleep 0.5")
    return client.start_prompt(SESSION, TEXT, key)


async def until_gone(client: Client) -> None:
    while True:
        await client.everything_sent()


@pytest.mark.parametrize("point", POINTS)
def test_an_agent_that_is_killed_has_inserted_once_or_not_at_all(url: str, point: str):
    async def steps() -> None:
        await store_session(url)
        key, answered = new_key(), None
        number = 2 if point in HELD else 1
        async with OverStdio(url, point, str(number), command=(sys.executable, str(KILLED_AGENT))) as place:
            client = await resumed(place)
            pending = start_prompt(client, key, point)
            with suppress(TransportClosed):
                answered = await pending.message_id()
            with pytest.raises(TransportClosed):
                await until_gone(client)
            assert await place.process.wait() == -9

        async with OverStdio("--store", url) as place:
            client = await resumed(place)
            message_id = await client.prompt(SESSION, TEXT, key)
            assert answered in (None, message_id)
            assert await client.prompt(SESSION, TEXT, key) == message_id
            assert await history(client) == [message_id]

    asyncio.run(steps())


RUNS = 200


def chance() -> random.Random:
    """Other numbers each time; the seed is shown where the test fails."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    return random.Random(seed)  # noqa: S311


@pytest.mark.soak
def test_an_agent_that_is_killed_again_and_again_has_inserted_each_prompt_once(url: str):
    """Each agent is sent the prompt again in which the last one died, and dies at some point of the next."""
    points = chance().choices(POINTS, k=RUNS)

    async def steps() -> None:
        await store_session(url)
        messages: list[str] = []
        last: tuple[str, str | None] | None = None
        for point in [*points, None]:
            number = 1 + (last is not None) + (point in HELD)
            arguments = (url, point or "never", str(number))
            async with OverStdio(*arguments, command=(sys.executable, str(KILLED_AGENT))) as place:
                client = await resumed(place)
                if last is not None:
                    key, answered = last
                    messages.append(await client.prompt(SESSION, TEXT, key))
                    assert answered in (None, messages[-1])
                if point is None:
                    assert await history(client) == messages
                    return
                key, answered = new_key(), None
                pending = start_prompt(client, key, point)
                with suppress(TransportClosed):
                    answered = await pending.message_id()
                with pytest.raises(TransportClosed):
                    await until_gone(client)
                assert await place.process.wait() == -9
                last = (key, answered)

    asyncio.run(steps())


@pytest.mark.soak
def test_an_agent_that_is_killed_at_any_moment_has_inserted_once_or_not_at_all(url: str):
    moments = chance()

    async def steps() -> None:
        await store_session(url)
        messages: list[str] = []
        async with OverStdio(url, "never", command=(sys.executable, str(KILLED_AGENT))) as place:
            client = await resumed(place)
            for _ in range(RUNS):
                key = new_key()
                pending = client.start_prompt(SESSION, TEXT, key)
                # Up to a little longer than a prompt takes.
                await asyncio.sleep(moments.uniform(0, 0.02))
                await place.restart()
                answered = await pending.message_id() if pending.is_answered_well else None

                client = await resumed(place)
                messages.append(await client.prompt(SESSION, TEXT, key))
                assert answered in (None, messages[-1])
            assert await history(client) == messages

    asyncio.run(steps())
