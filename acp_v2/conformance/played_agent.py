"""The agent that the suite plays for a client: it does as it is asked; what becomes of prompts, a scenario decides."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Final

from acp_v2 import __version__
from acp_v2.conformance.end import End
from acp_v2.conformance.raw_connection import Message
from acp_v2.conformance.session import ABSENT
from acp_v2.errors import ErrorCode
from acp_v2.methods import PROTOCOL_VERSION

GREETING: Final[Message] = {
    "protocolVersion": PROTOCOL_VERSION,
    "info": {"name": "acpspec-conform", "version": __version__},
    "capabilities": {"session": {}},
}

_EMPTY: Final = frozenset({"session/close", "auth/login", "auth/logout"})
"""What is answered with nothing in particular."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A prompt as it came: on which connection, under which id, in which session, with which key and content.

    `key` is whatever stood there, or `ABSENT`.
    """

    connection: int
    request: Message
    session_id: str
    key: Any
    content: Any


@dataclass(slots=True)
class World:
    """What the agent knows, across its connections and restarts; `first_session` is the id of the first session."""

    first_session: str = field(default_factory=lambda: uuid.uuid4().hex)
    sessions: dict[str, list[Message]] = field(default_factory=dict[str, list[Message]])
    recorded: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    attempts: list[Attempt] = field(default_factory=list[Attempt])

    def new_session(self) -> str:
        """Another session."""
        session_id = uuid.uuid4().hex if self.sessions else self.first_session
        self.sessions[session_id] = []
        return session_id


class PlayedAgent:
    """One connection of a client to the agent.

    Args:
        end: the suite's end.
        world: what the agent knows.
    """

    def __init__(self, end: End, world: World) -> None:
        self.end = end
        self.calls: list[Message] = []
        self._world = world

    async def until(self, method: str) -> Message:
        """Serve the client until it sends a request of a method, which is not answered.

        Raises:
            NothingCame: it does not in time.
            ConnectionEnded: it will not.
        """
        while True:
            call = await self.end.next(lambda message: "method" in message, f"{method} of the client")
            self.calls.append(call)
            if call["method"] == method:
                return call
            if "id" in call:
                await self.serve(call)

    async def prompt(self) -> Attempt:
        """Serve the client until it sends a prompt, which is not answered."""
        request = await self.until("session/prompt")
        params = _params(request)
        key = params.get("idempotencyKey", ABSENT)
        attempt = Attempt(self.end.number, request, str(params.get("sessionId")), key, params.get("prompt"))
        self._world.attempts.append(attempt)
        return attempt

    async def serve(self, call: Message) -> None:
        """Answer a request."""
        params = _params(call)
        match call["method"]:
            case "initialize":
                await self.end.answer(call, dict(GREETING))
            case "session/new":
                await self.end.answer(call, {"sessionId": self._world.new_session()})
            case "session/list":
                cwd = params.get("cwd") or "/"
                sessions = [{"sessionId": session_id, "cwd": cwd} for session_id in self._world.sessions]
                await self.end.answer(call, {"sessions": sessions})
            case "session/resume":
                await self._resume(call, str(params.get("sessionId")), replays=params.get("replayFrom") is not None)
            case method if method in _EMPTY:
                await self.end.answer(call, {})
            case _:
                await self.end.refuse(call, ErrorCode.METHOD_NOT_FOUND, "Not offered")

    async def insert(self, attempt: Attempt) -> str:
        """Insert a prompt's message, unless its key is recorded, and tell of it; the id."""
        place = (attempt.session_id, str(attempt.key))
        if attempt.key is not ABSENT and place in self._world.recorded:
            return self._world.recorded[place]
        message = {"messageId": uuid.uuid4().hex, "content": attempt.content}
        self._world.sessions.setdefault(attempt.session_id, []).append(message)
        self._world.recorded[place] = message["messageId"]
        await self._tell(attempt.session_id, {"sessionUpdate": "user_message", **message})
        await self._tell(attempt.session_id, {"sessionUpdate": "state_update", "state": "running"})
        return message["messageId"]

    async def accept(self, attempt: Attempt) -> None:
        """Insert a prompt's message, answer it, and end the work for it."""
        inserted = await self.insert(attempt)
        await self.end.answer(attempt.request, {"messageId": inserted})
        idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
        await self._tell(attempt.session_id, idle)

    async def refuse(self, attempt: Attempt) -> None:
        """Answer a prompt with an error; nothing is inserted."""
        await self.end.refuse(attempt.request, ErrorCode.INTERNAL_ERROR, "It did not work out")
        await self._tell(attempt.session_id, {"sessionUpdate": "state_update", "state": "idle"})

    async def go(self) -> None:
        """End the connection, with whatever was not answered."""
        await self.end.close()

    async def _resume(self, call: Message, session_id: str, *, replays: bool) -> None:
        messages = self._world.sessions.get(session_id)
        if messages is None:
            await self.end.refuse(call, ErrorCode.RESOURCE_NOT_FOUND, "There is no such session")
            return
        for message in messages if replays else ():
            await self._tell(session_id, {"sessionUpdate": "user_message", **message})
        await self._tell(session_id, {"sessionUpdate": "state_update", "state": "idle"})
        await self.end.answer(call, {})

    async def _tell(self, session_id: str, update: Message) -> None:
        await self.end.tell("session/update", {"sessionId": session_id, "update": update})


def _params(call: Message) -> Message:
    params = call.get("params")
    return params if isinstance(params, dict) else {}  # pyright: ignore[reportUnknownVariableType]
