"""What happens in a session, as an application reads it."""

from __future__ import annotations

from dataclasses import dataclass

from acp_v2.client.submission import Submission
from acp_v2.models import SessionUpdate


@dataclass(frozen=True, slots=True)
class Updated:
    """The agent said something.

    Attributes:
        update: the update.
        submission: what the user submitted, where the update is about its message and that is known by now.
        is_replayed: whether it came while the session was resumed with its history.
    """

    update: SessionUpdate
    submission: Submission | None = None
    is_replayed: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome of a prompt is known, or it is held.

    Where it is inserted, the `user_message` with its `message_id` is the one that the application shows already. That
    update may come before this or after it.
    """

    submission: Submission


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection was lost. Updates may be missing between this and `Resumed`."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The session is active again, and its state update has come. Pending prompts are sent again now."""


Event = Updated | Settled | Disconnected | Resumed
