"""Why a scenario cannot go on. What it would have checked is then not tested, unless it says whom that blames."""

from __future__ import annotations

from typing import Any, cast


class Trouble(Exception):  # noqa: N818  # not always a fault
    """The scenario cannot go on; the text says why."""


class NoConnection(Trouble):
    """The other side cannot be started or reached, or does not introduce itself."""


class ConnectionEnded(Trouble):
    """The other side went away while something was expected of it."""


class NothingCame(Trouble):
    """What was waited for did not come in time."""


class Refused(Trouble):
    """A request was answered with an error.

    Attributes:
        error: the error object as it came.
        code: its code, where it has one.
    """

    def __init__(self, method: str, error: Any) -> None:
        self.error = error
        self.code: Any = cast("dict[str, Any]", error).get("code") if isinstance(error, dict) else None
        super().__init__(f"{method} was answered with {described_error(error)}")


class Stopped(Trouble):
    """A check failed, or was skipped, in such a way that the rest makes no sense."""


def described_error(error: Any) -> str:
    """An error object in a line, without its data."""
    if not isinstance(error, dict):
        return "an error that is no object"
    fields = cast("dict[str, Any]", error)
    return f"the error {fields.get('code')}: {str(fields.get('message', ''))[:200]}"
