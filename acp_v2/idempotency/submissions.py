"""Drives `PromptStates` with asyncio over a store: what an agent calls for each `session/prompt`."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from acp_v2.acp_error import AcpError
from acp_v2.errors import InternalError, InvalidParams, RequestCancelled, ResourceNotFound
from acp_v2.idempotency.observer import End, Ended, Observer, Submitted
from acp_v2.idempotency.states import (
    Answer,
    AskHolder,
    Attempt,
    Begin,
    Effect,
    Leave,
    Place,
    PromptStates,
    Refuse,
    Withdraw,
)
from acp_v2.idempotency.store import Claim, Insertion, Keys, NoSuchSessionError, Outcome, Recorded, StoreError
from acp_v2.idempotency_key import IdempotencyKey

_LOG = logging.getLogger(__name__)

Insert = Callable[[IdempotencyKey | None], Awaitable[Insertion]]
"""Writes the message and the key in one step, or raises. It is not interrupted once it has begun."""

LOOKS_AGAIN_SECONDS: Final = (0.1, 0.5, 2.0, 8.0)
"""Pauses after which it is looked up again whether a held prompt is inserted: another node may have been at it, without
a claim, when it was claimed here.
"""

Ready = Callable[[], Awaitable[object]]
"""Returns when the prompt may be inserted; until then the prompt is held, and can be withdrawn."""


IsReady = Callable[[], bool]
"""Whether `Ready` would return at once."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What there is to do for a prompt."""

    insert: Insert
    ready: Ready | None
    is_ready: IsReady | None

    @property
    def is_held(self) -> bool:
        """Whether the prompt may have to wait until it is inserted."""
        return self.ready is not None and (self.is_ready is None or not self.is_ready())


@dataclass(slots=True)
class _Attempt:
    session_id: str
    key: IdempotencyKey | None
    answer: asyncio.Future[str]
    began: float


class _NoKey:
    """Stands for the key of a prompt without one; equals itself alone."""


class Submissions:
    """Inserts each keyed prompt's message at most once, and answers every attempt at it.

    Args:
        keys: where keys are recorded; a `Store`, or `LocalKeys` over a look-up of the agent's own.
        compare: answer a key that comes with another prompt with -32602, where that can be told (rule INS-09).
        observer: told of attempts and their ends.

    An agent checks who may prompt the session before it calls `submit`; a key is no credential.
    """

    def __init__(self, keys: Keys, *, compare: bool = False, observer: Observer | None = None) -> None:
        self._keys = keys
        self._states = PromptStates(compare=compare)
        self._observer = observer
        self._attempts: dict[Attempt, _Attempt] = {}
        self._work: dict[Place, _Work] = {}
        self._tasks: dict[Place, asyncio.Task[None]] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._dropped: set[asyncio.Task[None]] = set()

    async def submit(
        self,
        session_id: str,
        key: IdempotencyKey | None,
        insert: Insert,
        *,
        attempt: Hashable | None = None,
        prompt: Any = None,
        ready: Ready | None = None,
        is_ready: IsReady | None = None,
    ) -> str:
        """The id of the prompt's message, once it is inserted by this attempt or another.

        Args:
            session_id: the session, which the caller may prompt.
            key: the prompt's key, or None for one that is not looked up.
            insert: writes message and key in one step; called at most once for a key, and not for a retry.
            attempt: names the request, so that `cancel` finds it; for example a connection and a request id.
            prompt: the prompt's content, to be compared.
            ready: returns when the prompt may be inserted; None: at once.
            is_ready: whether `ready` would return at once, asked right before it is called. Then other nodes need not
                be told that the prompt is held, which a store has to write down. None: that is not known.

        Raises:
            AcpError: what to answer the request with; nothing was inserted for it.
            asyncio.CancelledError: `close` was called while another node had the prompt; there is no answer to give.
            TypeError: the key is a plain string, which nobody has checked.
        """
        attempt = object() if attempt is None else attempt
        if attempt in self._attempts:
            raise InvalidParams("A request with this id is pending already")
        if key is not None and not isinstance(key, IdempotencyKey):  # pyright: ignore[reportUnnecessaryIsInstance]
            # It would be inserted once per attempt, and nobody would notice.
            raise TypeError("a key is an IdempotencyKey, as the params of parse_message have it")
        place: Place = (session_id, _NoKey() if key is None else key)
        mine = _Attempt(session_id, key, asyncio.get_running_loop().create_future(), time.monotonic())
        self._attempts[attempt] = mine
        effects = list(self._states.submitted(place, attempt, prompt))
        is_first = any(isinstance(effect, Begin) for effect in effects)
        if is_first:
            self._work[place] = _Work(insert, ready, is_ready)
        self._tell(Submitted(session_id, key is not None, not is_first))
        self._apply(effects)
        # Shielded, because a caller that goes away decides nothing about the prompt; `abandon` does.
        return await asyncio.shield(mine.answer)

    def cancel(self, attempt: Hashable) -> None:
        """`$/cancel_request` for an attempt: its prompt is withdrawn, unless it is being inserted or is inserted."""
        self._apply(self._states.cancelled(attempt))

    def abandon(self, attempt: Hashable) -> None:
        """An attempt's connection ended, and the agent drops held prompts that nobody waits for."""
        effects = list(self._states.abandoned(attempt))
        self._answer(attempt, RequestCancelled(), "withdrawn")
        self._apply(effects)

    def cancel_session(self, session_id: str) -> None:
        """`session/cancel` or `session/close`: the session's held prompts are withdrawn."""
        self._apply(self._states.session_cancelled(session_id))

    def session_inactive(self, session_id: str) -> None:
        """The session is active on no connection any more: keys of messages that are not retained are forgotten."""
        self._states.session_inactive(session_id)

    async def close(self) -> None:
        """End what is held here, and wait for what is being inserted. Nothing is taken any more.

        Who waits here for another node gets no answer, because the prompt is that node's: `submit` is cancelled. Who
        waits on another node for this one takes the prompt over, as if this one had died.
        """
        self._apply(self._states.closing())
        await asyncio.gather(*self._running, return_exceptions=True)

    # Effects

    def _apply(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Begin(place):
                    self._begin(place)
                case Answer(attempt, message_id, is_new):
                    self._answer(attempt, message_id, "inserted" if is_new else "answered")
                case Refuse(attempt, error):
                    self._answer(attempt, error, _end(error))
                case Withdraw(place, is_dropped):
                    if is_dropped:
                        self._dropped.add(self._tasks[place])
                    self._tasks[place].cancel()
                case Leave(place, attempts):
                    self._tasks[place].cancel()
                    for attempt in attempts:
                        self._attempts.pop(attempt).answer.cancel()
                case AskHolder(place):
                    self._ask_holder(place)

    def _answer(self, attempt: Attempt, answer: str | AcpError, end: End) -> None:
        mine = self._attempts.pop(attempt, None)
        if mine is None or mine.answer.done():
            return
        if isinstance(answer, AcpError):
            mine.answer.set_exception(answer)
            # Whoever asked may be gone; asyncio would then complain that nobody took the exception.
            mine.answer.exception()
        else:
            mine.answer.set_result(answer)
        self._tell(Ended(mine.session_id, mine.key is not None, end, time.monotonic() - mine.began))

    def _tell(self, event: Submitted | Ended) -> None:
        if self._observer is None:
            return
        try:
            if isinstance(event, Submitted):
                self._observer.submitted(event)
            else:
                self._observer.ended(event)
        except Exception:  # noqa: BLE001  # an operator's code must not decide what an agent answers
            _LOG.exception("an observer of submissions failed")

    # One prompt

    def _begin(self, place: Place) -> None:
        task = asyncio.create_task(self._run(place, self._work.pop(place), after=self._tasks.get(place)))
        self._tasks[place] = task
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._dropped.discard(task)
        for place in [p for p, t in self._tasks.items() if t is task]:
            del self._tasks[place]

    def _ask_holder(self, place: Place) -> None:
        session_id, key = place
        if isinstance(key, IdempotencyKey):
            asking = asyncio.ensure_future(self._keys.withdraw(session_id, key))
            asking.add_done_callback(_log_failure)

    async def _run(self, place: Place, work: _Work, after: asyncio.Task[None] | None) -> None:
        """See one prompt through, from the look-up to the answer."""
        try:
            if isinstance(place[1], IdempotencyKey):
                await self._run_keyed(place, place[1], work, after)
            else:
                await self._hold(place, None, work)
        except AcpError as error:
            self._apply(self._states.failed(place, error))
        except NoSuchSessionError:
            self._apply(self._states.failed(place, _no_such_session(place[0])))
        except StoreError as error:
            _LOG.error("a prompt was not inserted: %s", error)  # a trace says no more
            self._apply(self._states.failed(place, InternalError("The message could not be stored")))
        except Exception as error:  # noqa: BLE001  # the agent's code; whatever it raises, the attempts get an answer
            # Where and of which type, but not what it says: that may have a user's text or the key in it.
            where = "".join(traceback.format_tb(error.__traceback__))
            _LOG.error("inserting a prompt failed with %s\n%s", type(error).__name__, where)
            self._apply(self._states.failed(place, InternalError()))

    async def _run_keyed(
        self, place: Place, key: IdempotencyKey, work: _Work, after: asyncio.Task[None] | None
    ) -> None:
        session_id = place[0]
        if after is not None:
            # A prompt that was withdrawn a moment ago may still have the claim. Not waited for before a look: what was
            # inserted a moment ago also has it, and its retry is answered all the same.
            if await self._is_recorded(place, key):
                return
            await asyncio.wait([after])
        found = await self._keys.look_up(session_id, key)
        if isinstance(found, Recorded):
            self._found(place, found)
            return
        if found is None and not work.is_held:
            # Without a claim: attempts on other nodes have nothing to wait for, and the store keeps the first message.
            await self._hold(place, key, work)
            return
        while True:
            claim = await self._keys.claim(session_id, key)
            if isinstance(claim, Recorded):
                self._found(place, claim)
                return
            if claim is not None:
                await self._run_claimed(place, key, claim, work)
                return
            self._apply(self._states.elsewhere(place))
            outcome = await self._keys.outcome(session_id, key)
            if outcome is not None and outcome.error is not None:
                raise outcome.error
            self._states.looking(place)
            if outcome is not None and outcome.message_id is not None:
                # Looked up, so that it can be compared. A message that is not retained is in no store, and remembered.
                if not await self._is_recorded(place, key):
                    inserted = self._states.inserted(place, outcome.message_id, is_retained=False, is_new=False)
                    self._apply(inserted)
                return
            # Without an outcome the prompt is this node's to insert.

    async def _run_claimed(self, place: Place, key: IdempotencyKey, claim: Claim, work: _Work) -> None:
        """Insert a prompt whose key is claimed, and tell the nodes that wait how it ended."""
        outcome: Outcome | None = None
        listening = asyncio.create_task(self._listen(place, key, claim))
        try:
            outcome = Outcome((await self._hold(place, key, work)).message_id)
        except asyncio.CancelledError:
            if asyncio.current_task() not in self._dropped:
                outcome = Outcome(error=RequestCancelled())
            raise
        except AcpError as error:
            outcome = Outcome(error=error)
            raise
        except NoSuchSessionError:
            outcome = Outcome(error=_no_such_session(place[0]))
            raise
        except Exception:
            outcome = Outcome(error=InternalError("The message could not be stored"))
            raise
        finally:
            listening.cancel()
            await asyncio.shield(_released(claim, outcome))

    async def _is_recorded(self, place: Place, key: IdempotencyKey) -> bool:
        """Whether there is a record; every attempt is then answered."""
        recorded = await self._keys.find_key(place[0], key)
        if recorded is not None:
            self._found(place, recorded)
        return recorded is not None

    def _found(self, place: Place, recorded: Recorded) -> None:
        self._apply(self._states.found(place, recorded.message_id, recorded.content))

    async def _hold(self, place: Place, key: IdempotencyKey | None, work: _Work) -> Insertion:
        """Hold a prompt until it may be inserted, and insert it."""
        self._apply(self._states.held(place))
        if (task := asyncio.current_task()) is not None and task.cancelling():
            await asyncio.sleep(0)  # Where a withdrawal that waited for the look-up takes effect.
        if work.ready is not None:
            await work.ready()
        self._states.inserting(place)
        insertion = await work.insert(key)
        is_retained = insertion.is_retained or key is None
        effects = self._states.inserted(place, insertion.message_id, is_retained=is_retained, is_new=insertion.is_new)
        self._apply(effects)
        return insertion

    async def _listen(self, place: Place, key: IdempotencyKey, claim: Claim) -> None:
        """Stop holding a prompt when it has been inserted elsewhere, or another node asks for it to be withdrawn."""
        for seconds in LOOKS_AGAIN_SECONDS:
            try:
                async with asyncio.timeout(seconds):
                    await claim.withdrawn()
                break
            except TimeoutError:
                if await self._was_inserted(place, key):
                    return
        else:
            await claim.withdrawn()
        holding = self._tasks[place]
        # Meanwhile it may have ended, and the same key been submitted anew.
        if not await self._was_inserted(place, key) and self._tasks.get(place) is holding:
            self._apply(self._states.withdrawn(place))

    async def _was_inserted(self, place: Place, key: IdempotencyKey) -> bool:
        try:
            return await self._is_recorded(place, key)
        except StoreError:
            return False  # It can be held for all that; whoever inserts it will be told.


async def _released(claim: Claim, outcome: Outcome | None) -> None:
    try:
        await claim.release(outcome)
    except StoreError as error:
        # It ends with its holder, or when its lease runs out.
        _LOG.warning("a claim could not be released: %s", error)


def _no_such_session(session_id: str) -> ResourceNotFound:
    return ResourceNotFound("There is no such session", {"sessionId": session_id})


def _log_failure(task: asyncio.Future[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.warning("the holder of a prompt could not be asked to withdraw it: %s", error)


def _end(error: AcpError) -> End:
    match error:
        case RequestCancelled():
            return "withdrawn"
        case InvalidParams():
            return "refused"
        case _:
            return "failed"
