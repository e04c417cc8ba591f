# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Any

from acp_v2.wire_model import Extensible

from .initialize import InitializeRequest, InitializeResponse


class InitializeProxyRequest(InitializeRequest):
    """Unstable: may change or go without a new protocol version.

    What `initialize` carries, for a component with another one behind it; by getting this method it knows that
    it is to be a proxy. The last in the chain, the agent, gets `initialize` from the conductor.

    The protocol version is the one the client asked for, or a lower one if the conductor supports no more. The
    proxy must send `initialize` on to its successor, through `proxy/successor`, before it gives an answer that
    is not an error.
    """


class InitializeProxyResponse(InitializeResponse):
    """Unstable: may change or go without a new protocol version.

    What `initialize` returns. The proxy starts from its successor's response and answers for itself and all
    behind it, so the capabilities are those of the rest of the chain. It must leave `protocolVersion` as it is.
    """


class ProxySuccessorNotification(Extensible):
    """Unstable: may change or go without a new protocol version.

    A notification in an envelope. From a proxy to the conductor it is bound for the proxy's successor; from the
    conductor to a proxy, it comes from the successor.
    """

    method: str
    """The method of the notification inside."""

    params: Any = None
    """What the notification inside has as params, unchanged and with any `_meta` of its own. Absent or `null`: it
    has none. Anything else must be an object or an array.
    """


class ProxySuccessorRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    A request in an envelope. From a proxy to the conductor it is bound for the proxy's successor; from the
    conductor to a proxy, it comes from the successor. What the inner request returns, result or error, becomes
    the result or error of this one without any change. The conductor can also fail for reasons of its own, as
    when the successor has exited; that error is the conductor's, not the inner request's.

    To cancel it, its sender sends `$/cancel_request` with the id of the envelope on the same connection. A
    cancellation is never passed on to another hop.
    """

    method: str
    """The method of the request inside."""

    params: Any = None
    """What the request inside has as params, unchanged and with any `_meta` of its own. Absent or `null`: it has
    none. Anything else must be an object or an array.
    """
