"""Sends the prompts of one session over one connection, in order, and learns what becomes of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import Any

import stamina
from pydantic import ValidationError

from acp_v2.client.errors import OutboxError, OutcomeUnknown
from acp_v2.client.link import POSTS
from acp_v2.client.outbox import SECONDS_TO_ADOPT, Outbox
from acp_v2.client.submission import Submission
from acp_v2.connection import CANCEL, Connection
from acp_v2.errors import AuthRequired
from acp_v2.messages import Response
from acp_v2.transports import MessageRefused, NotDelivered, TransportClosed

_LOG = logging.getLogger(__name__)

PROMPT = "session/prompt"


class Delivery:
    """One session on one connection.

    Args:
        outbox: has the prompts.
        session_id: the session, which is active on the connection.
        connection: the way to the agent.
        has_keys: whether the agent speaks v2, so that a prompt may be sent again. A v1 agent gets each prompt once and
            without a key.
    """

    def __init__(self, outbox: Outbox, session_id: str, connection: Connection, *, has_keys: bool = True) -> None:
        self._outbox = outbox
        self._session_id = session_id
        self._connection = connection
        self._has_keys = has_keys
        self._waiting: set[asyncio.Task[None]] = set()
        self._at_hand: Submission | None = None

    async def run(self) -> None:
        """Send what is pending and whatever is submitted, until the connection ends."""
        queue = self._outbox.queue(self._session_id)
        while not self._connection.is_closed:
            queue.news.clear()
            submission = queue.take()
            if submission is not None:
                await self._send(submission)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SECONDS_TO_ADOPT):
                    await queue.news.wait()
                    continue
            with contextlib.suppress(OutboxError):
                await self._outbox.adopt(self._session_id)

    async def settle(self) -> None:
        """Where the connection has ended, wait until it is noted of everything that was sent and not answered."""
        if self._waiting and self._connection.is_closed:
            await asyncio.wait(self._waiting)

    async def _send(self, submission: Submission) -> None:
        if self._outbox.hold_if_old(submission):
            return
        if submission.may_be_inserted and not self._has_keys and not submission.may_be_doubled:
            self._outbox.hold(submission, "it may be inserted already, and the agent speaks a version without keys")
            return
        self._at_hand = submission
        try:
            await self._hand_over(submission)
        except NotDelivered:
            _LOG.info("a prompt does not get through; trying a new connection")
            await self._connection.close()
        except TransportClosed:
            pass  # The next connection has it.
        finally:
            self._at_hand = None
            if submission.withdraw is None:
                # Nobody waits for an answer to it.
                self._outbox.give_back(submission)

    async def _hand_over(self, submission: Submission) -> None:
        """Send one prompt, so that the next goes out after it.

        Raises:
            NotDelivered, TransportClosed: it may or may not have arrived.
        """
        with contextlib.suppress(NotDelivered):
            # Most get through, for which the retries are not even set up.
            await self._attempt(submission)
            return
        async for attempt in stamina.retry_context(on=NotDelivered, attempts=POSTS - 1, timeout=None):
            with attempt:
                await self._attempt(submission)

    async def _attempt(self, submission: Submission) -> None:
        if submission.is_cancelled:
            await self._outbox.settle_cancelled(submission)
            return
        request_id, answer = self._connection.start(PROMPT, self._params(submission))
        submission.attempts += 1
        submission.withdraw = partial(self._connection.tell, CANCEL, {"requestId": request_id})
        task = asyncio.create_task(self._take_answer(submission, answer))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        await self._connection.sent()
        if self._has_keys and answer.done() and isinstance(error := answer.exception(), NotDelivered):
            await asyncio.wait([task])
            raise error

    def _params(self, submission: Submission) -> dict[str, Any]:
        params = {"sessionId": submission.session_id, **submission.params}
        return {**params, "idempotencyKey": str(submission.key)} if self._has_keys else params

    async def _take_answer(self, submission: Submission, answer: asyncio.Future[Response]) -> None:
        try:
            response = await answer
        except (TransportClosed, NotDelivered):
            await self._lost(submission)
            return
        except MessageRefused as error:
            if submission.may_be_inserted:
                error = OutcomeUnknown(f"An attempt had no answer, and the next was refused: {error}")
            submission.withdraw = None
            await self._outbox.fail(submission, error)
            return
        submission.withdraw = None
        if isinstance(response.error, AuthRequired):
            # Decided before the key is looked up, so that it says nothing of an earlier attempt.
            self._outbox.hold(submission, "the agent wants the user to sign in first; then resend it")
            return
        if response.error is not None:
            await self._outbox.fail(submission, response.error)
            return
        try:
            message_id = response.read_result(PROMPT).message_id if self._has_keys else None
        except ValidationError:
            # Asked again, it would say so again.
            await self._outbox.fail(submission, OutcomeUnknown("The agent's answer names no message"))
            return
        await self._outbox.insert(submission, message_id)

    async def _lost(self, submission: Submission) -> None:
        """The connection ended before the answer came."""
        submission.withdraw = None
        submission.may_be_inserted = True
        if submission.is_cancelled:
            await self._outbox.settle_cancelled(submission)
        elif not self._has_keys:
            reason = "The connection was lost, and the agent speaks a version without keys; the history says more"
            await self._outbox.fail(submission, OutcomeUnknown(reason))
        elif submission is not self._at_hand:
            self._outbox.give_back(submission)
