"""Remembers which claim an attempt lost to, from when it asked for the claim until it asks how that claim ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

KEPT_SECONDS: Final = 60.0
"""How long a lost claim is remembered, and how long an outcome is there to be read at least."""

T = TypeVar("T")


@dataclass(slots=True)
class _Entry(Generic[T]):
    place: Hashable
    claim: T
    since: float
    is_taken: bool = False


class LostClaims(Generic[T]):
    """The claims that attempts of this process lost to, by the place that they wanted, oldest first.

    Between the two questions the claim may end, with an error or withdrawn. That is what answers this attempt, which
    would otherwise find nothing and begin anew: a prompt that the user has cancelled would be inserted after all.
    """

    def __init__(self) -> None:
        self._by_place: dict[Hashable, deque[_Entry[T]]] = {}
        self._by_age: deque[_Entry[T]] = deque()

    def add(self, place: Hashable, claim: T) -> None:
        """An attempt lost to `claim`."""
        entry = _Entry(place, claim, time.monotonic())
        self._forget(entry.since - KEPT_SECONDS)
        self._by_place.setdefault(place, deque()).append(entry)
        self._by_age.append(entry)

    def take(self, place: Hashable) -> T | None:
        """The claim that the oldest attempt lost to; None where nobody did."""
        entries = self._by_place.get(place)
        if not entries:
            return None
        entry = entries.popleft()
        entry.is_taken = True
        if not entries:
            del self._by_place[place]
        return entry.claim

    def _forget(self, before: float) -> None:
        """Let go of what nobody came back for."""
        while self._by_age and (self._by_age[0].is_taken or self._by_age[0].since < before):
            entry = self._by_age.popleft()
            if not entry.is_taken:
                # Entries of one place are in the order of their age, so that it is the first.
                self.take(entry.place)
