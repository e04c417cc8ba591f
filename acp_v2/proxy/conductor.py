"""The conductor: connects a client with an agent, through any number of proxies."""

from __future__ import annotations

from collections.abc import Sequence

from acp_v2.errors import MethodNotFound
from acp_v2.proxy.forwarder import Forwarder, Hop
from acp_v2.proxy.raw_message import RawMessage
from acp_v2.proxy.successor import INITIALIZE, INITIALIZE_PROXY, SUCCESSOR, from_successor, renamed, to_successor
from acp_v2.transports import Transport


class Conductor:
    """Passes messages on between a client, proxies and an agent. Without proxies it is a proxy that nobody notices.

    Args:
        client: the way to the client.
        proxies: the ways to the proxies, from the client's side on.
        agent: the way to the agent.
    """

    def __init__(self, client: Transport, proxies: Sequence[Transport], agent: Transport) -> None:
        names = [f"proxy {number}" for number in range(1, len(proxies) + 1)]
        self._hops = [
            Hop(client, "the client"),
            *(Hop(proxy, name) for proxy, name in zip(proxies, names, strict=True)),
            Hop(agent, "the agent"),
        ]
        self._places = {hop: place for place, hop in enumerate(self._hops)}

    async def run(self) -> str | None:
        """Pass messages on until one of them is gone, then end the others.

        Returns:
            The name of the one that was gone first; None where it was the client.
        """
        client, *behind = self._hops
        towards_client = dict(zip(behind, self._hops, strict=False))
        ended = await Forwarder(self._hops, self._route, {client: behind[0], **towards_client}).run()
        return None if ended is client else ended.name

    def _route(self, hop: Hop, message: RawMessage) -> tuple[Hop, RawMessage]:
        place = self._places[hop]
        is_from_proxy = self._is_proxy(place)
        if is_from_proxy and message.method == SUCCESSOR:
            return self._towards_agent(place + 1, from_successor(message))
        if not is_from_proxy and len(self._hops) > 2 and (message.method or "").startswith("proxy/"):
            # A proxy would take it for the conductor's word.
            raise MethodNotFound("Proxies alone send this")
        if place == 0:
            return self._towards_agent(1, message)
        receiver = self._hops[place - 1]
        return receiver, to_successor(message) if self._is_proxy(place - 1) else message

    def _towards_agent(self, place: int, message: RawMessage) -> tuple[Hop, RawMessage]:
        if self._is_proxy(place) and message.method == INITIALIZE:
            message = renamed(message, INITIALIZE_PROXY)
        return self._hops[place], message

    def _is_proxy(self, place: int) -> bool:
        return 0 < place < len(self._hops) - 1
