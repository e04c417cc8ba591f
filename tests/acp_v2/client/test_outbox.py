"""The outbox: what it keeps, what it hands over and how often, and what the application is told."""

import asyncio
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from acp_v2 import IdempotencyKey, InternalError, RequestCancelled, ResourceNotFound, TextContent
from acp_v2.client import Client, KeyReused, Outbox, OutboxError, OutcomeUnknown, PromptHeld, Submission
from tests.acp_v2.client.scripted_agent import CWD, Opened, ScriptedAgent, outcome, run

HOUR = 3600.0
V1 = {"protocolVersion": 1, "agentCapabilities": {}}


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


class Told:
    """An application's `on_settled`, which fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.outcomes: list[tuple[str, str]] = []
        self._failures = failures
        self._news = asyncio.Event()

    async def __call__(self, submission: Submission) -> None:
        if self._failures:
            self._failures -= 1
            raise RuntimeError("the application is at fault")
        self.outcomes.append((submission.params["prompt"][0]["text"] if submission.params else "", submission.state))
        self._news.set()

    async def until(self, count: int) -> list[tuple[str, str]]:
        while len(self.outcomes) < count:
            self._news.clear()
            await self._news.wait()
        return self.outcomes


async def left_by_another(path: Path, *texts: str) -> list[IdempotencyKey]:
    """A file with prompts of a process that has ended."""
    outbox = await Outbox.open(path)
    submissions = [await outbox.submit("s", text) for text in texts]
    await outbox.close()
    return [submission.key for submission in submissions]


class TestSubmitting:
    def test_each_submission_has_a_random_key_of_its_own_also_for_the_same_text(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            keys = [(await outbox.submit(session, "Hello")).key for session in ("s", "s", "t")]
            await outbox.close()
            assert len(set(keys)) == 3
            assert {len(key) for key in keys} == {36}

        run(test)

    def test_a_prompt_is_a_text_or_content_blocks(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            text = await outbox.submit("s", "Hello", meta={"a": 1})
            blocks = await outbox.submit("s", [TextContent(text="Hello"), {"type": "text", "text": "there"}])
            await outbox.close()
            assert text.params == {"prompt": [{"type": "text", "text": "Hello"}], "_meta": {"a": 1}}
            assert blocks.params == {"prompt": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]}

        run(test)

    @pytest.mark.parametrize(
        ("prompt", "options"),
        [
            ([{"type": "text"}], {}),
            ("\ud800", {}),
            ("a", {"meta": {"number": float("nan")}}),
            ("a", {"key": ""}),
            ("a", {"key": "x" * 256}),
            ("a", {"key": "\ud800"}),
        ],
        ids=["no text", "a lone surrogate", "not a number", "an empty key", "a long key", "a surrogate in the key"],
    )
    def test_what_is_no_prompt_is_refused_and_not_kept(self, tmp_path: Path, prompt: Any, options: Any) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox")
            with pytest.raises((ValidationError, ValueError)):
                await outbox.submit("s", prompt, **options)
            assert outbox.pending() == []
            await outbox.close()
            again = await Outbox.open(tmp_path / "outbox")
            assert await again.left_behind() == []
            await again.close()

        run(test)

    def test_pending_ones_are_listed_in_the_order_of_submission(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            submitting = [outbox.submit(session, str(number)) for number, session in enumerate("stst")]
            submissions = await asyncio.gather(*submitting)
            assert outbox.pending() == submissions
            assert outbox.pending("t") == [submissions[1], submissions[3]]
            await outbox.close()

        run(test)

    def test_a_full_disk_refuses_it_and_nothing_is_sent(self, tmp_path: Path) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox")
            async with Opened(outbox=outbox) as opened:
                await outbox._do(lambda: outbox._kept._db.execute("PRAGMA max_page_count = 20"))  # type: ignore[union-attr]
                with pytest.raises(OutboxError, match="database or disk is full"):
                    await opened.session.prompt("x" * 100_000)
                assert outbox.pending() == []
                small = await opened.session.prompt("small")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["prompt"] == [{"type": "text", "text": "small"}]
                await opened.peer.answer(request, {"messageId": "m"})
                assert await small == "m"
            await outbox.close()

        run(test)

    def test_one_that_nobody_waits_for_is_kept_and_sent_all_the_same(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submitting = asyncio.create_task(opened.session.prompt("Hello"))
                await asyncio.sleep(0)
                submitting.cancel()
                await opened.peer.take("session/prompt")
                assert len(opened.client.outbox.pending()) == 1

        run(test)


class TestOwnKeys:
    def test_the_applications_own_key_is_sent(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                await opened.session.prompt("Hello", key="mine")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["idempotencyKey"] == "mine"

        run(test)

    def test_a_key_with_another_prompt_is_refused(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            await outbox.submit("s", "Hello", key="mine")
            with pytest.raises(KeyReused):
                await outbox.submit("s", "Something else", key="mine")
            with pytest.raises(KeyReused):
                await outbox.submit("another", "Hello", key="mine")
            await outbox.close()

        run(test)

    def test_a_key_that_is_pending_gives_the_same_submission(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            submissions = await asyncio.gather(*(outbox.submit("s", "Hello", key="mine") for _ in range(5)))
            assert len(set(submissions)) == 1
            await outbox.close()

        run(test)

    def test_a_key_that_was_inserted_gives_its_message_and_is_not_sent(self, tmp_path: Path) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox")
            async with Opened(outbox=outbox) as opened:
                submission = await opened.session.prompt("Hello", key="mine")
                await opened.peer.answer(await opened.peer.take("session/prompt"), {"messageId": "m"})
                assert await submission == "m"
                assert await (await opened.session.prompt("Hello", key="mine")) == "m"
            await outbox.close()
            again = await Outbox.open(tmp_path / "outbox")
            async with Opened(outbox=again) as opened:
                assert await (await opened.session.prompt("Hello", key="mine")) == "m"
                await opened.session.prompt("the next")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["prompt"][0]["text"] == "the next"
            await again.close()

        run(test)

    def test_one_that_was_refused_is_sent_once_more_with_the_same_key(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello", key="mine")
                await opened.peer.refuse(await opened.peer.take("session/prompt"), -32603)
                assert isinstance(await outcome(submission), InternalError)
                assert opened.client.outbox.pending() == []

                again = await opened.session.prompt("Hello", key="mine")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["idempotencyKey"] == "mine"
                await opened.peer.answer(request, {"messageId": "m"})
                assert await again == "m"

        run(test)

    def test_one_that_is_submitted_anew_while_its_failure_is_told_is_kept_and_sent(self, tmp_path: Path) -> None:
        async def test() -> None:
            again: list[Submission] = []

            async def resubmit(submission: Submission) -> None:
                if submission.state == "failed":
                    again.append(await outbox.submit("s", "Hello", key="mine"))

            outbox = await Outbox.open(tmp_path / "outbox", on_settled=resubmit)
            async with Opened(outbox=outbox) as opened:
                await opened.session.prompt("Hello", key="mine")
                await opened.peer.refuse(await opened.peer.take("session/prompt"), -32603)
                await opened.peer.take("session/prompt")
                assert outbox.pending() == again
            await outbox.close()
            reopened = await Outbox.open(tmp_path / "outbox")
            assert [submission.params["prompt"][0]["text"] for submission in await reopened.left_behind()] == ["Hello"]
            await reopened.close()

        run(test)


class TestHolding:
    def test_one_that_was_pending_for_too_long_is_handed_to_the_application(self, tmp_path: Path) -> None:
        async def test() -> None:
            clock, told = Clock(), Told()
            outbox = await Outbox.open(tmp_path / "outbox", clock=clock, on_settled=told)
            submission = await outbox.submit("s", "from yesterday")
            fresh_until = clock.now + 12 * HOUR
            clock.now = fresh_until + 1
            async with Opened(outbox=outbox):
                error = await outcome(submission)
                assert isinstance(error, PromptHeld)
                assert str(error) == "it has been pending for 12.0 hours; resend or discard it"
                assert submission.state == "held"
                assert await told.until(1) == [("from yesterday", "held")]
                assert outbox.pending() == [submission]
            await outbox.close()

        run(test)

    def test_one_at_the_limit_is_sent(self) -> None:
        async def test() -> None:
            clock = Clock()
            outbox = await Outbox.open(clock=clock, hold_after=5)
            await outbox.submit("s", "Hello")
            clock.now += 5
            async with Opened(outbox=outbox) as opened:
                await opened.peer.take("session/prompt")
            await outbox.close()

        run(test)

    def test_one_that_is_held_again_after_a_restart(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "from yesterday")
            outbox = await Outbox.open(tmp_path / "outbox", hold_after=-1)
            async with Opened(outbox=outbox):
                assert isinstance(await outcome(outbox.pending()[0]), PromptHeld)
            await outbox.close()

        run(test)

    def test_one_that_is_resent_goes_out_with_its_key_and_is_as_good_as_new(self) -> None:
        async def test() -> None:
            clock = Clock()
            outbox = await Outbox.open(clock=clock, hold_after=10)
            submission = await outbox.submit("s", "Hello")
            clock.now += 11
            async with Opened(outbox=outbox) as opened:
                assert isinstance(await outcome(submission), PromptHeld)
                await asyncio.gather(submission.resend(), submission.resend())
                request = await opened.peer.take("session/prompt")
                assert request["params"]["idempotencyKey"] == submission.key
                clock.now += 9
                await opened.lose()
                again = await opened.peer.take("session/prompt")
                assert again["params"] == request["params"]
                await opened.peer.answer(again, {"messageId": "m"})
                assert await submission == "m"
                assert submission.attempts == 2, "to resend it twice at once is to resend it"
            await outbox.close()

        run(test)

    def test_one_that_is_discarded_is_not_sent(self) -> None:
        async def test() -> None:
            clock = Clock()
            outbox = await Outbox.open(clock=clock, hold_after=10)
            submission = await outbox.submit("s", "Hello")
            clock.now += 11
            async with Opened(outbox=outbox) as opened:
                assert isinstance(await outcome(submission), PromptHeld)
                await submission.discard()
                assert isinstance(await outcome(submission), RequestCancelled)
                await submission.resend()
                assert outbox.pending() == []
                await opened.session.prompt("the next")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["prompt"][0]["text"] == "the next"
            await outbox.close()

        run(test)

    def test_where_it_cannot_be_written_a_held_one_stays_held(self, tmp_path: Path) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox", hold_after=-1)
            async with Opened(outbox=outbox) as opened:
                submission = await opened.session.prompt("Hello")
                assert isinstance(await outcome(submission), PromptHeld)
                await outbox._do(lambda: outbox._kept._db.execute("PRAGMA query_only = 1"))  # type: ignore[union-attr]
                for action in (submission.resend, submission.discard, submission.cancel):
                    with pytest.raises(OutboxError):
                        await action()
                    assert submission.state == "held"
            await outbox.close()

        run(test)


class TestCancelling:
    def test_one_that_was_not_sent_yet_never_is(self, tmp_path: Path) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox")
            submission = await outbox.submit("s", "Never mind")
            await submission.cancel()
            assert isinstance(await outcome(submission), RequestCancelled)
            async with Opened(outbox=outbox) as opened:
                await opened.session.prompt("the next")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["prompt"][0]["text"] == "the next"
            await outbox.close()

        run(test)

    def test_one_that_is_under_way_is_withdrawn_and_the_agents_answer_says_whether_that_was_in_time(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                in_time, too_late = await opened.session.prompt("a"), await opened.session.prompt("b")
                requests = [await opened.peer.take("session/prompt") for _ in range(2)]
                for submission, request in zip((in_time, too_late), requests, strict=True):
                    await submission.cancel()
                    cancel = await opened.peer.take("$/cancel_request")
                    assert cancel["params"] == {"requestId": request["id"]}
                await opened.peer.refuse(requests[0], -32800)
                await opened.peer.answer(requests[1], {"messageId": "m"})
                assert isinstance(await outcome(in_time), RequestCancelled)
                assert await too_late == "m"

        run(test)

    def test_one_whose_response_was_lost_has_an_unknown_outcome_and_is_not_sent_again(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                opened.agent.is_reachable = False
                await opened.peer.cut()
                while not submission.may_be_inserted:
                    await asyncio.sleep(0)
                await submission.cancel()
                assert isinstance(await outcome(submission), OutcomeUnknown)
                opened.agent.is_reachable = True
                opened.peer = await opened.agent.resumed()
                await opened.session.prompt("the next")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["prompt"][0]["text"] == "the next"

        run(test)

    def test_one_whose_connection_is_lost_after_the_cancel_has_an_unknown_outcome(self) -> None:
        async def test() -> None:
            async with Opened() as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                await submission.cancel()
                await opened.peer.take("$/cancel_request")
                await opened.lose()
                assert isinstance(await outcome(submission), OutcomeUnknown)

        run(test)

    def test_one_that_was_cancelled_is_not_sent_by_the_next_process_either(self, tmp_path: Path) -> None:
        async def test() -> None:
            told = Told()
            outbox = await Outbox.open(tmp_path / "outbox")
            submission = await outbox.submit("s", "Never mind")
            await outbox._do(outbox._kept.cancel, submission.key)  # The process ends here.
            await outbox.close()
            again = await Outbox.open(tmp_path / "outbox", on_settled=told)
            assert await told.until(1) == [("Never mind", "failed")]
            assert await again.left_behind() == []
            await again.close()

        run(test)

    def test_a_session_that_is_cancelled_takes_back_all_that_is_pending_in_it_alone(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            mine = [await outbox.submit("s", "a") for _ in range(3)]
            other = await outbox.submit("t", "b")
            await outbox.cancel_session("s")
            assert [type(await outcome(submission)) for submission in mine] == [RequestCancelled] * 3
            assert outbox.pending() == [other]
            await outbox.close()

        run(test)


class TestTelling:
    def test_every_outcome_is_told_once(self) -> None:
        async def test() -> None:
            told = Told()
            outbox = await Outbox.open(on_settled=told)
            async with Opened(outbox=outbox) as opened:
                await opened.session.prompt("a")
                await opened.peer.answer(await opened.peer.take("session/prompt"), {"messageId": "m"})
                await opened.session.prompt("b")
                await opened.peer.refuse(await opened.peer.take("session/prompt"), -32603)
                assert await told.until(2) == [("a", "inserted"), ("b", "failed")]
            await outbox.close()
            assert len(told.outcomes) == 2

        run(test)

    @pytest.mark.parametrize("state", ["inserted", "failed"])
    def test_an_outcome_that_was_not_told_before_the_process_ended_is_told_by_the_next_one_once(
        self, tmp_path: Path, state: str
    ) -> None:
        async def test() -> None:
            (key,) = await left_by_another(tmp_path / "outbox", "Hello")
            outbox = await Outbox.open(tmp_path / "outbox")
            if state == "inserted":
                await outbox._do(lambda: outbox._kept.inserted(key, "m", is_told=False))
            else:
                await outbox._do(lambda: outbox._kept.failed(key, InternalError().to_wire(), is_told=False))
            await outbox._do(outbox._kept.close)
            outbox._executor.shutdown()

            told = Told()
            second = await Outbox.open(tmp_path / "outbox", on_settled=told)
            assert await told.until(1) == [("" if state == "inserted" else "Hello", state)]
            assert await second.left_behind() == []
            await second.close()

            third = await Outbox.open(tmp_path / "outbox", on_settled=told)
            await third.close()
            assert len(told.outcomes) == 1

        run(test)

    @pytest.mark.parametrize("code", [None, -32603])
    def test_what_it_raises_is_logged_and_it_is_told_again_when_the_file_is_next_opened(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, code: int | None
    ) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox", on_settled=Told(failures=1))
            async with Opened(outbox=outbox) as opened:
                submission = await opened.session.prompt("Hello")
                request = await opened.peer.take("session/prompt")
                if code is None:
                    await opened.peer.answer(request, {"messageId": "m"})
                else:
                    await opened.peer.refuse(request, code)
                await outcome(submission)
            await outbox.close()
            assert "an application's on_settled failed" in caplog.text
            assert submission.key not in caplog.text

            told = Told()
            again = await Outbox.open(tmp_path / "outbox", on_settled=told)
            assert [state for _, state in await told.until(1)] == ["inserted" if code is None else "failed"]
            await again.close()

        run(test)

    def test_an_application_that_waits_for_the_agent_while_it_is_told_holds_nothing_up(self) -> None:
        async def test() -> None:
            answered = asyncio.Event()

            async def ask(_: Submission) -> None:
                await client.request("session/list", {})
                answered.set()

            outbox = await Outbox.open(on_settled=ask)
            async with Opened(outbox=outbox) as opened:
                client = opened.client
                await opened.session.prompt("Hello")
                await opened.peer.refuse(await opened.peer.take("session/prompt"), -32603)
                await opened.peer.take("session/list")
                await opened.lose()
                await opened.peer.answer(await opened.peer.take("session/list"), {"sessions": []})
                await answered.wait()
            await outbox.close()

        run(test)

    def test_two_clients_of_one_outbox_each_learn_of_their_own(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            async with Opened(outbox=outbox):
                async with Opened(outbox=outbox):
                    pass
                assert len(outbox._listeners) == 1
            assert outbox._listeners == []
            await outbox.close()

        run(test)

    def test_an_outcome_that_cannot_be_written_is_told_and_written_later(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def test() -> None:
            def refuse_to_write(does: int) -> None:
                assert outbox._kept._db is not None
                outbox._kept._db.execute(f"PRAGMA query_only = {does}")

            outbox = await Outbox.open(tmp_path / "outbox")
            async with Opened(outbox=outbox) as opened:
                submission = await opened.session.prompt("Hello")
                request = await opened.peer.take("session/prompt")
                await outbox._do(refuse_to_write, 1)
                await opened.peer.refuse(request, -32603)
                assert isinstance(await outcome(submission), InternalError)
                assert "could not be written" in caplog.text
                await outbox._do(refuse_to_write, 0)
            await outbox.close()
            again = await Outbox.open(tmp_path / "outbox")
            assert await again.left_behind() == [], "what the agent has refused is not sent by the next process"
            await again.close()

        run(test)


class TestClosing:
    def test_who_awaits_a_pending_prompt_learns_that_it_is_closed(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            submission = await outbox.submit("s", "Hello")
            waiting = asyncio.create_task(outcome(submission))
            await outbox.close()
            assert isinstance(await waiting, OutboxError)
            assert submission.state == "pending"

        run(test)

    def test_nothing_is_kept_any_more(self) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            await outbox.close()
            await outbox.close()
            with pytest.raises(OutboxError, match="closed"):
                await outbox.submit("s", "Hello")

        run(test)

    def test_what_is_being_submitted_is_kept(self, tmp_path: Path) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox")
            submitting = asyncio.create_task(outbox.submit("s", "Hello"))
            await asyncio.sleep(0)
            await outbox.close()
            await submitting
            again = await Outbox.open(tmp_path / "outbox")
            assert len(await again.left_behind()) == 1
            await again.close()

        run(test)

    def test_an_application_may_close_it_while_it_is_told(self) -> None:
        async def test() -> None:
            closed = asyncio.Event()

            async def close(_: Submission) -> None:
                await outbox.close()
                closed.set()

            outbox = await Outbox.open(on_settled=close)
            submission = await outbox.submit("s", "Hello")
            await submission.cancel()
            await closed.wait()

        run(test)

    def test_a_client_whose_outbox_was_closed_first_ends_in_good_order(self, caplog: pytest.LogCaptureFixture) -> None:
        async def test() -> None:
            outbox = await Outbox.open()
            async with Opened(outbox=outbox) as opened:
                await opened.session.prompt("Hello")
                request = await opened.peer.take("session/prompt")
                await outbox.close()
                await opened.peer.answer(request, {"messageId": "m"})
                await opened.lose()

        caplog.set_level(logging.ERROR, "asyncio")
        run(test)
        assert [record for record in caplog.records if record.name == "asyncio"] == []


class TestOtherProcesses:
    """Two outboxes on one file stand for two processes; the file tells them apart by their locks."""

    def test_a_key_that_another_process_sends_gives_the_outcome_that_it_learns(self, tmp_path: Path) -> None:
        async def test() -> None:
            outboxes = [await Outbox.open(tmp_path / "outbox") for _ in range(2)]
            async with Opened(outbox=outboxes[0]) as sender, Opened(outbox=outboxes[1]) as other:
                await sender.session.prompt("Hello", key="mine")
                followed = await asyncio.gather(*(other.session.prompt("Hello", key="mine") for _ in range(2)))
                assert followed[0] is followed[1]
                await sender.peer.answer(await sender.peer.take("session/prompt"), {"messageId": "m"})
                assert await followed[0] == "m"
                assert followed[0].attempts == 0
            for outbox in outboxes:
                await outbox.close()

        run(test)

    def test_one_that_another_process_is_refused_fails_here_too(self, tmp_path: Path) -> None:
        async def test() -> None:
            outboxes = [await Outbox.open(tmp_path / "outbox") for _ in range(2)]
            async with Opened(outbox=outboxes[0]) as sender, Opened(outbox=outboxes[1]) as other:
                await sender.session.prompt("Hello", key="mine")
                followed = await other.session.prompt("Hello", key="mine")
                await sender.peer.refuse(await sender.peer.take("session/prompt"), -32002)
                assert isinstance(await outcome(followed), ResourceNotFound)
            for outbox in outboxes:
                await outbox.close()

        run(test)

    def test_what_another_process_had_is_sent_here_once_when_it_has_ended(self, tmp_path: Path) -> None:
        async def test() -> None:
            first, second = [await Outbox.open(tmp_path / "outbox") for _ in range(2)]
            await first.submit("s", "Hello", key="mine")
            async with Opened(outbox=second) as opened:
                followed = await opened.session.prompt("Hello", key="mine")
                await first.close()
                await opened.peer.answer(await opened.peer.take("session/prompt"), {"messageId": "m"})
                assert await followed == "m"
                assert followed.attempts == 1
                assert len([m for m in opened.peer.received if m["method"] == "session/prompt"]) == 1
            await second.close()

        run(test)

    def test_closing_does_not_wait_for_another_process(self, tmp_path: Path) -> None:
        async def test() -> None:
            first, second = [await Outbox.open(tmp_path / "outbox") for _ in range(2)]
            await first.submit("s", "Hello", key="mine")
            followed = await second.submit("s", "Hello", key="mine")
            await second.close()
            assert isinstance(await outcome(followed), OutboxError)
            await first.close()

        run(test)

    def test_an_outcome_waits_for_another_process_that_is_writing(self, tmp_path: Path) -> None:
        async def test() -> None:
            outbox = await Outbox.open(tmp_path / "outbox")
            other = sqlite3.connect(tmp_path / "outbox", isolation_level=None)
            async with Opened(outbox=outbox) as opened:
                submission = await opened.session.prompt("Hello")
                request = await opened.peer.take("session/prompt")
                other.execute("BEGIN IMMEDIATE")
                await opened.peer.answer(request, {"messageId": "m"})
                while not submission.is_ending:
                    await asyncio.sleep(0)
                assert not submission.is_settled
                other.execute("COMMIT")
                assert await submission == "m"
            other.close()
            await outbox.close()

        run(test)

    def test_what_an_ended_process_left_is_sent_by_the_one_that_has_its_session_active(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "Hello")
            outboxes = [await Outbox.open(tmp_path / "outbox") for _ in range(2)]
            for outbox in outboxes:
                assert outbox.pending() == []
                assert [prompt.session_id for prompt in await outbox.left_behind()] == ["s"]
            async with Opened(outbox=outboxes[1]) as opened:
                await opened.peer.take("session/prompt")
                assert await outboxes[0].left_behind() == []
            for outbox in outboxes:
                await outbox.close()

        run(test)

    def test_what_a_process_leaves_while_another_has_the_session_active_is_sent_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def test() -> None:
            monkeypatch.setattr("acp_v2.client.delivery.SECONDS_TO_ADOPT", 0.01)
            outbox = await Outbox.open(tmp_path / "outbox")
            async with Opened(outbox=outbox) as opened:
                await left_by_another(tmp_path / "outbox", "Hello")
                await opened.peer.take("session/prompt")
            await outbox.close()

        run(test)

    def test_who_gives_up_while_prompts_are_taken_up_leaves_them_pending_here(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "Hello")
            outbox = await Outbox.open(tmp_path / "outbox")
            adopting = asyncio.create_task(outbox.adopt("s"))
            await asyncio.sleep(0)
            adopting.cancel()
            await outbox.close()
            assert len(outbox.pending()) == 1

        run(test)

    def test_what_was_left_in_a_session_that_is_gone_fails_and_is_told(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "Hello")
            told = Told()
            outbox = await Outbox.open(tmp_path / "outbox", on_settled=told)
            async with Client((agent := ScriptedAgent()).connect, outbox=outbox) as client:
                peer = await agent.peer()
                resuming = asyncio.create_task(client.resume_session("s", CWD))
                await peer.refuse(await peer.take("session/resume"), -32002)
                with pytest.raises(ResourceNotFound):
                    await resuming
                assert await told.until(1) == [("Hello", "failed")]
            await outbox.close()

        run(test)

    def test_what_was_left_in_a_session_that_is_cancelled_is_taken_back(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "Hello")
            outbox = await Outbox.open(tmp_path / "outbox")
            await outbox.cancel_session("s")
            assert await outbox.left_behind() == outbox.pending() == []
            await outbox.close()

        run(test)

    def test_what_ended_processes_left_comes_before_what_is_submitted_now(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "first", "second")
            outbox = await Outbox.open(tmp_path / "outbox")
            async with Opened(outbox=outbox) as opened:
                await opened.session.prompt("third")
                requests = [await opened.peer.take("session/prompt") for _ in range(3)]
                assert [r["params"]["prompt"][0]["text"] for r in requests] == ["first", "second", "third"]
            await outbox.close()

        run(test)


class TestAgentsWithoutKeys:
    """ACP v1: nothing is sent again by itself, and no key is sent."""

    def test_a_prompt_has_no_key_and_its_message_no_id(self) -> None:
        async def test() -> None:
            async with Opened(ScriptedAgent(V1)) as opened:
                submission = await opened.session.prompt("Hello")
                request = await opened.peer.take("session/prompt")
                assert set(request["params"]) == {"sessionId", "prompt"}
                await opened.peer.answer(request, {"stopReason": "end_turn"})
                assert await submission is None
                assert submission.state == "inserted"

        run(test)

    def test_one_whose_response_was_lost_is_not_sent_again(self) -> None:
        async def test() -> None:
            async with Opened(ScriptedAgent(V1)) as opened:
                submission = await opened.session.prompt("Hello")
                await opened.peer.take("session/prompt")
                await opened.lose()
                assert isinstance(await outcome(submission), OutcomeUnknown)
                await opened.session.prompt("the next")
                request = await opened.peer.take("session/prompt")
                assert request["params"]["prompt"][0]["text"] == "the next"

        run(test)

    def test_one_that_may_be_inserted_is_held_and_sent_when_the_user_says_so(self, tmp_path: Path) -> None:
        async def test() -> None:
            await left_by_another(tmp_path / "outbox", "Hello")
            outbox = await Outbox.open(tmp_path / "outbox")
            async with Opened(ScriptedAgent(V1), outbox=outbox) as opened:
                (submission,) = outbox.pending()
                assert isinstance(await outcome(submission), PromptHeld)
                await submission.resend()
                await opened.peer.answer(await opened.peer.take("session/prompt"), {"stopReason": "end_turn"})
                assert await submission is None
            await outbox.close()

        run(test)
