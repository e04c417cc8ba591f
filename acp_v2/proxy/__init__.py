"""For what stands between a client and an agent: passes messages on as they came, and never sends one again.

    python -m acp_v2.proxy -- AGENT…                    between a client and an agent
    python -m acp_v2.proxy --proxy PROXY… -- AGENT…     a conductor, with proxies in between
    python -m acp_v2.proxy                              a proxy, started by a conductor

`Forwarder` is what all three are made of, and what a proxy that does more is built on: it numbers the requests of each
connection anew, cancels them hop by hop, and is told by a function which way a message goes. It works on the text of a
message, of which only `id`, `method` and the envelope of `proxy/successor` are ever written anew. Rules: PROXY-01,
PROXY-02.
"""

from acp_v2.proxy.conductor import Conductor
from acp_v2.proxy.forwarder import Forwarder, Hop, Route
from acp_v2.proxy.raw_message import RawMessage
from acp_v2.proxy.successor import Proxy, from_successor, to_successor

__all__ = ["Conductor", "Forwarder", "Hop", "Proxy", "RawMessage", "Route", "from_successor", "to_successor"]
