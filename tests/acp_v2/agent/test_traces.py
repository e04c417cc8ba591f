"""The seven traces of the proposal, in one process and over stdio with a process that dies in between."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from acp_v2 import InternalError
from acp_v2.idempotency import MemoryStore
from tests.acp_v2.agent.client import InProcess, OverStdio, Place, new_key

Trace = Callable[[Place], Awaitable[None]]


@pytest.fixture(params=["in-process", "stdio"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Runs a trace against an agent."""

    def run_trace(trace: Trace, while_busy: str = "hold") -> None:
        async def steps() -> None:
            if request.param == "in-process":
                place = InProcess(MemoryStore(), while_busy=while_busy)
            else:
                place = OverStdio("--store", f"sqlite:///{tmp_path / 'sessions.db'}", "--while-busy", while_busy)
            async with place:
                await trace(place)

        asyncio.run(steps())

    return run_trace


def test_a_retry_on_the_same_connection(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()

        original = await client.prompt(session, "Hello there", key)
        assert await client.prompt(session, "Hello there", key) == original
        await client.until_idle(session)
        assert await client.prompt(session, "Hello there", key) == original

        await client.everything_sent()
        assert client.user_messages(session) == [original]
        states = [update["state"] for update in client.of(session, "state_update")]
        assert states == ["running", "idle"], "a retry starts no second round of work"

    run(trace)


def test_a_retry_after_resuming_on_a_new_connection(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        first, key = await place.connect(), new_key()
        session = await first.new_session()
        original = await first.prompt(session, "Hello there", key)
        await first.until_idle(session)
        await first.close()

        second = await place.connect()
        await second.resume(session, replays=True)
        assert await second.prompt(session, "Hello there", key) == original

        await second.everything_sent()
        assert second.user_messages(session) == [original]

    run(trace)


def test_a_retry_after_a_restart_with_a_stored_session(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        first, key = await place.connect(), new_key()
        session = await first.new_session()
        original = await first.prompt(session, "Hello there", key)
        await first.until_idle(session)
        await place.restart()

        second = await place.connect()
        await second.resume(session)
        assert await second.prompt(session, "Hello there", key) == original

        await second.resume(session, replays=True)
        assert second.user_messages(session) == [original]
        (reply,) = second.of(session, "agent_message")
        assert reply["content"] == [{"type": "text", "text": "Hello there"}]

    run(trace)


def test_a_retry_while_the_prompt_is_held(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        busy = await client.prompt(session, "/sleep 1000")
        attempts = [client.start_prompt(session, "Hello there", key) for _ in range(2)]
        await client.everything_sent()
        assert not any(attempt.is_answered for attempt in attempts)

        # Resuming tells what is inserted, and a held prompt is not.
        await client.resume(session, replays=True)
        assert set(client.user_messages(session)) == {busy}
        attempts[1].cancel()
        assert [await attempt.error_code() for attempt in attempts] == [-32800, -32800]

        held = [client.start_prompt(session, "/sleep 0", key) for _ in range(2)]
        blocked = client.start_prompt(session, "Another")
        await client.everything_sent()
        blocked.cancel()
        assert await blocked.error_code() == -32800
        assert not any(attempt.is_answered for attempt in held)
        client.cancel(session)
        assert [await attempt.error_code() for attempt in held] == [-32800, -32800]
        end = await client.until_idle(session)
        assert client.updates[end - 1][1]["stopReason"] == "cancelled"

        assert await client.prompt(session, "Hello there", key) not in (None, busy)

    run(trace)


def test_a_held_prompt_is_inserted_when_the_session_is_idle_and_every_attempt_gets_its_id(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        await client.prompt(session, "/sleep 0.2")
        attempts = [client.start_prompt(session, "Hello there", key) for _ in range(3)]

        ids = [await attempt.message_id() for attempt in attempts]

        assert len(set(ids)) == 1
        states = [u.get("state", u["sessionUpdate"]) for u in client.of(session, "state_update", "user_message")]
        assert states[:5] == ["user_message", "running", "idle", "user_message", "running"]

    run(trace)


def test_a_retry_after_an_error(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()

        for _ in range(2):
            with pytest.raises(InternalError):
                await client.prompt(session, "/fail 2", key)
        inserted = await client.prompt(session, "/fail 2", key)
        assert await client.prompt(session, "/fail 2", key) == inserted

        await client.everything_sent()
        assert client.user_messages(session) == [inserted]

    run(trace)


def test_the_same_key_in_another_session_and_in_a_fork(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        original = await client.prompt(session, "Hello there", key)
        await client.until_idle(session)

        other = await client.new_session()
        in_other = await client.prompt(other, "Hello there", key)
        fork = await client.fork(session)
        in_fork = await client.prompt(fork, "Hello there", key)
        assert len({original, in_other, in_fork}) == 3

        await client.until_idle(fork)
        await client.resume(fork, replays=True)
        assert len(set(client.user_messages(fork))) == 2, "the fork has the history, and one message more"
        assert await client.prompt(fork, "Hello there", key) == in_fork
        assert await client.prompt(session, "Hello there", key) == original

    run(trace)


def test_a_retry_of_a_prompt_that_was_inserted_during_active_work(run: Callable[..., None]):
    async def trace(place: Place) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        first = await client.prompt(session, "/sleep 1000")
        await client.until_busy(session)

        inserted = await client.prompt(session, "Hello there", key)
        assert await client.prompt(session, "Hello there", key) == inserted

        await client.everything_sent()
        assert client.user_messages(session) == [first, inserted]
        assert [u["state"] for u in client.of(session, "state_update")] == ["running"]
        client.cancel(session)
        await client.until_idle(session)
        assert await client.prompt(session, "Hello there", key) == inserted

    run(trace, while_busy="insert")
