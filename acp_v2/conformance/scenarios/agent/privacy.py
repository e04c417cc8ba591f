"""Who sees a key, what it opens, and which requests can be repeated without one."""

from __future__ import annotations

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.peer import Peer
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.troubles import described_error

_MOST_PAGES = 20
NO_SESSION = "no-such-session-0c2f5f3e"


@scenario("key-privacy")
async def key_privacy(run: Run, agent: AgentUnderTest) -> None:
    """Keyed prompts, then the list of sessions and a replay. Every scenario looks for keys; this one gives occasion."""
    session, key = await agent.new_session(), agent.keys.new()
    await session.turn(agent.options.prompt, key)
    await session.ask(agent.options.prompt, key)
    await session.barrier()
    run.check("PRIV-01", "update" not in agent.leaks, expected="no key in a session update", came="there is one")
    await _list_sessions(session.peer, agent.options.cwd)
    await (await session.resume(replays=True)).answered()
    leaks = sorted(agent.leaks & {"list", "replay"})
    run.check("PRIV-02", not leaks, expected="no key in lists and replays", came=f"one in a {' and a '.join(leaks)}")


async def _list_sessions(peer: Peer, cwd: str) -> None:
    """Look at the pages of sessions, up to a limit."""
    params: dict[str, object] = {"cwd": cwd}
    for _ in range(_MOST_PAGES):
        result = await peer.call("session/list", params)
        if not isinstance(result.get("nextCursor"), str):
            return
        params = {"cwd": cwd, "cursor": result["nextCursor"]}


@scenario("key-is-no-credential")
async def key_is_no_credential(run: Run, agent: AgentUnderTest) -> None:
    """A recorded key with a session that does not exist, and in its own session after that was closed."""
    session, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    await session.turn(text, key)
    await session.peer.call("session/close", {"sessionId": session.id})
    for where, session_id in (("a session that does not exist", NO_SESSION), ("a session that was closed", session.id)):
        params = {**session.params(text), "sessionId": session_id}
        plain = await (await session.peer.ask("session/prompt", params)).answered()
        if plain.error is None:
            # Whoever may prompt it without a key may do so with one.
            continue
        keyed = await (await session.peer.ask("session/prompt", {**params, "idempotencyKey": key})).answered()
        run.check(
            "PRIV-03",
            keyed.error is not None,
            expected=f"an error in {where}, with a key as without one",
            came=f"a result, where a prompt without a key is answered with {described_error(plain.error)}",
        )
    if not run.checks:
        raise run.skip_rest("the agent takes prompts for any session")


@scenario("safe-requests-again")
async def safe_requests_again(run: Run, agent: AgentUnderTest) -> None:
    """`session/resume` of an active session, `session/close` of a closed one, `session/delete` of one that is gone."""
    session = await agent.new_session()
    await session.turn(agent.options.prompt)
    mark = session.mark()
    for _ in range(2):
        with run.blaming("CLASS-05", expected="session/resume of an active session succeeds"):
            mark = session.mark()
            await (await session.resume()).result()
    run.check(
        "CLASS-05",
        session.states(mark) == ["idle"],
        expected="session/resume of an active session reports its state before the response",
        came=", ".join(session.states(mark)) or "no state update",
    )
    for _ in range(2):
        with run.blaming("CLASS-05", expected="session/close of a closed session succeeds"):
            await session.peer.call("session/close", {"sessionId": session.id})
    if isinstance((session.peer.session_capabilities or {}).get("delete"), dict):
        for session_id in (session.id, session.id, NO_SESSION):
            with run.blaming("CLASS-05", expected="session/delete of a session that does not exist succeeds"):
                await session.peer.call("session/delete", {"sessionId": session_id})
