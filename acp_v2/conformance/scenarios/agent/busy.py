"""Prompts that come while their session is at work: how scenarios bring that about, and what the agent makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.peer import Sent
from acp_v2.conformance.run import Run
from acp_v2.conformance.session import Session, message_id, user_messages

NOT_HELD: Final = "the agent holds no prompts: one that comes during work is inserted or refused at once"
_NO_TEXT = "no text is known that keeps the agent busy; --busy-prompt gives one"
_NO_SHORT_TEXT = "the text of --busy-prompt has no {seconds} in it, so that work cannot be made to end by itself"
_IDLE = "the text of --busy-prompt did not keep the agent busy"
_SECONDS: Final = (0.3, 1.0, 4.0, 16.0)
"""How long short work takes: longer, where the agent was done before the prompts were with it."""


@dataclass(frozen=True, slots=True)
class Held:
    """Prompts that were sent while their session was at work; whether they are held, the agent decides.

    `busy` is the id of the message that the work is for, `text` what the attempts say.
    """

    session: Session
    busy: str
    key: str
    text: str
    attempts: list[Sent]

    @property
    def are_held(self) -> bool:
        """Whether none of them is answered, and no message was shown for them."""
        shown = [message for message in user_messages(self.session.since()) if message != self.busy]
        return not shown and not any(attempt.is_answered for attempt in self.attempts)

    async def were_inserted(self) -> bool:
        """Whether all of them were answered with the id of one message that is there: the agent was just slow."""
        if any(attempt.error is not None for attempt in self.attempts):
            return False
        ids = {message_id(await attempt.result()) for attempt in self.attempts}
        return len(ids) == 1 and ids <= set(await self.session.user_messages())


async def start_work(run: Run, agent: AgentUnderTest, session: Session, seconds: float | None = None) -> str:
    """Keep a session busy, until it is cancelled or for so many seconds; the id of the message.

    Raises:
        Stopped: it cannot be done; the scenario's rules are skipped.
    """
    if agent.options.busy_prompt is None:
        raise run.skip_rest(_NO_TEXT)
    text = agent.options.busy_until_cancelled if seconds is None else agent.options.busy_for(seconds)
    if text is None:
        raise run.skip_rest(_NO_SHORT_TEXT)
    mark = session.mark()
    busy = await session.prompt(text)
    await session.busy(mark)
    return busy


async def hold(run: Run, agent: AgentUnderTest, *, attempts: int = 2, seconds: float | None = None) -> Held:
    """A new session at work, and attempts at one prompt that the agent has got by now.

    Raises:
        Stopped: it cannot be done; the scenario's rules are skipped.
    """
    session, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    busy = await start_work(run, agent, session, seconds)
    sent = [await session.ask(text, key) for _ in range(attempts)]
    # Twice, because an agent may have to look the session up before it comes to the first.
    await session.barrier()
    await session.barrier()
    if seconds is None and not session.is_busy:
        raise run.skip_rest(_IDLE)
    return Held(session, busy, key, text, sent)


async def hold_until_work_ends(run: Run, agent: AgentUnderTest) -> Held:
    """Like `hold`, but the work ends by itself in a moment.

    Raises:
        Stopped: it cannot be done, or the agent does not hold; the scenario's rules are skipped.
    """
    for seconds in _SECONDS:
        held = await hold(run, agent, seconds=seconds)
        if held.are_held:
            return held
        if held.session.is_busy:
            break
    raise run.skip_rest(NOT_HELD)
