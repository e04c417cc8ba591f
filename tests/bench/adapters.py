"""What an adapter's index of message ids costs: time over reading a long history, and memory."""

import asyncio
import tempfile
import tracemalloc
import uuid
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path

from acp_v2.adapters import MessageIdIndex
from acp_v2.adapters.example import Runtime
from acp_v2.adapters.example import runtime as example
from acp_v2.adapters.example.runtime import RuntimeMessage, RuntimeSession
from acp_v2.adapters.example.runtime_sessions import Index, user_message_ids
from tests.bench.measure import Figure, in_turns, medians, ratio, seconds

MESSAGES = 100_000
SESSION = uuid.uuid4().hex
TURNS = 15
SIZES = [1_366, 5_462, 21_846, 43_691, 87_382, MESSAGES]
"""All but the last are one more than a table of Python's has room for, so that it has just grown."""


def figures() -> Iterator[Figure]:
    """Each with the limit that it has to keep to."""
    with tempfile.TemporaryDirectory() as folder:
        yield asyncio.run(_filling(Path(folder)))
    found = {f"{size} ids": _bytes_each(size) for size in SIZES}
    yield Figure("memory of a recorded key in the index", max(found.values()), "bytes", 160, found)


async def _filling(folder: Path) -> Figure:
    runtime = Runtime(folder)
    await runtime.create(RuntimeSession(SESSION, "/work"))
    _store_history(folder / f"{SESSION}.jsonl")

    async def read() -> None:
        async for _ in runtime.pages(SESSION):
            pass

    async def fill() -> None:
        index: Index = MessageIdIndex(lambda: runtime.pages(SESSION), user_message_ids)
        assert not await index.contains("nowhere")

    def timed(action: Callable[[], Coroutine[None, None, None]]) -> Callable[[], float]:
        return lambda: seconds(lambda: asyncio.run(action()), runs=1)

    found = await asyncio.to_thread(in_turns, {"reading": timed(read), "filling": timed(fill)}, TURNS)
    name = f"filling the index from {MESSAGES:,} messages, of reading"
    return Figure(name, ratio(found["filling"], found["reading"]), "x", 1.1, medians(found), parts_unit="s")


def _store_history(path: Path) -> None:
    """Prompts and their replies in turn, as the runtime would have stored them one by one."""
    words = [{"type": "text", "text": "Why does the test of the orbit's period fail?"}]
    with path.open("ab") as file:
        for number in range(MESSAGES):
            role = "agent" if number % 2 else "user"
            file.write(example.message_line(RuntimeMessage(str(uuid.uuid4()), role, words)))


def _bytes_each(size: int) -> float:
    """Of an index with as many ids, the index itself included."""
    tracemalloc.start()
    try:
        index: Index = MessageIdIndex(lambda: Runtime(Path()).pages(SESSION), user_message_ids)
        for _ in range(size):
            index.add(str(uuid.uuid4()))
        return tracemalloc.get_traced_memory()[0] / size
    finally:
        tracemalloc.stop()
