"""What keys cost an agent, and how soon it answers a retry while it is busy."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from pathlib import Path

import pytest

from acp_v2 import IdempotencyKey
from acp_v2.cli.agent import open_store
from acp_v2.idempotency import StoredSession
from acp_v2.idempotency.sql_store import SqlStore
from tests.acp_v2.agent.client import CWD, InProcess, new_key
from tests.acp_v2.agent.load import Load, load
from tests.bench.measure import Figure, medians, ratio
from tests.postgresql import PostgresqlServer, find_programs

PAIRS = 150
"""Prompts with and without a key, in turns."""

SMALL, LARGE = 10_000, 1_000_000
SESSIONS_LOOKED_UP = 100
LOOKUPS = 5000

SESSIONS = 100
SPELLS = 5
SPELL_SECONDS = 3.0
PAUSE_SECONDS = 0.01
"""Between two retries."""

STREAMED = " ".join(["word"] * 50)
"""A reply of 50 chunks, each of which takes as long as one of a model's."""


def figures() -> Iterator[Figure]:
    """Each with the limit that it has to keep to."""
    with tempfile.TemporaryDirectory() as folder:
        yield asyncio.run(_cost_of_a_key("memory", "memory"))
        yield asyncio.run(_cost_of_a_key("SQLite", f"sqlite:///{folder}/prompts.db"))
        for name, is_durable in (("PostgreSQL, fsync on", True), ("PostgreSQL, fsync off", False)):
            with _postgresql(is_durable=is_durable) as server:
                if server is not None:
                    yield asyncio.run(_cost_of_a_key(name, server.take_database()))
        yield from asyncio.run(_lookups(Path(folder)))
        yield asyncio.run(_retries("a reply each", folder, STREAMED))
        yield asyncio.run(_retries("a reply each, 100 sockets", folder, STREAMED, sockets=SESSIONS))
        yield asyncio.run(_retries("a prompt upon each word", folder, "word"))


@contextlib.contextmanager
def _postgresql(*, is_durable: bool) -> Generator[PostgresqlServer | None]:
    try:
        programs = find_programs()
    except pytest.skip.Exception as skipped:
        print(f"NOT MEASURED: {skipped}", file=sys.stderr)
        yield None
        return
    server = PostgresqlServer(programs, is_durable=is_durable)
    try:
        server.start()
        yield server
    finally:
        server.remove()


# Prompts


async def _cost_of_a_key(name: str, url: str) -> Figure:
    """Prompts from request to answer, through the client's connection, the agent's, and the store."""
    store = await open_store(url)
    try:
        async with InProcess(store) as place:
            client = await place.connect()
            session_id = await client.new_session()

            async def milliseconds(key: str | None) -> float:
                seen = len(client.updates)
                began = time.perf_counter()
                await client.prompt(session_id, "/sleep 0", key)
                taken = (time.perf_counter() - began) * 1e3
                await client.until_idle(session_id, after=seen)
                return taken

            taken: dict[str, list[float]] = {"with a key": [], "without": []}
            for number in range(PAIRS + 10):
                # Who comes first takes turns as well.
                for kind in sorted(taken, reverse=number % 2 == 0):
                    value = await milliseconds(new_key() if kind == "with a key" else None)
                    if number >= 10:
                        taken[kind].append(value)
    finally:
        await store.close()
    value = ratio(*taken.values())
    return Figure(f"a prompt with a key, of one without, {name}", value, "x", 1.15, medians(taken), parts_unit="ms")


# Look-ups


async def _lookups(folder: Path) -> list[Figure]:
    async with _filled(folder / "small.db", SMALL) as small, _filled(folder / "large.db", LARGE) as large:
        stores = {f"{SMALL:,} keys": (small, SMALL), f"{LARGE:,} keys": (large, LARGE)}
        found: dict[str, list[float]] = {name: [] for name in stores}
        for _ in range(LOOKUPS):
            for name, (store, count) in stores.items():
                found[name].append(await _lookup(store, random.randrange(count)))  # noqa: S311
    few, many = found.values()
    p99s = {f"p99, {name}": _p99(values) for name, values in found.items()}
    return [
        Figure(f"look-up of a key, p99, {LARGE:,} keys", _p99(many), "ms", 1.0, {**medians(found), **p99s}),
        Figure(f"look-up, of one among {SMALL:,} keys", statistics.median(many) / statistics.median(few), "x", 2.0),
    ]


async def _lookup(store: SqlStore, number: int) -> float:
    session_id, key = _place(number)
    began = time.perf_counter()
    recorded = await store.find_key(session_id, key)
    taken = (time.perf_counter() - began) * 1e3
    if recorded is None or recorded.message_id != f"m{number}":
        raise RuntimeError(f"the key of message {number} was not found")
    return taken


@contextlib.asynccontextmanager
async def _filled(path: Path, count: int) -> AsyncGenerator[SqlStore]:
    """A store with that many keys, put in as the store itself would, but all at once."""
    store = await SqlStore.open(f"sqlite:///{path}")
    try:
        for number in range(SESSIONS_LOOKED_UP):
            await store.create_session(StoredSession(_place(number)[0], CWD))
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            content = '[{"type": "text", "text": "What is the orbit of the third moon?"}]'
            places = ((number, *_place(number)) for number in range(count))
            connection.executemany(
                "INSERT INTO acp_messages (session_id, id, role, content, key) VALUES (?, ?, 'user', ?, ?)",
                ((session_id, f"m{number}", content, key.encode()) for number, session_id, key in places),
            )
        yield store
    finally:
        await store.close()


def _place(number: int) -> tuple[str, IdempotencyKey]:
    """The session and the key of a message; keys are in no order, as UUIDs are not."""
    key = random.Random(number).randbytes(16).hex()  # noqa: S311
    return f"session-{number % SESSIONS_LOOKED_UP}", IdempotencyKey(key)


# Retries


async def _retries(name: str, folder: str, text: str, sockets: int = 0) -> Figure:
    """The 99th percentile of a retry's answer while 100 sessions are busy: the median of several spells.

    Beside it stands that of a bare process that sends lines back, at the same time: what the machine makes of it.
    """
    with tempfile.TemporaryDirectory(dir=folder) as own:
        async with (
            load(f"sqlite:///{own}/store.db", text, sessions=SESSIONS, sockets=sockets) as busy,
            _bare_process() as bare,
        ):
            messages, prompts, began = busy.messages, busy.prompts, time.perf_counter()
            spells = [await _spell(busy, bare) for _ in range(SPELLS)]
            seconds = time.perf_counter() - began
            parts = {
                "median": statistics.median(statistics.median(answers) for answers, _ in spells),
                "a bare process that sends lines back, p99": statistics.median(_p99(lines) for _, lines in spells),
                "milliseconds for a message to the clients": 1e3 * seconds / (busy.messages - messages),
                "milliseconds for a prompt and its reply": 1e3 * seconds / (busy.prompts - prompts),
            }
    p99 = statistics.median(_p99(answers) for answers, _ in spells)
    return Figure(f"a retry's answer, p99, 100 sessions, {name}", p99, "ms", 50.0, parts)


async def _spell(busy: Load, bare: asyncio.subprocess.Process) -> tuple[list[float], list[float]]:
    """The milliseconds of retries and of lines sent back, in turns."""
    answers: list[float] = []
    lines: list[float] = []
    until = time.perf_counter() + SPELL_SECONDS
    while time.perf_counter() < until:
        answers.append(await busy.retry() * 1e3)
        await asyncio.sleep(PAUSE_SECONDS)
        lines.append(await _line_back(bare) * 1e3)
        await asyncio.sleep(PAUSE_SECONDS)
    return answers, lines


async def _line_back(process: asyncio.subprocess.Process) -> float:
    assert process.stdin
    assert process.stdout
    began = time.perf_counter()
    process.stdin.write(b"line\n")
    await process.stdout.readline()
    return time.perf_counter() - began


@contextlib.asynccontextmanager
async def _bare_process() -> AsyncGenerator[asyncio.subprocess.Process]:
    code = "import os\nwhile line := os.read(0, 100): os.write(1, line)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        await _line_back(process)
        yield process
    finally:
        process.kill()
        await process.wait()


def _p99(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100)[98]
