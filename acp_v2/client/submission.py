"""One submission of the user's, from the moment it is kept to its outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from typing import Any, Literal, Protocol

from acp_v2.client.errors import PromptHeld
from acp_v2.idempotency_key import IdempotencyKey

State = Literal["pending", "held", "inserted", "failed"]


class Keeper(Protocol):
    """What a submission asks of its outbox."""

    async def cancel(self, submission: Submission) -> None: ...
    async def resend(self, submission: Submission) -> None: ...
    async def discard(self, submission: Submission) -> None: ...


class Submission:
    """What became of a prompt; awaiting it gives the `messageId` of its message.

    Attributes:
        number: in the order of submission.
        session_id: the session it is for.
        key: its key, the same on every attempt.
        params: the prompt and metadata as on the wire.
        submitted: when, in seconds since 1970.
        attempts: how often this process has sent it.
        state: `pending` until the outcome is known; `held` while the user has to say whether it is still to be sent;
            `inserted`; or `failed`, and then nothing sends it again by itself.
        message_id: the id of its message, when it is inserted. None under ACP v1, which has none.
        error: why it failed or is held.
    """

    def __init__(
        self,
        keeper: Keeper,
        number: int,
        session_id: str,
        key: IdempotencyKey,
        *,
        params: Mapping[str, Any],
        submitted: float,
        was_kept: bool = False,
    ) -> None:
        self.number = number
        self.session_id = session_id
        self.key = key
        self.params = params
        self.submitted = submitted
        self.attempts = 0
        self.state: State = "pending"
        self.message_id: str | None = None
        self.error: Exception | None = None
        self.is_cancelled = False
        self.may_be_inserted = was_kept
        """Whether an attempt was made whose answer did not come; of one that an earlier process kept nobody knows."""
        self.may_be_doubled = False
        """Whether the user has said that it is to be sent, also to an agent without keys that may have it."""
        self.is_taken = False
        """Whether a delivery has sent it, or is about to."""
        self.withdraw: Callable[[], None] | None = None
        """Cancels the attempt that is under way."""
        self.is_ending = False
        """Whether its outcome is known and being written."""
        self._keeper = keeper
        self._settled = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Submission {self.number}, {self.state}>"

    def __await__(self) -> Generator[Any, Any, str | None]:
        """Wait for the outcome.

        Raises:
            AcpError: the agent's error; nothing was inserted, save that `ResourceNotFound`, where its session is gone,
                says nothing of an attempt before.
            OutcomeUnknown: it was cancelled, or cannot be sent again, while nobody could say whether it was inserted.
            PromptHeld: it waits for the application to resend or discard it.
            MessageRefused: the agent does not take a message like this one.
            OutboxError: the outbox was closed before the outcome was known.
        """
        return self._outcome().__await__()

    async def cancel(self) -> None:
        """Take the prompt back, if it is not inserted yet; its outcome says whether that was so.

        Raises:
            OutboxError: it could not be written, so that nothing was done.
        """
        await self._keeper.cancel(self)

    async def resend(self) -> None:
        """Send a held prompt after all, with the key it has.

        Raises:
            OutboxError: it could not be written, so that nothing was done.
        """
        await self._keeper.resend(self)

    async def discard(self) -> None:
        """Forget a held prompt.

        Raises:
            OutboxError: it could not be written, so that nothing was done.
        """
        await self._keeper.discard(self)

    @property
    def is_open(self) -> bool:
        """Whether it is pending or held."""
        return self.state in ("pending", "held")

    @property
    def is_to_be_sent(self) -> bool:
        """Whether it is pending, and nobody is at it."""
        return self.state == "pending" and not (self.is_taken or self.is_ending or self.is_cancelled)

    @property
    def is_settled(self) -> bool:
        """Whether awaiting it returns at once."""
        return self._settled.is_set()

    def inserted(self, message_id: str | None) -> None:
        """The agent has inserted the message."""
        self._settle("inserted", message_id=message_id)

    def failed(self, error: Exception) -> None:
        """It was refused, or nobody will know."""
        self._settle("failed", error=error)

    def held(self, reason: str) -> None:
        """It is not sent before the user has said so."""
        self._settle("held", error=PromptHeld(reason))

    def pending(self) -> None:
        """It is to be sent after all."""
        self.state, self.error = "pending", None
        self._settled.clear()

    def let_go(self, error: Exception) -> None:
        """Nobody here will learn its outcome any more; whoever awaits it gets the error."""
        if not self.is_settled:
            self._settle(self.state, error=error)

    def _settle(self, state: State, *, message_id: str | None = None, error: Exception | None = None) -> None:
        self.state, self.message_id, self.error = state, message_id, error
        self.withdraw = None
        self._settled.set()

    async def _outcome(self) -> str | None:
        await self._settled.wait()
        if self.error is not None:
            raise self.error
        return self.message_id
