"""Connections that end before a response: what the client sends again, when, and how."""

from __future__ import annotations

from typing import Final

from acp_v2.conformance.client_suite import ClientUnderTest
from acp_v2.conformance.played_agent import Attempt, PlayedAgent
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.session import ABSENT
from acp_v2.conformance.troubles import ConnectionEnded, NothingCame

_MOST_RESENDS: Final = 5
"""How often a prompt may come again after an error before it counts as endless."""


@scenario("client-response-lost")
async def client_response_lost(run: Run, client: ClientUnderTest) -> None:
    """The response is lost once after the message was inserted, and once with nothing done about the retry."""
    await client.target.start(client.options.prompt)
    agent = await client.connected()
    first = await agent.prompt()
    run.check("SDK-01", first.key is not ABSENT, expected="a key that nobody asked for", came="no key")
    run.stop_unless(first.key is not ABSENT, "the prompt has no key")
    await agent.insert(first)
    await agent.go()

    agent = await _connected_again(run, client)
    second = await agent.prompt()
    _check_order(run, agent)
    await agent.go()

    agent = await _connected_again(run, client)
    third = await agent.prompt()
    await agent.accept(third)
    await client.target.ended()
    run.check("SDK-02", holds=True, expected="the prompt is sent again", came="")
    _check_attempts(run, client)
    is_same = first.key == second.key == third.key
    came = "another key on another attempt"
    run.check("SUB-01", is_same, expected="a key that was made before the first request was written", came=came)


@scenario("client-prompt-dropped")
async def client_prompt_dropped(run: Run, client: ClientUnderTest) -> None:
    """The connection ends while the prompt is held, and nothing of it is inserted."""
    await client.target.start(client.options.prompt)
    agent = await client.connected()
    await agent.prompt()
    await agent.go()
    agent = await _connected_again(run, client)
    await agent.accept(await agent.prompt())
    await client.target.ended()
    _check_attempts(run, client)


@scenario("client-restarted")
async def client_restarted(run: Run, client: ClientUnderTest) -> None:
    """The client is killed when its prompt has come, and started again."""
    if client.target.cannot_restart is not None:
        raise run.skip_rest(client.target.cannot_restart)
    await client.target.start(client.options.prompt)
    agent = await client.connected()
    first = await agent.prompt()
    run.stop_unless(first.key is not ABSENT, "the prompt has no key")
    await agent.insert(first)
    await client.target.kill()
    await agent.go()
    await client.target.start_again()
    with run.blaming("SUB-05", expected="the prompt comes again: it was stored before it was sent"):
        agent = await client.connected()
        again = await agent.prompt()
    run.check("SUB-05", again.key == first.key, expected="the same key, which was stored", came="another key")
    await agent.accept(again)
    await client.target.ended()
    _check_attempts(run, client)


@scenario("client-resume-lost")
async def client_resume_lost(run: Run, client: ClientUnderTest) -> None:
    """The response to `session/resume` is lost."""
    await client.target.start(client.options.prompt)
    agent = await client.connected()
    await agent.insert(await agent.prompt())
    await agent.go()
    agent = await _connected_again(run, client)
    try:
        resume = await agent.until("session/resume")
    except (ConnectionEnded, NothingCame) as error:
        raise run.skip_rest(f"the client does not resume sessions: {error}") from None
    await agent.go()
    agent = await _connected_again(run, client)
    again = await agent.until("session/resume")
    run.check(
        "CLASS-03",
        again.get("params") == resume.get("params") and "idempotencyKey" not in _params(again),
        expected="session/resume again, with the same params and without a key",
        came="session/resume with other params",
    )
    await agent.serve(again)
    await agent.accept(await agent.prompt())
    await client.target.ended()


@scenario("client-new-lost")
async def client_new_lost(run: Run, client: ClientUnderTest) -> None:
    """The response to `session/new` is lost."""
    await client.target.start(client.options.prompt)
    agent = await client.connected()
    try:
        await agent.until("session/new")
    except (ConnectionEnded, NothingCame) as error:
        raise run.skip_rest(f"the client creates no session: {error}") from None
    await agent.go()
    try:
        agent = await client.connected()
        await agent.until("session/new")
    except ConnectionEnded:
        # It has ended, or has connected and then ended, so that nothing more comes.
        run.check("CLASS-04", holds=True, expected="no second session/new", came="")
        return
    except NothingCame:
        raise run.skip_rest(
            "the client neither sends session/new again nor ends, so that it may still do either"
        ) from None
    run.check("CLASS-04", holds=False, expected="no second session/new by itself", came="session/new again")


@scenario("client-error")
async def client_error(run: Run, client: ClientUnderTest) -> None:
    """The prompt is answered with an error."""
    await client.target.start(client.options.prompt)
    agent = await client.connected()
    resends = -1
    try:
        while resends < _MOST_RESENDS:
            await agent.refuse(await agent.prompt())
            resends += 1
    except (ConnectionEnded, NothingCame):
        pass
    run.stop_unless(resends >= 0, "no prompt came")
    run.check(
        "SUB-10",
        resends < _MOST_RESENDS,
        expected="an error ends the attempts, or is followed by a few more",
        came=f"{resends} more attempts, and no end of them",
    )
    _check_attempts(run, client)


async def _connected_again(run: Run, client: ClientUnderTest) -> PlayedAgent:
    """The connection after one that was lost.

    Raises:
        Stopped: there is none; the client does not send again.
    """
    try:
        return await client.connected()
    except (ConnectionEnded, NothingCame) as error:
        if "SDK-02" in run.scenario.rules:
            expected = "the prompt is sent again on a new connection, without anybody being asked"
            run.check("SDK-02", holds=False, expected=expected, came=str(error))
        raise run.skip_rest(f"the client sends nothing again: {error}") from None


def _check_attempts(run: Run, client: ClientUnderTest) -> None:
    """Look at all attempts at the one prompt of a scenario."""
    attempts = client.world.attempts
    run.stop_unless(not any(attempt.key is ABSENT for attempt in attempts), "a prompt has no key")
    keys = {str(attempt.key) for attempt in attempts}
    if "SUB-06" in run.scenario.rules:
        run.check("SUB-06", len(keys) == 1, expected="one key on every attempt", came=f"{len(keys)} keys")
    if "SUB-08" in run.scenario.rules:
        run.check(
            "SUB-08",
            not any(a.content != b.content for a in attempts for b in attempts if a.key == b.key),
            expected="one prompt for one key",
            came="the same key with another prompt",
        )
    if "SUB-09" in run.scenario.rules:
        run.check(
            "SUB-09",
            all(map(_has_id_of_its_own, attempts, [client.calls_before(attempt) for attempt in attempts])),
            expected="an id on each attempt that no other request on its connection has",
            came="no id, or one that was used before",
        )


def _has_id_of_its_own(attempt: Attempt, before: list[object]) -> bool:
    return "id" in attempt.request and attempt.request["id"] not in before


def _check_order(run: Run, agent: PlayedAgent) -> None:
    """What came on a new connection up to the prompt."""
    methods = [str(call["method"]) for call in agent.calls if "id" in call]
    run.check(
        "AGAIN-01",
        methods[:1] == ["initialize"] and "session/resume" in methods,
        expected="initialize, then session/resume, then the prompt",
        came=", ".join(methods),
    )
    if "session/resume" in methods:
        since = methods[len(methods) - methods[::-1].index("session/resume") :]
        run.check(
            "AGAIN-02",
            since == ["session/prompt"],
            expected="the prompt right after session/resume",
            came=", ".join(since),
        )


def _params(call: dict[str, object]) -> dict[str, object]:
    params = call.get("params")
    return params if isinstance(params, dict) else {}  # pyright: ignore[reportUnknownVariableType]
