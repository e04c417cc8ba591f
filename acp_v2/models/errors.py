# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    FirstThatFits,
    OrAbsent,
)

from . import scalars


class Error(WireModel):
    """Stands in a response in place of the result if a request failed. It is the error object of JSON-RPC 2.0."""

    code: scalars.ErrorCode
    """Which kind of failure it is. It must be an integer."""

    message: str
    """Says in words what went wrong. It should be one short sentence."""

    data: Annotated[ErrorData | None, OrAbsent()] = None
    """Details, as any JSON value: context, for instance, or help with debugging. For `-32022` ACP defines their
    form, as it does for `-32002` if it is a session that was not found. Absent or `null`: no details.
    """


class SessionNotFoundErrorData(Extensible):
    """Details of `-32002` if a request was for a session that does not exist or that is not active."""

    session_id: scalars.SessionId
    """The session the request was for, as given there."""


class UnsupportedProtocolVersionErrorData(Extensible):
    """Details of `-32022`, from which a client can see why no version suited both sides."""

    requested: scalars.ProtocolVersion
    """The version the client asked for in `initialize`."""

    supported: Annotated[list[scalars.ProtocolVersion], FailFast()]
    """The versions the agent speaks, all of them above `requested`."""


ErrorData: TypeAlias = Annotated[UnsupportedProtocolVersionErrorData | SessionNotFoundErrorData | Any, FirstThatFits()]
"""What `Error.data` can hold. Two errors have a form defined by ACP; with the others it is any JSON value."""
