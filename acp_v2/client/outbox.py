"""Prompts on their way: each is kept before it is sent, and sent again with the same key until its outcome is known."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from acp_v2.acp_error import AcpError
from acp_v2.client.errors import KeyReused, OutboxError, OutcomeUnknown
from acp_v2.client.pending_prompts import KeptPrompt, PendingPrompts, digest_of
from acp_v2.client.submission import Submission
from acp_v2.errors import InvalidParams, RequestCancelled, ResourceNotFound
from acp_v2.idempotency_key import IdempotencyKey
from acp_v2.models import ContentBlock, PromptRequest, TextContent
from acp_v2.wire_model import WireModel

_LOG = logging.getLogger(__name__)

HOLD_AFTER: Final = 12 * 60 * 60.0
"""For how many seconds a prompt may be pending before the user has to say whether it is still to be sent."""

SECONDS_TO_ADOPT: Final = 10.0
"""How often a session's delivery looks for prompts of processes that have ended."""

_SECONDS_TO_LOOK = 0.2

Prompt = str | Sequence[ContentBlock | Mapping[str, Any]]
"""What the user submits: a text, or content blocks as models or as JSON."""

OnSettled = Callable[[Submission], Awaitable[None]]

_T = TypeVar("_T")


class Outbox:
    """Keeps prompts, and knows what is to be sent in each session; a `Delivery` sends it.

    `open` makes one.
    """

    def __init__(
        self,
        kept: PendingPrompts,
        executor: ThreadPoolExecutor,
        *,
        hold_after: float,
        on_settled: OnSettled | None,
        clock: Callable[[], float],
    ) -> None:
        self.clock = clock
        self._kept = kept
        self._executor = executor
        self._hold_after = hold_after
        self._on_settled = on_settled
        self._listener: OnSettled | None = None
        self._open: dict[IdempotencyKey, Submission] = {}
        self._news: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._submitting: defaultdict[IdempotencyKey, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tasks: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(
        cls,
        path: str | Path = ":memory:",
        *,
        agent: str = "",
        hold_after: float = HOLD_AFTER,
        on_settled: OnSettled | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open the file with what is pending, and take up what processes that have ended left in it.

        Args:
            path: the file; by default nothing outlives this process.
            agent: names the agent, where one file is for several.
            hold_after: for how many seconds a prompt may be pending before it is held.
            on_settled: told of every outcome, also of prompts from an earlier process that nobody awaits. What it
                raises is logged, and it is told again when the file is next opened.
            clock: seconds since 1970.

        Raises:
            OutboxError: the file cannot be used; the message says why.
        """
        executor = ThreadPoolExecutor(1, "acp-outbox")
        try:
            kept = await asyncio.get_running_loop().run_in_executor(executor, PendingPrompts, path, agent)
        except BaseException:
            executor.shutdown(wait=False)
            raise
        outbox = cls(kept, executor, hold_after=hold_after, on_settled=on_settled, clock=clock)
        await outbox.adopt()
        return outbox

    async def close(self) -> None:
        """Let go of the file. What is pending stays in it for the next process."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._do(self._kept.close)
        self._executor.shutdown()

    # For applications

    async def submit(
        self,
        session_id: str,
        prompt: Prompt,
        *,
        key: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Submission:
        """Keep what the user submits; it is sent as soon as its session is active.

        Args:
            session_id: the session it is for.
            prompt: a text or content blocks.
            key: the application's own key, for one that keeps pending input itself. With a key that is pending or
                was inserted, this gives what became of it; one that failed is sent once more.
            meta: metadata to go with the prompt.

        Raises:
            OutboxError: it could not be kept, and is not sent.
            KeyReused: the key was passed before with something else.
            pydantic.ValidationError, ValueError, TypeError: it is no prompt, or the key is none.
        """
        params = _params(session_id, prompt, meta)
        own = IdempotencyKey.generate() if key is None else IdempotencyKey(key)
        # Shielded, because what is in the file is also to be sent.
        return await asyncio.shield(self._run(self._submit_in_turn(own, session_id, params)))

    def pending(self, session_id: str | None = None) -> list[Submission]:
        """What has no outcome yet, or is held, in the order of submission."""
        found = [s for s in self._open.values() if session_id in (None, s.session_id)]
        return sorted(found, key=lambda submission: submission.number)

    async def cancel(self, submission: Submission) -> None:
        """As `Submission.cancel`."""
        if submission.state not in ("pending", "held") or submission.is_cancelled:
            return
        await self._do(self._kept.cancel, submission.key)
        submission.is_cancelled = True
        if submission.withdraw is not None:
            # The agent's answer says whether it was in time.
            submission.withdraw()
        else:
            await self.settle_cancelled(submission)

    async def cancel_session(self, session_id: str) -> None:
        """Take back everything that is pending in a session, without telling the agent, which learns it otherwise."""
        for submission in self.pending(session_id):
            await self._do(self._kept.cancel, submission.key)
            submission.is_cancelled = True
            if submission.withdraw is None:
                await self.settle_cancelled(submission)

    async def resend(self, submission: Submission) -> None:
        """As `Submission.resend`."""
        if submission.state == "held":
            submission.submitted = self.clock()
            await self._do(self._kept.renew, submission.key, submission.submitted)
            submission.carrier = None
            submission.pending()
            self._news[submission.session_id].set()

    async def discard(self, submission: Submission) -> None:
        """As `Submission.discard`."""
        if submission.state == "held":
            await self.fail(submission, RequestCancelled("The user discarded the prompt"))

    # For a client

    def listen(self, listener: OnSettled | None) -> None:
        """Have every outcome told to a client, too, which passes it on as an event."""
        self._listener = listener

    def next_for(self, session_id: str, carrier: object) -> Submission | None:
        """The first that is to be sent in a session and was not handed to this carrier yet."""
        for submission in self.pending(session_id):
            if submission.state == "pending" and not submission.is_cancelled and submission.carrier is not carrier:
                return submission
        return None

    def news(self, session_id: str) -> asyncio.Event:
        """Set when there may be something new to send in a session."""
        return self._news[session_id]

    def hold_if_old(self, submission: Submission) -> bool:
        """Hold a prompt that has been pending for too long. Returns whether it is held."""
        age = self.clock() - submission.submitted
        if age <= self._hold_after:
            return False
        self.hold(submission, f"it has been pending for {age / 3600:.1f} hours; resend or discard it")
        return True

    def hold(self, submission: Submission, reason: str) -> None:
        """Send a prompt no more before the user has said so."""
        submission.held(reason)
        self._tell(submission)

    async def adopt(self) -> None:
        """Take up what processes that have ended left open."""
        for prompt in await self._do(self._kept.adopt):
            submission = self._take_up(prompt)
            if prompt.state == "failed":
                # Its process ended before the application was told.
                submission.failed(_read_error(prompt.error))
                await self._told(submission)
            elif prompt.is_cancelled:
                await self.settle_cancelled(submission)
            else:
                self._news[submission.session_id].set()

    async def insert(self, submission: Submission, message_id: str | None) -> None:
        """The agent has inserted the message of a prompt."""
        if not _ends(submission):
            return
        with _logged("that a prompt was inserted"):
            await self._do(self._kept.inserted, submission.key, message_id)
        self._open.pop(submission.key, None)
        submission.inserted(message_id)
        self._run(self._tidy(submission))

    async def fail(self, submission: Submission, error: Exception) -> None:
        """A prompt is not sent again: the agent has refused it, or nobody can know what became of it."""
        if not _ends(submission):
            return
        with _logged("that a prompt failed"):
            await self._do(self._kept.failed, submission.key, _write_error(error))
        submission.failed(error)
        await self._told(submission)

    async def refuse(self, session_id: str, error: AcpError) -> None:
        """A session could not be resumed, so that nothing that is pending in it can be sent."""
        for submission in self.pending(session_id):
            if isinstance(error, ResourceNotFound | InvalidParams):
                await self.fail(submission, error)
            elif submission.state == "pending":
                self.hold(submission, f"the session could not be resumed: {error}")

    async def settle_cancelled(self, submission: Submission) -> None:
        """A prompt was taken back, and no attempt is under way that would have an answer."""
        if submission.may_be_inserted:
            reason = "It was cancelled while nobody could say whether the agent had inserted it; the history says"
            await self.fail(submission, OutcomeUnknown(reason))
        else:
            await self.fail(submission, RequestCancelled("It was cancelled before it was sent"))

    # Inside

    async def _submit_in_turn(self, key: IdempotencyKey, session_id: str, params: Mapping[str, Any]) -> Submission:
        async with self._submitting[key]:
            try:
                return await self._submit(key, session_id, params)
            finally:
                self._submitting.pop(key, None)

    async def _submit(self, key: IdempotencyKey, session_id: str, params: Mapping[str, Any]) -> Submission:
        now = self.clock()
        found = await self._do(self._kept.add, key, session_id, params, now)
        if found.session_id != session_id or found.digest != digest_of(session_id, params):
            raise KeyReused("the key was passed before with another prompt or for another session; use a new one")
        if found.state == "failed":
            await self._do(self._kept.revive, key, params, now)
            self._open.pop(key, None)
            found = await self._do(self._kept.find, key)
            assert found is not None
        if (submission := self._open.get(key)) is not None:
            return submission
        if found.state == "inserted":
            submission = Submission(self, found.number, session_id, key, params=params, submitted=found.submitted)
            submission.inserted(found.message_id)
        elif found.owner == self._kept.owner:
            submission = self._open[key] = Submission(
                self, found.number, session_id, key, params=params, submitted=found.submitted
            )
            self._news[session_id].set()
        else:
            submission = Submission(
                self, found.number, session_id, key, params=params, submitted=found.submitted, was_kept=True
            )
            self._run(self._follow(submission))
        return submission

    async def _follow(self, submission: Submission) -> None:
        """Learn the outcome of a prompt that another process sends, or send it when that one has ended."""
        while not submission.is_settled:
            await asyncio.sleep(_SECONDS_TO_LOOK)
            await self.adopt()
            if submission.key in self._open:
                self._open[submission.key] = submission
                return
            found = await self._do(self._kept.find, submission.key)
            if found is None or found.state == "inserted":
                submission.inserted(found.message_id if found else None)
            elif found.state == "failed":
                submission.failed(_read_error(found.error))

    def _take_up(self, prompt: KeptPrompt) -> Submission:
        submission = Submission(
            self,
            prompt.number,
            prompt.session_id,
            prompt.key,
            params=prompt.params or {},
            submitted=prompt.submitted,
            was_kept=True,
            is_cancelled=prompt.is_cancelled,
        )
        return self._open.setdefault(prompt.key, submission)

    async def _told(self, submission: Submission) -> None:
        """Tell the application of a failure, and forget the text of the prompt when that is done."""
        if await self._call(submission):
            with _logged("that the application knows of a failure"):
                await self._do(self._kept.told, submission.key)
        self._open.pop(submission.key, None)
        await self._do(self._kept.tidy)

    async def _tidy(self, submission: Submission) -> None:
        await self._call(submission)
        if not self._open:
            await self._do(self._kept.tidy)

    def _tell(self, submission: Submission) -> None:
        async def tell() -> None:
            await self._call(submission)

        self._run(tell())

    async def _call(self, submission: Submission) -> bool:
        """Whether the application took note."""
        try:
            if self._listener is not None:
                await self._listener(submission)
            if self._on_settled is not None:
                await self._on_settled(submission)
        except Exception:  # noqa: BLE001  # it is the application's own
            _LOG.exception("an application's on_settled failed")
            return False
        return True

    def _run(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _do(self, action: Callable[..., _T], *arguments: Any) -> _T:
        loop = asyncio.get_running_loop()
        # Shielded, because a thread cannot be cancelled: the file would change while nobody waits for it.
        return await asyncio.shield(loop.run_in_executor(self._executor, partial(action, *arguments)))


def _params(session_id: str, prompt: Prompt, meta: Mapping[str, Any] | None) -> dict[str, Any]:
    """What goes over the wire besides session and key, checked."""
    blocks = [TextContent(text=prompt)] if isinstance(prompt, str) else prompt
    request: dict[str, Any] = {
        "sessionId": session_id,
        "prompt": [block.to_wire() if isinstance(block, WireModel) else dict(block) for block in blocks],
    }
    if meta is not None:
        request["_meta"] = dict(meta)
    model = PromptRequest.from_wire(request)
    try:
        model.to_json()
    except ValueError:
        raise ValueError("a prompt has no lone surrogates and nothing that is not JSON") from None
    del request["sessionId"]
    return request


def _ends(submission: Submission) -> bool:
    """Whether this outcome is the first that is known."""
    is_first = not submission.is_ending
    submission.is_ending = True
    return is_first


def _write_error(error: Exception) -> dict[str, Any]:
    return error.to_wire() if isinstance(error, AcpError) else {"unknown": str(error)}


def _read_error(error: Mapping[str, Any] | None) -> Exception:
    if error is None or "unknown" in error:
        return OutcomeUnknown(str((error or {}).get("unknown", "")))
    return AcpError.from_wire(error)


@contextlib.contextmanager
def _logged(what: str) -> Generator[None]:
    """An outcome that is known is told even if it cannot be written; the agent's record answers a further attempt."""
    try:
        yield
    except OutboxError as error:
        _LOG.error("%s could not be written: %s", what, error)  # a trace says no more
