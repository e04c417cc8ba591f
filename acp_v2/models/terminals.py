# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal

from acp_v2.wire_model import Extensible
from acp_v2.wire_types import (
    Integral,
    OrAbsent,
)

from . import scalars


class CancelTerminalRequest(Extensible):
    """Asks the agent to stop the command in one terminal. The client must not send this unless the terminal offers
    `capabilities.cancel` at that time. An unknown terminal, one that has exited and one that cannot be
    cancelled are answered with `-32602`.

    Only the process is stopped. The terminal is not released, and neither the status of a tool call that shows
    it nor the state of the session's foreground work changes on that account.
    """

    session_id: scalars.SessionId
    """The session the terminal belongs to."""

    terminal_id: scalars.TerminalId
    """The terminal whose command is to stop."""


class CancelTerminalResponse(Extensible):
    """The agent has taken on the cancellation. The command may still be running; that it has ended shows in a
    `terminal_update` with `exitStatus`.
    """


class Terminal(Extensible):
    """Marks the place in a tool call's content where a terminal is to be shown. It holds nothing but the id; what
    to show arrives in `terminal_update` and `terminal_output_chunk`, before this reference or after it. The
    agent owns the terminal, so there is no typing into it.
    """

    __tags__ = ("type",)

    type: Literal["terminal"] = "terminal"

    terminal_id: scalars.TerminalId
    """The terminal to show here."""


class TerminalCancelCapabilities(Extensible):
    """Being there, even as `{}`, means that the agent takes `terminal/cancel` for the terminal."""


class TerminalCapabilities(Extensible):
    """What a client may ask of one terminal at present. If the value is malformed it counts as empty, so that
    nothing is asked for that was not offered.
    """

    cancel: Annotated[TerminalCancelCapabilities | None, OrAbsent()] = None
    """Allows `terminal/cancel` for this terminal. Absent or `null`: not allowed. The agent should withdraw it when
    it reports an `exitStatus`.
    """


class TerminalExitStatus(Extensible):
    """How a command ended. That this object is there means the command has ended, whether or not it says more."""

    exit_code: Annotated[int | None, Integral(), OrAbsent()] = None
    """The exit code in the platform's own terms; it can be negative, as on Windows. Absent or `null`: none is
    known.
    """

    signal: Annotated[str | None, OrAbsent()] = None
    """The signal that ended the process. It should be called what the platform calls it, such as `SIGTERM` or
    `SIGKILL` under POSIX. Absent or `null`: none is known.
    """


class TerminalOutput(Extensible):
    """All the output a client is to keep for a terminal, as of now. What it had before is discarded, never merged
    with it.
    """

    data: str
    """The bytes to keep, in base64."""


class TerminalOutputChunk(Extensible):
    """More output of a terminal, to be added to what is there. A chunk can break off inside a UTF-8 character or
    an escape sequence, so a client has to keep its decoder's state from one to the next.
    """

    __tags__ = ("session_update",)

    session_update: Literal["terminal_output_chunk"] = "terminal_output_chunk"

    terminal_id: scalars.TerminalId
    """The terminal whose output grows."""

    data: str
    """The bytes to add, in base64. Each chunk is encoded on its own and must be decoded before it is joined to
    others.
    """


class TerminalSize(Extensible):
    """Width and height of a terminal, counted in character cells."""

    cols: Annotated[int, Integral(ge=1, le=65535)]
    """Cells in a line, at least one."""

    rows: Annotated[int, Integral(ge=1, le=65535)]
    """Lines, at least one."""


class TerminalUpdate(Extensible):
    """Creates a terminal or changes what a client has stored about it. Everything but the id is a patch: a field
    left out keeps its value, `null` clears it, any other value takes its place. `_meta` is the exception, as an
    object there is merged into the stored one by top-level key. What a first update leaves out is not known
    yet.
    """

    __tags__ = ("session_update",)

    session_update: Literal["terminal_update"] = "terminal_update"

    terminal_id: scalars.TerminalId
    """The terminal to create or change; an id the client has not seen yet creates one."""

    command: Annotated[str | None, OrAbsent()] = None
    """The command in the terminal, for people to read. If there is one, agents should give it in the first update."""

    cwd: Annotated[scalars.AbsolutePath | None, OrAbsent()] = None
    """The directory the command was started in."""

    output: Annotated[TerminalOutput | None, OrAbsent()] = None
    """Everything the client is to hold as output from now on. It takes the place of all earlier bytes, and chunks
    that follow are added to it.
    """

    exit_status: Annotated[TerminalExitStatus | None, OrAbsent()] = None
    """How the command ended. An object, even an empty one, says that it is over. Absent: no change. `null`:
    cleared.
    """

    size: Annotated[TerminalSize | None, OrAbsent()] = None
    """The dimensions the command believes it has. Rendering the output at this size keeps columns, progress bars
    and cursor movements as the program meant them.
    """

    capabilities: Annotated[TerminalCapabilities | None, OrAbsent()] = None
    """What the client may ask of this terminal just now. Absent: no change; `null` withdraws everything; an object
    replaces the former one as a whole. A new terminal offers nothing.
    """
