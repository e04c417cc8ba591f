"""The proxy's place in a chain: everything from one side goes to the other in an envelope, or out of one."""

from __future__ import annotations

import json
from typing import Final

from acp_v2.errors import InvalidParams, InvalidRequest
from acp_v2.proxy.forwarder import Forwarder, Hop
from acp_v2.proxy.raw_message import RawMessage
from acp_v2.transports import Transport
from acp_v2.wire import WireError

SUCCESSOR: Final = "proxy/successor"
INITIALIZE_PROXY: Final = "proxy/initialize"
INITIALIZE: Final = "initialize"


def renamed(message: RawMessage, method: str) -> RawMessage:
    """A call as one of another method with the same params."""
    return message.replaced(method=json.dumps(method))


def to_successor(message: RawMessage) -> RawMessage:
    """A call in the envelope in which it goes to the successor, or comes from there."""
    inside = {name: message.members[name] for name in ("method", "params") if name in message.members}
    return renamed(message, SUCCESSOR).replaced(params=RawMessage(inside).text)


def from_successor(message: RawMessage) -> RawMessage:
    """The call in an envelope.

    Raises:
        InvalidParams: there is none.
    """
    try:
        inside = RawMessage.read(message.members.get("params", "null"))
    except WireError as error:
        raise InvalidParams(f"The envelope {error}", {"pointer": "/params"}) from None
    if inside.method is None:
        raise InvalidParams("The envelope has no method that is a string", {"pointer": "/params/method"})
    return message.replaced(method=inside.members["method"], params=inside.members.get("params"))


class Proxy:
    """A proxy that changes nothing, behind a conductor.

    Args:
        conductor: the way to the conductor, which is the way to both sides.
    """

    def __init__(self, conductor: Transport) -> None:
        self._conductor = Hop(conductor, "the conductor")

    async def run(self) -> None:
        """Pass messages on until the conductor is gone."""
        await Forwarder([self._conductor], _route).run()


def _route(conductor: Hop, message: RawMessage) -> tuple[Hop, RawMessage]:
    match message.method:
        case "proxy/successor":
            return conductor, from_successor(message)
        case "proxy/initialize":
            return conductor, to_successor(renamed(message, INITIALIZE))
        case "initialize":
            text = f"This is a proxy, with nothing behind it: a conductor starts one with {INITIALIZE_PROXY}"
            raise InvalidRequest(text)
        case _:
            return conductor, to_successor(message)
