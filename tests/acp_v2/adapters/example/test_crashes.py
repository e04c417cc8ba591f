"""Crash truth: wherever the adapter is killed, the client that sends its prompt again has it inserted exactly once."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from acp_v2.adapters import derived_message_id
from acp_v2.adapters.example import Runtime
from acp_v2.adapters.example.runtime import RuntimeSession
from acp_v2.transports import TransportClosed
from tests.acp_v2.adapters.example.killed_adapter import POINTS
from tests.acp_v2.adapters.example.test_traces import COMMAND
from tests.acp_v2.agent.client import CWD, Client, OverStdio, new_key
from tests.acp_v2.agent.test_crashes import RUNS, chance, until_gone
from tests.sampling import sampled

KILLED_ADAPTER = (sys.executable, str(Path(__file__).with_name("killed_adapter.py")))
SESSION = "0" * 32


async def resumed(place: OverStdio) -> Client:
    client = await place.connect()
    await client.resume(SESSION)
    return client


async def history(client: Client) -> list[str]:
    before = len(client.updates)
    await client.resume(SESSION, replays=True)
    return [u["messageId"] for _, u in client.updates[before:] if u["sessionUpdate"] == "user_message"]


@pytest.mark.parametrize("point", sampled(POINTS, every=3))
def test_an_adapter_that_is_killed_has_inserted_once_or_not_at_all(tmp_path: Path, point: str):
    async def steps() -> None:
        await Runtime(tmp_path).create(RuntimeSession(SESSION, CWD))
        key, answered = new_key(), None
        async with OverStdio(str(tmp_path), point, command=KILLED_ADAPTER) as place:
            client = await resumed(place)
            pending = client.start_prompt(SESSION, "Hello there", key)
            with suppress(TransportClosed):
                answered = await pending.message_id()
            with pytest.raises(TransportClosed):
                await until_gone(client)
            assert await place.process.wait() == -9

        async with OverStdio("--sessions", str(tmp_path), command=COMMAND) as place:
            client = await resumed(place)
            message_id = await client.prompt(SESSION, "Hello there", key)
            assert message_id == derived_message_id(SESSION, key)
            assert answered in (None, message_id)
            assert await client.prompt(SESSION, "Hello there", key) == message_id
            assert await history(client) == [message_id]

    asyncio.run(steps())


@pytest.mark.soak
def test_an_adapter_that_is_killed_at_any_moment_has_inserted_once_or_not_at_all(tmp_path: Path):
    moments = chance()

    async def steps() -> None:
        await Runtime(tmp_path).create(RuntimeSession(SESSION, CWD))
        messages: list[str] = []
        arguments = ("--sessions", str(tmp_path), "--compact-every", "5000")
        async with OverStdio(*arguments, command=COMMAND) as place:
            client = await resumed(place)
            for _ in range(RUNS):
                key = new_key()
                pending = client.start_prompt(SESSION, "Hello there", key)
                # Up to a little longer than a prompt takes.
                await asyncio.sleep(moments.uniform(0, 0.02))
                await place.restart()
                answered = await pending.message_id() if pending.is_answered_well else None

                client = await resumed(place)
                messages.append(await client.prompt(SESSION, "Hello there", key))
                assert answered in (None, messages[-1])
            assert await history(client) == messages

    asyncio.run(steps())
