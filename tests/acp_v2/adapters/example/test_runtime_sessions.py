"""What the example adapter does for keys: look them up itself, because its runtime takes every message twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import InternalError, ResourceNotFound
from acp_v2.adapters import derived_message_id
from acp_v2.adapters.example import Runtime, RuntimeSessions
from acp_v2.adapters.example.runtime import RuntimeMessage
from tests.acp_v2.agent.client import Client, InProcess, new_key


class WatchedRuntime(Runtime):
    """A runtime that counts how often a history is read, and fails where it is told to."""

    def __init__(self, folder: Path, **options: int) -> None:
        super().__init__(folder, **options)
        self.readings = 0
        self.reading_fails: Exception | None = None
        self.storing_fails: Exception | None = None
        self.fails_after_storing = False

    async def pages(self, session_id: str) -> AsyncIterator[list[RuntimeMessage]]:
        self.readings += 1
        async for page in super().pages(session_id):
            yield page
        if self.reading_fails is not None:
            raise self.reading_fails

    async def append(self, session_id: str, message: RuntimeMessage) -> None:
        if self.storing_fails is not None and not self.fails_after_storing:
            raise self.storing_fails
        await super().append(session_id, message)
        if self.storing_fails is not None:
            raise self.storing_fails

    async def user_messages(self, session_id: str) -> list[str]:
        return [m.id async for page in Runtime.pages(self, session_id) for m in page if m.role == "user"]


Steps = Callable[[WatchedRuntime, InProcess], Awaitable[None]]
Run = Callable[..., None]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs steps against the adapter, each time over a runtime that has just been started."""

    def run_steps(*lives: Steps, while_busy: str = "hold", **options: int) -> None:
        async def whole() -> None:
            for steps in lives:
                runtime = WatchedRuntime(tmp_path, **options)
                async with InProcess(RuntimeSessions(runtime), while_busy=while_busy) as place:
                    await steps(runtime, place)

        asyncio.run(whole())

    return run_steps


async def prompted(client: Client, session: str, key: str, text: str = "Hi") -> str:
    message_id = await client.prompt(session, text, key)
    await client.until_idle(session)
    return message_id


def test_the_message_id_follows_from_session_and_key_and_a_retry_reaches_no_runtime(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        assert await prompted(client, session, key) == derived_message_id(session, key)
        assert await client.prompt(session, "Hi", key) == derived_message_id(session, key)
        assert await runtime.user_messages(session) == [derived_message_id(session, key)]
        assert client.user_messages(session) == [derived_message_id(session, key)]

    run(steps)


def test_attempts_at_once_are_one_message(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        clients, key = [await place.connect() for _ in range(4)], new_key()
        session = await clients[0].new_session()
        for client in clients[1:]:
            await client.resume(session)
        ids = await asyncio.gather(*(client.prompt(session, "Hi", key) for client in clients))
        assert set(ids) == {derived_message_id(session, key)}
        assert await runtime.user_messages(session) == [ids[0]]

    run(steps)


def test_without_a_key_each_prompt_is_a_message_of_its_own(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        ids = [await client.prompt(session, "Hi") for _ in range(2)]
        assert len(set(ids)) == 2
        assert await runtime.user_messages(session) == ids

    run(steps)


def test_after_a_restart_the_history_is_read_once_for_any_number_of_keyed_prompts(run: Run):
    session, keys = "", [new_key() for _ in range(3)]

    async def first(_: WatchedRuntime, place: InProcess) -> None:
        nonlocal session
        client = await place.connect()
        session = await client.new_session()
        for key in keys[:2]:
            await prompted(client, session, key)

    async def second(runtime: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        await client.resume(session)
        await client.prompt(session, "Without a key")
        assert runtime.readings == 0
        ids = [await client.prompt(session, "Hi", key) for key in [*keys, *keys]]
        assert ids == [derived_message_id(session, key) for key in [*keys, *keys]]
        assert runtime.readings == 1
        stored = await runtime.user_messages(session)
        assert [stored.count(message_id) for message_id in ids[:3]] == [1, 1, 1]

    run(first, second)


def test_a_replay_that_the_client_asked_for_is_all_the_reading_there_is(run: Run):
    session, key = "", new_key()

    async def first(_: WatchedRuntime, place: InProcess) -> None:
        nonlocal session
        client = await place.connect()
        session = await client.new_session()
        await prompted(client, session, key)

    async def second(runtime: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        await client.resume(session, replays=True)
        assert await client.prompt(session, "Hi", key) == derived_message_id(session, key)
        assert runtime.readings == 1

    run(first, second)


def test_a_prompt_from_before_a_compaction_is_recognised_after_a_restart(run: Run):
    session, key = "", new_key()

    async def first(runtime: WatchedRuntime, place: InProcess) -> None:
        nonlocal session
        client = await place.connect()
        session = await client.new_session()
        await prompted(client, session, key)
        for _ in range(5):
            await prompted(client, session, new_key(), "x" * 200)
        kept = [message.id for message in await runtime.context(session)]
        assert derived_message_id(session, key) not in kept, "the runtime's own context has lost it"

    async def second(runtime: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        await client.resume(session)
        assert await client.prompt(session, "Hi", key) == derived_message_id(session, key)
        assert (await runtime.user_messages(session)).count(derived_message_id(session, key)) == 1

    run(first, second, compact_every=700)


@pytest.mark.parametrize("error", [OSError("the disk is gone"), ValueError("a broken line")])
def test_a_history_that_cannot_be_read_fails_the_prompt_and_not_the_next(run: Run, error: Exception):
    session, key = "", new_key()

    async def first(_: WatchedRuntime, place: InProcess) -> None:
        nonlocal session
        client = await place.connect()
        session = await client.new_session()
        await prompted(client, session, key)

    async def second(runtime: WatchedRuntime, place: InProcess) -> None:
        client, another = await place.connect(), new_key()
        await client.resume(session)
        runtime.reading_fails = error
        with pytest.raises(InternalError):
            await client.prompt(session, "Hi", another)
        assert await runtime.user_messages(session) == [derived_message_id(session, key)]

        runtime.reading_fails = None
        assert await client.prompt(session, "Hi", key) == derived_message_id(session, key)
        assert await client.prompt(session, "Hi", another) == derived_message_id(session, another)
        stored = await runtime.user_messages(session)
        assert stored == [derived_message_id(session, key), derived_message_id(session, another)]

    run(first, second)


def test_a_message_that_the_runtime_did_not_store_leaves_its_key_unused(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        runtime.storing_fails = OSError("the disk is full")
        with pytest.raises(InternalError):
            await client.prompt(session, "Hi", key)
        runtime.storing_fails = None
        assert await client.prompt(session, "Hi", key) == derived_message_id(session, key)
        assert await runtime.user_messages(session) == [derived_message_id(session, key)]

    run(steps)


def test_a_message_that_the_runtime_stored_and_then_failed_is_inserted(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client, keys = await place.connect(), [new_key(), None]
        session = await client.new_session()
        runtime.storing_fails, runtime.fails_after_storing = OSError("no answer"), True
        ids = [await client.prompt(session, "Hi", key) for key in keys]
        runtime.storing_fails = None
        assert await client.prompt(session, "Hi", keys[0]) == ids[0]
        assert await runtime.user_messages(session) == ids
        assert client.user_messages(session) == ids

    run(steps, while_busy="insert")


def test_a_message_of_which_the_runtime_cannot_say_whether_it_is_stored_is_not_stored_twice(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        runtime.storing_fails, runtime.fails_after_storing = OSError("no answer"), True
        runtime.reading_fails = OSError("no answer")
        with pytest.raises(InternalError):
            await client.prompt(session, "Hi", key)
        runtime.storing_fails = runtime.reading_fails = None
        assert await client.prompt(session, "Hi", key) == derived_message_id(session, key)
        assert await runtime.user_messages(session) == [derived_message_id(session, key)]

    run(steps)


def test_a_fork_inherits_messages_and_no_keys(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        original = await prompted(client, session, key)
        fork = await client.fork(session)
        in_fork = await client.prompt(fork, "Hi", key)
        assert in_fork == derived_message_id(fork, key)
        assert await runtime.user_messages(fork) == [original, in_fork]

    run(steps)


def test_the_key_of_a_local_command_is_known_while_the_session_is_active_and_not_stored(run: Run):
    session, key, original = "", new_key(), ""

    async def first(runtime: WatchedRuntime, place: InProcess) -> None:
        nonlocal session, original
        client = await place.connect()
        session = await client.new_session()
        original = await client.prompt(session, "/local", key)
        assert await client.prompt(session, "/local", key) == original
        assert await runtime.user_messages(session) == []

    async def second(_: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        await client.resume(session)
        assert await client.prompt(session, "/local", key) != original

    run(first, second)


def test_no_key_is_in_what_the_runtime_stores(run: Run, tmp_path: Path):
    async def steps(_: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await prompted(client, session, "a-secret-key")
        (file,) = tmp_path.glob("*.jsonl")
        assert derived_message_id(session, "a-secret-key") in file.read_text("utf-8")
        assert "a-secret-key" not in file.read_text("utf-8")

    run(steps)


def test_what_a_failing_runtime_says_is_not_logged(run: Run, caplog: pytest.LogCaptureFixture):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        runtime.storing_fails = ValueError("a user's words")
        with pytest.raises(InternalError) as caught:
            await client.prompt(session, "Hi", "a-secret-key")
        said: Any = caught.value.to_wire()
        assert "words" not in str(said)

    run(steps)
    assert "The runtime could not store a message: ValueError" in caplog.text
    assert "words" not in caplog.text
    assert "a-secret-key" not in caplog.text


def test_a_deleted_session_is_gone_with_its_keys(run: Run):
    async def steps(runtime: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await prompted(client, session, new_key())
        await client.request("session/delete", {"sessionId": session})
        with pytest.raises(ResourceNotFound):
            await client.resume(session)
        assert await runtime.sessions() == []
        assert (await client.request("session/list", {})).sessions == []

    run(steps)


def test_sessions_are_listed_by_directory_and_found_again(run: Run):
    async def first(_: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        made = {await client.new_session() for _ in range(3)}
        await client.new_session("/elsewhere")
        assert {s.session_id for s in (await client.request("session/list", {"cwd": "/work/project"})).sessions} == made

    async def second(_: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        assert len((await client.request("session/list", {})).sessions) == 4

    run(first, second)


def test_a_session_whose_file_is_removed_behind_its_back_is_not_found(run: Run, tmp_path: Path):
    async def steps(_: WatchedRuntime, place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        tmp_path.joinpath(f"{session}.jsonl").unlink()
        for key in (new_key(), None):
            with pytest.raises(ResourceNotFound):
                await client.prompt(session, "Hi", key)

    run(steps)
