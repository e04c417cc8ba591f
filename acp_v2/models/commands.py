# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)


class AvailableCommandsUpdate(Extensible):
    """Says which commands the session has, the first time or after a change."""

    __tags__ = ("session_update",)

    session_update: Literal["available_commands_update"] = "available_commands_update"

    available_commands: Annotated[list[AvailableCommand], FailFast(), SkipInvalidItems()]
    """All commands on offer now; they replace the former list."""


class Command(Extensible):
    """A command that the user calls by putting `/` and its name into a prompt, followed by any input. There is no
    request of its own for it.
    """

    __tags__ = ("type",)

    type: Literal["command"] = "command"

    name: str
    """What comes after the `/`, such as `create_plan`. Must not contain whitespace and must occur only once in the
    list.
    """

    description: str
    """Tells the user what the command does."""

    input: Annotated[AvailableCommandInput | None, OrAbsent()] = None
    """What the command takes after its name. Absent or `null`: it takes no input."""


class TextCommandInput(Extensible):
    """Input of free text, namely whatever the user types after the name."""

    __tags__ = ("type",)

    type: Literal["text"] = "text"

    hint: str
    """Shown to the user as long as no input has been typed."""


class UnknownAvailableCommand(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep the raw payload when it stores, replays or forwards it,
    and otherwise ignore the entry or show it as a plain command by `name` and `description`.
    """

    type: Annotated[str, UnlistedTag(frozenset({"command"}))]

    name: str
    """The name, with no `/` in front. Must be free of whitespace and unique in the list."""

    description: str
    """What the command does, for the user to read."""


AvailableCommand: TypeAlias = Annotated[Command | UnknownAvailableCommand, OpenUnion("type", "type")]
"""Something the agent lets the user call by name; `type` tells the kinds apart."""


class UnknownAvailableCommandInput(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep the raw payload when it stores, replays or forwards it,
    and otherwise ignore it or offer the command without structured input.
    """

    type: Annotated[str, UnlistedTag(frozenset({"text"}))]


AvailableCommandInput: TypeAlias = Annotated[TextCommandInput | UnknownAvailableCommandInput, OpenUnion("type", "type")]
"""What sort of input a command takes, so that a client can ask for it."""
