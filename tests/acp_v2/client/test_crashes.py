"""Crash truth: wherever the client is killed, what the user submitted is inserted once, under one key.

The agent of a killed client sees the end of its input and ends, too: each start is a new agent on the same store.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from acp_v2.cli.agent import open_store
from acp_v2.idempotency import StoredSession
from tests.acp_v2.agent.client import CWD, REPOSITORY
from tests.acp_v2.agent.client import Client as Observer
from tests.acp_v2.client.killed_client import POINTS
from tests.acp_v2.client.weather import agent_at
from tests.sampling import sampled

SESSION = "session"


class Machine:
    """A user's machine, whose files outlive the processes on it."""

    def __init__(self, folder: Path) -> None:
        self.store = f"sqlite:///{folder / 'sessions'}"
        self._outbox = folder / "outbox"
        self._journal = folder / "journal"
        self._journal.touch()
        asyncio.run(self._store_session())

    async def _store_session(self) -> None:
        store = await open_store(self.store)
        await store.create_session(StoredSession(SESSION, CWD))
        await store.close()

    def start(self, point: str = "") -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.acp_v2.client.killed_client"),
                *(str(self._outbox), self.store, SESSION, str(self._journal), point),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )

    def run(self, *texts: str, point: str = "") -> tuple[int, int]:
        """Submit texts; the exit code, and how many of them the user was told are kept."""
        with self.start(point) as process:
            said, _ = process.communicate("".join(text + "\n" for text in texts))
        return process.returncode, said.count("kept")

    def journal(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._journal.read_text().splitlines()]

    def history(self) -> list[str]:
        async def read() -> list[str]:
            store = await open_store(self.store)
            messages = [message async for message in store.messages(SESSION) if message.role == "user"]
            await store.close()
            return [message.content[0]["text"] for message in messages]

        return asyncio.run(read())

    def check_attempts(self) -> None:
        """No text was sent under two keys, and none after its outcome was known."""
        keys, settled = defaultdict(set), set()
        for entry in self.journal():
            if "told" in entry:
                settled.add(entry["key"])
            else:
                keys[entry["sent"]].add(entry["key"])
                assert entry["key"] not in settled, entry["sent"]
        assert [len(used) for used in keys.values()] == [1] * len(keys)

    @property
    def told(self) -> list[str]:
        return [entry["told"] for entry in self.journal() if "told" in entry]


@pytest.mark.parametrize("point", sampled((point for point in POINTS if "failed" not in point), every=3))
def test_a_client_that_is_killed_loses_nothing_and_sends_nothing_twice(point: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    code, kept = machine.run("Hello", point=point)
    assert code == -9
    assert machine.run()[0] == 0
    # What was not kept before the process ended the user was not told of, and types again.
    was_kept = point not in ("before submit", "in submit")
    assert machine.history() == (["Hello"] if was_kept else [])
    assert kept <= was_kept
    machine.check_attempts()
    # Who was told a moment before may be told again, but everybody is told.
    assert set(machine.told) == ({"inserted"} if was_kept else set())
    assert len(machine.told) <= 1 or point in ("after settled", "before told", "in told")


@pytest.mark.parametrize(
    "point", sampled((f"{when} {what}" for what in ("failed", "told") for when in ("before", "in", "after")), every=3)
)
def test_a_prompt_that_is_refused_is_told_and_not_sent_again_once_that_is_written(point: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert machine.run("/fail 1000", point=point)[0] == -9
    attempts = len(machine.journal())
    assert machine.run()[0] == 0
    assert machine.history() == []
    sent = [entry for entry in machine.journal()[attempts:] if "sent" in entry]
    assert len(sent) == (1 if point in ("before failed", "in failed") else 0)
    assert set(machine.told) == {"failed"}
    machine.check_attempts()
    before = len(machine.journal())
    assert machine.run()[0] == 0
    assert len(machine.journal()) == before, "nothing is left to be sent or told"


@pytest.mark.soak
def test_a_client_that_is_killed_at_any_moment_loses_nothing_and_sends_nothing_twice(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # shown where the test fails
    chance = random.Random(seed)  # noqa: S311
    machine = Machine(tmp_path)
    kept: list[str] = []
    for number in range(200):
        process = machine.start()
        assert process.stdin is not None
        assert process.stdout is not None
        texts = [f"{number}-{nth}" for nth in range(20)]
        process.stdin.write("".join(text + "\n" for text in texts))
        process.stdin.close()
        # While it starts and sends what is pending, or up to a little longer after a few submissions than one takes.
        if chance.random() < 0.3:
            time.sleep(chance.uniform(0, 2))
            process.kill()
        said = "".join(process.stdout.readline() for _ in range(chance.randint(1, 5)) if process.poll() is None)
        time.sleep(chance.uniform(0, 0.02))
        process.kill()
        said += process.stdout.read()
        kept += texts[: said.count("kept")]
        process.wait()
        process.stdout.close()
    assert machine.run()[0] == 0
    machine.check_attempts()
    history = machine.history()
    assert len(set(history)) == len(history)
    assert set(kept) <= set(history)
    assert kept, "the client came to submitting"


SENDER = """
import asyncio, sys
from acp_v2.client import Client, Outbox
from tests.acp_v2.agent.client import CWD

async def main(path, url, session_id):
    outbox = await Outbox.open(path)
    async with Client.to(url, outbox=outbox) as client:
        session = await client.resume_session(session_id, CWD)
        submissions = [await session.prompt(f"{number}", key=f"shared {number}") for number in range(10)]
        ids = [await submission for submission in submissions]
        print(*(f"{submission.attempts}:{id}" for submission, id in zip(submissions, ids)))
    await outbox.close()

asyncio.run(main(*sys.argv[1:]))
"""


def test_two_processes_with_one_outbox_send_each_prompt_once(tmp_path: Path) -> None:
    async def test() -> list[list[str]]:
        async with agent_at("ws", tmp_path) as place:
            observer = Observer(await place.connect())
            await observer.initialize()
            session_id = await observer.new_session()
            processes = [
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-c", SENDER, str(tmp_path / "outbox"), place.url, session_id),
                    stdout=subprocess.PIPE,
                    cwd=REPOSITORY,
                    env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
                )
                for _ in range(2)
            ]
            outputs = [(await process.communicate())[0].decode().split() for process in processes]
            await observer.close()
            assert sorted(text for _, text in await place.history(session_id)) == [str(n) for n in range(10)]
            return outputs

    first, second = asyncio.run(test())
    assert len(first) == len(second) == 10
    for one, other in zip(first, second, strict=True):
        (attempts, message_id), (others, same) = one.split(":", 1), other.split(":", 1)
        assert message_id == same
        assert sorted((attempts, others)) == ["0", "1"]
