"""The message id that an adapter derives from a session and a key, so that the runtime stores both in one step."""

from __future__ import annotations

import uuid
from typing import Final

from acp_v2.idempotency_key import IdempotencyKey

NAMESPACE: Final = uuid.UUID("2970153d-fe74-4a75-b22d-1d1b12aa6996")
"""What all derived ids begin with. It never changes: a key would not be recognised any more."""


def derived_message_id(session_id: str, key: str) -> str:
    """The id of the message that a key inserts in a session, for a runtime that takes an id with a message.

    It is a UUID of version 5 of the key, within one of the session: `uuid5(uuid5(NAMESPACE, session_id), key)`. So no
    two pairs meet by being written one after the other. Both are taken as they are, as UTF-8; nothing is normalised.
    `acp_v2/schema/derived-ids.json` has test vectors. Rule: ADAPT-01.

    Raises:
        ValueError: the key is not one, or the session's id has a lone surrogate.
    """
    key = IdempotencyKey(key)
    try:
        session = uuid.uuid5(NAMESPACE, session_id)
    except UnicodeEncodeError:
        raise ValueError("a session's id has no lone surrogates") from None
    return str(uuid.uuid5(session, key))
