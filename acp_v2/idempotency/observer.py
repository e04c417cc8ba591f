"""What an operator can watch: how often and how long, never which key or what text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

End = Literal["inserted", "answered", "failed", "withdrawn", "refused"]
"""How an attempt ended: its message was inserted, the message of an earlier attempt was named, the insertion failed,
the prompt was withdrawn, or the key came with another prompt.
"""


@dataclass(frozen=True, slots=True)
class Submitted:
    """An attempt came: the first for its key, or one that waits for another, or one without a key."""

    session_id: str
    is_keyed: bool
    is_retry: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """An attempt was answered, `seconds` after it came."""

    session_id: str
    is_keyed: bool
    end: End
    seconds: float


class Observer(Protocol):
    """Told of every attempt twice. What it raises is logged and goes no further."""

    def submitted(self, event: Submitted) -> None:
        """An attempt came."""
        ...

    def ended(self, event: Ended) -> None:
        """An attempt was answered."""
        ...
