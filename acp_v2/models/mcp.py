# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    FirstThatFits,
    Integral,
    NullAsAbsent,
    OpenUnion,
    UnlistedTag,
)

from . import auth, scalars


class HttpHeader(Extensible):
    """One header that goes with each of the agent's requests to an MCP server."""

    name: str
    """The header's name, such as `Authorization`."""

    value: str
    """What to send under that name, often a credential."""


class McpError(WireModel):
    """Unstable: may change or go without a new protocol version.

    What went wrong within MCP, as distinct from a failure of ACP itself. Fields other than the ones here are
    kept.
    """

    code: Annotated[int, Integral()]
    """The error code as MCP defines it, never one of ACP's. Required and not `null`."""

    message: str
    """What went wrong, in MCP's own words. Required and not `null`."""

    data: Any = None
    """Details of the error, if any. A `null` sent here is kept and differs from leaving the key out."""


class McpServerAcp(Extensible):
    """Unstable: may change or go without a new protocol version.

    A server that an ACP component provides. Its MCP messages travel in `mcp/message` over the ACP connection,
    so there is no other transport to set up.
    """

    __tags__ = ("type",)

    type: Literal["acp"] = "acp"

    name: str
    """What people know the server by."""

    server_id: scalars.McpServerAcpId
    """The id that `mcp/message` is addressed to, made by the component that provides the server. It must not be
    used for two such servers that can be seen on the same connection.
    """


class McpServerHttp(Extensible):
    """A server the agent reaches at a URL."""

    __tags__ = ("type",)

    type: Literal["http"] = "http"

    name: str
    """What people know the server by."""

    url: str
    """Where the agent sends its requests to the server."""

    headers: Annotated[list[HttpHeader], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """Headers to send along with requests, for example for authorisation. Those that the MCP transport defines
    belong to the transport, and agents use its values for them.
    """


class McpServerStdio(Extensible):
    """A server the agent starts itself and talks to over standard input and output."""

    __tags__ = ("type",)

    type: Literal["stdio"] = "stdio"

    name: str
    """What people know the server by."""

    command: scalars.AbsolutePath
    """The program to start, by its absolute path."""

    args: Annotated[list[str], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """Arguments for the program, in order. Absent, `null` or empty: none."""

    env: Annotated[list[auth.EnvVariable], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """Environment variables for the process. Their names should be unique; an agent may reject a repeated one with
    `-32602`, and if it does not, the last entry counts.
    """


class MessageMcpNotification(Extensible):
    """Unstable: may change or go without a new protocol version.

    An MCP notification about a request still active, from the side that provides the server to the side that
    uses it. Acknowledgements and updates of subscriptions come this way.
    """

    server_id: scalars.McpServerAcpId
    """The server at work on the request in question."""

    request_id: scalars.McpRequestId
    """The active MCP request this is about, by the id its caller gave it."""

    method: str
    """The MCP notification's method, such as `notifications/progress`."""

    params: dict[str, Any] | None = None
    """The parameters of the MCP notification. Absent or `null`: it has none."""


class MessageMcpRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    An MCP request in an ACP envelope, from the side that uses the server to the side that provides it.
    """

    server_id: scalars.McpServerAcpId
    """The server the request is for, by the id it was declared with."""

    request_id: scalars.McpRequestId
    """The id of the MCP request inside, made by the caller. Notifications that belong to the request repeat it."""

    method: str
    """The MCP method to call, such as `tools/call`."""

    params: dict[str, Any] | None = None
    """The parameters of the MCP request. Absent or `null`: it has none."""


class MessageMcpResponseError(Extensible):
    """The MCP request failed, and MCP says why."""

    error: McpError
    """The MCP error; required, an object and not `null`."""


class MessageMcpResponseResult(Extensible):
    """The MCP request succeeded. What it returned is opaque to ACP."""

    result: Any
    """The MCP result as it is. The key is required even if the value is `null`."""


MessageMcpResponse: TypeAlias = Annotated[MessageMcpResponseResult | MessageMcpResponseError, FirstThatFits()]
"""Unstable: may change or go without a new protocol version.

How the MCP request ended, by a result or by an MCP error; to ACP both are a success, and an ACP error is
kept for failures of binding and runtime. Senders must include exactly one of the two keys; a receiver that
finds both goes by `result`. Unknown fields beside them are ignored, what is inside them is kept.
"""


class UnknownMcpServer(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. An agent must reject a request that names a transport it does not support
    with `-32602`. Whoever does not understand it should keep the raw payload when storing, replaying or
    forwarding the setup of a session.
    """

    type: Annotated[str, UnlistedTag(frozenset({"http", "acp", "stdio"}))]


McpServer: TypeAlias = Annotated[
    McpServerHttp | McpServerAcp | McpServerStdio | UnknownMcpServer, OpenUnion("type", "type")
]
"""How to reach one MCP server, whose tools and context the agent can use while it handles prompts."""
