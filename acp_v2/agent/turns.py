"""Whose prompt is inserted next: first come, first served, and nobody's while the session is not ready for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from acp_v2.idempotency_key import IdempotencyKey


class Turns:
    """The prompts of one session that are not inserted yet, in the order in which they came.

    A prompt also waits for those before it of which it is not clear yet whether they will be inserted: because their
    keys are being looked up, or because another node is at inserting them.

    Args:
        is_ready: whether the session takes a prompt now; `advance` is to be called when that changes.
    """

    def __init__(self, is_ready: Callable[[], bool]) -> None:
        self._is_ready = is_ready
        self._queue: list[Turn] = []

    @property
    def is_empty(self) -> bool:
        """Whether no prompt waits."""
        return not self._queue

    def arrive(self, key: IdempotencyKey | None) -> Turn:
        """Join the queue. Attempts with the same key are one prompt and have one turn."""
        turn = next((turn for turn in self._queue if key is not None and turn.key == key), None)
        if turn is None:
            turn = Turn(self, key)
            self.join(turn)
        turn.attempts += 1
        return turn

    def join(self, turn: Turn) -> None:
        """Let a turn queue, where it does not already."""
        if turn not in self._queue:
            self._queue.append(turn)

    def remove(self, turn: Turn) -> None:
        """Let a turn go, and the next one take its place."""
        if turn in self._queue:
            self._queue.remove(turn)
            self.advance()

    def is_next(self, turn: Turn) -> bool:
        """Whether a turn could go ahead now."""
        return bool(self._queue) and self._queue[0] is turn and self._is_ready()

    def advance(self) -> None:
        """Let the first prompt go ahead if it can."""
        if self._queue and self._is_ready():
            self._queue[0].go_ahead()


class Turn:
    """The place of one prompt in the queue."""

    def __init__(self, turns: Turns, key: IdempotencyKey | None) -> None:
        self.key = key
        self.attempts = 0
        self._turns = turns
        self._may_go = asyncio.Event()
        self._is_waiting = False

    def has_come(self) -> bool:
        """Whether `wait` would return at once."""
        return self._turns.is_next(self)

    async def wait(self) -> None:
        """Return when it is this prompt's turn, which lasts until `leave`. A cancelled wait gives the place up."""
        self._is_waiting = True
        self._turns.join(self)
        self._turns.advance()
        try:
            await self._may_go.wait()
        except asyncio.CancelledError:
            self.leave()
            raise

    def leave(self) -> None:
        """The prompt is inserted, or will not be."""
        self._is_waiting = False
        self._may_go.clear()
        self._turns.remove(self)

    def answered(self) -> None:
        """An attempt has its answer. After the last one nobody is left to call `wait`, unless somebody has already."""
        self.attempts -= 1
        if self.attempts == 0 and not self._is_waiting:
            self._turns.remove(self)

    def go_ahead(self) -> None:
        """It is this prompt's turn, if it has come to waiting for that."""
        if self._is_waiting:
            self._may_go.set()
