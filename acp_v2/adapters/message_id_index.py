"""Which message ids a session's history has, read once and kept up to date: a cache of what the runtime has stored."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Final, Generic, TypeVar

Page = TypeVar("Page")

_LONGEST_KEPT: Final = 36
"""As many characters as a UUID has; of what is longer only a digest is kept."""


class MessageIdIndex(Generic[Page]):
    """The ids of the user messages of one session. An id takes at most 160 bytes of memory, however long it is.

    The stored session is the record; this only saves reading it for every keyed prompt. It is filled by the first
    `contains` that has to know, or by a `replay` that a client asked for. Whoever inserts a message calls `add`.
    Rule: ADAPT-03.

    Args:
        read: reads the history from its very beginning, by pages. What a runtime summed up in a compaction belongs to
            it: a reader that begins behind the last compaction makes prompts from before it unknown, and they are
            inserted again.
        ids: the ids of the user messages on a page.
    """

    def __init__(self, read: Callable[[], AsyncIterable[Page]], ids: Callable[[Page], Iterable[str]]) -> None:
        self._read = read
        self._ids_on = ids
        # A dict, because a set of as many takes up to twice the memory for its table.
        self._ids: dict[str | bytes, None] = {}
        self._is_filled = False
        self._doubts = 0
        self._filling: asyncio.Task[None] | None = None

    @property
    def is_filled(self) -> bool:
        """Whether it knows the whole history, so that an id it does not have is not there."""
        return self._is_filled

    async def contains(self, message_id: str) -> bool:
        """Whether the history has a message of that id. Reads the history where that is not known yet.

        Those who ask while it is being read wait for the same reading, which goes on where one of them is cancelled.

        Raises:
            Exception: what `read` raises. The index is then not filled, and the next one to ask reads again.
        """
        entry = _entry(message_id)
        while entry not in self._ids and not self._is_filled:
            await self._fill()
        return entry in self._ids

    def add(self, message_id: str) -> None:
        """A message was inserted; also while the history is being read."""
        self._ids[_entry(message_id)] = None

    def doubt(self) -> None:
        """Inserting a message failed, and it may be there all the same: the next `contains` reads the history again."""
        self._is_filled = False
        self._doubts += 1

    async def replay(self) -> AsyncIterator[Page]:
        """The pages of the history, for a replay; the index is filled when the last one has been taken.

        Raises:
            Exception: what `read` raises.
        """
        doubts = self._doubts
        async for page in self._read():
            for message_id in self._ids_on(page):
                self._ids[_entry(message_id)] = None
            yield page
        # A message that came into doubt meanwhile may stand behind what was read.
        self._is_filled = self._is_filled or doubts == self._doubts

    async def _fill(self) -> None:
        if self._filling is None:
            self._filling = asyncio.create_task(self._read_whole())
            self._filling.add_done_callback(self._filling_ended)
        await asyncio.shield(self._filling)

    async def _read_whole(self) -> None:
        async for _ in self.replay():
            pass

    def _filling_ended(self, task: asyncio.Task[None]) -> None:
        self._filling = None
        if not task.cancelled():
            # Everybody who waited may be gone; asyncio would then complain that nobody took the exception.
            task.exception()


def _entry(message_id: str) -> str | bytes:
    """What is kept of an id: itself, or 128 bits of a hash where it is long. Both are told apart by their type."""
    if len(message_id) <= _LONGEST_KEPT and message_id.isascii():
        return message_id
    return hashlib.blake2b(message_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
