"""The runtime of the example: what it keeps, and what it does not look after."""

import asyncio
import json
from pathlib import Path

import pytest

from acp_v2.adapters.example import Runtime, runtime
from acp_v2.adapters.example.runtime import RuntimeMessage, RuntimeSession

SESSION = "0" * 32


def message(message_id: str, text: str = "Hi") -> RuntimeMessage:
    return RuntimeMessage(message_id, "user", [{"type": "text", "text": text}])


async def new_session(folder: Path, **options: int) -> Runtime:
    made = Runtime(folder, **options)
    await made.create(RuntimeSession(SESSION, "/work"))
    return made


async def ids(made: Runtime, session_id: str = SESSION) -> list[str]:
    return [m.id async for page in made.pages(session_id) for m in page]


def test_a_repeated_id_is_taken_without_a_word(tmp_path: Path):
    async def steps() -> None:
        made = await new_session(tmp_path)
        for _ in range(2):
            await made.append(SESSION, message("m1"))
        assert await ids(made) == ["m1", "m1"]

    asyncio.run(steps())


def test_a_session_is_found_by_another_process_with_its_messages(tmp_path: Path):
    async def steps() -> None:
        await (await new_session(tmp_path)).append(SESSION, message("m1", "Grüße \U0001fa90\0\n"))
        updated = tmp_path.joinpath(f"{SESSION}.jsonl").stat().st_mtime
        other = Runtime(tmp_path)
        assert await other.find(SESSION) == RuntimeSession(SESSION, "/work", updated)
        assert await other.sessions() == [RuntimeSession(SESSION, "/work", updated)]
        assert [page async for page in other.pages(SESSION)] == [[message("m1", "Grüße \U0001fa90\0\n")]]

    asyncio.run(steps())


def test_the_history_reaches_back_behind_compactions_and_the_context_does_not(tmp_path: Path):
    async def steps() -> None:
        made = await new_session(tmp_path, compact_every=500)
        expected = [f"m{number}" for number in range(20)]
        for message_id in expected:
            await made.append(SESSION, message(message_id, "x" * 30))
        assert await ids(made) == expected
        context = [m.id for m in await made.context(SESSION)]
        assert 0 < len(context) < 10
        assert expected[-len(context) :] == context

    asyncio.run(steps())


def test_a_long_history_comes_in_pages(tmp_path: Path):
    async def steps() -> None:
        made = await new_session(tmp_path)
        for number in range(5):
            await made.append(SESSION, message(f"m{number}", "x" * 200_000))
        pages = [page async for page in made.pages(SESSION)]
        assert len(pages) > 1
        assert [m.id for page in pages for m in page] == [f"m{number}" for number in range(5)]

    asyncio.run(steps())


@pytest.mark.parametrize("torn", [b'{"message":{"id":"m2"', b"x" * 600_000, b"{"])
def test_a_message_that_was_not_finished_is_none_and_makes_room_for_the_next(tmp_path: Path, torn: bytes):
    async def steps() -> None:
        made = await new_session(tmp_path)
        await made.append(SESSION, message("m1"))
        with tmp_path.joinpath(f"{SESSION}.jsonl").open("ab") as file:
            file.write(torn)
        assert await ids(made) == ["m1"]
        await made.append(SESSION, message("m3"))
        assert await ids(made) == ["m1", "m3"]

    asyncio.run(steps())


def test_a_message_that_could_not_be_written_is_not_found_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(file: object) -> None:
        file.flush()  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    async def steps() -> None:
        made = await new_session(tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(runtime, "_sync", fail)
            with pytest.raises(OSError, match="No space"):
                await made.append(SESSION, message("m1"))
        await made.append(SESSION, message("m2"))
        assert await ids(made) == ["m2"]

    asyncio.run(steps())


def test_a_fork_has_the_messages_with_their_ids_and_goes_its_own_way(tmp_path: Path):
    async def steps() -> None:
        made = await new_session(tmp_path)
        await made.append(SESSION, message("m1"))
        fork = RuntimeSession("1" * 32, "/elsewhere")
        await made.fork(SESSION, fork)
        await made.append(fork.id, message("m2"))
        assert await ids(made) == ["m1"]
        assert await ids(made, fork.id) == ["m1", "m2"]
        found = await made.find(fork.id)
        assert found is not None
        assert found.cwd == "/elsewhere"

    asyncio.run(steps())


@pytest.mark.parametrize(
    "session_id", ["", "../outside", "0" * 31, "0" * 33, "A" * 32, "0" * 31 + "/", "\0", "\u0661" * 32]
)
def test_an_id_that_is_not_one_of_its_own_leads_nowhere(tmp_path: Path, session_id: str):
    async def steps() -> None:
        made = Runtime(tmp_path / "inside")
        tmp_path.joinpath("outside.jsonl").write_text('{"session":{"id":"x","cwd":"/"}}\n')
        assert await made.find(session_id) is None
        await made.delete(session_id)
        with pytest.raises(FileNotFoundError):
            await made.append(session_id, message("m1"))

    asyncio.run(steps())


def test_a_deleted_session_is_gone(tmp_path: Path):
    async def steps() -> None:
        made = await new_session(tmp_path)
        for _ in range(2):
            await made.delete(SESSION)
        assert await made.find(SESSION) is None
        assert await made.sessions() == []

    asyncio.run(steps())


def test_a_session_of_an_id_is_made_once(tmp_path: Path):
    async def steps() -> None:
        made = await new_session(tmp_path)
        await made.append(SESSION, message("m1"))
        with pytest.raises(FileExistsError):
            await made.create(RuntimeSession(SESSION, "/work"))
        assert await ids(made) == ["m1"]

    asyncio.run(steps())


def test_a_folder_is_used_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def steps() -> None:
        first, second = Runtime(tmp_path), Runtime(tmp_path)
        await first.open()
        with monkeypatch.context() as patched:
            patched.setattr(runtime, "SECONDS_TO_WAIT", 0.0)
            with pytest.raises(TimeoutError):
                await second.open()
        waiting = asyncio.create_task(second.open())
        first.close()
        await waiting

    asyncio.run(steps())


def test_its_files_are_json_lines(tmp_path: Path):
    async def steps() -> None:
        await (await new_session(tmp_path)).append(SESSION, message("m1"))

    asyncio.run(steps())
    lines = tmp_path.joinpath(f"{SESSION}.jsonl").read_text("utf-8").splitlines()
    assert [next(iter(json.loads(line))) for line in lines] == ["session", "message"]
