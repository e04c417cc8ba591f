"""`session/prompt` and what stops it: the part of an agent that keyed prompts are about."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from acp_v2.agent.live_session import LiveSession
from acp_v2.agent.script import Fail, Prompt, read_prompt
from acp_v2.agent.sessions import Sessions
from acp_v2.connection import Call, Connection
from acp_v2.errors import InternalError
from acp_v2.idempotency import Insertion, Submissions
from acp_v2.idempotency_key import IdempotencyKey
from acp_v2.models import CancelSessionNotification, PromptRequest, PromptResponse


class Prompts:
    """Takes prompts.

    Args:
        sessions: which are active where.
        submissions: inserts each keyed prompt once.
    """

    def __init__(self, sessions: Sessions, submissions: Submissions) -> None:
        self._sessions = sessions
        self._submissions = submissions
        self._pending: defaultdict[Connection, set[Call[Any]]] = defaultdict(set)
        self._failures: Counter[tuple[str, str]] = Counter()

    async def prompt(self, call: Call[PromptRequest]) -> PromptResponse:
        """Insert the message of a prompt, once for its key."""
        params = call.params
        # A key is no credential: who may not prompt the session learns nothing about its keys.
        live = self._sessions.active(call.connection, params.session_id)
        prompt = read_prompt(params.prompt)
        turn = live.turns.arrive(params.idempotency_key)

        async def insert(key: IdempotencyKey | None) -> Insertion:
            try:
                self._fail_if_told_to(live, prompt)
                return await live.insert(prompt, key)
            finally:
                turn.leave()

        call.on_cancel(lambda: self._submissions.cancel(call))
        self._pending[call.connection].add(call)
        try:
            message_id = await self._submissions.submit(
                live.id,
                params.idempotency_key,
                insert,
                attempt=call,
                prompt=prompt.content,
                ready=turn.wait,
                is_ready=turn.has_come,
            )
        finally:
            self._answered(call)
            turn.answered()
            self._sessions.tidy(live)
        return PromptResponse(message_id=message_id)

    async def cancel(self, call: Call[CancelSessionNotification]) -> None:
        """Withdraw what the session holds, and break off its foreground work."""
        self._sessions.cancel(self._sessions.active(call.connection, call.params.session_id))

    def drop(self, connection: Connection) -> None:
        """A connection ended: its prompts that are held and that nobody else waits for are not to be inserted."""
        for call in list(self._pending.get(connection, ())):
            self._submissions.abandon(call)

    def _answered(self, call: Call[Any]) -> None:
        pending = self._pending[call.connection]
        pending.discard(call)
        if not pending:
            del self._pending[call.connection]

    def _fail_if_told_to(self, live: LiveSession, prompt: Prompt) -> None:
        if not isinstance(prompt.script, Fail):
            return
        # Counted here and not in the session, which may leave memory between two attempts.
        place = (live.id, prompt.content[0]["text"])
        if self._failures[place] < prompt.script.times:
            self._failures[place] += 1
            times = prompt.script.times
            raise InternalError(f"This prompt fails {times} {'time' if times == 1 else 'times'}")
