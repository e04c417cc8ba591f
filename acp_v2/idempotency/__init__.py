"""Keyed prompts, the agent's side: each message is inserted at most once for its key, whoever asks again and when.

    submissions = Submissions(store)
    message_id = await submissions.submit(session_id, key, insert)

`Submissions` asks the store for a record, holds, inserts, and answers every attempt. A store is `MemoryStore`,
`SqlStore` (with the extra `sql`), or an agent's own behind `LocalKeys`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from acp_v2.idempotency.local_keys import LocalKeys
from acp_v2.idempotency.memory_store import MemoryStore
from acp_v2.idempotency.observer import End, Ended, Observer, Submitted
from acp_v2.idempotency.states import PromptStates
from acp_v2.idempotency.store import (
    Claim,
    Insertion,
    Keys,
    NoSuchSessionError,
    Outcome,
    Pending,
    Recorded,
    Store,
    StoredMessage,
    StoredSession,
    StoreError,
)
from acp_v2.idempotency.submissions import Insert, Ready, Submissions

if TYPE_CHECKING:
    from acp_v2.idempotency.sql_store import SqlStore

__all__ = [
    "Claim",
    "End",
    "Ended",
    "Insert",
    "Insertion",
    "Keys",
    "LocalKeys",
    "MemoryStore",
    "NoSuchSessionError",
    "Observer",
    "Outcome",
    "Pending",
    "PromptStates",
    "Ready",
    "Recorded",
    "SqlStore",
    "Store",
    "StoreError",
    "StoredMessage",
    "StoredSession",
    "Submissions",
    "Submitted",
]


def _get(name: str) -> Any:
    if name == "SqlStore":
        # Imported when it is asked for, because the databases' libraries come with an extra.
        return importlib.import_module("acp_v2.idempotency.sql_store").SqlStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not TYPE_CHECKING:
    __getattr__ = _get
