"""Prompts on their way: each is kept before it is sent, and sent again with the same key until its outcome is known."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from acp_v2.acp_error import AcpError
from acp_v2.client.errors import OutboxError, OutcomeUnknown
from acp_v2.client.pending_prompts import KeptPrompt, PendingPrompts
from acp_v2.client.prompt_queue import PromptQueue
from acp_v2.client.submission import Submission
from acp_v2.errors import RequestCancelled, ResourceNotFound
from acp_v2.idempotency_key import IdempotencyKey
from acp_v2.models import ContentBlock, PromptRequest, TextContent
from acp_v2.wire_model import WireModel

_LOG = logging.getLogger(__name__)

HOLD_AFTER: Final = 12 * 60 * 60.0
"""For how many seconds a prompt may be pending before the user has to say whether it is still to be sent."""

SECONDS_TO_ADOPT: Final = 10.0
"""How often a session's delivery looks for prompts of processes that have ended."""

_SECONDS_TO_LOOK = 0.2
_SECONDS_TO_TIDY = 0.5

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
        self._listeners: list[Callable[[Submission], None]] = []
        self._open: dict[IdempotencyKey, Submission] = {}
        self._followed: dict[IdempotencyKey, Submission] = {}
        self._following: asyncio.Task[None] | None = None
        self._queues: defaultdict[str, PromptQueue] = defaultdict(PromptQueue)
        self._unwritten: dict[IdempotencyKey, Callable[[], None]] = {}
        self._tidying: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        self._busy = 0
        """How much the thread that has the file has to do; nobody else touches it meanwhile."""

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
        """Open the file.

        What processes that have ended left in a session is sent when a client here has the session active, and until
        then may be sent by another process that has; `left_behind` lists it.

        Args:
            path: the file; by default nothing outlives this process.
            agent: names the agent, where one file is for several.
            hold_after: for how many seconds a prompt may be pending before it is held.
            on_settled: told of every outcome, also of prompts from an earlier process that nobody awaits, and of
                prompts that are held. An outcome that it was not told of, because the process ended before it returned
                or because it raised, which is logged, it is told of when the file is next opened.
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
        try:
            await outbox.adopt()
        except BaseException:
            await outbox.close()
            raise
        outbox._tidy()
        return outbox

    async def close(self) -> None:
        """Let go of the file. What is pending stays in it for the next process; who awaits it gets `OutboxError`."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._following is not None:
            self._following.cancel()
        if self._tidying is not None:
            self._tidying.cancel()
        # An application that is being told may close.
        while others := self._tasks - {asyncio.current_task()}:
            await asyncio.wait(others)
        await self._rewrite()
        await self._do(self._kept.close)
        self._executor.shutdown()
        for submission in [*self._open.values(), *self._followed.values()]:
            submission.let_go(
                OutboxError("the outbox is closed; what is pending in its file is sent by who opens it next")
            )

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
        if self._is_closed:
            raise OutboxError("the outbox is closed")
        params = _params(session_id, prompt, meta)
        own = IdempotencyKey.generate() if key is None else IdempotencyKey(key)
        # Shielded, because what is in the file is also to be sent.
        return await asyncio.shield(self._run(self._submit(own, session_id, params)))

    def pending(self, session_id: str | None = None) -> list[Submission]:
        """What this process is to send or holds, in the order of submission."""
        found = [s for s in self._open.values() if session_id in (None, s.session_id)]
        return sorted(found, key=lambda submission: submission.number)

    async def left_behind(self) -> list[KeptPrompt]:
        """What ended processes had still to send and nobody has taken up, in the order of submission.

        To resume its session has it sent.

        Raises:
            OutboxError: the file cannot be read.
        """
        return await self._do(self._kept.left_behind)

    async def cancel(self, submission: Submission) -> None:
        """As `Submission.cancel`."""
        if submission.is_open and not submission.is_cancelled:
            await self._do(self._kept.cancel, submission.key)
            await self._take_back(submission, tells_agent=True)

    async def cancel_session(self, session_id: str) -> None:
        """Take back everything that is pending in a session, without telling the agent, which learns it otherwise."""
        await self.adopt(session_id)
        pending = self.pending(session_id)
        if pending:
            await self._do(self._kept.cancel, *(submission.key for submission in pending))
        for submission in pending:
            await self._take_back(submission, tells_agent=False)

    async def resend(self, submission: Submission) -> None:
        """As `Submission.resend`."""
        if submission.state != "held":
            return
        now = self.clock()
        await self._do(self._kept.renew, submission.key, now)
        if submission.state == "held" and not submission.is_ending:
            submission.submitted = now
            submission.may_be_doubled = True
            submission.pending()
            self.give_back(submission)

    async def discard(self, submission: Submission) -> None:
        """As `Submission.discard`."""
        if submission.state == "held":
            await self._do(self._kept.cancel, submission.key)
            await self._take_back(submission, tells_agent=False)

    # For a client

    def listen(self, listener: Callable[[Submission], None]) -> None:
        """Have every outcome told to a client at once, which passes it on as an event."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[Submission], None]) -> None:
        """Tell a client no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def queue(self, session_id: str) -> PromptQueue:
        """What is to be sent in one session."""
        return self._queues[session_id]

    def give_back(self, submission: Submission) -> None:
        """A prompt that was taken from the queue is to be sent by another delivery, where it is still pending."""
        submission.is_taken = False
        self._queues[submission.session_id].put(submission)

    def hold_if_old(self, submission: Submission) -> bool:
        """Hold a prompt that has been pending for too long. Returns whether it is held."""
        age = self.clock() - submission.submitted
        if age <= self._hold_after:
            return False
        self.hold(submission, f"it has been pending for {age / 3600:.1f} hours; resend or discard it")
        return True

    def hold(self, submission: Submission, reason: str) -> None:
        """Send a prompt no more before the user has said so."""
        if submission.state == "pending" and not submission.is_ending:
            submission.held(reason)
            self._announce(submission)
            self._run(self._call(submission))

    async def adopt(self, session_id: str | None = None) -> None:
        """Take up what processes that have ended left: what is to be sent in a session, and what is only to be told.

        Raises:
            OutboxError: the file cannot be read or written.
        """
        # Shielded, because what belongs to this process in the file nobody else sends.
        await asyncio.shield(self._run(self._adopt(session_id)))

    async def insert(self, submission: Submission, message_id: str | None) -> None:
        """The agent has inserted the message of a prompt."""
        if _ends(submission):
            if not self._note_at_once(submission, message_id):
                await self._write(submission, self._kept.inserted, message_id)
            submission.inserted(message_id)
            self._ended(submission)

    async def fail(self, submission: Submission, error: Exception) -> None:
        """A prompt is not sent again: the agent has refused it, or nobody can know what became of it."""
        if _ends(submission):
            await self._write(submission, self._kept.failed, _write_error(error))
            submission.failed(error)
            self._ended(submission)

    async def refuse(self, session_id: str, error: Exception) -> None:
        """A session could not be resumed, so that what is pending in it cannot be sent."""
        if isinstance(error, ResourceNotFound):
            with contextlib.suppress(OutboxError):  # It is left behind as it was.
                await self.adopt(session_id)
        for submission in self.pending(session_id):
            if isinstance(error, ResourceNotFound):
                await self.fail(submission, error)
            else:
                self.hold(submission, f"the session could not be resumed: {error}")

    def hold_session(self, session_id: str, reason: str) -> None:
        """Hold everything that is pending in a session."""
        for submission in self.pending(session_id):
            self.hold(submission, reason)

    async def settle_cancelled(self, submission: Submission) -> None:
        """A prompt was taken back, and no attempt is under way that would have an answer."""
        if submission.may_be_inserted:
            reason = "It was cancelled while nobody could say whether the agent had inserted it; the history says"
            await self.fail(submission, OutcomeUnknown(reason))
        else:
            await self.fail(submission, RequestCancelled("It was cancelled before it was sent"))

    # Inside

    async def _adopt(self, session_id: str | None) -> None:
        for prompt in await self._do(self._kept.adopt, session_id):
            submission = self._followed.pop(prompt.key, None) or self._submission_of(prompt, was_kept=True)
            submission.is_cancelled = prompt.is_cancelled
            if prompt.state == "pending":
                self._open[prompt.key] = submission
                if prompt.is_cancelled:
                    await self.settle_cancelled(submission)
                else:
                    self.give_back(submission)
            else:
                # Its process ended before the application was told.
                _settle(submission, prompt)
                self._announce(submission)
                self._run(self._told(submission))

    async def _submit(self, key: IdempotencyKey, session_id: str, params: Mapping[str, Any]) -> Submission:
        found, is_new = await self._do(self._kept.submit, key, session_id, params, self.clock())
        self._unwritten.pop(key, None)
        known = self._open.get(key) or self._followed.get(key)
        if known is not None and known.is_open:
            return known
        submission = self._submission_of(found, was_kept=not is_new)
        if found.state == "inserted":
            submission.inserted(found.message_id)
        elif found.owner == self._kept.owner:
            self._open[key] = submission
            self.give_back(submission)
        else:
            self._followed[key] = submission
            if self._following is None or self._following.done():
                self._following = asyncio.create_task(self._follow())
        return submission

    async def _follow(self) -> None:
        """Learn the outcomes of prompts that another process sends, or send them when that one has ended."""
        while self._followed:
            await asyncio.sleep(_SECONDS_TO_LOOK)
            with contextlib.suppress(OutboxError):  # It is tried again.
                for session_id in {submission.session_id for submission in self._followed.values()}:
                    await self.adopt(session_id)
                for key, submission in list(self._followed.items()):
                    found = await self._do(self._kept.find, key)
                    if found is not None and found.state != "pending" and self._followed.pop(key, None):
                        _settle(submission, found)
                        self._announce(submission)

    def _submission_of(self, prompt: KeptPrompt, *, was_kept: bool) -> Submission:
        return Submission(
            self,
            prompt.number,
            prompt.session_id,
            prompt.key,
            params=prompt.params or {},
            submitted=prompt.submitted,
            was_kept=was_kept,
        )

    async def _take_back(self, submission: Submission, *, tells_agent: bool) -> None:
        """It is written that the user took a prompt back."""
        submission.is_cancelled = True
        if submission.withdraw is None:
            if submission.key in self._open:
                await self.settle_cancelled(submission)
        elif tells_agent:
            # The agent's answer says whether it was in time.
            submission.withdraw()

    async def _write(self, submission: Submission, action: Callable[..., None], value: Any) -> None:
        """Write an outcome, and tell it even where that fails: the agent's record answers a further attempt."""
        write = partial(action, submission.key, value, is_told=self._on_settled is None)
        try:
            await self._rewrite()
            await self._do(write)
        except OutboxError as error:
            _LOG.error("the outcome of a prompt could not be written: %s", error)  # a trace says no more
            self._unwritten[submission.key] = write

    def _note_at_once(self, submission: Submission, message_id: str | None) -> bool:
        """Write that a prompt is inserted from this thread, where the file is free; most of the time it is."""
        if self._busy or self._unwritten:
            return False
        try:
            self._kept.inserted(submission.key, message_id, is_told=self._on_settled is None, waits=False)
        except OutboxError:
            return False
        return True

    async def _rewrite(self) -> None:
        """Write the outcomes that could not be written before."""
        for key, write in list(self._unwritten.items()):
            try:
                await self._do(write)
            except OutboxError:
                return
            self._unwritten.pop(key, None)

    def _ended(self, submission: Submission) -> None:
        """The outcome of a prompt is written."""
        if self._open.get(submission.key) is submission:
            del self._open[submission.key]
        self._announce(submission)
        self._run(self._told(submission))

    async def _told(self, submission: Submission) -> None:
        """Tell the application of an outcome, and forget the text of the prompt when that is done."""
        is_told = await self._call(submission)
        if is_told and self._on_settled is not None:
            try:
                await self._do(self._kept.told, submission.key, submission.submitted)
            except OutboxError as error:
                _LOG.error("that the application knows an outcome could not be written: %s", error)
        self._tidy()

    def _tidy(self) -> None:
        """Remove the texts that are forgotten from the file for good, soon; it takes the disk longer than the rest."""

        def tidy() -> None:
            self._tidying = None
            self._start(self._kept.tidy)

        if self._tidying is None and not self._is_closed:
            self._tidying = asyncio.get_running_loop().call_later(_SECONDS_TO_TIDY, tidy)

    def _announce(self, submission: Submission) -> None:
        for listener in list(self._listeners):
            listener(submission)

    async def _call(self, submission: Submission) -> bool:
        """Whether the application took note."""
        try:
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
        try:
            running = self._start(partial(action, *arguments))
        except RuntimeError:
            raise OutboxError("the outbox is closed") from None
        # Shielded, because a thread cannot be cancelled: the file would change while nobody waits for it.
        return await asyncio.shield(running)

    def _start(self, action: Callable[[], _T]) -> asyncio.Future[_T]:
        """Have the thread that has the file do something.

        Raises:
            RuntimeError: it has ended.
        """
        running = asyncio.get_running_loop().run_in_executor(self._executor, action)
        self._busy += 1
        running.add_done_callback(self._done)
        return running

    def _done(self, _: asyncio.Future[Any]) -> None:
        self._busy -= 1


def _params(session_id: str, prompt: Prompt, meta: Mapping[str, Any] | None) -> dict[str, Any]:
    """What goes over the wire besides session and key, checked."""
    blocks = [TextContent(text=prompt)] if isinstance(prompt, str) else prompt
    request: dict[str, Any] = {
        "sessionId": session_id,
        "prompt": [block.to_wire() if isinstance(block, WireModel) else dict(block) for block in blocks],
    }
    if meta is not None:
        request["_meta"] = dict(meta)
    PromptRequest.from_wire(request)
    try:
        json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError):
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


def _settle(submission: Submission, prompt: KeptPrompt) -> None:
    """Have a submission say what is kept of its outcome."""
    if prompt.state == "inserted":
        submission.inserted(prompt.message_id)
    else:
        submission.failed(_read_error(prompt.error))
