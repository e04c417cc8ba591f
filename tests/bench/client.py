"""What an outbox adds to a prompt: kept in a file before it is sent, and noted there when its outcome is known."""

import asyncio
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from acp_v2.client import Client, Outbox
from acp_v2.connection import Call, Connection, Handlers
from acp_v2.transports.memory import MemoryTransport, memory_pair
from tests.bench.measure import Figure

PROMPTS = 300
TEXT = "The mirror is aligned; the next step is to calibrate it."


def figures() -> Iterator[Figure]:
    """Each with the limit that it has to keep to."""
    yield asyncio.run(_outbox())


async def _outbox() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        outbox = await Outbox.open(Path(folder) / "outbox")
        commit = _commits(Path(folder) / "other")
        parts = ("over a connection", "through a client and its outbox", "  submitting", "one commit of SQLite alone")
        async with _agent() as bare, Client(_connect, outbox=outbox) as client:
            session = await client.new_session(folder)
            prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": TEXT}], "idempotencyKey": str(uuid.uuid4())}
            taken: list[list[float]] = [[], [], [], []]
            for _ in range(PROMPTS):
                taken[0].append(await _timed(lambda: bare.request("session/prompt", prompt)))
                started = time.perf_counter()
                submission = await session.prompt(TEXT)
                taken[2].append((time.perf_counter() - started) * 1000)
                await submission
                taken[1].append((time.perf_counter() - started) * 1000)
                started = time.perf_counter()
                next(commit)
                taken[3].append((time.perf_counter() - started) * 1000)
        await outbox.close()
    added = statistics.median(through - over for over, through in zip(taken[0], taken[1], strict=True))
    return Figure(
        "what an outbox adds to a prompt",
        added,
        "ms",
        2.0,
        dict(zip(parts, (statistics.median(times) for times in taken), strict=True)),
    )


def _commits(path: Path) -> Iterator[None]:
    """Commits that wait for the disk, as keeping a prompt does."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE texts (text)")
    while True:
        db.execute("INSERT INTO texts VALUES (?)", (TEXT,))
        yield


async def _timed(action: Callable[[], Awaitable[Any]]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    await action()
    return (time.perf_counter() - started) * 1000


async def _answer(call: Call[Any]) -> dict[str, Any]:
    """An agent that inserts at once, so that nothing but the client is measured."""
    match call.method:
        case "initialize":
            info = {"name": "bench", "version": "1"}
            return {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}
        case "session/new":
            return {"sessionId": "s"}
        case _:
            return {"messageId": str(uuid.uuid4())}


_SERVING: set[asyncio.Task[None]] = set()


async def _connect() -> MemoryTransport:
    mine, theirs = memory_pair()
    handlers = Handlers(dict.fromkeys(("initialize", "session/new", "session/prompt"), _answer))
    serving = asyncio.create_task(Connection(theirs, "agent", handlers).run())
    _SERVING.add(serving)
    serving.add_done_callback(_SERVING.discard)
    return mine


@asynccontextmanager
async def _agent() -> AsyncIterator[Connection]:
    connection = Connection(await _connect(), "client")
    running = asyncio.create_task(connection.run())
    yield connection
    await connection.close()
    await running
