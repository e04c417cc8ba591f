"""What went over the wire, with keys masked."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

MOST_ENTRIES: Final = 300
"""How many entries of one scenario are kept: the last ones, because they lead to what is found."""

_LONGEST = 2000

Direction = Literal["sent", "received", "note"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: how many seconds after the beginning, on which connection, which way, and what."""

    at: float
    connection: int
    direction: Direction
    text: str


class Transcript:
    """The entries of the scenario that is running."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._entries: deque[Entry] = deque(maxlen=MOST_ENTRIES)

    def begin(self) -> None:
        """Another scenario begins."""
        self._entries.clear()

    def add(self, connection: int, direction: Direction, text: str) -> None:
        """Add an entry; `text` has its keys masked already."""
        self._entries.append(self.entry(connection, direction, text))

    def entry(self, connection: int, direction: Direction, text: str) -> Entry:
        """An entry of this moment, cut where it is long."""
        if len(text) > _LONGEST:
            text = f"{text[:_LONGEST]}… ({len(text) - _LONGEST:,} characters more)"
        return Entry(round(time.monotonic() - self._began, 4), connection, direction, text)

    def entries(self) -> tuple[Entry, ...]:
        """Everything so far."""
        return tuple(self._entries)
