"""What every store does, in memory, in SQLite and in PostgreSQL: the contract of `Store`."""

import asyncio
import time
from typing import Any

import pytest

from acp_v2 import AcpError, IdempotencyKey, RequestCancelled
from acp_v2.idempotency import (
    Insertion,
    NoSuchSessionError,
    Outcome,
    Pending,
    Recorded,
    Store,
    StoredMessage,
    StoredSession,
    StoreError,
    sql_store,
)
from tests.acp_v2.idempotency.conftest import Nodes

KEY = IdempotencyKey("a-secret-key")


def user(id_: str, text: Any = "Hi") -> StoredMessage:
    return StoredMessage(id_, "user", [{"type": "text", "text": text}])


async def history(store: Store, session_id: str = "s") -> list[str]:
    return [message.id async for message in store.messages(session_id)]


async def waiting(steps: Any) -> asyncio.Task[Any]:
    """A task that has had every opportunity to end, and does not."""
    task = asyncio.create_task(steps)
    done, _ = await asyncio.wait([task], timeout=0.1)
    assert not done
    return task


class TestSessions:
    async def test_a_session_is_found_as_it_was_added(self, nodes: Nodes):
        one, other = await nodes.two()
        session = StoredSession("t", "/work/ä", "A title", created=1234.5, updated=2345.625)
        await one.create_session(session)

        assert await other.find_session("t") == session
        assert await other.find_session("s") == StoredSession("s", "/work")
        assert await other.find_session("u") is None

    async def test_a_session_is_updated_by_each_message_and_by_no_retry(self, nodes: Nodes):
        one, other = await nodes.two()
        before = time.time()

        await one.add_message("s", user("m"), KEY)

        updated = (await other.find_session("s") or StoredSession("s", "/work")).updated
        assert before <= updated <= time.time()
        await other.add_message("s", user("n"), KEY)
        await one.fork_session("s", StoredSession("t", "/work", updated=12.5))
        assert [s.updated for s in await one.list_sessions()] == [updated, 12.5]

    async def test_there_is_one_session_of_an_id(self, nodes: Nodes):
        one, other = await nodes.two()

        with pytest.raises(StoreError, match="of that id already"):
            await other.create_session(StoredSession("s", "/elsewhere"))

        assert await one.find_session("s") == StoredSession("s", "/work")

    async def test_sessions_are_listed_by_id_in_the_order_of_code_points(self, nodes: Nodes):
        store = await nodes.open()
        for id_ in ["b", "ä", "B", "a", "\U0001f511", "aa"]:
            await store.create_session(StoredSession(id_, "/work"))

        assert [s.id for s in await store.list_sessions()] == ["B", "a", "aa", "b", "ä", "\U0001f511"]

    async def test_a_list_goes_on_from_behind_an_id_and_has_a_limit(self, nodes: Nodes):
        store = await nodes.open()
        for id_ in "abcd":
            await store.create_session(StoredSession(id_, "/one" if id_ in "ad" else "/other"))

        assert [s.id for s in await store.list_sessions(limit=2)] == ["a", "b"]
        assert [s.id for s in await store.list_sessions(after="b", limit=2)] == ["c", "d"]
        assert [s.id for s in await store.list_sessions(after="bb")] == ["c", "d"]
        assert [s.id for s in await store.list_sessions(cwd="/one")] == ["a", "d"]
        assert [s.id for s in await store.list_sessions(cwd="/one", after="a")] == ["d"]
        assert await store.list_sessions(cwd="/none") == await store.list_sessions(limit=0) == []

    async def test_deleting_a_session_removes_its_messages_and_keys(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.add_message("s", user("m"), KEY)

        await other.delete_session("s")
        await other.delete_session("s")

        assert await one.find_session("s") is None
        assert await history(one) == []
        assert await one.find_key("s", KEY) is None

    async def test_a_session_that_is_made_anew_knows_none_of_the_old_keys(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.add_message("s", user("m"), KEY)
        await one.delete_session("s")
        await one.create_session(StoredSession("s", "/work"))

        assert await other.add_message("s", user("n"), KEY) == Insertion("n")

    async def test_a_fork_has_the_messages_and_none_of_the_keys(self, nodes: Nodes):
        one, other = await nodes.two()
        for number in range(5):
            await one.add_message("s", user(f"m{number}"), IdempotencyKey(f"key {number}"))

        await other.fork_session("s", StoredSession("f", "/fork", "A fork", 1.0, 2.0))

        assert await one.find_session("f") == StoredSession("f", "/fork", "A fork", 1.0, 2.0)
        assert await history(one, "f") == await history(one) == ["m0", "m1", "m2", "m3", "m4"]
        assert await one.find_key("f", IdempotencyKey("key 1")) is None
        assert await one.add_message("f", user("n"), IdempotencyKey("key 1")) == Insertion("n")
        assert await one.find_key("s", IdempotencyKey("key 1")) == Recorded("m1", user("m1").content)

    async def test_a_fork_goes_its_own_way(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.add_message("s", user("m"), KEY)
        await one.fork_session("s", StoredSession("f", "/fork"))

        await other.delete_session("s")

        assert await history(one, "f") == ["m"]

    async def test_a_fork_needs_a_session_and_a_new_id(self, nodes: Nodes):
        one, other = await nodes.two()

        with pytest.raises(NoSuchSessionError):
            await one.fork_session("none", StoredSession("f", "/fork"))
        with pytest.raises(StoreError, match="of that id already"):
            await one.fork_session("s", StoredSession("s", "/fork"))

        assert [s.id for s in await other.list_sessions()] == ["s"]

    @pytest.mark.parametrize("id_", ["", "\0", "\ud800", "s\0", "S", "s "])
    async def test_any_other_id_names_no_session(self, nodes: Nodes, id_: str):
        store, _ = await nodes.two()

        assert await store.find_session(id_) is None
        assert await store.find_key(id_, KEY) is None
        assert await store.look_up(id_, KEY) is None
        assert await history(store, id_) == []
        await store.delete_session(id_)
        await store.remove_message(id_, "m")
        with pytest.raises(NoSuchSessionError):
            await store.add_message(id_, user("m"), KEY)
        with pytest.raises(NoSuchSessionError):
            await store.fork_session(id_, StoredSession("f", "/fork"))


class TestMessages:
    async def test_messages_come_in_the_order_in_which_they_were_added(self, nodes: Nodes, monkeypatch):
        monkeypatch.setattr(sql_store, "_PAGE", 3)
        one, other = await nodes.two()
        for number in range(7):
            node = one if number % 2 else other
            await node.add_message(
                "s", user(f"m{number % 3}-{number}"), IdempotencyKey.generate() if number % 2 else None
            )

        assert await history(one) == ["m0-0", "m1-1", "m2-2", "m0-3", "m1-4", "m2-5", "m0-6"]

        await one.remove_message("s", "m2-2")
        await one.add_message("s", user("m"), None)

        assert await history(other) == ["m0-0", "m1-1", "m0-3", "m1-4", "m2-5", "m0-6", "m"]

    async def test_content_is_given_back_as_it_was(self, nodes: Nodes):
        one, other = await nodes.two()
        content = [{"z": "\0 \U0001f511 \ud800 é", "a": [1, 1.0, 1e300, None, True, {}]}, {}]
        await one.add_message("s", StoredMessage("m", "agent", content), None)

        (message,) = [m async for m in other.messages("s")]

        assert message == StoredMessage("m", "agent", content)
        assert list(message.content[0]) == ["z", "a"]

    async def test_what_is_stored_is_not_changed_from_outside(self, nodes: Nodes):
        store, _ = await nodes.two()
        message = user("m")
        await store.add_message("s", message, KEY)

        message.content.clear()
        (found,) = [m async for m in store.messages("s")]
        found.content.clear()

        recorded = await store.find_key("s", KEY)
        assert recorded == Recorded("m", user("m").content)

    async def test_a_message_needs_a_session(self, nodes: Nodes):
        store = await nodes.open()

        for key in (None, KEY):
            with pytest.raises(NoSuchSessionError):
                await store.add_message("s", user("m"), key)

        assert await store.find_key("s", KEY) is None

    async def test_there_is_one_message_of_an_id_in_a_session(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.create_session(StoredSession("t", "/work"))
        await one.add_message("s", user("m", "first"), None)

        for key in (None, KEY):
            with pytest.raises(StoreError, match="of that id already"):
                await other.add_message("s", user("m", "second"), key)

        assert [m async for m in one.messages("s")] == [user("m", "first")]
        assert await one.find_key("s", KEY) is None
        assert await one.add_message("t", user("m"), None) == Insertion("m")


class TestKeys:
    async def test_a_key_is_recorded_with_its_message(self, nodes: Nodes):
        one, other = await nodes.two()
        assert await one.find_key("s", KEY) is None

        assert await one.add_message("s", user("m", "first"), KEY) == Insertion("m", is_new=True)

        assert await other.find_key("s", KEY) == Recorded("m", user("m", "first").content)

    @pytest.mark.parametrize("id_", ["n", "m"])
    async def test_a_key_inserts_one_message_whatever_else_comes_with_it(self, nodes: Nodes, id_: str):
        one, other = await nodes.two()
        await one.add_message("s", user("m", "first"), KEY)

        assert await other.add_message("s", user(id_, "second"), KEY) == Insertion("m", is_new=False)
        assert await one.add_message("s", user(id_, "second"), KEY) == Insertion("m", is_new=False)
        assert [m async for m in other.messages("s")] == [user("m", "first")]

    async def test_attempts_at_the_same_time_insert_one_message_and_all_learn_which(self, nodes: Nodes):
        one, other = await nodes.two()
        attempts = [node.add_message("s", user(f"m{n}"), KEY) for n, node in enumerate([one, other] * 8)]

        insertions = await asyncio.gather(*attempts)

        (inserted,) = [i for i in insertions if i.is_new]
        assert {i.message_id for i in insertions} == {inserted.message_id}
        assert await history(one) == [inserted.message_id]

    async def test_keys_are_of_a_session(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.create_session(StoredSession("t", "/work"))
        await one.add_message("s", user("m"), KEY)

        assert await other.find_key("t", KEY) is None
        assert await other.add_message("t", user("n"), KEY) == Insertion("n")

    async def test_keys_are_compared_as_they_were_sent(self, nodes: Nodes):
        one, other = await nodes.two()
        texts = [
            "k",
            "K",
            " k",
            "k ",
            "k\0",
            "\0",
            "\u00e9",
            "e\u0301",
            "\U0001f511" * 255,
            "\U0001f511" * 254,
            "%",
            "_",
        ]
        for number, text in enumerate(texts):
            assert await one.add_message("s", user(f"m{number}"), IdempotencyKey(text)) == Insertion(f"m{number}")

        for number, text in enumerate(texts):
            recorded = await other.find_key("s", IdempotencyKey(text))
            assert recorded == Recorded(f"m{number}", user(f"m{number}").content)

    async def test_any_number_of_messages_have_no_key(self, nodes: Nodes):
        store, _ = await nodes.two()

        assert [await store.add_message("s", user(id_), None) for id_ in "abc"] == [Insertion(id_) for id_ in "abc"]

    async def test_removing_a_message_removes_its_key(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.add_message("s", user("m"), KEY)
        await one.add_message("s", user("n"), IdempotencyKey("another"))

        await other.remove_message("s", "m")
        await other.remove_message("s", "m")

        assert await one.find_key("s", KEY) is None
        assert await one.find_key("s", IdempotencyKey("another")) is not None
        assert await one.add_message("s", user("o"), KEY) == Insertion("o")
        assert await history(other) == ["n", "o"]


class TestLookUps:
    async def test_of_an_unknown_key_there_is_nothing(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.claim("s", IdempotencyKey("another"))
        await one.claim("t", KEY)

        assert await one.look_up("s", KEY) is None
        assert await other.look_up("s", KEY) is None

    async def test_of_a_claimed_key_there_is_a_pending_prompt_until_the_claim_ends(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)

        assert [await node.look_up("s", KEY) for node in (one, other)] == [Pending()] * 2
        await claim.release(Outcome(error=RequestCancelled()))

        assert [await node.look_up("s", KEY) for node in (one, other)] == [None] * 2

    async def test_of_a_recorded_key_there_is_its_message_claimed_or_not(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        await other.add_message("s", user("m"), KEY)

        for node in (one, other):
            assert await node.look_up("s", KEY) == Recorded("m", user("m").content)
        await claim.release(Outcome("m"))
        for node in (one, other):
            assert await node.look_up("s", KEY) == Recorded("m", user("m").content)

    async def test_looking_claims_nothing(self, nodes: Nodes):
        one, other = await nodes.two()
        await asyncio.gather(*[node.look_up("s", KEY) for node in [one, other] * 8])

        assert not isinstance(await other.claim("s", KEY), Recorded | None)

    async def test_who_claims_while_others_look_gets_the_key_in_the_end(self, nodes: Nodes):
        one, other = await nodes.two()
        is_claimed = asyncio.Event()

        async def look() -> None:
            while not is_claimed.is_set():
                assert not isinstance(await one.look_up("s", KEY), Recorded)

        looking = [asyncio.create_task(look()) for _ in range(3)]
        while await other.claim("s", KEY) is None:
            assert await other.outcome("s", KEY) is None
        is_claimed.set()

        await asyncio.gather(*looking)
        assert await one.look_up("s", KEY) == Pending()


class TestClaims:
    async def test_a_key_is_claimed_by_one_at_a_time(self, nodes: Nodes):
        one, other = await nodes.two()

        claim = await one.claim("s", KEY)

        assert claim is not None
        assert await one.claim("s", KEY) is None
        assert await other.claim("s", KEY) is None
        await claim.release(None)
        again = await other.claim("s", KEY)
        assert again is not None
        assert await one.claim("s", KEY) is None

    async def test_who_claims_a_key_that_is_recorded_is_told_its_message(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        await one.add_message("s", user("m"), KEY)

        assert await one.claim("s", KEY) == Recorded("m", user("m").content)  # its holder has yet to release it
        assert await other.claim("s", KEY) == Recorded("m", user("m").content)
        await claim.release(Outcome("m"))

        assert await other.claim("s", KEY) == Recorded("m", user("m").content)
        await one.remove_message("s", "m")
        assert not isinstance(await other.claim("s", KEY), Recorded | None)  # whoever was told has claimed nothing

    async def test_of_attempts_at_the_same_time_one_gets_the_claim(self, nodes: Nodes):
        one, other = await nodes.two()

        claims = await asyncio.gather(*[node.claim("s", KEY) for node in [one, other] * 8])

        assert len([claim for claim in claims if claim]) == 1

    async def test_claims_of_other_keys_and_sessions_are_others(self, nodes: Nodes):
        one, other = await nodes.two()
        places = [("s", "k"), ("s", "K"), ("S", "k"), ("sk", "k"), ("s", "kk"), ("\0", "k")]

        assert all([await one.claim(session_id, IdempotencyKey(key)) for session_id, key in places])
        assert not any([await other.claim(session_id, IdempotencyKey(key)) for session_id, key in places])

    async def test_a_claim_is_no_record(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.claim("s", KEY)

        assert await other.find_key("s", KEY) is None

    async def test_who_waits_learns_the_message(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        assert claim
        waits = []
        for node in (one, other):
            assert await node.claim("s", KEY) is None
            waits.append(await waiting(node.outcome("s", KEY)))

        await one.add_message("s", user("m"), KEY)
        await claim.release(Outcome("m"))

        assert await asyncio.gather(*waits) == [Outcome("m")] * 2

    async def test_who_waits_learns_the_message_that_is_in_no_store(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        assert claim
        waits = await waiting(other.outcome("s", KEY))

        await claim.release(Outcome("live-only"))

        assert await waits == Outcome("live-only")
        assert await other.find_key("s", KEY) is None

    @pytest.mark.parametrize(
        "error",
        [RequestCancelled(), AcpError("Überlast", {"retry": [1.5, None], "text": "x" * 20_000}, code=-32050)],
        ids=["cancelled", "large"],
    )
    async def test_who_waits_learns_the_error_and_the_key_is_unused(self, nodes: Nodes, error: AcpError):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        assert claim
        waits = [await waiting(node.outcome("s", KEY)) for node in (one, other)]

        await claim.release(Outcome(error=error))

        for outcome in await asyncio.gather(*waits):
            assert outcome.message_id is None
            assert type(outcome.error) is type(error)
            assert outcome.error.to_wire() == error.to_wire()
        assert await other.claim("s", KEY)

    async def test_who_waits_learns_that_there_was_no_outcome(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        assert claim
        waits = [await waiting(node.outcome("s", KEY)) for node in (one, other)]

        await claim.release(None)

        assert await asyncio.gather(*waits) == [None, None]

    async def test_nothing_is_waited_for_where_nobody_has_the_key(self, nodes: Nodes):
        one, other = await nodes.two()
        assert await one.outcome("s", KEY) is None

        await one.add_message("s", user("m"), KEY)

        assert await other.outcome("s", KEY) == Outcome("m")

    async def test_who_lost_a_claim_learns_its_error_although_it_ended_before_the_question(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        assert claim
        for node in (one, other, other):
            assert await node.claim("s", KEY) is None

        await claim.release(Outcome(error=RequestCancelled()))

        for node in (one, other, other):
            outcome = await node.outcome("s", KEY)
            assert outcome
            assert isinstance(outcome.error, RequestCancelled)

    async def test_an_attempt_after_an_error_is_not_answered_with_it(self, nodes: Nodes):
        one, other = await nodes.two()
        first = await one.claim("s", KEY)
        assert first
        await first.release(Outcome(error=RequestCancelled()))

        second = await other.claim("s", KEY)
        assert second
        assert await one.claim("s", KEY) is None
        waits = await waiting(one.outcome("s", KEY))
        await second.release(None)

        assert await waits is None

    async def test_each_attempt_learns_of_the_claim_that_it_lost_to(self, nodes: Nodes):
        one, other = await nodes.two()
        for name in ("first", "second"):
            claim = await one.claim("s", KEY)
            assert claim
            assert await other.claim("s", KEY) is None
            await claim.release(Outcome(error=AcpError(name)))

        outcomes = [await other.outcome("s", KEY) for _ in range(2)]

        assert [o.error.message for o in outcomes if o and o.error] == ["first", "second"]

    async def test_who_stops_waiting_disturbs_nobody(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        assert claim
        gone, stays = await waiting(other.outcome("s", KEY)), await waiting(other.outcome("s", KEY))

        gone.cancel()
        await asyncio.wait([gone])
        await claim.release(Outcome("m"))

        assert await stays == Outcome("m")

    async def test_who_stops_claiming_has_claimed_nothing(self, nodes: Nodes):
        one, other = await nodes.two()
        for turns in range(6):
            claiming = asyncio.create_task(one.claim("s", KEY))
            for _ in range(turns):
                await asyncio.sleep(0)
            claiming.cancel()
            await asyncio.wait([claiming])

            claim = await other.claim("s", KEY) if claiming.cancelled() else claiming.result()
            assert claim
            await claim.release(None)

    async def test_a_claim_is_released_once(self, nodes: Nodes):
        one, other = await nodes.two()
        first = await one.claim("s", KEY)
        assert first
        await first.release(None)
        second = await other.claim("s", KEY)
        assert second

        await first.release(Outcome(error=RequestCancelled()))

        assert await one.claim("s", KEY) is None
        await second.release(None)
        assert await one.outcome("s", KEY) is None

    async def test_a_withdrawal_reaches_the_holder(self, nodes: Nodes):
        one, other = await nodes.two()
        claim = await one.claim("s", KEY)
        another = await one.claim("s", IdempotencyKey("another"))
        assert claim
        assert another
        withdrawn = await waiting(claim.withdrawn())

        await other.withdraw("s", KEY)

        await withdrawn
        (await waiting(another.withdrawn())).cancel()

    async def test_a_withdrawal_is_of_the_claim_that_there_was(self, nodes: Nodes):
        one, other = await nodes.two()
        await other.withdraw("s", KEY)
        first = await one.claim("s", KEY)
        assert first
        await other.withdraw("s", KEY)
        await first.withdrawn()
        await first.release(Outcome(error=RequestCancelled()))

        second = await one.claim("s", KEY)

        assert second
        (await waiting(second.withdrawn())).cancel()

    async def test_closing_gives_claims_up(self, nodes: Nodes):
        one, other = await nodes.two()
        await one.claim("s", KEY)
        waits = await waiting(other.outcome("s", KEY))

        await one.close()

        assert await waits is None
