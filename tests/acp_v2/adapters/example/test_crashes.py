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

KILLED_ADAPTER = (sys.executable, str(Path(__file__).with_name("killed_adapter.py")))
SESSION = "0" * 32


async def resumed(place: OverStdio) -> Client:
    client = await place.connect()
    await client.resume(SESSION)
    return client


async def until_gone(client: Client) -> None:
    while True:
        await client.everything_sent()


@pytest.mark.parametrize("point", POINTS)
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
            before = len(client.updates)
            await client.resume(SESSION, replays=True)
            shown = [u["messageId"] for _, u in client.updates[before:] if u["sessionUpdate"] == "user_message"]
            assert shown == [message_id]

    asyncio.run(steps())
