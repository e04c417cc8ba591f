"""`derived-ids.json`: which message id an adapter derives from which session and key, for tests in any language."""

from __future__ import annotations

import uuid
from typing import Any

from generator.emit import NOTICE, SCHEMA_DIR, to_json
from generator.model import DerivedId, Protocol

_HOW = (
    "messageId = uuid5(uuid5(namespace, sessionId), key): UUIDs of version 5 (RFC 9562), of the UTF-8 bytes of each "
    "string as it is, written in lower case."
)


def emit(protocol: Protocol) -> dict[str, str]:
    """The one file; none where there are no vectors."""
    if not protocol.derived_ids:
        return {}
    document = {
        "$comment": NOTICE,
        "how": _HOW,
        "namespace": protocol.derived_ids[0].namespace,
        "vectors": [_vector(pair) for pair in protocol.derived_ids],
    }
    return {f"{SCHEMA_DIR}/derived-ids.json": to_json(document)}


def _vector(pair: DerivedId) -> dict[str, Any]:
    # Not by `acp_v2.adapters`, which these vectors test.
    session = uuid.uuid5(uuid.UUID(pair.namespace), pair.session)
    return {
        "id": pair.id,
        "sessionId": pair.session,
        "key": pair.key,
        "messageId": str(uuid.uuid5(session, pair.key)),
        "why": pair.why,
    }
