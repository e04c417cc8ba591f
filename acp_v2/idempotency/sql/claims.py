"""Claims of a node: those it holds, those it waits for, and what is told about them. How a database keeps them is for
the subclasses.

They have a connection of their own, of the driver's, and keys are looked up over it as well: every keyed prompt pays
for that, and the way through a pool costs several times as much. Only a prompt that is held has a claim.

A node is one `SqlStore` of one process. Two claims never make two messages, even where both holders believe they hold
the key: it is unique in its session. Claims decide only who waits for whom, so they need not survive anything.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from acp_v2.acp_error import AcpError
from acp_v2.idempotency.lost_claims import LostClaims
from acp_v2.idempotency.sql.uninterrupted import uninterrupted
from acp_v2.idempotency.store import Outcome, StoreError
from acp_v2.idempotency_key import IdempotencyKey

_LOG = logging.getLogger(__name__)


class Record(NamedTuple):
    """The message that a key is recorded for; its content as JSON text."""

    message_id: str
    content: str


Ticket = TypeVar("Ticket")
"""Tells one claim to a key from an earlier or later one, so that nobody is answered with another's outcome."""


def digest_of(session_id: str, key: IdempotencyKey) -> bytes:
    """What stands for a key of a session wherever the key itself should not be seen; 32 bytes."""
    session = session_id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(len(session).to_bytes(8) + session + key.encode("utf-8"), digest_size=32).digest()


@dataclass(eq=False, slots=True)
class HeldClaim(Generic[Ticket]):
    """A claim of this node."""

    claims: Claims[Ticket]
    digest: bytes
    ticket: Ticket
    recorded: str | None = None
    """The message that the key was recorded for meanwhile: an outcome that needs no telling."""
    withdrawal: asyncio.Event = field(default_factory=asyncio.Event)

    async def withdrawn(self) -> None:
        """Return when the prompt is to be withdrawn; otherwise never."""
        await self.withdrawal.wait()

    async def release(self, outcome: Outcome | None) -> None:
        """Give the claim up and tell who waits how it ended; once is enough.

        Raises:
            StoreError: nobody could be told. The claim ends all the same, in SQLite when its lease runs out.
        """
        await uninterrupted(self.claims.end(self, outcome))


@dataclass(eq=False, slots=True)
class Waiting(Generic[Ticket]):
    """Somebody of this node who waits for a claim to end."""

    digest: bytes
    ticket: Ticket
    ended: asyncio.Future[None]


class Claims(ABC, Generic[Ticket]):
    """The claims of a node."""

    def __init__(self) -> None:
        self._held: dict[bytes, HeldClaim[Ticket]] = {}
        self._lost: LostClaims[Ticket] = LostClaims()
        self._waiting: set[Waiting[Ticket]] = set()
        # What is held and what the database says of it change together.
        self._using = asyncio.Lock()
        self._wake = asyncio.Event()
        self._has_reason = False
        self._is_closed = False
        self._watcher = asyncio.create_task(self._watch())

    async def claim(self, session_id: str, key: IdempotencyKey) -> HeldClaim[Ticket] | Record | None:
        """Claim a key, unless there is a record of it; None where somebody has claimed it.

        Whoever is cancelled has claimed nothing.
        """
        digest = digest_of(session_id, key)
        async with self._using:
            if held := self._held.get(digest):
                if (record := await self._record(session_id, key)) is not None:
                    return record
                self._lost.add(digest, held.ticket)
                return None
            taken = await self._take(session_id, key, digest)
            if isinstance(taken, Record):
                return taken
            is_mine, ticket = taken
            if not is_mine:
                self._lost.add(digest, ticket)
                return None
            held = self._held[digest] = HeldClaim(self, digest, ticket)
            self._wake.set()
            return held

    async def ended(self, digest: bytes) -> Outcome | None:
        """What was told about the claim that was lost to, or that there is now, once it has ended. None: nothing."""
        ticket = self._lost.take(digest)
        if ticket is None and (ticket := await self._ticket(digest)) is None:
            return None
        waiting = Waiting(digest, ticket, asyncio.get_running_loop().create_future())
        self._waiting.add(waiting)
        self._look_soon()
        try:
            await waiting.ended
        finally:
            self._waiting.discard(waiting)
        return await self._told(digest, ticket)

    @abstractmethod
    async def find(self, session_id: str, key: IdempotencyKey) -> Record | None:
        """The record of a key."""

    @abstractmethod
    async def look_up(self, session_id: str, key: IdempotencyKey) -> Record | bool:
        """The record of a key; where there is none, whether somebody has claimed it."""

    @abstractmethod
    async def withdraw(self, digest: bytes) -> None:
        """Ask whoever holds the key to withdraw the prompt."""

    def recorded(self, digest: bytes, message_id: str) -> None:
        """The key was recorded for a message, where whoever waits will find it."""
        if held := self._held.get(digest):
            held.recorded = message_id

    async def end(self, held: HeldClaim[Ticket], outcome: Outcome | None) -> None:
        """Give a claim up."""
        async with self._using:
            if self._held.get(held.digest) is not held:
                return
            del self._held[held.digest]
            if outcome is not None and outcome.error is None and outcome.message_id == held.recorded:
                outcome = None
            try:
                await self._give_up(held, outcome)
            finally:
                self._look_soon()

    async def close(self) -> None:
        """Give every claim up, and stop waiting for others."""
        if self._is_closed:
            return
        self._is_closed = True
        for held in list(self._held.values()):
            try:
                await held.release(None)
            except StoreError:  # each ends in its own way
                continue
        self._watcher.cancel()
        await asyncio.wait([self._watcher])
        self._fail_all(StoreError("The store was closed"))
        await self._let_go()

    def _look_soon(self) -> None:
        """There is something to find out for whoever waits."""
        if self._waiting:
            self._has_reason = True
            self._wake.set()

    async def _watch(self) -> None:
        """Look at what the others do whenever there is reason to, and every now and then while it matters."""
        clock = asyncio.get_running_loop().time
        next_look = clock()
        while True:
            was_idle = not self._held and not self._waiting
            try:
                async with asyncio.timeout_at(None if was_idle else next_look):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            if was_idle:
                next_look = clock() + self._interval
            is_idle = not self._held and not self._waiting
            if is_idle or (not self._has_reason and clock() < next_look):
                continue
            has_reason, self._has_reason = self._has_reason, False
            next_look = clock() + self._interval
            try:
                await self._look(has_reason=has_reason)
            except StoreError as error:
                self._fail_all(error)
            except Exception as error:  # noqa: BLE001  # nobody may be left waiting for what no longer looks
                _LOG.error("looking at the claims of other nodes failed: %s", type(error).__name__)
                self._fail_all(StoreError("The store failed"))

    def _fail_all(self, error: StoreError) -> None:
        for waiting in self._waiting:
            if not waiting.ended.done():
                waiting.ended.set_exception(StoreError(str(error)))

    @staticmethod
    def _resolve(waiting: Waiting[Ticket]) -> None:
        if not waiting.ended.done():
            waiting.ended.set_result(None)

    @property
    @abstractmethod
    def _interval(self) -> float:
        """Seconds after which to look although nothing was heard."""

    @abstractmethod
    async def _record(self, session_id: str, key: IdempotencyKey) -> Record | None:
        """The record of a key."""

    @abstractmethod
    async def _take(self, session_id: str, key: IdempotencyKey, digest: bytes) -> Record | tuple[bool, Ticket]:
        """Take a key: whether it was free, and the ticket of the claim that there is now. Once taken, it returns.

        Where there is a record of it when it is taken, it is not, and the record is returned.
        """

    @abstractmethod
    async def _ticket(self, digest: bytes) -> Ticket | None:
        """The ticket of the claim that there is now, of any node; None where there certainly is none."""

    @abstractmethod
    async def _give_up(self, held: HeldClaim[Ticket], outcome: Outcome | None) -> None:
        """Tell an outcome, where there is one, and then free the key."""

    @abstractmethod
    async def _look(self, *, has_reason: bool) -> None:
        """Keep what is held, hear of withdrawals, and resolve what has ended."""

    @abstractmethod
    async def _told(self, digest: bytes, ticket: Ticket) -> Outcome | None:
        """The outcome that was told of a claim."""

    @abstractmethod
    async def _let_go(self) -> None:
        """Close what is open."""


def error_to_text(outcome: Outcome) -> str | None:
    """An outcome's error as it is kept: the JSON of code, message and data."""
    return None if outcome.error is None else json.dumps(outcome.error.to_wire())


def outcome_from_row(message_id: str | None, error: str | None) -> Outcome:
    """An outcome as it was kept."""
    return Outcome(message_id, None if error is None else AcpError.from_wire(json.loads(error)))
