"""Prompts that the agent holds while their session is at work: retried, withdrawn, and left behind."""

from __future__ import annotations

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.peer import Sent
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.scenarios.agent.busy import NOT_HELD, Held, hold, hold_until_work_ends
from acp_v2.conformance.scenarios.agent.lifetime import resumed
from acp_v2.conformance.session import message_id
from acp_v2.conformance.troubles import NothingCame, described_error
from acp_v2.errors import ErrorCode

SAME_OUTCOME = "a retry waits, and is answered when the original is, with the same outcome"


@scenario("retry-while-held")
async def retry_while_held(run: Run, agent: AgentUnderTest) -> None:
    """Two attempts at a held prompt, which is inserted when the work ends."""
    held = await hold(run, agent)
    first, second = held.attempts
    if second.is_answered and second.error is None:
        with run.blaming("HELD-01", expected=SAME_OUTCOME):
            await first.answered()
    if first.is_answered:
        raise run.skip_rest(NOT_HELD)
    run.check("HELD-01", not second.is_answered, expected=SAME_OUTCOME, came=f"{_outcome(second)} at once")
    run.stop_unless(not second.is_answered, "the retry did not wait")
    if not held.are_held:
        raise run.skip_rest(NOT_HELD)
    await held.session.cancel()

    held = await hold_until_work_ends(run, agent)
    session = held.session
    with run.blaming("HELD-01", expected=SAME_OUTCOME):
        ids = [message_id(await attempt.result()) for attempt in held.attempts]
    # Another prompt comes behind all that is held.
    last = await session.turn(f"{held.text} (another)")
    messages = [m for m in await session.user_messages() if m not in (held.busy, last)]
    if run.check(
        "HELD-01", len(set(ids)) == 1, expected="one messageId for both attempts", came=f"{len(set(ids))} ids"
    ):
        run.check_count(messages)


@scenario("cancel-held-prompt")
async def cancel_held_prompt(run: Run, agent: AgentUnderTest) -> None:
    """A held prompt is withdrawn by the id of one attempt or the other; then its key is used again."""
    held = await hold(run, agent)
    session = held.session
    if not held.are_held:
        raise run.skip_rest(NOT_HELD)
    for number in (1, 0):
        if number == 0:
            held.attempts[:] = [await session.ask(held.text, held.key) for _ in held.attempts]
            await session.barrier()
        await held.attempts[number].cancel()
        await _check_withdrawn(run, held, number)
    await session.cancel()
    messages = [m for m in await session.user_messages() if m != held.busy]
    run.check(
        "CANCEL-01",
        not messages,
        expected="a prompt that was withdrawn is not inserted",
        came=f"{len(messages)} user messages",
    )
    with run.blaming("CANCEL-02", expected="the key of a withdrawn prompt is unused, and a prompt is inserted with it"):
        again = message_id(await (await session.ask(held.text, held.key)).result())
    await session.barrier()
    messages = await session.user_messages()
    run.check(
        "CANCEL-02",
        again in messages,
        expected="a message with the id that the prompt was answered with, after its key was unused",
        came="no such message",
    )


async def _check_withdrawn(run: Run, held: Held, cancelled: int) -> None:
    which = "a retry" if cancelled else "the first attempt"
    expected = f"$/cancel_request for {which} withdraws the prompt, and every attempt is answered"
    try:
        for attempt in (held.attempts[cancelled], held.attempts[1 - cancelled]):
            await attempt.answered()
    except NothingCame:
        waiting = sum(1 for attempt in held.attempts if not attempt.is_answered)
        run.check("CANCEL-01", holds=False, expected=expected, came=f"{waiting} of 2 attempts still wait")
        if waiting == 1:
            run.check("CANCEL-02", holds=False, expected=expected, came="only one attempt was answered")
        run.stop_unless(holds=False, reason="the prompt was not withdrawn")
    if await held.were_inserted():
        raise run.skip_rest(NOT_HELD)
    are_errors = all(attempt.error is not None for attempt in held.attempts)
    came = ", ".join(map(_outcome, held.attempts))
    run.check("CANCEL-01", are_errors, expected=expected, came=came)
    run.stop_unless(are_errors, "the prompt was not withdrawn")
    codes = {attempt.code for attempt in held.attempts}
    run.check("CANCEL-02", codes == {ErrorCode.REQUEST_CANCELLED}, expected="-32800 on every attempt", came=came)


@scenario("session-cancel-while-held")
async def session_cancel_while_held(run: Run, agent: AgentUnderTest) -> None:
    """`session/cancel` with a prompt held that has no key, and two attempts at one that has."""
    held, plain = await _hold_with_plain(run, agent)
    await held.session.peer.tell("session/cancel", {"sessionId": held.session.id})
    await _check_same_answers(run, held, plain, "session/cancel")


@scenario("session-close-while-held")
async def session_close_while_held(run: Run, agent: AgentUnderTest) -> None:
    """`session/close` with a prompt held that has no key, and two attempts at one that has."""
    held, plain = await _hold_with_plain(run, agent)
    closing = await held.session.peer.ask("session/close", {"sessionId": held.session.id})
    await _check_same_answers(run, held, plain, "session/close")
    await closing.result()


async def _hold_with_plain(run: Run, agent: AgentUnderTest) -> tuple[Held, Sent]:
    held = await hold(run, agent)
    plain = await held.session.ask(f"{held.text} (without a key)")
    await held.session.barrier()
    if not held.are_held or plain.is_answered:
        raise run.skip_rest(NOT_HELD)
    return held, plain


async def _check_same_answers(run: Run, held: Held, plain: Sent, method: str) -> None:
    await plain.answered()
    expected = f"{method} answers every attempt like a prompt without a key, with {_outcome(plain)}"
    with run.blaming("CANCEL-04", expected=expected):
        for attempt in held.attempts:
            await attempt.answered()
    if all(attempt.error is None for attempt in held.attempts):
        raise run.skip_rest(NOT_HELD)
    codes = {attempt.code for attempt in held.attempts}
    run.check("CANCEL-04", codes == {plain.code}, expected=expected, came=", ".join(map(_outcome, held.attempts)))


@scenario("cancel-after-insertion")
async def cancel_after_insertion(run: Run, agent: AgentUnderTest) -> None:
    """`$/cancel_request` for a prompt whose message is inserted."""
    session, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    mark = session.mark()
    attempt = await session.ask(text, key)
    original = message_id(await attempt.result())
    await session.work_ended(mark)
    was_known = message_id(await (await session.ask(text, key)).result()) == original
    await attempt.cancel()
    await session.barrier()
    messages = await session.user_messages()
    run.check(
        "CANCEL-03",
        original in messages,
        expected="the message is still there after $/cancel_request",
        came="it is gone",
    )
    if was_known:
        again = await (await session.ask(text, key)).answered()
        run.check(
            "CANCEL-03",
            again.error is None and message_id(await again.result()) == original,
            expected="its key is recognised after $/cancel_request as it was before",
            came=_outcome(again) if again.error else "another messageId",
        )


@scenario("held-when-connection-ends")
async def held_when_connection_ends(run: Run, agent: AgentUnderTest) -> None:
    """A prompt is held when its connection ends, and is sent again on the next."""
    held = await hold_until_work_ends(run, agent)
    peer = await agent.reconnect(held.session.peer)
    session = await resumed(run, agent, peer, held.session, "its connection ended")
    with run.blaming(
        "HELD-02", expected="the retry is answered with a messageId, whatever became of the first attempt"
    ):
        inserted = await session.prompt(held.text, held.key)
    last = await session.turn(f"{held.text} (another)")
    messages = [m for m in await session.user_messages() if m not in (held.busy, last)]
    run.check(
        "HELD-02",
        inserted in messages,
        expected="a message with the id that the retry was answered with, whether the held prompt was kept or dropped",
        came="no such message",
    )
    run.check_count(messages)


def _outcome(attempt: Sent) -> str:
    """How an attempt was answered, in words."""
    if not attempt.is_answered:
        return "no answer"
    return "a messageId" if attempt.error is None else described_error(attempt.error)
