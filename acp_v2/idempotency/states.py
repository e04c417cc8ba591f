"""The states of keyed prompts as the proposal has them: a pure machine, told events, that says what to do.

It does no I/O and knows no clock. A key of a session is *unknown*, *pending* (held, or being inserted) or *recorded*.
Records of retained messages are the store's; the machine keeps those of live-only messages while their session is
active.
Rules: INS-01 to INS-11, HELD-01, CANCEL-01 to CANCEL-04, LAST-05 and LAST-06 of `spec/rules.yaml`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from acp_v2.acp_error import AcpError
from acp_v2.errors import InvalidParams, RequestCancelled

Attempt = Hashable
"""One request for a prompt, named by whoever drives the machine: a connection and an id, for instance."""

Prompt = Any
"""What is compared where comparing is turned on; any value with `==`."""

Place = tuple[str, Hashable]
"""A session's id and a key in it; for a prompt without a key, something that equals itself alone."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Look the key up in the store, hold the prompt as long as need be, and insert it."""

    place: Place
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer an attempt with the id of its message; `is_new` where it was this attempt that inserted it."""

    attempt: Attempt
    message_id: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer an attempt with an error."""

    attempt: Attempt
    error: AcpError


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Stop holding a prompt; it is not to be inserted here.

    `is_dropped`: nobody has cancelled it, so that another node on which an attempt waits is to take it over, or to find
    that it is inserted.
    """

    place: Place
    is_dropped: bool = False


@dataclass(frozen=True, slots=True)
class AskHolder:
    """Ask the node that holds a prompt to withdraw it; how it ended is told by `failed` or `found`."""

    place: Place


@dataclass(frozen=True, slots=True)
class Leave:
    """Give up waiting for another node; the attempts get no answer, because the prompt may yet be inserted there."""

    place: Place
    attempts: tuple[Attempt, ...]


Effect = Begin | Answer | Refuse | Withdraw | AskHolder | Leave


class _Stage(Enum):
    LOOKING = auto()
    HELD = auto()
    ELSEWHERE = auto()
    INSERTING = auto()


@dataclass(slots=True)
class _Pending:
    prompt: Prompt
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    stage: _Stage = _Stage.LOOKING
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class _LiveOnly:
    message_id: str
    prompt: Prompt


class PromptStates:
    """The keyed prompts of one agent process.

    Args:
        compare: answer a key that comes with another prompt with -32602 instead of like a retry (rule INS-09).
    """

    def __init__(self, *, compare: bool = False) -> None:
        self._compare = compare
        self._pending: dict[Place, _Pending] = {}
        self._live_only: dict[Place, _LiveOnly] = {}
        self._places: dict[Attempt, Place] = {}
        self._is_closing = False

    def submitted(self, place: Place, attempt: Attempt, prompt: Prompt) -> Iterator[Effect]:
        """A request with a key came, from a caller who may prompt the session."""
        if live := self._live_only.get(place):
            yield self._settled(attempt, live.message_id, live.prompt, prompt)
        elif self._is_closing:
            yield Refuse(attempt, RequestCancelled("The agent is ending"))
        elif pending := self._pending.get(place):
            if self._differs(pending.prompt, prompt):
                yield Refuse(attempt, _another_prompt())
            else:
                # Where nobody waits any more, whoever cancelled is gone, and this is a new submission.
                pending.is_cancelled = pending.is_cancelled and bool(pending.attempts)
                pending.attempts.append(attempt)
                self._places[attempt] = place
        else:
            self._pending[place] = _Pending(prompt, [attempt])
            self._places[attempt] = place
            yield Begin(place, attempt)

    def found(self, place: Place, message_id: str, inserted: Prompt = None) -> Iterator[Effect]:
        """The store has a record of the key; `inserted` is its prompt, or None where the store cannot tell.

        A prompt that is held here has then been inserted elsewhere. Of one that is being inserted here, `inserted` will
        tell.
        """
        pending = self._pending.get(place)
        if pending is not None and pending.stage is _Stage.INSERTING:
            return
        if pending is not None and pending.stage is _Stage.HELD:
            yield Withdraw(place, is_dropped=True)
        pending = self._take(place)
        for attempt in pending.attempts if pending else ():
            prompt = inserted if pending is None or inserted is None else pending.prompt
            yield self._settled(attempt, message_id, inserted, prompt)

    def looking(self, place: Place) -> None:
        """Whether the key is recorded is being looked up, once more."""
        self._pending[place].stage = _Stage.LOOKING

    def elsewhere(self, place: Place) -> Iterator[Effect]:
        """Another node has claimed the key; this one waits for the outcome there."""
        yield from self._enter(place, _Stage.ELSEWHERE)

    def held(self, place: Place) -> Iterator[Effect]:
        """The key is not recorded and this node's to insert; its prompt is held for as long as need be."""
        yield from self._enter(place, _Stage.HELD)

    def inserting(self, place: Place) -> None:
        """From here on the prompt cannot be withdrawn."""
        self._pending[place].stage = _Stage.INSERTING

    def inserted(
        self, place: Place, message_id: str, *, is_retained: bool = True, is_new: bool = True
    ) -> Iterator[Effect]:
        """The message is inserted; where it is retained, the store has recorded its key in the same step.

        `is_new` is False where somebody else had inserted a message for the key by then, and it is that one.
        """
        pending = self._take(place)
        if pending is None:
            return
        if not is_retained:
            self._live_only[place] = _LiveOnly(message_id, pending.prompt)
        for number, attempt in enumerate(pending.attempts):
            yield Answer(attempt, message_id, is_new=is_new and number == 0)

    def failed(self, place: Place, error: AcpError) -> Iterator[Effect]:
        """Nothing was inserted: every attempt gets the error, and the key is unused."""
        pending = self._take(place)
        yield from (Refuse(attempt, error) for attempt in (pending.attempts if pending else ()))

    def cancelled(self, attempt: Attempt) -> Iterator[Effect]:
        """`$/cancel_request` came for an attempt."""
        if (place := self._places.get(attempt)) is not None:
            yield from self._withdrawn(place)

    def withdrawn(self, place: Place) -> Iterator[Effect]:
        """Another node asked for a prompt to be withdrawn that this one holds."""
        yield from self._withdrawn(place)

    def session_cancelled(self, session_id: str) -> Iterator[Effect]:
        """`session/cancel` or `session/close` came: the session's held prompts are withdrawn."""
        for place in [p for p in self._pending if p[0] == session_id]:
            yield from self._withdrawn(place)

    def abandoned(self, attempt: Attempt) -> Iterator[Effect]:
        """Nobody waits for an attempt any more, and a prompt that nobody waits for is to be dropped (rule HELD-02)."""
        place = self._places.pop(attempt, None)
        if place is None:
            return
        pending = self._pending[place]
        pending.attempts.remove(attempt)
        if not pending.attempts and pending.stage is _Stage.HELD:
            yield from self._stopped(place, is_dropped=True)

    def closing(self) -> Iterator[Effect]:
        """The process ends: what it holds is dropped, what others hold is theirs, and what is being inserted is."""
        self._is_closing = True
        for place in list(self._pending):
            yield from self._closed(place)

    def session_inactive(self, session_id: str) -> None:
        """The session is active on no connection: keys of messages that are not retained are forgotten."""
        for place in [p for p in self._live_only if p[0] == session_id]:
            del self._live_only[place]

    def _enter(self, place: Place, stage: _Stage) -> Iterator[Effect]:
        pending = self._pending[place]
        pending.stage = stage
        if self._is_closing:
            yield from self._closed(place)
        elif pending.is_cancelled:
            yield from self._withdrawn(place)
        elif not pending.attempts and stage is _Stage.HELD:
            yield from self._stopped(place, is_dropped=True)

    def _withdrawn(self, place: Place) -> Iterator[Effect]:
        pending = self._pending.get(place)
        match pending.stage if pending else None:
            case _Stage.LOOKING if pending:
                # If it turns out to be recorded there is nothing to withdraw.
                pending.is_cancelled = True
            case _Stage.ELSEWHERE if pending:
                # The holder may die without an answer; the prompt is then not for this node to insert either.
                pending.is_cancelled = True
                yield AskHolder(place)
            case _Stage.HELD:
                yield from self._stopped(place, is_dropped=False)
            case _:
                pass

    def _closed(self, place: Place) -> Iterator[Effect]:
        match self._pending[place].stage:
            case _Stage.HELD:
                yield from self._stopped(place, is_dropped=True)
            case _Stage.ELSEWHERE:
                pending = self._take(place)
                yield Leave(place, tuple(pending.attempts if pending else ()))
            case _:
                pass

    def _stopped(self, place: Place, *, is_dropped: bool) -> Iterator[Effect]:
        pending = self._take(place)
        yield Withdraw(place, is_dropped)
        yield from (Refuse(attempt, RequestCancelled()) for attempt in (pending.attempts if pending else ()))

    def _take(self, place: Place) -> _Pending | None:
        pending = self._pending.pop(place, None)
        for attempt in pending.attempts if pending else ():
            del self._places[attempt]
        return pending

    def _settled(self, attempt: Attempt, message_id: str, inserted: Prompt, prompt: Prompt) -> Effect:
        return Refuse(attempt, _another_prompt()) if self._differs(inserted, prompt) else Answer(attempt, message_id)

    def _differs(self, inserted: Prompt, prompt: Prompt) -> bool:
        return self._compare and inserted != prompt


def _another_prompt() -> InvalidParams:
    return InvalidParams("This key belongs to another prompt", {"pointer": "/params/idempotencyKey"})
