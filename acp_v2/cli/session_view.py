"""What an agent does in a session, written as it comes."""

from __future__ import annotations

import sys
from typing import Any

from acp_v2.cli.console import say
from acp_v2.client import Disconnected, Event, Resumed, Settled, Submission, Updated
from acp_v2.models import (
    AgentMessage,
    AgentMessageChunk,
    AgentThought,
    AgentThoughtChunk,
    Notice,
    PlanItems,
    PlanUpdate,
    TextContent,
    ToolCallUpdate,
    UserMessage,
    UserMessageChunk,
)


class SessionView:
    """Writes events to standard output, where the agent's text goes, and to standard error, where all else goes."""

    def __init__(self) -> None:
        self._submission: Submission | None = None
        self._state = "idle"
        self._messages: set[str] = set()
        self._state_after: str | None = None
        self._is_in_line = False
        self._titles: dict[str, str] = {}

    def follow(self, submission: Submission) -> None:
        """Show events until the work for this prompt is done."""
        self._submission = submission
        self._state_after = None

    @property
    def is_done(self) -> bool:
        """Whether the prompt has failed, or is inserted and the session was idle after its message came."""
        submission = self._submission
        if submission is None or submission.state == "pending":
            return False
        if submission.state != "inserted":
            return True
        if submission.message_id in self._messages:
            return self._state_after == "idle"
        # Its message came on an earlier connection, if it was inserted there.
        return submission.may_be_inserted and self._state == "idle"

    def show(self, event: Event) -> None:
        """Write one event."""
        match event:
            case Updated(update=update):
                self._update(update)
            case Settled(submission=submission) if submission.state == "held":
                self._line(f"a prompt was not sent: {submission.error}", "yellow")
            case Disconnected():
                self._line("the connection is lost; connecting again", "yellow")
            case Resumed():
                self._line("connected", "dim")
            case _:
                pass

    def end(self) -> None:
        """End a line that is being written."""
        if self._is_in_line:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._is_in_line = False

    def _update(self, update: Any) -> None:
        match update:
            case UserMessage(message_id=message_id) | UserMessageChunk(message_id=message_id):
                self._messages.add(message_id)
                self._state_after = None if self._state == "idle" else self._state
            case AgentMessageChunk(content=TextContent(text=text)):
                self._write(text)
            case AgentMessage(content=content) if isinstance(content, list):
                self._write("".join(block.text for block in content if isinstance(block, TextContent)))
            case AgentThoughtChunk(content=TextContent(text=text)):
                self._line(text, "dim italic")
            case AgentThought(content=content) if isinstance(content, list):
                self._line(" ".join(block.text for block in content if isinstance(block, TextContent)), "dim italic")
            case ToolCallUpdate(tool_call_id=tool_call_id, title=title, status=status):
                self._titles[tool_call_id] = title or self._titles.get(tool_call_id, tool_call_id)
                self._line(f"· {self._titles[tool_call_id]}{f': {status}' if status else ''}", "cyan")
            case PlanUpdate(plan=PlanItems(entries=entries)):
                for entry in entries:
                    self._line(f"{'✓' if entry.status == 'completed' else '·'} {entry.content}", "blue")
            case Notice(title=title):
                self._line(f"! {title}", "yellow")
            case _ if isinstance(state := getattr(update, "state", None), str):
                self._state = self._state_after = state
                if state == "requires_action":
                    self._line("the agent waits for an answer", "yellow")
            case _:
                pass

    def _write(self, text: str) -> None:
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()
            self._is_in_line = not text.endswith("\n")

    def _line(self, text: str, style: str) -> None:
        self.end()
        say((text, style), stderr=True)
