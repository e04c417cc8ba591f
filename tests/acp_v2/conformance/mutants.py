"""Wrong agents: the reference agent with one behaviour broken, each for the rule that it breaks.

A mutant hooks into what the reference agent is made of (its handlers, its store, its transport) and copies none of it.
`python -m tests.acp_v2.conformance.mutants NAME [--store URL]` runs one on standard input and output.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from acp_v2.agent import ReferenceAgent
from acp_v2.agent.script import read_prompt
from acp_v2.connection import Call, Handlers
from acp_v2.errors import InternalError, InvalidParams, InvalidRequest, RequestCancelled, ResourceNotFound
from acp_v2.idempotency import Insertion, Recorded, Store, StoredMessage, Submissions
from acp_v2.idempotency.local_keys import GrantedClaim
from acp_v2.idempotency_key import IdempotencyKey
from acp_v2.models import PromptResponse
from acp_v2.transports import Transport

PROMPT = "session/prompt"


class Mutant(ReferenceAgent):
    """The reference agent, with places to break it at."""

    def __init__(self, store: Store, **options: Any) -> None:
        self.store = Tampered(store)
        super().__init__(self.store, **options)
        self.is_killed = False
        self.break_it()

    def break_it(self) -> None:
        """Break one behaviour."""

    def wrap(self, method: str, wrapper: Callable[[Any, Call[Any]], Any]) -> None:
        """Let a wrapper handle a request; it is given the handler that would have."""
        handler = self._handlers.requests[method]

        async def wrapped(call: Call[Any]) -> Any:
            return await wrapper(handler, call)

        self._handlers = Handlers({**self._handlers.requests, method: wrapped}, self._handlers.notifications)

    def wrap_notification(self, method: str, before: Callable[[Call[Any]], None]) -> None:
        """Do something before a notification is handled."""
        handler = self._handlers.notifications[method]

        async def wrapped(call: Call[Any]) -> None:
            before(call)
            await handler(call)

        self._handlers = Handlers(self._handlers.requests, {**self._handlers.notifications, method: wrapped})

    def tap(self, transport: Transport) -> Transport:
        """The transport, perhaps through something that changes messages."""
        return transport

    async def serve(self, transport: Transport) -> None:
        await super().serve(self.tap(transport))

    async def serve_alone(self, transport: Transport) -> None:
        await super().serve_alone(self.tap(transport))

    def live(self, call: Call[Any]) -> Any:
        return self._sessions.active(call.connection, call.params.session_id)


class Tampered:
    """A store that can be made to forget keys, or to find those of another session."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.forgotten: set[tuple[str, str]] = set()
        self.recorded: set[tuple[str, str]] = set()
        self.forgets_former_processes = False
        self.parents: dict[str, str] = {}
        self.second_messages = False
        self.delay = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def forget(self, session_id: str | None = None) -> None:
        self.forgotten |= {place for place in self.recorded if session_id in (None, place[0])}

    def _is_forgotten(self, session_id: str, key: IdempotencyKey) -> bool:
        place = (session_id, str(key))
        return place in self.forgotten or (self.forgets_former_processes and place not in self.recorded)

    async def find_key(self, session_id: str, key: IdempotencyKey) -> Recorded | None:
        if self._is_forgotten(session_id, key):
            return None
        found = await self._store.find_key(session_id, key)
        if found is None and session_id in self.parents:
            found = await self._store.find_key(self.parents[session_id], key)
        if found is not None and self.second_messages:
            again = StoredMessage(str(uuid.uuid4()), "user", found.content)
            await self._store.add_message(session_id, again, None)
        return found

    async def look_up(self, session_id: str, key: IdempotencyKey) -> Any:
        if (found := await self.find_key(session_id, key)) is not None:
            return found
        found = await self._store.look_up(session_id, key)
        return None if isinstance(found, Recorded) else found

    async def claim(self, session_id: str, key: IdempotencyKey) -> Any:
        if (found := await self.find_key(session_id, key)) is not None:
            return found
        claim = await self._store.claim(session_id, key)
        return GrantedClaim() if isinstance(claim, Recorded) else claim

    async def add_message(self, session_id: str, message: StoredMessage, key: IdempotencyKey | None) -> Insertion:
        await asyncio.sleep(self.delay)
        if key is not None:
            if self._is_forgotten(session_id, key) and await self._store.find_key(session_id, key):
                key = None
            else:
                self.recorded.add((session_id, str(key)))
        return await self._store.add_message(session_id, message, key)

    def messages(self, session_id: str) -> AsyncIterator[StoredMessage]:
        return self._store.messages(session_id)


def with_key(call: Call[Any], key: str | None) -> Call[Any]:
    """The call as if it had another key."""
    call.params = call.params.model_copy(update={"idempotency_key": None if key is None else IdempotencyKey(key)})
    return call


def key_of(call: Call[Any]) -> tuple[str, str] | None:
    key = call.params.idempotency_key
    return None if key is None else (call.params.session_id, str(key))


# Retry classes


class RefusesSecondClose(Mutant):
    def break_it(self) -> None:
        async def close(handler: Any, call: Call[Any]) -> Any:
            if not self._sessions.is_active(call.connection, call.params.session_id):
                raise ResourceNotFound("This session is closed")
            return await handler(call)

        self.wrap("session/close", close)


# The key and its form


class RefusesKeys(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            if key_of(call):
                raise InvalidParams("idempotencyKey is not supported")
            return await handler(call)

        self.wrap(PROMPT, prompt)


class IgnoresKeys(Mutant):
    def break_it(self) -> None:
        self.wrap(PROMPT, lambda handler, call: handler(with_key(call, None)))


class TakesNullForAKey(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            if "idempotency_key" in call.params.model_fields_set and key_of(call) is None:
                with_key(call, "null")
            return await handler(call)

        self.wrap(PROMPT, prompt)


class Tap:
    """A transport that changes messages on their way."""

    def __init__(
        self, transport: Transport, *, incoming: Callable[[Any], Any] = id, outgoing: Callable[[Any], Any] = id
    ) -> None:
        self._transport = transport
        self._incoming = incoming
        self._outgoing = outgoing

    async def receive(self) -> str | bytes | None:
        text = await self._transport.receive()
        if text is None:
            return None
        message = json.loads(text)
        self._incoming(message)
        return json.dumps(message)

    async def send(self, text: str) -> None:
        message = json.loads(text)
        self._outgoing(message)
        await self._transport.send(json.dumps(message))

    async def close(self) -> None:
        await self._transport.close()


class AnswersMalformedKeysWithAnotherCode(Mutant):
    def tap(self, transport: Transport) -> Transport:
        def outgoing(message: Any) -> None:
            if message.get("error", {}).get("code") == InvalidParams.code:
                message["error"]["code"] = InvalidRequest.code

        return Tap(transport, outgoing=outgoing)


def is_malformed(key: Any) -> bool:
    return key is not None and not (isinstance(key, str) and 1 <= len(key) <= 255)


class InsertsDespiteMalformedKeys(Mutant):
    def tap(self, transport: Transport) -> Transport:
        refused: set[Any] = set()

        def incoming(message: Any) -> None:
            if message.get("method") == PROMPT and is_malformed(message["params"].get("idempotencyKey")):
                del message["params"]["idempotencyKey"]
                refused.add(message["id"])

        def outgoing(message: Any) -> None:
            if message.get("id") in refused and message.pop("result", None):
                message["error"] = {"code": InvalidParams.code, "message": "This is no key"}

        return Tap(transport, incoming=incoming, outgoing=outgoing)


class FoldsCase(Mutant):
    def break_it(self) -> None:
        def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            return handler(with_key(call, place[1].lower()) if place else call)

        self.wrap(PROMPT, prompt)


class CountsUtf16(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place and len(place[1].encode("utf-16-le")) > 2 * 255:
                raise InvalidParams("The key is too long")
            return await handler(call)

        self.wrap(PROMPT, prompt)


class ReadsKeysInMeta(Mutant):
    def tap(self, transport: Transport) -> Transport:
        def incoming(message: Any) -> None:
            params = message.get("params", {})
            if message.get("method") == PROMPT and (key := (params.get("_meta") or {}).get("idempotencyKey")):
                params["idempotencyKey"] = key

        return Tap(transport, incoming=incoming)


# Insertion


class RecordsOnArrival(Mutant):
    def break_it(self) -> None:
        recorded: dict[tuple[str, str], str] = {}

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place in recorded:
                return PromptResponse(message_id=recorded[place])
            try:
                return await handler(call)
            except InternalError:
                if place:
                    recorded[place] = str(uuid.uuid4())
                raise

        self.wrap(PROMPT, prompt)


class InsertsAgain(Mutant):
    def break_it(self) -> None:
        self.store.second_messages = True


class AnswersRetriesWithMore(Mutant):
    def break_it(self) -> None:
        answered: set[tuple[str, str]] = set()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            response = (await handler(call)).to_wire()
            place = key_of(call)
            more = {"isDuplicate": True} if place in answered else {}
            if place:
                answered.add(place)
            return {**response, **more}

        self.wrap(PROMPT, prompt)


class WorksAgain(Mutant):
    def break_it(self) -> None:
        answered: set[tuple[str, str]] = set()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            response = await handler(call)
            place = key_of(call)
            if place in answered:
                self.live(call).work.begin(read_prompt(call.params.prompt))
            if place:
                answered.add(place)
            return response

        self.wrap(PROMPT, prompt)


class RemembersErrors(Mutant):
    def break_it(self) -> None:
        errors: dict[tuple[str, str], InternalError] = {}

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place in errors:
                raise errors[place]
            try:
                return await handler(call)
            except InternalError as error:
                if place:
                    errors[place] = error
                raise

        self.wrap(PROMPT, prompt)


class InsertsDespiteErrors(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            try:
                return await handler(call)
            except InternalError:
                message = StoredMessage(str(uuid.uuid4()), "user", call.params.to_wire()["prompt"])
                await self.store.add_message(call.params.session_id, message, None)
                raise

        self.wrap(PROMPT, prompt)


class Comparing(Mutant):
    """No mutant: an agent that notices another prompt, as it may."""

    def break_it(self) -> None:
        compare = Submissions(self.store, compare=True)
        self._submissions = self._sessions._submissions = self._prompts._submissions = compare


class RefusesReusedKeysOtherwise(Comparing):
    def break_it(self) -> None:
        super().break_it()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            try:
                return await handler(call)
            except InvalidParams:
                raise InvalidRequest("The key is in use") from None

        self.wrap(PROMPT, prompt)


class ForgetsReusedKeys(Comparing):
    def break_it(self) -> None:
        super().break_it()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            try:
                return await handler(call)
            except InvalidParams:
                if place := key_of(call):
                    self.store.forgotten.add(place)
                raise

        self.wrap(PROMPT, prompt)


class RecordsNothingDuringWork(Mutant):
    def break_it(self) -> None:
        during: set[tuple[str, str]] = set()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place and (place in during or self.live(call).work.is_busy):
                during.add(place)
                with_key(call, None)
            return await handler(call)

        self.wrap(PROMPT, prompt)


# Held prompts


@dataclass
class Pending:
    """Which keys are pending, and how many attempts there are at each."""

    attempts: dict[tuple[str, str], list[Call[Any]]] = field(default_factory=dict)

    async def handled(self, handler: Any, call: Call[Any]) -> Any:
        place = key_of(call)
        if place is None:
            return await handler(call)
        self.attempts.setdefault(place, []).append(call)
        try:
            return await handler(call)
        finally:
            self.attempts[place].remove(call)

    def others(self, call: Call[Any]) -> list[Call[Any]]:
        place = key_of(call)
        return list(self.attempts.get(place, ())) if place else []


class RefusesRetriesOfHeldPrompts(Mutant):
    def break_it(self) -> None:
        pending = Pending()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            if any(other.connection is call.connection for other in pending.others(call)):
                raise InvalidRequest("This prompt is being handled")
            return await pending.handled(handler, call)

        self.wrap(PROMPT, prompt)


class InsertsEachHeldAttempt(Mutant):
    def break_it(self) -> None:
        pending = Pending()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            if pending.others(call):
                return await handler(with_key(call, None))
            return await pending.handled(handler, call)

        self.wrap(PROMPT, prompt)


class RefusesRetriesOfPromptsLeftBehind(Mutant):
    def break_it(self) -> None:
        pending = Pending()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            if any(other.connection is not call.connection for other in pending.others(call)):
                raise InvalidRequest("Another connection has sent this prompt")
            return await pending.handled(handler, call)

        self.wrap(PROMPT, prompt)


# Cancelling


class Deaf(Call[Any]):
    """A call that cannot be cancelled."""

    def on_cancel(self, action: Callable[[], None]) -> None:
        pass


class CancelsByTheFirstIdAlone(Mutant):
    def break_it(self) -> None:
        pending = Pending()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            if pending.others(call):
                call = Deaf(call.connection, call.method, call.params, call.id)
            return await pending.handled(handler, call)

        self.wrap(PROMPT, prompt)


class AnswersOnlyTheAttemptThatWasCancelled(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            cancelled = asyncio.Event()
            deaf = Deaf(call.connection, call.method, call.params, call.id)
            call.on_cancel(cancelled.set)
            handling = asyncio.ensure_future(handler(deaf))
            waiting = asyncio.ensure_future(cancelled.wait())
            await asyncio.wait([handling, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if not handling.done():
                handling.add_done_callback(lambda done: done.cancelled() or done.exception())
                raise RequestCancelled
            return handling.result()

        self.wrap(PROMPT, prompt)


class AnswersWithdrawnPromptsOtherwise(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            try:
                return await handler(call)
            except RequestCancelled:
                raise InternalError("Withdrawn") from None

        self.wrap(PROMPT, prompt)


class SpendsTheKeyOfWithdrawnPrompts(Mutant):
    def break_it(self) -> None:
        spent: set[tuple[str, str]] = set()
        pending = Pending()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place in spent and not self.live(call).work.is_busy:
                raise RequestCancelled
            try:
                return await pending.handled(handler, call)
            except RequestCancelled:
                if place:
                    spent.add(place)
                raise

        self.wrap(PROMPT, prompt)


class ForgetsKeysOfCancelledRequests(Mutant):
    def tap(self, transport: Transport) -> Transport:
        prompts: dict[Any, tuple[str, str]] = {}

        def incoming(message: Any) -> None:
            if message.get("method") == PROMPT and "idempotencyKey" in message["params"]:
                params = message["params"]
                prompts[message["id"]] = (params["sessionId"], str(params["idempotencyKey"]))
            if message.get("method") == "$/cancel_request":
                place = prompts.get(message["params"]["requestId"])
                if place in self.store.recorded:
                    self.store.forgotten.add(place)

        return Tap(transport, incoming=incoming)


class AnswersRetriesOtherwiseWhenTheSessionIsCancelled(Mutant):
    def break_it(self) -> None:
        pending = Pending()
        cancelled: set[str] = set()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            is_retry = bool(pending.others(call))
            try:
                return await pending.handled(handler, call)
            except RequestCancelled:
                if is_retry and call.params.session_id in cancelled:
                    raise InternalError("The session was cancelled") from None
                raise

        self.wrap(PROMPT, prompt)
        self.wrap_notification("session/cancel", lambda call: cancelled.add(call.params.session_id))


class AnswersRetriesOtherwiseWhenTheSessionIsClosed(Mutant):
    def break_it(self) -> None:
        pending = Pending()
        closed: set[str] = set()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            is_retry = bool(pending.others(call))
            try:
                return await pending.handled(handler, call)
            except RequestCancelled:
                if is_retry and call.params.session_id in closed:
                    raise InternalError("The session was closed") from None
                raise

        async def close(handler: Any, call: Call[Any]) -> Any:
            closed.add(call.params.session_id)
            return await handler(call)

        self.wrap(PROMPT, prompt)
        self.wrap("session/close", close)


# Privacy


class ShowsKeysInUpdates(Mutant):
    def break_it(self) -> None:
        async def prompt(handler: Any, call: Call[Any]) -> Any:
            response = await handler(call)
            if place := key_of(call):
                meta = {"idempotencyKey": place[1]}
                self.live(call).tell({"sessionUpdate": "session_info_update", "_meta": meta})
            return response

        self.wrap(PROMPT, prompt)


class ShowsKeysInLists(Mutant):
    def break_it(self) -> None:
        async def list_sessions(handler: Any, call: Call[Any]) -> Any:
            keys = sorted(key for _, key in self.store.recorded)
            return {**(await handler(call)).to_wire(), "_meta": {"keys": keys}}

        self.wrap("session/list", list_sessions)


class ShowsKeysInReplays(Mutant):
    def break_it(self) -> None:
        async def resume(handler: Any, call: Call[Any]) -> Any:
            if call.params.replay_from is not None:
                keys = sorted(key for _, key in self.store.recorded)
                update = {"sessionUpdate": "session_info_update", "_meta": {"keys": keys}}
                call.connection.tell("session/update", {"sessionId": call.params.session_id, "update": update})
            return await handler(call)

        self.wrap("session/resume", resume)


class LooksKeysUpFirst(Mutant):
    def break_it(self) -> None:
        ids: dict[str, str] = {}

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place and place[1] in ids and not self._sessions.is_active(call.connection, place[0]):
                return PromptResponse(message_id=ids[place[1]])
            response = await handler(call)
            if place:
                ids[place[1]] = response.message_id
            return response

        self.wrap(PROMPT, prompt)


# How long a key lasts


class KnowsKeysAcrossSessions(Mutant):
    def break_it(self) -> None:
        ids: dict[str, str] = {}

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place and place[1] in ids:
                self.live(call)
                return PromptResponse(message_id=ids[place[1]])
            response = await handler(call)
            if place:
                ids[place[1]] = response.message_id
            return response

        self.wrap(PROMPT, prompt)


class ForksKeys(Mutant):
    def break_it(self) -> None:
        async def fork(handler: Any, call: Call[Any]) -> Any:
            response = await handler(call)
            self.store.parents[response.session_id] = call.params.session_id
            return response

        self.wrap("session/fork", fork)


class ForgetsOnClose(Mutant):
    def break_it(self) -> None:
        async def close(handler: Any, call: Call[Any]) -> Any:
            response = await handler(call)
            self.store.forget(call.params.session_id)
            return response

        self.wrap("session/close", close)


class ForgetsWithTheConnection(Mutant):
    def _disconnected(self, connection: Any) -> None:
        super()._disconnected(connection)
        self.store.forget()


class ForgetsWithTheProcess(Mutant):
    def break_it(self) -> None:
        self.store.forgets_former_processes = True


class ForgetsLiveOnlyMessages(Mutant):
    def break_it(self) -> None:
        def prompt(handler: Any, call: Call[Any]) -> Any:
            is_live_only = not read_prompt(call.params.prompt).is_retained
            return handler(with_key(call, None) if is_live_only else call)

        self.wrap(PROMPT, prompt)


class RefusesLiveOnlyMessagesLater(Mutant):
    def break_it(self) -> None:
        known: set[tuple[str, str]] = set()
        closed: set[str] = set()

        async def prompt(handler: Any, call: Call[Any]) -> Any:
            place = key_of(call)
            if place in known and call.params.session_id in closed:
                raise InvalidRequest("The key was used")
            response = await handler(call)
            if place and not read_prompt(call.params.prompt).is_retained:
                known.add(place)
            return response

        async def close(handler: Any, call: Call[Any]) -> Any:
            closed.add(call.params.session_id)
            return await handler(call)

        self.wrap(PROMPT, prompt)
        self.wrap("session/close", close)


@dataclass(frozen=True)
class Row:
    """A mutant: what it is made of, the rule that it is for, and every rule that it then also breaks.

    `over` is how it is reached: `stdio`, where each connection has a process of its own, or `remote`.
    """

    build: Callable[..., Mutant]
    rule: str
    related: tuple[str, ...] = ()
    over: str = "remote"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def fails(self) -> set[str]:
        return {self.rule, *self.related}


KEY_RULES = (
    *("KEY-01", "INS-02", "INS-03", "INS-04", "INS-09", "HELD-01", "CANCEL-01", "CANCEL-02"),
    *("LAST-03", "LAST-04", "LAST-05"),
)
"""What an agent breaks that ignores keys altogether."""

WHILE_BUSY = {"while_busy": "insert"}

MUTANTS = {
    "refuses-second-close": Row(RefusesSecondClose, "CLASS-05"),
    "refuses-keys": Row(RefusesKeys, "KEY-01"),
    "ignores-keys": Row(IgnoresKeys, "KEY-01", (*KEY_RULES, "STORE-02")),
    "takes-null-for-a-key": Row(TakesNullForAKey, "KEY-03"),
    "another-code-for-malformed-keys": Row(AnswersMalformedKeysWithAnotherCode, "KEY-04"),
    "inserts-despite-malformed-keys": Row(InsertsDespiteMalformedKeys, "KEY-05"),
    "folds-case": Row(FoldsCase, "KEY-06"),
    "counts-utf16": Row(CountsUtf16, "KEY-06"),
    "reads-keys-in-meta": Row(ReadsKeysInMeta, "KEY-07"),
    "records-on-arrival": Row(RecordsOnArrival, "INS-01"),
    "inserts-again": Row(InsertsAgain, "INS-02"),
    "answers-retries-with-more": Row(AnswersRetriesWithMore, "INS-03"),
    "works-again": Row(WorksAgain, "INS-04"),
    "remembers-errors": Row(RemembersErrors, "INS-08"),
    "inserts-despite-errors": Row(InsertsDespiteErrors, "INS-08"),
    "another-code-for-reused-keys": Row(RefusesReusedKeysOtherwise, "INS-09"),
    "forgets-reused-keys": Row(ForgetsReusedKeys, "INS-10"),
    "records-nothing-during-work": Row(RecordsNothingDuringWork, "INS-11", options=WHILE_BUSY),
    "refuses-retries-of-held-prompts": Row(RefusesRetriesOfHeldPrompts, "HELD-01"),
    "inserts-each-held-attempt": Row(InsertsEachHeldAttempt, "HELD-01", ("CANCEL-01", "CANCEL-02", "INS-02")),
    "refuses-retries-of-prompts-left-behind": Row(RefusesRetriesOfPromptsLeftBehind, "HELD-02"),
    "cancels-by-the-first-id-alone": Row(CancelsByTheFirstIdAlone, "CANCEL-01"),
    "answers-only-the-attempt-cancelled": Row(AnswersOnlyTheAttemptThatWasCancelled, "CANCEL-01", ("CANCEL-02",)),
    "another-code-for-withdrawn-prompts": Row(AnswersWithdrawnPromptsOtherwise, "CANCEL-02"),
    "spends-the-key-of-withdrawn-prompts": Row(SpendsTheKeyOfWithdrawnPrompts, "CANCEL-02"),
    "forgets-keys-of-cancelled-requests": Row(ForgetsKeysOfCancelledRequests, "CANCEL-03"),
    "cancel-answers-retries-otherwise": Row(AnswersRetriesOtherwiseWhenTheSessionIsCancelled, "CANCEL-04"),
    "close-answers-retries-otherwise": Row(AnswersRetriesOtherwiseWhenTheSessionIsClosed, "CANCEL-04"),
    "shows-keys-in-updates": Row(ShowsKeysInUpdates, "PRIV-01"),
    "shows-keys-in-lists": Row(ShowsKeysInLists, "PRIV-02"),
    "shows-keys-in-replays": Row(ShowsKeysInReplays, "PRIV-02"),
    "looks-keys-up-first": Row(LooksKeysUpFirst, "PRIV-03"),
    "knows-keys-across-sessions": Row(KnowsKeysAcrossSessions, "LAST-01", ("LAST-02",)),
    "forks-keys": Row(ForksKeys, "LAST-02"),
    "forgets-on-close": Row(ForgetsOnClose, "LAST-03"),
    "forgets-with-the-connection": Row(ForgetsWithTheConnection, "LAST-04"),
    "forgets-live-only-messages": Row(ForgetsLiveOnlyMessages, "LAST-05"),
    "refuses-live-only-messages-later": Row(RefusesLiveOnlyMessagesLater, "LAST-06"),
    "forgets-with-the-process": Row(ForgetsWithTheProcess, "STORE-01", ("LAST-04",), over="stdio"),
    "forgets-with-the-node": Row(ForgetsWithTheProcess, "STORE-02", ("LAST-04",)),
}
"""Every mutant by name."""


class SlowStore(Mutant):
    """No mutant: an agent whose store takes its time."""

    def break_it(self) -> None:
        self.store.delay = 0.02


VARIANTS = {
    "holds": Row(Mutant, ""),
    "inserts-while-busy": Row(Mutant, "", options=WHILE_BUSY),
    "drops-on-disconnect": Row(Mutant, "", options={"on_disconnect": "drop"}),
    "compares": Row(Comparing, ""),
    "stdio": Row(Mutant, "", over="stdio"),
    "slow": Row(SlowStore, ""),
    "slow-and-inserts-while-busy": Row(SlowStore, "", options=WHILE_BUSY),
}
"""Agents that make other choices where the proposal leaves one; all of them conform."""


def main() -> None:
    from acp_v2.cli.agent import open_store
    from acp_v2.transports.stdio import open_stdio

    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=MUTANTS | VARIANTS)
    parser.add_argument("--store", default="memory")
    arguments = parser.parse_args()
    row = (MUTANTS | VARIANTS)[arguments.name]

    async def run() -> None:
        store = await open_store(arguments.store)
        try:
            await row.build(store, **row.options).serve_alone(await open_stdio())
        finally:
            await store.close()

    asyncio.run(run())


if __name__ == "__main__":
    sys.exit(main())
