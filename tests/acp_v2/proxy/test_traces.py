"""The seven traces of the proposal, with proxies between the client and the reference agent: over stdio."""

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_v2.transports import TransportClosed
from tests.acp_v2.agent.client import OverStdio, new_key
from tests.acp_v2.agent.test_traces import (  # noqa: F401  # the traces are the same; `run` is not
    Trace,
    test_a_held_prompt_is_inserted_when_the_session_is_idle_and_every_attempt_gets_its_id,
    test_a_retry_after_a_restart_with_a_stored_session,
    test_a_retry_after_an_error,
    test_a_retry_after_resuming_on_a_new_connection,
    test_a_retry_of_a_prompt_that_was_inserted_during_active_work,
    test_a_retry_on_the_same_connection,
    test_a_retry_while_the_prompt_is_held,
    test_the_same_key_in_another_session_and_in_a_fork,
)

PROXY = (sys.executable, "-m", "acp_v2.proxy")
AGENT = (sys.executable, "-m", "acp_v2.cli", "agent")
CHAINS = {"no proxy": (), "two proxies": ("--proxy", shlex.join(PROXY)) * 2}


@pytest.fixture(params=["no proxy", pytest.param("two proxies", marks=pytest.mark.soak)])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, ...]:
    """What a client starts: a conductor, perhaps with proxies, and the agent behind it."""
    store = f"sqlite:///{tmp_path / 'sessions.db'}"
    return (*PROXY, *CHAINS[request.param], "--", *AGENT, "--store", store)


@pytest.fixture
def run(command: tuple[str, ...]) -> Callable[..., None]:
    """Runs a trace through the chain. At a restart the conductor is killed, and what is behind it ends with it."""

    def run_trace(trace: Trace, while_busy: str = "hold") -> None:
        async def steps() -> None:
            async with OverStdio("--while-busy", while_busy, command=command) as place:
                await trace(place)

        asyncio.run(steps())

    return run_trace


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_when_the_agent_is_killed_the_connection_ends_and_a_retry_is_inserted_once(
    chain: tuple[str, ...], tmp_path: Path
):
    pid = tmp_path / "pid"
    noting = ("/bin/sh", "-c", f'echo $$ > {shlex.quote(str(pid))}; exec "$@"', "sh")
    store = f"sqlite:///{tmp_path / 'sessions.db'}"

    async def steps() -> None:
        async with OverStdio(command=(*PROXY, *chain, "--", *noting, *AGENT, "--store", store)) as place:
            client, key = await place.connect(), new_key()
            session = await client.new_session()
            original = await client.prompt(session, "/sleep 1000", key)
            held = client.start_prompt(session, "Hello there", new_key())
            os.kill(int(pid.read_text()), signal.SIGKILL)
            with pytest.raises(TransportClosed):
                await held.message_id()
            assert await place.process.wait() == 1

            client = await place.connect()
            await client.resume(session)
            assert await client.prompt(session, "/sleep 1000", key) == original
            await client.resume(session, replays=True)
            assert client.user_messages(session) == [original]

    asyncio.run(steps())
