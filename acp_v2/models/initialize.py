# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible
from acp_v2.wire_types import (
    OrAbsent,
    SkipInvalidItems,
)

from . import auth, scalars
from . import capabilities as capabilities_1


class Implementation(Extensible):
    """Names the software at one end of the connection, for display, debugging and metrics."""

    name: str
    """Name for programs to work with. Also shown to people if there is no `title`."""

    title: Annotated[str | None, OrAbsent()] = None
    """Name for people, meant for a user interface. Absent or `null`: show `name`."""

    version: str
    """Release of the software, such as `1.0.0`. It can be shown to the user or go into debugging output and
    metrics.
    """


class InitializeRequest(Extensible):
    """Opens the connection. The client states the newest protocol version it speaks, who it is and what it
    supports.
    """

    protocol_version: scalars.ProtocolVersion
    """The newest version the client supports; the agent may answer with a lower one."""

    info: Implementation
    """Which client this is, and in which release."""

    capabilities: Annotated[capabilities_1.ClientCapabilities, OrAbsent()] = Field(
        default_factory=capabilities_1.ClientCapabilities
    )
    """What the client can do for the agent. Absent: the same as `{}`, that is, nothing is advertised."""


class InitializeResponse(Extensible):
    """The agent's half of the exchange: the version both will use, what the agent supports, and how a user can
    sign in.
    """

    protocol_version: scalars.ProtocolVersion
    """The highest version the agent supports that does not exceed the requested one; if there is none, the agent
    answers with the error `-32022` instead. The client must make sure that it speaks the version it gets, and
    should disconnect otherwise.
    """

    info: Implementation
    """Which agent this is, and in which release."""

    capabilities: Annotated[capabilities_1.AgentCapabilities, OrAbsent()] = Field(
        default_factory=capabilities_1.AgentCapabilities
    )
    """What the client can use the agent for. Absent: the same as `{}`, which does not even include sessions."""

    auth_methods: Annotated[list[auth.AuthMethod], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(
        default_factory=list
    )
    """Ways for the user to sign in. An agent that lists any must support both `auth/login` and `auth/logout`;
    absent or empty, it offers neither, and the client must not call them.
    """
