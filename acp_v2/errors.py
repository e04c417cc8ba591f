# Generated from spec/ by `acpspec build`. Do not edit.

"""The error codes of the protocol, and an exception for each."""

from __future__ import annotations

from enum import IntEnum

from acp_v2.acp_error import AcpError


class ErrorCode(IntEnum):
    """The listed codes; a peer may send others."""

    PARSE_ERROR = -32700
    """The text received is not JSON. The response has the id `null` if none could be made out."""

    INVALID_REQUEST = -32600
    """The message is JSON but no proper request, for example a batch, which this version does not have. The
    response has the id `null` if none could be made out.
    """

    METHOD_NOT_FOUND = -32601
    """The receiver has no such method, or does not make it available."""

    INVALID_PARAMS = -32602
    """The method exists, but the receiver does not accept these parameters."""

    INTERNAL_ERROR = -32603
    """Something failed inside the receiver."""

    REQUEST_CANCELLED = -32800
    """The work was broken off: the caller cancelled it, resources ran short, or the receiver is shutting down."""

    AUTH_REQUIRED = -32000
    """The user has to sign in before the agent can do this."""

    RESOURCE_NOT_FOUND = -32002
    """Something the request refers to does not exist. If it is a session, `data` says which."""

    UNSUPPORTED_PROTOCOL_VERSION = -32022
    """The answer to `initialize` if all versions the agent supports are newer than the one requested. `data` lists
    them.
    """


class ParseError(AcpError, code=-32700, title="Parse error"):
    """The text received is not JSON. The response has the id `null` if none could be made out."""


class InvalidRequest(AcpError, code=-32600, title="Invalid request"):
    """The message is JSON but no proper request, for example a batch, which this version does not have. The
    response has the id `null` if none could be made out.
    """


class MethodNotFound(AcpError, code=-32601, title="Method not found"):
    """The receiver has no such method, or does not make it available."""


class InvalidParams(AcpError, code=-32602, title="Invalid params"):
    """The method exists, but the receiver does not accept these parameters."""


class InternalError(AcpError, code=-32603, title="Internal error"):
    """Something failed inside the receiver."""


class RequestCancelled(AcpError, code=-32800, title="Request cancelled"):
    """The work was broken off: the caller cancelled it, resources ran short, or the receiver is shutting down."""


class AuthRequired(AcpError, code=-32000, title="Authentication required"):
    """The user has to sign in before the agent can do this."""


class ResourceNotFound(AcpError, code=-32002, title="Resource not found"):
    """Something the request refers to does not exist. If it is a session, `data` says which."""


class UnsupportedProtocolVersion(AcpError, code=-32022, title="Unsupported protocol version"):
    """The answer to `initialize` if all versions the agent supports are newer than the one requested. `data` lists
    them.
    """
