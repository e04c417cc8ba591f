"""Keys for an agent that stores its sessions itself and has one process at a time for each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from acp_v2.idempotency.store import Claim, Outcome, Pending, Recorded
from acp_v2.idempotency_key import IdempotencyKey


class LocalKeys:
    """The agent's own look-up as `Keys`: nobody else claims a key.

    Args:
        find: gives the message that is recorded for a key of a session, or None.
    """

    def __init__(self, find: Callable[[str, IdempotencyKey], Awaitable[Recorded | None]]) -> None:
        self._find = find

    async def find_key(self, session_id: str, key: IdempotencyKey) -> Recorded | None:
        """What the agent's look-up says."""
        return await self._find(session_id, key)

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Recorded | Pending | None:
        """What the agent's look-up says, because nobody else claims a key."""
        return await self._find(session_id, key)

    async def claim(self, session_id: str, key: IdempotencyKey) -> Claim | Recorded | None:
        """Granted unless recorded, because attempts of the same process wait for each other without it."""
        return await self._find(session_id, key) or GrantedClaim()

    async def outcome(self, session_id: str, key: IdempotencyKey) -> Outcome | None:  # noqa: ARG002
        """There is nobody to wait for."""
        return None

    async def withdraw(self, session_id: str, key: IdempotencyKey) -> None:
        """There is nobody to ask."""


class GrantedClaim:
    """A claim that nobody contests."""

    async def withdrawn(self) -> None:
        """Never returns."""
        await asyncio.Event().wait()

    async def release(self, outcome: Outcome | None) -> None:
        """There is nobody to tell."""
