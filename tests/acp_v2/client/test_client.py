"""The client: requests by their retry class, sessions and their events, what the agent asks, and lost connections."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import AgentMessageChunk, InvalidParams, RequestCancelled, ResourceNotFound, UserMessage
from acp_v2.client import (
    Client,
    Disconnected,
    Event,
    Outbox,
    OutcomeUnknown,
    PromptHeld,
    Resumed,
    Session,
    Settled,
    Updated,
)
from acp_v2.transports import NotDelivered, Transport, TransportClosed
from tests.acp_v2.agent.client import CWD
from tests.acp_v2.client.scripted_agent import Opened, ScriptedAgent, outcome, run
from tests.acp_v2.client.weather import agent_at

V1 = {"protocolVersion": 1, "agentCapabilities": {}}
PERMISSION = {"title": "May I?", "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}


async def events_until(session: Session, kind: type) -> list[Event]:
    found: list[Event] = []
    async for event in session.events():
        found.append(event)
        if isinstance(event, kind):
            break
    return found


class Undelivered:
    """A transport to which the first attempts at a method do not get through, while the connection goes on."""

    def __init__(self, transport: Transport, method: str, times: int) -> None:
        self._transport = transport
        self._method = method
        self.times = times

    async def send(self, text: str) -> None:
        if f'"{self._method}"' in text and self.times:
            self.times -= 1
            raise NotDelivered("the weather")
        await self._transport.send(text)

    async def receive(self) -> str | bytes | None:
        return await self._transport.receive()

    async def close(self) -> None:
        await self._transport.close()


class TestRequests:
    def test_a_safe_one_is_sent_again_on_the_next_connection_after_the_sessions_are_resumed(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                asking = asyncio.create_task(opened.client.request("session/list", {"cwd": CWD}))
                await opened.peer.take("session/list")
                await opened.lose()
                request = await opened.peer.take("session/list")
                assert request["params"] == {"cwd": CWD}
                await opened.peer.answer(request, {"sessions": []})
                assert (await asking).sessions == []

        run(test)

    @pytest.mark.parametrize("method", ["session/new", "session/fork"])
    def test_a_duplicating_one_is_not_sent_again_and_says_what_can_be_done(self, method: str) -> None:
        async def test() -> None:
            async with Opened() as opened:
                make = (
                    opened.client.new_session(CWD)
                    if method == "session/new"
                    else opened.client.fork_session(opened.session)
                )
                asking = asyncio.create_task(outcome(make))
                await opened.peer.take(method)
                await opened.lose()
                error = await asking
                assert isinstance(error, OutcomeUnknown)
                assert "may exist; ask for another one, or look for it with session/list first" in str(error)
                assert [m["method"] for m in opened.peer.received] == ["session/resume"]

        run(test)

    def test_one_that_belongs_to_its_connection_fails_with_it(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                asking = asyncio.create_task(outcome(opened.client.request("mcp/message", {})))
                await opened.peer.take("mcp/message")
                await opened.lose()
                assert isinstance(await asking, TransportClosed)

        run(test)

    def test_a_prompt_with_a_key_is_sent_again_and_one_without_is_not(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hello"}]}
                keyed = asyncio.create_task(
                    opened.client.request("session/prompt", {**prompt, "idempotencyKey": "mine"})
                )
                await opened.peer.take("session/prompt")
                bare = asyncio.create_task(outcome(opened.client.request("session/prompt", prompt)))
                await opened.peer.take("session/prompt")
                await opened.lose()
                assert isinstance(await bare, OutcomeUnknown)
                request = await opened.peer.take("session/prompt")
                assert request["params"]["idempotencyKey"] == "mine"
                await opened.peer.answer(request, {"messageId": "m"})
                assert (await keyed).message_id == "m"

        run(test)

    def test_under_v1_nothing_is_sent_again(self) -> None:
        async def test() -> None:
            async with Opened(ScriptedAgent(V1)) as opened:
                asking = asyncio.create_task(outcome(opened.client.request("session/list", {})))
                await opened.peer.take("session/list")
                await opened.lose()
                assert isinstance(await asking, OutcomeUnknown)

        run(test)

    @pytest.mark.parametrize(("times", "connections"), [(2, 1), (5, 2)])
    def test_a_safe_one_that_does_not_get_through_is_tried_again_and_then_on_a_new_connection(
        self, times: int, connections: int
    ) -> None:
        async def test() -> None:
            agent = ScriptedAgent()
            lines: list[Undelivered] = []

            def wrap(transport: Transport) -> Transport:
                lines.append(Undelivered(transport, "session/list", 0))
                return lines[-1]

            agent.wrap = wrap
            async with Opened(agent) as opened:
                lines[0].times = times
                asking = asyncio.create_task(opened.client.request("session/list", {}))
                if connections == 2:
                    opened.peer = await agent.resumed()
                await opened.peer.answer(await opened.peer.take("session/list"), {"sessions": []})
                await asking
                assert len(lines) == connections

        run(test)


class TestEvents:
    def test_the_users_own_message_is_known_whether_it_comes_before_its_response_or_after(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                for message_id, comes_first in (("before", True), ("after", False)):
                    submission = await opened.session.prompt(message_id)
                    request = await opened.peer.take("session/prompt")
                    message = {"sessionUpdate": "user_message", "messageId": message_id, "content": []}
                    if comes_first:
                        await opened.peer.update("s", **message)
                        await opened.peer.answer(request, {"messageId": message_id})
                        updated, settled = await events_until(opened.session, Settled)
                    else:
                        await opened.peer.answer(request, {"messageId": message_id})
                        (settled,) = await events_until(opened.session, Settled)
                        await opened.peer.update("s", **message)
                        (updated,) = await events_until(opened.session, Updated)
                    assert isinstance(updated, Updated)
                    assert isinstance(updated.update, UserMessage)
                    assert isinstance(settled, Settled)
                    assert settled.submission is submission
                    assert submission.message_id == updated.update.message_id
                    assert updated.submission is (None if comes_first else submission)

        run(test)

    def test_updates_of_a_new_session_that_overtake_its_answer_are_kept(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                creating = asyncio.create_task(opened.client.new_session(CWD))
                request = await opened.peer.take("session/new")
                chunk = {
                    "sessionUpdate": "agent_message_chunk",
                    "messageId": "m",
                    "content": {"type": "text", "text": "a"},
                }
                await opened.peer.update("new", **chunk)
                await opened.peer.answer(request, {"sessionId": "new"})
                (event,) = await events_until(await creating, Updated)
                assert isinstance(event, Updated)
                assert isinstance(event.update, AgentMessageChunk)

        run(test)

    def test_a_lost_connection_and_the_next_one_are_said(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                await opened.lose()
                assert [type(event) for event in await events_until(opened.session, Resumed)] == [Disconnected, Resumed]

        run(test)

    def test_a_cancel_without_a_connection_reaches_the_agent_when_the_session_is_resumed(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                opened.agent.is_reachable = False
                await opened.peer.cut()
                await events_until(opened.session, Disconnected)
                await opened.session.cancel()
                assert isinstance(await outcome(submission), OutcomeUnknown)
                opened.agent.is_reachable = True
                opened.peer = await opened.agent.resumed()
                assert (await opened.peer.take())["method"] == "session/cancel"

        run(test)


class TestLostSessions:
    def test_of_one_that_is_gone_the_application_learns_and_nothing_is_sent(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                await opened.peer.cut()
                peer = await opened.agent.peer()
                await peer.refuse(await peer.take("session/resume"), -32002)
                assert isinstance(await outcome(submission), ResourceNotFound)
                assert [event async for event in opened.session.events() if isinstance(event, Settled)]
                assert [m["method"] for m in peer.received] == ["session/resume"]

        run(test)

    def test_what_is_pending_in_one_that_cannot_be_resumed_now_is_held(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            submission = await outbox.submit("s", "Hello")
            agent = ScriptedAgent()
            async with Client(agent.connect, outbox=outbox) as client:
                peer = await agent.peer()
                resuming = asyncio.create_task(outcome(client.resume_session("s", "/wrong")))
                await peer.refuse(await peer.take("session/resume"), -32602)
                assert isinstance(await resuming, InvalidParams)
                assert isinstance(await outcome(submission), PromptHeld)
                resuming = asyncio.create_task(client.resume_session("s", CWD))
                await peer.answer(await peer.take("session/resume"), {})
                await resuming
                await submission.resend()
                await peer.answer(await peer.take("session/prompt"), {"messageId": "m"})
                assert await submission == "m"
            await outbox.close()

        run(test)

    def test_when_the_agent_is_given_up_events_end_and_pending_prompts_are_held(self) -> None:
        async def test() -> None:
            async with Opened(patience=0.01) as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                opened.agent.is_reachable = False
                await opened.peer.cut()
                assert isinstance(await outcome(submission), PromptHeld)
                async for _ in opened.session.events():
                    pass
                with pytest.raises(TransportClosed):
                    await opened.client.request("session/list", {})

        run(test)

    def test_one_whose_answer_comes_while_the_connection_is_lost_again_is_resumed_by_the_next(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                await opened.peer.cut()
                peer = await opened.agent.peer()
                await peer.take("session/resume")
                await peer.cut()
                peer = await opened.agent.resumed()
                await peer.answer(await peer.take("session/prompt"), {"messageId": "m"})
                assert await submission == "m"
                assert submission.attempts == 2

        run(test)

    def test_resuming_one_that_is_active_does_not_wait_for_its_prompts_and_does_not_send_them_again(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello")
                request = await opened.peer.take("session/prompt")
                resuming = asyncio.create_task(opened.client.resume_session("s", CWD))
                await opened.peer.answer(await opened.peer.take("session/resume"), {})
                again = await resuming
                await again.prompt("the next")
                assert (await opened.peer.take("session/prompt"))["params"]["prompt"][0]["text"] == "the next"
                await opened.peer.answer(request, {"messageId": "m"})
                assert await submission == "m"

        run(test)


class TestQuestions:
    def test_without_a_callback_a_permission_is_answered_as_cancelled(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                await ask(opened, "session/request_permission", PERMISSION)
                answer = await opened.peer.take()
                assert answer["result"] == {"outcome": {"outcome": "cancelled"}}

        run(test)

    @pytest.mark.parametrize(
        ("chosen", "expected"),
        [("yes", {"outcome": "selected", "optionId": "yes"}), (None, {"outcome": "cancelled"})],
    )
    def test_a_permission_is_what_the_user_chose(self, chosen: str | None, expected: Any) -> None:
        async def permit(_: Any) -> str | None:
            return chosen

        async def test() -> None:
            async with Opened(on_permission=permit) as opened:
                await ask(opened, "session/request_permission", PERMISSION)
                assert (await opened.peer.take())["result"] == {"outcome": expected}

        run(test)

    @pytest.mark.parametrize("how", ["the agent takes it back", "the session is cancelled", "the connection is lost"])
    def test_a_question_that_is_taken_back_is_not_asked_any_more(self, how: str) -> None:
        async def test() -> None:
            asked, withdrawn = asyncio.Event(), asyncio.Event()

            async def permit(_: Any) -> str | None:
                asked.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    withdrawn.set()
                return None

            async with Opened(on_permission=permit) as opened:
                await ask(opened, "session/request_permission", PERMISSION)
                await asked.wait()
                match how:
                    case "the agent takes it back":
                        cancel = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "q"}}
                        await opened.peer.send(cancel)
                    case "the session is cancelled":
                        await opened.session.cancel()
                        await opened.peer.take("session/cancel")
                    case _:
                        await opened.lose()
                await withdrawn.wait()
                if how != "the connection is lost":
                    assert (await opened.peer.take())["result"] == {"outcome": {"outcome": "cancelled"}}

        run(test)

    def test_elicitation_is_offered_with_a_callback_alone(self) -> None:
        async def enter(_: Any) -> Any:
            raise AssertionError

        assert Client(ScriptedAgent().connect)._link._hello.capabilities.elicitation is None
        offered = Client(ScriptedAgent().connect, on_elicitation=enter)._link._hello.capabilities.elicitation
        assert offered is not None


async def ask(opened: Opened, method: str, params: dict[str, Any]) -> None:
    await opened.peer.send({"jsonrpc": "2.0", "id": "q", "method": method, "params": {"sessionId": "s", **params}})


def test_sessions_of_the_reference_agent(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent_at("ws", tmp_path) as place, Client.to(place.url) as client:
            session = await client.new_session(CWD)
            message_id = await (await session.prompt("/sleep 0"))
            fork = await client.fork_session(session)
            assert {info.session_id async for info in client.list_sessions(CWD)} == {session.id, fork.id}
            replayed = await client.resume_session(session.id, CWD, replays=True)
            events = await events_until(replayed, Resumed)
            mine = [e for e in events if isinstance(e, Updated) and isinstance(e.update, UserMessage)]
            assert [(e.update.message_id, e.is_replayed) for e in mine] == [(message_id, True)]  # type: ignore[union-attr]
            await (await replayed.prompt("/sleep 1000"))
            held = await replayed.prompt("held")
            while not held.attempts:
                await asyncio.sleep(0)
            await replayed.close()
            assert isinstance(await outcome(held), RequestCancelled)
            async for _ in replayed.events():
                pass
            await client.delete_session(fork.id)
            with pytest.raises(ResourceNotFound):
                await client.resume_session(fork.id, CWD)
            with contextlib.suppress(TransportClosed):
                await client.close()

    run(test)


def test_thousands_of_pending_prompts_go_out_in_order() -> None:
    async def test() -> None:
        async with Opened() as opened:
            submissions = await asyncio.gather(*(opened.session.prompt(str(number)) for number in range(2000)))
            requests = [await opened.peer.take("session/prompt") for _ in range(2000)]
            assert [request["params"]["prompt"][0]["text"] for request in requests] == [str(n) for n in range(2000)]
            await opened.lose()
            again = [await opened.peer.take("session/prompt") for _ in range(2000)]
            assert [request["params"] for request in again] == [request["params"] for request in requests]
            for number, request in enumerate(again):
                await opened.peer.answer(request, {"messageId": str(number)})
            assert [await submission for submission in submissions] == [str(number) for number in range(2000)]

    run(test)
