"""The same prompt again, under the same key: on the same connection, after an error, during work, with another text."""

from __future__ import annotations

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.scenarios.agent.busy import hold
from acp_v2.conformance.session import message_id
from acp_v2.conformance.troubles import described_error
from acp_v2.errors import ErrorCode


@scenario("retry-same-connection")
async def retry_same_connection(run: Run, agent: AgentUnderTest) -> None:
    """A retry after the work has ended."""
    session, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    mark = session.mark()
    with run.blaming("KEY-01", expected="a prompt with a key is accepted"):
        original = await (await session.ask(text, key)).result()
    await session.work_ended(mark)

    mark = session.mark()
    with run.blaming("INS-03", expected="a retry is answered with a result"):
        retry = await (await session.ask(text, key)).result()
    await session.barrier()
    work = session.work_since(mark)
    states = session.states(mark)
    messages = await session.user_messages()
    is_known = message_id(retry) == message_id(original)

    run.check(
        "KEY-01",
        is_known or len(messages) == 1,
        expected="the second prompt with the key is not taken for a new one",
        came="the key has no effect: there are two messages, with two ids",
    )
    run.check_count(messages)
    more = sorted(retry.keys() - original.keys() - {"_meta"})
    run.check(
        "INS-03",
        is_known and not more,
        expected="the messageId of the original and nothing else",
        came=f"more than the original's result has: {', '.join(more)}" if more else "another messageId",
    )

    # Work that the retry started would show until here, or beside that of another prompt.
    mark = session.mark()
    await session.turn(f"{text} (another)")
    rounds = session.states(mark).count("busy")
    too_early = ", ".join([*work, *(f"the state {state}" for state in states if state == "busy")])
    run.check(
        "INS-04",
        not too_early and rounds == 1,
        expected="no work between the retry and the next prompt, and then one round of it",
        came=f"{too_early or 'no work'}, and then {rounds} rounds of it",
    )


@scenario("retry-after-error")
async def retry_after_error(run: Run, agent: AgentUnderTest) -> None:
    """A prompt fails, and is sent again until it is inserted."""
    text = agent.options.fail_prompt
    if text is None:
        raise run.skip_rest("no text is known that makes a prompt fail; --fail-prompt gives one")
    session, key = await agent.new_session(), agent.keys.new()
    other = await session.turn(agent.options.prompt, agent.keys.new())
    failed = await (await session.ask(text, key)).answered()
    if failed.error is None:
        raise run.skip_rest("the text of --fail-prompt did not make a prompt fail")
    await session.barrier()
    before = [m for m in await session.user_messages() if m != other]
    run.check("INS-08", not before, expected="no message after an error", came=f"{len(before)} user messages")

    mark = session.mark()
    retry = await (await session.ask(text, key)).answered()
    if retry.error is not None:
        # A text may fail whenever it comes; the key is unused either way, so that any prompt may have it.
        text = agent.options.prompt
        mark = session.mark()
        retry = await (await session.ask(text, key)).answered()
    run.check(
        "INS-08",
        retry.error is None,
        expected="the key is unused after an error, so that a prompt is inserted with it",
        came=f"{described_error(retry.error)}",
    )
    run.stop_unless(retry.error is None, "nothing was inserted after the error")
    inserted = message_id(await retry.result())
    await session.barrier()
    messages = await session.user_messages()
    run.check(
        "INS-01",
        inserted in messages,
        expected="a message with the id that the retry was answered with: the key is recorded when it is inserted",
        came="no such message; the key was recorded with the prompt that failed",
    )
    run.stop_unless(inserted in messages, "nothing was inserted after the error")
    await session.work_ended(mark)


@scenario("retry-during-work")
async def retry_during_work(run: Run, agent: AgentUnderTest) -> None:
    """A prompt that is inserted while the session is at work, and its retries during the work and after it."""
    held = await hold(run, agent, attempts=1)
    session, key, (first,) = held.session, held.key, held.attempts
    if not first.is_answered:
        # Which of the two it is shows when the work ends: it may just have been slow.
        await session.cancel()
        await first.answered()
    if first.error is not None:
        raise run.skip_rest("the agent inserts no prompt while its session is at work")
    inserted = message_id(await first.result())
    retries = [await session.ask(held.text, key)]
    await session.cancel()
    retries.append(await session.ask(held.text, key))
    with run.blaming("INS-11", expected="the retries are answered with a result"):
        ids = [message_id(await retry.result()) for retry in retries]
    await session.barrier()
    messages = [m for m in await session.user_messages() if m != held.busy]
    is_known = run.check(
        "INS-11",
        set(ids) == {inserted},
        expected="the messageId of the original, during the work and after it",
        came="another messageId",
    )
    run.check_count(messages, is_known=is_known)


@scenario("reused-key")
async def reused_key(run: Run, agent: AgentUnderTest) -> None:
    """A key that is recorded comes back with another prompt, and then with the first one again."""
    session, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    original = await session.turn(text, key)
    reused = await (await session.ask(f"{text} (something else)", key)).answered()
    await session.barrier()
    messages = await session.user_messages()
    is_retry = reused.error is None and message_id(await reused.result()) == original
    run.check(
        "INS-09",
        is_retry or reused.code == ErrorCode.INVALID_PARAMS,
        expected="the messageId of the first prompt, or the error -32602",
        came=_answer(reused.error, is_retry=is_retry),
    )
    run.check_count(messages)
    if reused.code != ErrorCode.INVALID_PARAMS:
        run.skip("INS-10", reason="the agent does not compare prompts, which it need not")
        return
    again = await (await session.ask(text, key)).answered()
    is_retry = again.error is None and message_id(await again.result()) == original
    run.check(
        "INS-10",
        is_retry,
        expected="the first prompt is still answered with its messageId",
        came=_answer(again.error, is_retry=is_retry),
    )


def _answer(error: object, *, is_retry: bool) -> str:
    if error is not None:
        return described_error(error)
    return "the messageId of the original" if is_retry else "another messageId"
