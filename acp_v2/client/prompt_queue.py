"""What is to be sent in one session."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

from acp_v2.client.submission import Submission


class PromptQueue:
    """The prompts of one session that no delivery has taken, in the order of submission."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        """Set when there may be something new to take."""
        self._waiting: list[tuple[int, int, Submission]] = []
        self._puts = count()

    def put(self, submission: Submission) -> None:
        """Add a prompt; one that an earlier process kept may belong before others."""
        heapq.heappush(self._waiting, (submission.number, next(self._puts), submission))
        self.news.set()

    def take(self) -> Submission | None:
        """The first prompt that is still to be sent; it counts as taken from then on."""
        while self._waiting:
            submission = heapq.heappop(self._waiting)[-1]
            if submission.is_to_be_sent:
                submission.is_taken = True
                return submission
        return None
