"""An example of an adapter: an ACP v2 agent over a runtime that owns its stored sessions.

    python -m acp_v2.adapters.example --sessions DIR

`runtime` stands for the runtime, which knows nothing of keys and takes a message again whose id it has already.
`runtime_sessions` is the part that an adapter has to bring; the rest is what every agent does, and taken from the
reference agent. What prompts say to do is therefore the same as there.
"""

from acp_v2.adapters.example.runtime import Runtime
from acp_v2.adapters.example.runtime_sessions import RuntimeSessions

__all__ = ["Runtime", "RuntimeSessions"]
