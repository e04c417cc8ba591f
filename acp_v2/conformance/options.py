"""What a run is told: how long to wait, and which texts make the agent do what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SECONDS: Final = "{seconds}"
"""Stands in the busy prompt for how long it is to keep the agent busy."""


@dataclass(frozen=True, slots=True)
class Options:
    """The defaults fit the reference agent.

    Args:
        patience: for how many seconds to wait for anything that the agent owes.
        time_limit: after how many seconds no further scenario begins, and the running one is broken off.
        cwd: the working directory that sessions are given, an absolute path.
        login: the id of the authentication method with which to log in, where the agent asks for that.
        prompt: a text that the agent answers quickly.
        busy_prompt: a text that keeps it busy until it is cancelled, or with `{seconds}` in it for so long; None: there
            is none.
        fail_prompt: a text that `session/prompt` answers with an error, at least the first time in a session; or None.
        local_prompt: a text whose message the agent shows and does not keep; or None.
    """

    patience: float = 30.0
    time_limit: float = 900.0
    cwd: str = "/"
    login: str | None = None
    prompt: str = "Hello there"
    busy_prompt: str | None = "/sleep {seconds}"
    fail_prompt: str | None = "/fail 1"
    local_prompt: str | None = "/local"

    def busy_for(self, seconds: float) -> str | None:
        """The text that keeps it busy for about so long; None where no text can."""
        if self.busy_prompt is None or SECONDS not in self.busy_prompt:
            return None
        return self.busy_prompt.replace(SECONDS, f"{seconds:g}")

    @property
    def busy_until_cancelled(self) -> str | None:
        """The text that keeps it busy for longer than anything here takes."""
        return self.busy_for(max(600.0, 10 * self.patience)) or self.busy_prompt
