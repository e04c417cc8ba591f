"""What an agent's attempts are answered with: the seven situations of the proposal, and what surrounds them."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

import pytest

from acp_v2 import AcpError, IdempotencyKey, InternalError, InvalidParams, RequestCancelled, ResourceNotFound
from acp_v2.idempotency import (
    Claim,
    Ended,
    Insert,
    Insertion,
    LocalKeys,
    MemoryStore,
    Outcome,
    Recorded,
    StoredMessage,
    StoredSession,
    StoreError,
    Submissions,
    Submitted,
    submissions,
)
from acp_v2.idempotency.local_keys import GrantedClaim

KEY = IdempotencyKey("a-secret-key")


class Sessions:
    """The messages and keys of an agent, as it stores them; outlives a process."""

    def __init__(self) -> None:
        self.messages: dict[str, list[str]] = {}
        self.keys: dict[tuple[str, str], Recorded] = {}
        self.events: list[Submitted | Ended] = []

    def submitted(self, event: Submitted) -> None:
        self.events.append(event)

    def ended(self, event: Ended) -> None:
        self.events.append(event)

    def process(self, **options: Any) -> Submissions:
        """What a new process of the agent makes of it."""

        async def find(session_id: str, key: IdempotencyKey) -> Recorded | None:
            await asyncio.sleep(0)
            return self.keys.get((session_id, key))

        return Submissions(LocalKeys(find), **options)

    def insert(self, session_id: str, text: Any = "Hi", *, is_retained: bool = True) -> Insert:
        async def write(key: IdempotencyKey | None) -> Insertion:
            await asyncio.sleep(0)
            messages = self.messages.setdefault(session_id, [])
            messages.append(text)
            message_id = f"{session_id}-{len(messages)}"
            if key is not None and is_retained:
                self.keys[session_id, key] = Recorded(message_id, text)
            return Insertion(message_id, is_retained=is_retained)

        return write


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


def run(steps: Coroutine[Any, Any, None]) -> None:
    asyncio.run(steps)


def fails_once(insert: Insert, error: Exception) -> Insert:
    errors = [error]

    async def write(key: IdempotencyKey | None) -> Insertion:
        if errors:
            raise errors.pop()
        return await insert(key)

    return write


async def settle() -> None:
    """Let everything happen that can happen without further events."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_retry_on_the_same_connection_gets_the_original_id(sessions: Sessions):
    async def steps():
        agent = sessions.process()

        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"
        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}


def test_a_retry_after_a_restart_gets_the_original_id(sessions: Sessions):
    async def steps():
        assert await sessions.process().submit("s", KEY, sessions.insert("s")) == "s-1"
        assert await sessions.process().submit("s", KEY, sessions.insert("s")) == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}


def test_a_retry_of_a_held_prompt_is_answered_when_the_original_is(sessions: Sessions):
    async def steps():
        agent, idle = sessions.process(), asyncio.Event()
        attempts = [
            asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), ready=idle.wait)) for _ in range(3)
        ]
        await settle()
        assert not any(attempt.done() for attempt in attempts)

        idle.set()

        assert await asyncio.gather(*attempts) == ["s-1"] * 3

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}


def test_after_an_error_every_attempt_has_it_and_the_key_is_unused(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        insert = fails_once(sessions.insert("s"), ResourceNotFound("No such session"))
        first = asyncio.create_task(agent.submit("s", KEY, insert))
        second = asyncio.create_task(agent.submit("s", KEY, insert))

        for attempt in (first, second):
            with pytest.raises(ResourceNotFound):
                await attempt
        assert await agent.submit("s", KEY, insert) == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}


def test_the_same_key_in_another_session_is_another_submission(sessions: Sessions):
    async def steps():
        agent = sessions.process()

        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"
        assert await agent.submit("t", KEY, sessions.insert("t")) == "t-1"

    run(steps())


def test_keys_that_differ_in_case_are_different(sessions: Sessions):
    async def steps():
        agent = sessions.process()

        assert await agent.submit("s", IdempotencyKey("k"), sessions.insert("s")) == "s-1"
        assert await agent.submit("s", IdempotencyKey("K"), sessions.insert("s")) == "s-2"

    run(steps())


def test_prompts_without_a_key_are_two_messages(sessions: Sessions):
    async def steps():
        agent = sessions.process()

        assert await agent.submit("s", None, sessions.insert("s")) == "s-1"
        assert await agent.submit("s", None, sessions.insert("s")) == "s-2"

    run(steps())


class Spied(MemoryStore):
    """A store that knows which keys were claimed in it, with a session "s"."""

    def __init__(self) -> None:
        super().__init__()
        self.claimed: list[str] = []

    async def claim(self, session_id: str, key: IdempotencyKey) -> Claim | Recorded | None:
        self.claimed.append(key)
        return await super().claim(session_id, key)

    def insert(self, message_id: str) -> Insert:
        async def write(key: IdempotencyKey | None) -> Insertion:
            await asyncio.sleep(0)
            return await self.add_message("s", StoredMessage(message_id, "user"), key)

        return write


def test_a_prompt_has_a_claim_while_it_is_held_and_otherwise_none():
    async def steps():
        store, idle, busy = Spied(), asyncio.Event(), asyncio.Event()
        await store.create_session(StoredSession("s", "/work"))
        agent = Submissions(store)
        idle.set()

        await agent.submit("s", IdempotencyKey("at once"), store.insert("m1"))
        await agent.submit("s", IdempotencyKey("idle"), store.insert("m2"), ready=idle.wait, is_ready=idle.is_set)
        assert store.claimed == []
        await agent.submit("s", IdempotencyKey("not known"), store.insert("m3"), ready=idle.wait)
        held = agent.submit("s", IdempotencyKey("busy"), store.insert("m4"), ready=busy.wait, is_ready=busy.is_set)
        holding = asyncio.create_task(held)
        await settle()

        assert store.claimed == ["not known", "busy"]
        busy.set()
        assert await holding == "m4"

    run(steps())


def test_nodes_that_insert_at_the_same_time_insert_once_and_answer_the_same():
    async def steps():
        store = Spied()
        await store.create_session(StoredSession("s", "/work"))
        attempts = [Submissions(store).submit("s", KEY, store.insert(f"m{number}")) for number in range(4)]

        answers = await asyncio.gather(*attempts)

        assert [message.id async for message in store.messages("s")] == [answers[0]]
        assert answers == [answers[0]] * 4
        assert store.claimed == []

    run(steps())


class InsertedElsewhere:
    """A prompt that one node is inserting, without a claim, when another claims it and holds it."""

    def __init__(self) -> None:
        self.store = Spied()
        self.written = asyncio.Event()
        self.first, self.second = Submissions(self.store), Submissions(self.store)

    async def begin(self) -> None:
        async def slowly(key: IdempotencyKey | None) -> Insertion:
            await self.written.wait()
            return await self.store.insert("m")(key)

        await self.store.create_session(StoredSession("s", "/work"))
        self.inserting = asyncio.create_task(self.first.submit("s", KEY, slowly))
        await settle()
        never = asyncio.Event()
        held = self.second.submit("s", KEY, self.store.insert("n"), attempt=2, ready=never.wait)
        self.held = asyncio.create_task(held)
        await settle()
        assert self.store.claimed == [KEY]


def test_what_was_being_inserted_elsewhere_when_it_was_claimed_is_not_held_for_longer(monkeypatch: pytest.MonkeyPatch):
    async def steps():
        nodes = InsertedElsewhere()
        await nodes.begin()

        nodes.written.set()

        assert await asyncio.gather(nodes.inserting, nodes.held) == ["m", "m"]
        await settle()
        assert await nodes.store.claim("s", KEY) == Recorded("m", [])
        assert await nodes.store.outcome("s", KEY) == Outcome("m")  # the claim has ended

    monkeypatch.setattr(submissions, "LOOKS_AGAIN_SECONDS", [0.001] * 1000)
    run(steps())


def test_a_withdrawal_of_what_is_inserted_meanwhile_comes_too_late():
    async def steps():
        nodes = InsertedElsewhere()
        await nodes.begin()
        nodes.written.set()
        assert await nodes.inserting == "m"

        await nodes.store.withdraw("s", KEY)

        assert await nodes.held == "m"

    run(steps())


def test_what_is_held_elsewhere_is_waited_for_by_whoever_need_not_hold_it():
    async def steps():
        store, idle = Spied(), asyncio.Event()
        await store.create_session(StoredSession("s", "/work"))
        held = asyncio.create_task(Submissions(store).submit("s", KEY, store.insert("m"), ready=idle.wait))
        await settle()
        retry = asyncio.create_task(Submissions(store).submit("s", KEY, store.insert("n")))
        await settle()
        assert not retry.done()

        idle.set()

        assert await asyncio.gather(held, retry) == ["m", "m"]

    run(steps())


def test_a_prompt_that_is_withdrawn_during_the_look_up_takes_nobodys_turn(sessions: Sessions):
    turns: list[str] = []

    async def turn() -> None:
        turns.append("taken")

    async def steps():
        agent = sessions.process()
        submit = agent.submit("s", KEY, sessions.insert("s"), attempt=1, ready=turn, is_ready=lambda: True)
        attempt = asyncio.create_task(submit)
        await asyncio.sleep(0)

        agent.cancel(1)

        with pytest.raises(RequestCancelled):
            await attempt

    run(steps())
    assert turns == []
    assert sessions.messages == {}


@pytest.mark.parametrize("cancelled", ["first", "second"])
def test_cancelling_any_attempt_withdraws_a_held_prompt_for_all(sessions: Sessions, cancelled: str):
    async def steps():
        agent, idle = sessions.process(), asyncio.Event()
        attempts = [
            asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=name, ready=idle.wait))
            for name in ("first", "second")
        ]
        await settle()

        agent.cancel(cancelled)

        for attempt in attempts:
            with pytest.raises(RequestCancelled):
                await attempt
        idle.set()
        await settle()
        assert sessions.messages == {}
        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"

    run(steps())


def test_the_same_key_right_after_a_withdrawal_is_a_new_submission(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        first = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=1, ready=asyncio.Event().wait))
        await settle()

        agent.cancel(1)
        second = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=2))

        with pytest.raises(RequestCancelled):
            await first
        assert await second == "s-1"

    run(steps())


def test_a_retry_is_answered_while_the_claim_of_the_original_is_still_being_released(sessions: Sessions):
    released = asyncio.Event()

    class SlowlyReleased(GrantedClaim):
        async def release(self, outcome: Outcome | None) -> None:
            await released.wait()

    class Keys(LocalKeys):
        async def claim(self, session_id: str, key: IdempotencyKey) -> Claim | None:
            return SlowlyReleased()

    async def steps():
        async def find(session_id: str, key: IdempotencyKey) -> Recorded | None:
            return sessions.keys.get((session_id, key))

        agent = Submissions(Keys(find))

        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"
        retry = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s")))
        await settle()

        assert retry.done()
        assert retry.result() == "s-1"
        released.set()
        await agent.close()

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}


def test_cancelling_during_insertion_changes_nothing(sessions: Sessions):
    async def steps():
        agent, written = sessions.process(), asyncio.Event()

        async def insert(key: IdempotencyKey | None) -> Insertion:
            await written.wait()
            return await sessions.insert("s")(key)

        attempt = asyncio.create_task(agent.submit("s", KEY, insert, attempt=1))
        await settle()

        agent.cancel(1)
        agent.cancel_session("s")
        written.set()

        assert await attempt == "s-1"

    run(steps())


def test_cancelling_a_retry_of_an_inserted_prompt_changes_nothing(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        await agent.submit("s", KEY, sessions.insert("s"))
        retry = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=2))
        await asyncio.sleep(0)

        agent.cancel(2)

        assert await retry == "s-1"

    run(steps())


def test_cancelling_during_the_look_up_withdraws_what_is_not_recorded(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        attempt = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=1))
        await asyncio.sleep(0)

        agent.cancel(1)

        with pytest.raises(RequestCancelled):
            await attempt
        assert sessions.messages == {}

    run(steps())


def test_ending_a_session_answers_its_held_prompts_and_no_others(sessions: Sessions):
    async def steps():
        agent, idle = sessions.process(), asyncio.Event()
        keyed, unkeyed, other = (
            asyncio.create_task(agent.submit(session, key, sessions.insert(session), ready=idle.wait))
            for session, key in (("s", KEY), ("s", None), ("t", KEY))
        )
        await settle()

        agent.cancel_session("s")
        idle.set()

        for attempt in (keyed, unkeyed):
            with pytest.raises(RequestCancelled):
                await attempt
        assert await other == "t-1"

    run(steps())


def test_a_live_only_message_is_recognised_while_its_session_is_active(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        insert = sessions.insert("s", "/local", is_retained=False)

        assert await agent.submit("s", KEY, insert) == "s-1"
        assert await agent.submit("s", KEY, insert) == "s-1"
        agent.session_inactive("s")
        assert await agent.submit("s", KEY, insert) == "s-2"

    run(steps())


def test_another_prompt_under_a_key_is_answered_like_a_retry(sessions: Sessions):
    async def steps():
        agent = sessions.process()

        assert await agent.submit("s", KEY, sessions.insert("s", "one"), prompt="one") == "s-1"
        assert await agent.submit("s", KEY, sessions.insert("s", "two"), prompt="two") == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["one"]}


@pytest.mark.parametrize("state", ["held", "recorded", "live-only"])
def test_another_prompt_is_refused_where_comparing_is_on_and_the_key_stays_with_the_first(
    sessions: Sessions, state: str
):
    async def steps():
        agent, idle = sessions.process(compare=True), asyncio.Event()
        insert = sessions.insert("s", "one", is_retained=state != "live-only")
        first = asyncio.create_task(agent.submit("s", KEY, insert, prompt="one", ready=idle.wait))
        if state != "held":
            idle.set()
            await first
        await settle()

        with pytest.raises(InvalidParams):
            await agent.submit("s", KEY, sessions.insert("s", "two"), prompt="two")
        idle.set()

        assert await first == "s-1"
        assert await agent.submit("s", KEY, sessions.insert("s", "one"), prompt="one") == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["one"]}


def test_an_abandoned_prompt_is_dropped_when_nobody_waits_for_it(sessions: Sessions):
    async def steps():
        agent, idle = sessions.process(), asyncio.Event()
        submit = agent.submit
        first = asyncio.create_task(submit("s", KEY, sessions.insert("s"), attempt=1, ready=idle.wait))
        second = asyncio.create_task(submit("s", KEY, sessions.insert("s"), attempt=2, ready=idle.wait))
        await settle()

        agent.abandon(1)
        await settle()
        assert not second.done()
        agent.abandon(2)
        idle.set()
        await settle()

        assert isinstance(first.exception(), RequestCancelled)
        assert sessions.messages == {}

    run(steps())


def test_a_caller_that_goes_away_decides_nothing(sessions: Sessions):
    async def steps():
        agent, idle = sessions.process(), asyncio.Event()
        first = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), ready=idle.wait))
        await settle()
        first.cancel()
        await settle()
        idle.set()

        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}


@pytest.mark.parametrize("error", [StoreError("the disk is full"), RuntimeError(f"oh no {KEY}")])
def test_what_cannot_be_stored_is_an_internal_error_and_the_key_is_told_nobody(
    sessions: Sessions, error: Exception, caplog: pytest.LogCaptureFixture
):
    async def steps():
        agent = sessions.process()

        with pytest.raises(InternalError) as caught:
            await agent.submit("s", KEY, fails_once(sessions.insert("s"), error))

        assert KEY not in str(caught.value.to_wire())
        assert await agent.submit("s", KEY, sessions.insert("s")) == "s-1"

    run(steps())
    assert KEY not in caplog.text
    assert "not inserted" in caplog.text or "inserting a prompt failed" in caplog.text


def test_an_observer_is_told_of_attempts_and_never_of_keys(sessions: Sessions):
    async def steps():
        agent = sessions.process(observer=sessions)
        await agent.submit("s", KEY, sessions.insert("s"))
        await agent.submit("s", KEY, sessions.insert("s"))
        with pytest.raises(AcpError):
            await agent.submit("s", None, fails_once(sessions.insert("s"), ResourceNotFound()))

    run(steps())
    told = [(type(e).__name__, e.is_keyed, getattr(e, "end", getattr(e, "is_retry", None))) for e in sessions.events]
    assert told == [
        ("Submitted", True, False),
        ("Ended", True, "inserted"),
        ("Submitted", True, False),
        ("Ended", True, "answered"),
        ("Submitted", False, False),
        ("Ended", False, "failed"),
    ]
    assert KEY not in repr(sessions.events)


def test_an_observer_that_fails_does_no_harm(sessions: Sessions, caplog: pytest.LogCaptureFixture):
    class Broken:
        def submitted(self, event: Submitted) -> None:
            raise RuntimeError("broken")

        def ended(self, event: Ended) -> None:
            raise RuntimeError("broken")

    async def steps():
        assert await sessions.process(observer=Broken()).submit("s", KEY, sessions.insert("s")) == "s-1"

    with caplog.at_level(logging.DEBUG):
        run(steps())
    assert caplog.text.count("an observer of submissions failed") == 2
    assert KEY not in caplog.text


def test_the_id_of_a_pending_request_cannot_be_used_twice(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        first = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=1))
        await asyncio.sleep(0)

        with pytest.raises(InvalidParams):
            await agent.submit("s", None, sessions.insert("s"), attempt=1)
        assert await first == "s-1"

    run(steps())


def test_closing_withdraws_what_is_held_and_waits_for_what_is_being_inserted(sessions: Sessions):
    async def steps():
        agent, written = sessions.process(), asyncio.Event()

        async def insert(key: IdempotencyKey | None) -> Insertion:
            await written.wait()
            return await sessions.insert("t")(key)

        held = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), ready=asyncio.Event().wait))
        being_inserted = asyncio.create_task(agent.submit("t", KEY, insert))
        await settle()

        closing = asyncio.create_task(agent.close())
        await settle()
        assert not closing.done()
        written.set()
        await closing

        assert isinstance(held.exception(), RequestCancelled)
        assert await being_inserted == "t-1"

    run(steps())


def test_a_retry_that_comes_after_the_first_was_abandoned_during_the_look_up_is_inserted(sessions: Sessions):
    async def steps():
        agent = sessions.process()
        first = asyncio.create_task(agent.submit("s", KEY, sessions.insert("s"), attempt=1))
        await asyncio.sleep(0)
        agent.abandon(1)

        assert await agent.submit("s", KEY, sessions.insert("s"), attempt=2) == "s-1"
        assert isinstance(first.exception(), RequestCancelled)

    run(steps())


def test_a_key_that_nobody_has_checked_is_a_mistake_in_the_program(sessions: Sessions):
    async def steps():
        with pytest.raises(TypeError):
            await sessions.process().submit("s", "a plain string", sessions.insert("s"))  # type: ignore[arg-type]

    run(steps())
    assert sessions.messages == {}


class Nodes:
    """Two nodes over one store; a prompt is held on the first, and an attempt at it waits on the second."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        store = MemoryStore()
        self.first, self.second = Submissions(store), Submissions(store)
        self.idle = asyncio.Event()

    async def hold(self, *, is_retained: bool = True) -> None:
        submit = self.sessions.insert("s", is_retained=is_retained)
        self.held = asyncio.create_task(self.first.submit("s", KEY, submit, attempt=1, ready=self.idle.wait))
        await settle()
        self.waits = asyncio.create_task(self.second.submit("s", KEY, submit, attempt=2))
        await settle()
        assert not self.held.done()
        assert not self.waits.done()


def test_an_attempt_that_is_abandoned_takes_nothing_from_another_node(sessions: Sessions):
    async def steps():
        nodes = Nodes(sessions)
        await nodes.hold()

        nodes.second.abandon(2)
        await settle()
        nodes.idle.set()

        assert await nodes.held == "s-1"

    run(steps())


@pytest.mark.parametrize("end", ["abandon", "close"])
def test_what_a_node_drops_is_taken_over_by_the_one_that_waits_for_it(sessions: Sessions, end: str):
    async def steps():
        nodes = Nodes(sessions)
        await nodes.hold()

        if end == "abandon":
            nodes.first.abandon(1)
        else:
            await nodes.first.close()

        assert await nodes.waits == "s-1"
        assert isinstance(nodes.held.exception(), RequestCancelled)

    run(steps())


def test_a_node_that_closes_leaves_what_another_holds_and_says_nothing_of_it(sessions: Sessions):
    async def steps():
        nodes = Nodes(sessions)
        await nodes.hold()

        await nodes.second.close()
        await settle()
        assert nodes.waits.cancelled()
        nodes.idle.set()

        assert await nodes.held == "s-1"
        with pytest.raises(RequestCancelled):
            await nodes.second.submit("s", KEY, sessions.insert("s"))

    run(steps())


def test_a_message_that_another_node_did_not_retain_is_recognised(sessions: Sessions):
    async def steps():
        nodes = Nodes(sessions)
        await nodes.hold(is_retained=False)
        nodes.idle.set()

        assert [await nodes.held, await nodes.waits] == ["s-1", "s-1"]
        assert await nodes.second.submit("s", KEY, sessions.insert("s")) == "s-1"

    run(steps())
    assert sessions.messages == {"s": ["Hi"]}
