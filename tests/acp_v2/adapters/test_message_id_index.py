"""What an adapter knows of the messages that its runtime has stored."""

import asyncio
import tracemalloc
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable

import pytest

from acp_v2 import InternalError
from acp_v2.adapters import MessageIdIndex, derived_message_id
from acp_v2.idempotency import Insertion, LocalKeys, Recorded, StoreError, Submissions
from acp_v2.idempotency_key import IdempotencyKey

Page = list[str]


class History:
    """A history that counts how often it is read, and waits at the end of each page until it may go on."""

    def __init__(self, *pages: Page) -> None:
        self.pages = list(pages)
        self.readings = 0
        self.fails_with: Exception | None = None
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self.is_being_read = asyncio.Event()
        self.index: MessageIdIndex[Page] = MessageIdIndex(self.read, lambda page: page)

    async def read(self) -> AsyncIterator[Page]:
        self.readings += 1
        self.is_being_read.set()
        for page in self.pages:
            yield page
            await self.may_go_on.wait()
        if self.fails_with is not None:
            raise self.fails_with


def run(steps: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(steps())


async def known(index: MessageIdIndex[Page], ids: Iterable[str]) -> list[bool]:
    return [await index.contains(message_id) for message_id in ids]


def test_the_history_is_read_once_and_whole():
    async def steps() -> None:
        history = History(["a"], [], ["b", "c"])
        assert await known(history.index, "abcd") == [True, True, True, False]
        assert await known(history.index, "dcba") == [False, True, True, True]
        assert history.readings == 1

    run(steps)


def test_nothing_is_read_before_somebody_asks_for_what_is_not_known():
    async def steps() -> None:
        history = History(["a"])
        history.index.add("b")
        assert await history.index.contains("b")
        assert history.readings == 0

    run(steps)


def test_all_who_ask_while_it_is_being_read_share_one_reading():
    async def steps() -> None:
        history = History(["a"], ["b"])
        assert await asyncio.gather(*(history.index.contains(i) for i in "abc")) == [True, True, False]
        assert history.readings == 1

    run(steps)


def test_who_is_cancelled_while_waiting_takes_nothing_from_the_others():
    async def steps() -> None:
        history = History(["a"], ["b"])
        history.may_go_on.clear()
        first, second = (asyncio.create_task(history.index.contains("b")) for _ in range(2))
        await history.is_being_read.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        history.may_go_on.set()
        assert await second
        assert history.readings == 1

    run(steps)


def test_a_message_that_is_added_while_the_history_is_read_is_not_lost():
    async def steps() -> None:
        history = History(["a"], ["b"])
        history.may_go_on.clear()
        asking = asyncio.create_task(history.index.contains("nowhere"))
        await history.is_being_read.wait()
        history.index.add("c")
        history.may_go_on.set()
        assert not await asking
        assert await known(history.index, "abc") == [True, True, True]
        assert history.readings == 1

    run(steps)


@pytest.mark.parametrize(
    "error", [StoreError("the disk is gone"), OSError("the disk is gone"), RuntimeError("a fault")]
)
def test_a_reading_that_fails_leaves_it_unfilled_and_the_prompts_answered_with_an_error(error: Exception):
    async def steps() -> None:
        history = History(["a"])
        history.fails_with = error
        inserted: list[str] = []

        async def find(session_id: str, key: IdempotencyKey) -> Recorded | None:
            message_id = derived_message_id(session_id, key)
            return Recorded(message_id) if await history.index.contains(message_id) else None

        async def insert(key: IdempotencyKey | None) -> Insertion:
            assert key is not None
            inserted.append(derived_message_id("s", key))
            history.index.add(inserted[-1])
            return Insertion(inserted[-1])

        submissions = Submissions(LocalKeys(find))
        for _ in range(2):
            prompts = [submissions.submit("s", IdempotencyKey(k), insert) for k in ("k1", "k2")]
            for answer in await asyncio.gather(*prompts, return_exceptions=True):
                assert isinstance(answer, InternalError)
        assert not history.index.is_filled
        assert inserted == []

        history.fails_with = None
        assert await submissions.submit("s", IdempotencyKey("k1"), insert) == derived_message_id("s", "k1")
        assert await submissions.submit("s", IdempotencyKey("k1"), insert) == derived_message_id("s", "k1")
        assert inserted == [derived_message_id("s", "k1")]

    run(steps)


def test_a_replay_fills_it():
    async def steps() -> None:
        history = History(["a"], ["b"])
        assert [page async for page in history.index.replay()] == [["a"], ["b"]]
        assert await known(history.index, "abc") == [True, True, False]
        assert history.readings == 1

    run(steps)


def test_a_replay_that_is_broken_off_does_not_fill_it():
    async def steps() -> None:
        history = History(["a"], ["b"])
        async for _ in history.index.replay():
            break
        assert not history.index.is_filled
        assert await history.index.contains("b")

    run(steps)


def test_a_prompt_does_not_wait_for_a_client_that_is_slow_to_take_its_replay():
    async def steps() -> None:
        history = History(["a"], ["b"])
        replay = history.index.replay()
        await anext(replay)
        assert not await history.index.contains("c")
        assert [page async for page in replay] == [["b"]]
        assert history.index.is_filled

    run(steps)


def test_after_a_doubtful_insertion_the_history_is_read_again():
    async def steps() -> None:
        history = History(["a"])
        assert not await history.index.contains("b")
        history.pages.append(["b"])
        history.index.doubt()
        assert await history.index.contains("b")

    run(steps)


def test_a_doubt_that_comes_while_the_history_is_read_has_it_read_once_more():
    async def steps() -> None:
        history = History(["a"])
        history.may_go_on.clear()
        asking = asyncio.create_task(history.index.contains("b"))
        await history.is_being_read.wait()
        history.pages = [["a"], ["b"]]
        history.index.doubt()
        history.may_go_on.set()
        assert await asking
        assert history.readings == 2

    run(steps)


@pytest.mark.parametrize(
    "message_id",
    ["", "msg_01", "é", "\U0001fa90" * 9, "b7b2c53b-5f31-483d-9021-6290285339a2", "x" * 37, "y" * 5000, "\0", "\ud800"],
)
def test_an_id_of_any_form_is_found_and_no_other(message_id: str):
    async def steps() -> None:
        history = History([message_id])
        assert await history.index.contains(message_id)
        for other in (message_id + "x", message_id[1:] + "-", message_id.upper() + " "):
            assert not await history.index.contains(other)

    run(steps)


@pytest.mark.parametrize("count", [1366, 5462, 21846])  # where its table has just grown
def test_an_id_takes_at_most_160_bytes(count: int):
    async def steps() -> None:
        history = History()
        tracemalloc.start()
        try:
            for _ in range(count):
                history.index.add(str(uuid.uuid4()))
            taken, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert taken / count <= 160

    run(steps)
