"""For adapters: agents over a runtime that owns its stored sessions and knows nothing of keys.

An adapter hands the runtime `derived_message_id(session_id, key)` with the message, so that key and message are written
in one step, and asks a `MessageIdIndex` whether the runtime has that message already. `acp_v2.adapters.example` is an
adapter that does.
"""

from acp_v2.adapters.derived_ids import NAMESPACE, derived_message_id
from acp_v2.adapters.message_id_index import MessageIdIndex

__all__ = ["NAMESPACE", "MessageIdIndex", "derived_message_id"]
