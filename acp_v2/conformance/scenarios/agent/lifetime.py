"""How long a key lasts, and where: across connections and restarts, in other sessions, for what is not retained."""

from __future__ import annotations

from dataclasses import dataclass

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.peer import Peer
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.session import Session
from acp_v2.conformance.troubles import Refused, described_error

_NO_LOCAL = "no text is known whose message is not kept; --local-prompt gives one"
_OTHERS = 3
"""How many prompts come between a prompt and its retry."""


@dataclass(frozen=True, slots=True)
class Original:
    """A prompt whose message is inserted, and what else was inserted since."""

    session: Session
    key: str
    text: str
    message: str
    others: tuple[str, ...] = ()

    @classmethod
    async def insert(cls, agent: AgentUnderTest, others: int = 0) -> Original:
        """Insert it in a new session, and so many others behind it."""
        session, key = await agent.new_session(), agent.keys.new()
        text = agent.options.prompt
        message = await session.turn(text, key)
        more = [await session.turn(f"{text} ({number})") for number in range(others)]
        return cls(session, key, text, message, tuple(more))

    async def check_recognised(self, run: Run, session: Session, rules: tuple[str, ...]) -> None:
        """Send it again in its session, which is active again."""
        if await session.retains(self.message) is False:
            raise run.skip_rest("the message is not retained, so that its key may be forgotten")
        with run.blaming(*rules, expected="a retry is answered with a result"):
            again = await session.prompt(self.text, self.key)
        await session.barrier()
        messages = [m for m in await session.user_messages() if m not in self.others]
        are_known = [
            run.check(
                rule,
                again == self.message,
                expected="the messageId of the original",
                came="another messageId",
            )
            for rule in rules
        ]
        run.check_count(messages, is_known=all(are_known))


async def resumed(run: Run, agent: AgentUnderTest, peer: Peer, session: Session, after: str) -> Session:
    """A session of before, active on a connection.

    Raises:
        Stopped: it is not there any more; the scenario's rules are skipped.
    """
    try:
        return await agent.resume(peer, session)
    except Refused as error:
        raise run.skip_rest(f"the session cannot be resumed after {after}: {error}") from None


@scenario("retry-after-close")
async def retry_after_close(run: Run, agent: AgentUnderTest) -> None:
    """Other prompts, and the session closed and resumed, between a prompt and its retry."""
    original = await Original.insert(agent, others=_OTHERS)
    session = original.session
    await session.peer.call("session/close", {"sessionId": session.id})
    session = await resumed(run, agent, session.peer, session, "it was closed")
    await original.check_recognised(run, session, ("LAST-03",))


@scenario("retry-after-resume")
async def retry_after_resume(run: Run, agent: AgentUnderTest) -> None:
    """A new connection between a prompt and its retry."""
    original = await Original.insert(agent)
    peer = await agent.reconnect(original.session.peer)
    session = await resumed(run, agent, peer, original.session, "its connection ended")
    await original.check_recognised(run, session, ("LAST-04",))


@scenario("retry-after-restart")
async def retry_after_restart(run: Run, agent: AgentUnderTest) -> None:
    """The agent is killed between a prompt and its retry."""
    if agent.target.is_remote:
        run.skip("STORE-01", reason="it is about stdio, and this agent is at an address")
    else:
        run.skip("STORE-02", reason="it is about remote transports; --url tests an agent at an address")
    if agent.target.cannot_restart is not None:
        raise run.skip_rest(agent.target.cannot_restart)
    original = await Original.insert(agent)
    peer = await agent.restart()
    session = await resumed(run, agent, peer, original.session, "the agent was restarted")
    where = "STORE-02" if agent.target.is_remote else "STORE-01"
    await original.check_recognised(run, session, ("LAST-04", where))


@scenario("same-key-other-session")
async def same_key_other_session(run: Run, agent: AgentUnderTest) -> None:
    """The same key with the same prompt in two sessions."""
    first, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    original = await first.turn(text, key)
    second = await agent.new_session(first.peer)
    expected = "another message, in the session that sessionId names"
    with run.blaming("LAST-01", expected=expected):
        other = await second.prompt(text, key)
    await second.barrier()
    messages = await second.user_messages()
    run.check(
        "LAST-01",
        other != original and messages == [other],
        expected=expected,
        came=f"{'the same' if other == original else 'another'} messageId, and {len(messages)} user messages there",
    )


@scenario("same-key-in-fork")
async def same_key_in_fork(run: Run, agent: AgentUnderTest) -> None:
    """A key that is recorded in a session, in a fork of that session."""
    session, key = await agent.new_session(), agent.keys.new()
    if not isinstance((session.peer.session_capabilities or {}).get("fork"), dict):
        raise run.skip_rest("the agent does not advertise capabilities.session.fork")
    text = agent.options.prompt
    await session.turn(text, key)
    result = await session.peer.call("session/fork", {"sessionId": session.id, "cwd": session.cwd})
    fork = Session(session.peer, str(result.get("sessionId")), session.cwd)
    taken_over = await fork.user_messages()
    expected = "another message in the fork"
    with run.blaming("LAST-02", expected=expected):
        other = await fork.prompt(text, key)
    await fork.barrier()
    added = [m for m in await fork.user_messages() if m not in taken_over]
    run.check("LAST-02", added == [other], expected=expected, came=f"{len(added)} more user messages in the fork")


@scenario("local-command-again")
async def local_command_again(run: Run, agent: AgentUnderTest) -> None:
    """A message that is not retained, again while its session is active; and after it was not."""
    text = agent.options.local_prompt
    if text is None:
        raise run.skip_rest(_NO_LOCAL)
    session, key = await agent.new_session(), agent.keys.new()
    original = await session.turn(text, key)
    if original in await _history(session):
        raise run.skip_rest("the agent retains the message of --local-prompt")
    with run.blaming("LAST-05", expected="a retry is answered with a result"):
        again = await session.prompt(text, key)
    run.check(
        "LAST-05",
        again == original,
        expected="the messageId of the original, while the session is active",
        came="another messageId",
    )
    await session.barrier()
    await session.peer.call("session/close", {"sessionId": session.id})
    session = await resumed(run, agent, session.peer, session, "it was closed")
    later = await (await session.ask(text, key)).answered()
    run.check(
        "LAST-06",
        later.error is None,
        expected="the messageId of the original, or a new one",
        came=described_error(later.error),
    )


async def _history(session: Session) -> list[str]:
    try:
        return await session.replayed()
    except Refused:
        return []
