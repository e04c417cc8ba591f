"""The reference agent: a small, complete ACP v2 agent with stored sessions and keyed prompts.

    await ReferenceAgent(store).serve(transport)

It is what `acpspec agent` runs, an example of how an agent adopts `acp_v2.idempotency` (see `acp_v2.agent.prompts`),
and a peer to try clients against. Instead of asking a model it follows what a prompt says: `/sleep S` keeps the session
busy for S seconds, `/fail N` is answered with an error N times before it is inserted, `/local` is a command whose
message is not kept, and anything else is echoed in chunks.

Sessions are shared by all connections to one process. Several processes can use one store: keys hold across them, while
updates reach the connections of the process in which they happen.
"""

from acp_v2.agent.reference import ReferenceAgent

__all__ = ["ReferenceAgent"]
