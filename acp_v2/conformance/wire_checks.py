"""What is looked at in every message that comes, whatever the scenario is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from acp_v2.conformance.keys import Keys
from acp_v2.message_validation import MessageValidator

Leak = Literal["update", "replay", "list"]
"""Where a key stood: in a live update, in one that came during a replay, or in a result of `session/list`."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is wrong with a message: its faults, and where a key stood in it."""

    faults: tuple[str, ...]
    leak: Leak | None


class WireChecks:
    """Looks at the messages of one connection in their order.

    Args:
        sender: the side whose messages are checked.
        keys: the keys that must not turn up.
    """

    def __init__(self, sender: str, keys: Keys) -> None:
        self._sender = sender
        self._keys = keys
        self._validator = MessageValidator()

    def received(self, message: Any, *, answers: str | None, replays: bool) -> Seen:
        """Look at a message.

        Args:
            message: its JSON value.
            answers: the method of the request that it answers, if it does.
            replays: whether a replay is under way.
        """
        verdict = self._validator.check(message, sender=self._sender, method=answers)
        faults = tuple(f"{problem.pointer or 'the message'} {problem.text}" for problem in verdict.problems)
        return Seen(faults, next(self._leaks(message, answers, replays=replays), None))

    def _leaks(self, message: Any, answers: str | None, *, replays: bool) -> Iterator[Leak]:
        if not isinstance(message, dict):
            return
        method: Any = cast("dict[str, Any]", message).get("method")
        if method == "session/update" and self._keys.are_in(message):
            yield "replay" if replays else "update"
        if answers == "session/list" and self._keys.are_in(message):
            yield "list"
