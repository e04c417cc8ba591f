"""One session of the agent that is tested, on one connection."""

from __future__ import annotations

from typing import Any, Final

from acp_v2.conformance.peer import Peer, Sent, Update
from acp_v2.conformance.troubles import Refused

ABSENT: Final = "absent"
"""Stands for a key that is left out."""

_WORK: Final = ("agent_message", "agent_message_chunk", "agent_thought", "agent_thought_chunk", "tool_call_update")


class Session:
    """A session that is active on a connection.

    Args:
        peer: the connection.
        id_: the session.
        cwd: its working directory.
    """

    def __init__(self, peer: Peer, id_: str, cwd: str) -> None:
        self.peer = peer
        self.id = id_
        self.cwd = cwd
        self._inserted: set[str] = set()

    # Prompts

    def params(self, text: str, key: Any = ABSENT, **more: Any) -> dict[str, Any]:
        """The params of a prompt; `key` is anything at all, or `ABSENT`."""
        params = {"sessionId": self.id, "prompt": [{"type": "text", "text": text}], **more}
        return params if key is ABSENT else {**params, "idempotencyKey": key}

    async def ask(self, text: str, key: Any = ABSENT, **more: Any) -> Sent:
        """Send a prompt."""
        return await self.peer.ask("session/prompt", self.params(text, key, **more))

    async def prompt(self, text: str, key: Any = ABSENT, **more: Any) -> str:
        """Send a prompt; the id of its message.

        Raises:
            Trouble: there is none.
        """
        return message_id(await (await self.ask(text, key, **more)).result())

    async def turn(self, text: str, key: Any = ABSENT, **more: Any) -> str:
        """Send a prompt and wait until the work that it starts has ended; the id of its message.

        Raises:
            Trouble: the prompt was refused, or the work did not end.
        """
        mark = self.mark()
        inserted = await self.prompt(text, key, **more)
        if inserted in self._inserted:
            # It was taken for an earlier prompt, and there is no work to wait for.
            await self.barrier()
        else:
            self._inserted.add(inserted)
            await self.work_ended(mark)
        return inserted

    async def cancel(self) -> None:
        """Send `session/cancel`, and wait until no work goes on."""
        mark = self.mark()
        is_busy = self.is_busy
        await self.peer.tell("session/cancel", {"sessionId": self.id})
        if is_busy:
            await self.idle(mark)
        else:
            await self.barrier()

    async def resume(self, *, replays: bool = False) -> Sent:
        """Send `session/resume`."""
        return await self.peer.ask("session/resume", resume_params(self.id, self.cwd, replays=replays))

    async def barrier(self) -> None:
        """Return when everything has come that was sent before this: one session's messages keep their order."""
        await (await self.resume()).answered()

    # Updates

    def mark(self) -> int:
        """Now, to be given to what looks at what came since."""
        return len(self.peer.updates)

    def since(self, mark: int = 0) -> list[Update]:
        """The session's updates since then."""
        return [update for session_id, update in self.peer.updates[mark:] if session_id == self.id]

    def states(self, mark: int = 0) -> list[str]:
        """The states since then, each change once: snapshots repeat the state and change nothing."""
        changes: list[str] = []
        for update in self.since(mark):
            if update.get("sessionUpdate") == "state_update":
                state = "idle" if update.get("state") == "idle" else "busy"
                if not changes or changes[-1] != state:
                    changes.append(state)
        return changes

    @property
    def is_busy(self) -> bool:
        """Whether the last state is another than idle; a new session is idle."""
        return self.states()[-1:] == ["busy"]

    def work_since(self, mark: int) -> list[str]:
        """The kinds of updates since then that tell of work."""
        kinds = [str(update.get("sessionUpdate")) for update in self.since(mark)]
        return [kind for kind in kinds if kind in _WORK]

    async def busy(self, mark: int) -> None:
        """Wait until work has begun since then."""
        await self.peer.until(lambda: "busy" in self.states(mark), "a state update of work that begins")

    async def idle(self, mark: int) -> None:
        """Wait for a state update `idle`, sent since then."""
        await self.peer.until(lambda: self.states(mark)[-1:] == ["idle"], "the state update idle")

    async def work_ended(self, mark: int) -> None:
        """Wait until work has begun and ended since then."""
        await self.peer.until(
            lambda: self.states(mark)[-2:] == ["busy", "idle"], "the state updates of work that begins and ends"
        )

    # Messages

    async def user_messages(self) -> list[str]:
        """The ids of the session's user messages: those of its history, or where it has none those shown."""
        mark = self.mark()
        replay = await (await self.resume(replays=True)).answered()
        replayed = user_messages(self.since(mark)) if replay.error is None else []
        return replayed or user_messages(self.since())

    async def replayed(self) -> list[str]:
        """The ids of the user messages in its history.

        Raises:
            Refused: it cannot be replayed.
        """
        mark = self.mark()
        await (await self.resume(replays=True)).result()
        return user_messages(self.since(mark))

    async def retains(self, message: str) -> bool | None:
        """Whether a message is in its history; None where the agent does not replay."""
        try:
            return message in await self.replayed()
        except Refused:
            return None


def user_messages(updates: list[Update]) -> list[str]:
    """The ids of the user messages that updates tell of, each once."""
    kinds = ("user_message", "user_message_chunk")
    ids = (update.get("messageId") for update in updates if update.get("sessionUpdate") in kinds)
    return list(dict.fromkeys(str(id_) for id_ in ids))


def resume_params(session_id: str, cwd: str, *, replays: bool = False) -> dict[str, Any]:
    """The params of `session/resume`."""
    replay = {"replayFrom": {"type": "start"}} if replays else {}
    return {"sessionId": session_id, "cwd": cwd, **replay}


def message_id(result: dict[str, Any]) -> str:
    """The id in a result of `session/prompt`; what else may be there is for the wire checks."""
    return str(result.get("messageId"))
