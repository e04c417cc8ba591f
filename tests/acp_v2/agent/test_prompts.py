"""What the reference agent makes of prompts, keys and what stops them."""

import asyncio
import json
import logging
from typing import Any

import pytest

from acp_v2 import InternalError, InvalidParams, ResourceNotFound
from acp_v2.idempotency import MemoryStore, StoredMessage, StoreError
from tests.acp_v2.agent.client import CWD, Client, InProcess, new_key, prompt
from tests.acp_v2.agent.conftest import Run

SECRET = "a-secret-key"


@pytest.mark.parametrize(
    "key", ["", "x" * 256, "\U0001f511" * 256, 0, 1, 1.5, True, False, [], ["k"], {}, {"key": "k"}], ids=repr
)
def test_a_malformed_key_is_refused_and_nothing_is_inserted(run_in_process: Run, key: Any):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()

        response = await client.ask("session/prompt", {**prompt(session, "Hi"), "idempotencyKey": key})

        assert response.error is not None
        assert response.error.code == -32602
        assert isinstance(response.error.data, dict)
        assert response.error.data["pointer"] == "/params/idempotencyKey"
        await client.resume(session, replays=True)
        assert client.user_messages(session) == []

    run_in_process(steps)


@pytest.mark.parametrize("key", ["k", "x" * 255, "\U0001f511" * 255, "\u0000", " k ", "\u00e9", "e\u0301"], ids=ascii)
def test_a_key_is_taken_as_it_comes(run_in_process: Run, key: str):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        original = await client.prompt(session, "Hi", key)
        assert await client.prompt(session, "Hi", key) == original
        for other in {key + "k", key.upper(), key.strip(), "\u00e9", "e\u0301"} - {key, ""}:
            if len(other) <= 255:
                assert await client.prompt(session, "Hi", other) != original

    run_in_process(steps)


def test_without_a_key_each_request_is_a_message(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        ids = [await client.prompt(session, "Hi") for _ in range(2)]
        null = await client.request("session/prompt", {**prompt(session, "Hi"), "idempotencyKey": None})
        assert len({*ids, null.message_id}) == 3

    run_in_process(steps)


def test_an_array_is_answered_once_and_nothing_in_it_is_done(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        request = {"jsonrpc": "2.0", "id": 77, "method": "session/prompt", "params": prompt(session, "Hi", new_key())}
        client.connection._queue.put(json.dumps([request, request]))
        await client.resume(session, replays=True)
        assert client.user_messages(session) == []

    run_in_process(steps)


def test_a_prompt_is_echoed_in_chunks_and_kept_whole(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        link = {"type": "resource_link", "name": "notes", "uri": "file:///notes.txt"}
        blocks = [{"type": "text", "text": " one  two\nthree "}, link]
        await client.request("session/prompt", {"sessionId": session, "prompt": blocks})
        await client.until_idle(session)
        chunks = [update["content"] for update in client.of(session, "agent_message_chunk")]
        assert len(chunks) > 2
        assert "".join(chunk["text"] for chunk in chunks if chunk["type"] == "text") == " one  two\nthree "
        assert chunks[-1] == link

        await client.resume(session, replays=True)
        (replayed,) = client.of(session, "agent_message")
        assert replayed["content"] == blocks
        assert client.of(session, "user_message")[-1]["content"] == blocks

    run_in_process(steps)


def test_a_kind_of_content_that_is_not_advertised_is_refused(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
        with pytest.raises(InvalidParams) as caught:
            await client.request("session/prompt", {"sessionId": session, "prompt": [image]})
        assert caught.value.data == {"pointer": "/params/prompt/0"}

    run_in_process(steps)


def test_who_may_not_prompt_a_session_learns_nothing_about_its_keys(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        owner, stranger = await place.connect(), await place.connect()
        session = await owner.new_session()
        await owner.prompt(session, "Hi", SECRET)

        refusals = [
            await stranger.ask("session/prompt", prompt(where, "Hi", key))
            for where in (session, "no-such-session")
            for key in (SECRET, new_key())
        ]
        assert {(r.error.code, r.error.message) for r in refusals if r.error} == {
            (-32002, "There is no such session on this connection")
        }
        assert [r.error.data for r in refusals[:2] if r.error] == [{"sessionId": session}] * 2

        await stranger.resume(session)
        assert await stranger.prompt(session, "Hi", SECRET) == owner.user_messages(session)[0]

    run_in_process(steps)


def test_a_key_is_nowhere_but_in_requests_and_the_store(run_in_process: Run, caplog: pytest.LogCaptureFixture):
    sent: list[str] = []

    async def steps(place: InProcess) -> None:
        client = await place.connect()
        receive = client.connection._transport.receive

        async def record() -> Any:
            text = await receive()
            sent.append(str(text))
            return text

        client.connection._transport.receive = record  # type: ignore[method-assign]
        await client.everything_sent()
        session = await client.new_session()
        await client.prompt(session, "Hi", SECRET)
        await client.prompt(session, "Hi", SECRET)
        await client.ask("session/prompt", prompt(session, "/fail 1", SECRET + "2"))
        await client.ask("session/prompt", prompt(session, "Hi", SECRET * 30))
        await client.ask("session/prompt", {**prompt(session, "Hi"), "idempotencyKey": {"k": SECRET}})
        await client.ask("session/prompt", prompt("none", "Hi", SECRET))
        await client.until_idle(session)
        fork = await client.fork(session)
        for where in (session, fork):
            await client.resume(where, replays=True)
        await client.request("session/list", {})

    with caplog.at_level(logging.DEBUG):
        run_in_process(steps)
    assert len(sent) > 10
    assert SECRET not in "".join(sent)
    assert SECRET not in caplog.text


def test_a_local_command_is_shown_and_recognised_but_not_kept(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        original = await client.prompt(session, "/local", key)
        end = await client.until_idle(session)
        assert client.user_messages(session) == [original]
        assert client.updates[end - 1][1]["stopReason"] == "end_turn"
        assert await client.prompt(session, "/local", key) == original

        before = len(client.updates)
        await client.resume(session, replays=True)
        assert [update["sessionUpdate"] for _, update in client.updates[before:]] == ["state_update"]

        other = await place.connect()
        await other.resume(session)
        await client.close()
        assert await other.prompt(session, "/local", key) == original, "it is still active on a connection"

    run_in_process(steps)


def test_the_key_of_a_local_command_is_forgotten_when_its_session_is_active_nowhere(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        original = await client.prompt(session, "/local", key)
        await client.request("session/close", {"sessionId": session})
        await client.resume(session)
        assert await client.prompt(session, "/local", key) != original

    run_in_process(steps)


def test_prompts_are_inserted_in_the_order_in_which_they_came(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        keys = [None, new_key(), None, new_key(), new_key(), None]
        pending = [client.start_prompt(session, f"Prompt {n}", key) for n, key in enumerate(keys)]
        ids = [await attempt.message_id() for attempt in pending]
        assert client.user_messages(session) == ids

    run_in_process(steps)
    run_in_process(steps, while_busy="insert")


def test_an_inserted_prompt_joins_the_work_and_the_work_ends_once(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await client.prompt(session, "/sleep 0.05")
        await client.prompt(session, "Hello")
        await client.until_idle(session)
        await client.everything_sent()
        assert [u["state"] for u in client.of(session, "state_update")] == ["running", "idle"]
        assert client.of(session, "agent_message_chunk")[-1]["content"]["text"] == "Hello"

    run_in_process(steps, while_busy="insert")


def test_cancelling_the_session_stops_the_work_and_withdraws_what_is_held(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await client.prompt(session, "/sleep 1000")
        held = [client.start_prompt(session, "Hi", key) for key in (None, new_key())]
        client.cancel(session)

        assert [await attempt.error_code() for attempt in held] == [-32800, -32800]
        await client.until_idle(session)
        await client.everything_sent()
        assert [u.get("stopReason") for u in client.of(session, "state_update")] == [None, "cancelled"]

    run_in_process(steps)


def test_cancelling_an_inserted_prompt_changes_nothing(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        attempt = client.start_prompt(session, "Hi", key)
        original = await attempt.message_id()
        attempt.cancel()
        end = await client.until_idle(session)
        assert client.updates[end - 1][1]["stopReason"] == "end_turn"
        assert await client.prompt(session, "Hi", key) == original

    run_in_process(steps)


def test_what_is_inserted_after_a_cancel_is_worked_on(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await client.prompt(session, "/sleep 1000")
        client.cancel(session)
        await client.prompt(session, "Hello")
        end = await client.until(session, lambda u: u.get("stopReason") == "end_turn")
        assert client.updates[end - 2][1]["content"]["text"] == "Hello"

    run_in_process(steps)
    run_in_process(steps, while_busy="insert")


def test_what_could_not_be_stored_is_answered_with_an_error_and_shown_to_nobody():
    class FullDisk(MemoryStore):
        is_full = True

        async def add_message(self, *arguments: Any) -> Any:
            if self.is_full:
                raise StoreError("the disk is full")
            return await super().add_message(*arguments)

    async def steps() -> None:
        store, key = FullDisk(), new_key()
        async with InProcess(store) as place:
            client = await place.connect()
            session = await client.new_session()
            with pytest.raises(InternalError):
                await client.prompt(session, "Hi", key)
            await client.everything_sent()
            assert client.updates == []
            store.is_full = False
            await client.prompt(session, "Hi", key)

    asyncio.run(steps())


def test_a_reply_that_could_not_be_stored_ends_the_work_with_an_error():
    class NoReplies(MemoryStore):
        async def add_message(self, session_id: str, message: StoredMessage, key: Any) -> Any:
            if message.role == "agent":
                raise StoreError("the disk is full")
            return await super().add_message(session_id, message, key)

    async def steps() -> None:
        async with InProcess(NoReplies()) as place:
            client = await place.connect()
            session = await client.new_session()
            await client.prompt(session, "Hi")
            end = await client.until_idle(session)
            assert client.updates[end - 1][1]["stopReason"] == "error"

    asyncio.run(steps())


def test_a_cancel_from_where_the_session_is_not_active_does_nothing(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, stranger = await place.connect(), await place.connect()
        session = await client.new_session()
        await client.prompt(session, "/sleep 1000")
        stranger.cancel(session)
        await stranger.everything_sent()
        await client.everything_sent()
        assert client.of(session, "state_update")[-1]["state"] == "running"

    run_in_process(steps)


def test_a_held_prompt_of_a_lost_connection_is_kept(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        first, second, key = await place.connect(), await place.connect(), new_key()
        session = await first.new_session()
        await second.resume(session)
        await first.prompt(session, "/sleep 0.2")
        first.start_prompt(session, "Hello", key)
        await first.everything_sent()
        await first.close()

        retry = second.start_prompt(session, "Hello", key)
        message_id = await retry.message_id()
        assert second.user_messages(session)[-1] == message_id
        assert len(second.user_messages(session)) == 2

    run_in_process(steps, on_disconnect="keep")


def test_a_held_prompt_of_a_lost_connection_is_dropped_where_nobody_else_waits(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        first, second = await place.connect(), await place.connect()
        alone, shared = new_key(), new_key()
        session = await first.new_session()
        await second.resume(session)
        await first.prompt(session, "/sleep 1000")
        for key in (alone, shared):
            first.start_prompt(session, f"Hello {key}", key)
        await first.everything_sent()
        retry = second.start_prompt(session, f"Hello {shared}", shared)
        await second.everything_sent()
        await first.close()
        await asyncio.wait(place._serving[:1])

        assert not retry.is_answered
        second.cancel(session)
        assert await retry.error_code() == -32800
        await second.until_idle(session)
        assert len(second.user_messages(session)) == 1
        await second.prompt(session, f"Hello {alone}", alone)

    run_in_process(steps, on_disconnect="drop")


def test_a_dropped_attempt_does_not_keep_the_prompt_of_others_from_being_inserted(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        first, second, key = await place.connect(), await place.connect(), new_key()
        session = await first.new_session()
        await second.resume(session)
        await first.prompt(session, "/sleep 0.2")
        first.start_prompt(session, "Hello", key)
        await first.everything_sent()
        retry = second.start_prompt(session, "Hello", key)
        later = second.start_prompt(session, "Later")
        await second.everything_sent()
        await first.close()

        assert second.user_messages(session)[1:] == []
        assert [await retry.message_id(), await later.message_id()] == second.user_messages(session)[1:]

    run_in_process(steps, on_disconnect="drop")


def test_two_agents_over_one_store_insert_once():
    async def steps() -> None:
        store = MemoryStore()
        async with InProcess(store) as one, InProcess(store) as other:
            first, second, key = await one.connect(), await other.connect(), new_key()
            session = await first.new_session()
            await second.resume(session)
            await first.prompt(session, "/sleep 0.1")
            held = first.start_prompt(session, "Hello", key)
            await first.everything_sent()
            elsewhere = second.start_prompt(session, "Hello", key)
            assert await held.message_id() == await elsewhere.message_id()

            await first.until_idle(session)
            await first.prompt(session, "/sleep 1000")
            key = new_key()
            held = first.start_prompt(session, "Hello", key)
            await first.everything_sent()
            elsewhere = second.start_prompt(session, "Hello", key)
            await second.everything_sent()
            elsewhere.cancel()
            assert await elsewhere.error_code() == await held.error_code() == -32800
            first.cancel(session)
            await first.until_idle(session)

    asyncio.run(steps())


@pytest.mark.parametrize("later_key", [None, "another"])
def test_what_comes_after_a_retry_waits_for_the_node_that_holds_its_prompt(later_key: str | None):
    async def steps() -> None:
        store, key = MemoryStore(), new_key()
        async with InProcess(store) as one, InProcess(store) as other:
            first, second = await one.connect(), await other.connect()
            session = await first.new_session()
            await second.resume(session)
            await first.prompt(session, "/sleep 1000")
            held = first.start_prompt(session, "Hello", key)
            await first.everything_sent()
            retry = second.start_prompt(session, "Hello", key)
            later = second.start_prompt(session, "Later", later_key)
            await second.everything_sent()
            assert not later.is_answered

            held.cancel()
            assert await retry.error_code() == -32800
            assert [await later.message_id()] == second.user_messages(session)

    asyncio.run(steps())


def test_a_session_that_another_agent_has_deleted_is_not_found():
    async def steps() -> None:
        store = MemoryStore()
        async with InProcess(store) as one, InProcess(store) as other:
            first, second = await one.connect(), await other.connect()
            session = await first.new_session()
            await second.request("session/delete", {"sessionId": session})
            for key in (None, new_key()):
                with pytest.raises(ResourceNotFound):
                    await first.prompt(session, "Hi", key)

    asyncio.run(steps())


def test_everybody_on_whose_connection_a_session_is_active_sees_the_same(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        clients: list[Client] = [await place.connect() for _ in range(3)]
        session = await clients[0].new_session()
        for client in clients[1:]:
            await client.resume(session)
        before = [len(client.updates) for client in clients]
        await clients[1].prompt(session, "Hello to everybody", new_key())
        seen = []
        for client, start in zip(clients, before, strict=True):
            end = await client.until_idle(session, after=start)
            seen.append(client.updates[start:end])
        assert seen[0] == seen[1] == seen[2]

    run_in_process(steps)


def test_who_joins_during_a_reply_has_all_of_it(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        first, second = await place.connect(), await place.connect()
        session = await first.new_session()
        text = " ".join(str(number) for number in range(3000))
        await first.prompt(session, text)
        await first.until(session, lambda u: u["sessionUpdate"] == "agent_message_chunk")
        await second.resume(session, replays=True)
        await second.until_idle(session)
        assert _texts(second, session) == [text, text]

    run_in_process(steps)


def _texts(client: Client, session: str) -> list[str]:
    """The texts of the messages, as a client puts them together."""
    messages: dict[str, list[dict[str, Any]]] = {}
    for update in client.of(session, "user_message", "agent_message", "agent_message_chunk"):
        if update["sessionUpdate"] == "agent_message_chunk":
            messages.setdefault(update["messageId"], []).append(update["content"])
        else:
            messages[update["messageId"]] = list(update["content"])
    return ["".join(block["text"] for block in blocks) for blocks in messages.values()]


def test_an_extension_and_an_unknown_method_are_not_found(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        for method in ("_mine", "session/archive", "session/status", "auth/login"):
            params = {"sessionId": "s", "methodId": "m", "cwd": CWD}
            assert (await client.ask(method, params)).error.code == -32601  # type: ignore[union-attr]

    run_in_process(steps)
