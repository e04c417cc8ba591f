"""`meta.json` and `meta.unstable.json`: method names by who handles them, in the official shape, and their classes."""

from __future__ import annotations

from generator.emit import SCHEMA_DIR, to_json
from generator.model import Protocol, stable

_GROUPS = {"agent": "agentMethods", "client": "clientMethods", "protocol": "protocolMethods", "proxy": "proxyMethods"}


def emit(protocol: Protocol) -> dict[str, str]:
    """Both meta files."""
    return {
        f"{SCHEMA_DIR}/meta.json": to_json(meta(stable(protocol))),
        f"{SCHEMA_DIR}/meta.unstable.json": to_json(meta(protocol)),
    }


def meta(protocol: Protocol) -> dict[str, object]:
    """The names of a protocol's methods by group, and the retry class of each.

    The key of a name is the name with underscores: `session_prompt` for `session/prompt`.
    """
    groups: dict[str, dict[str, str]] = {}
    for message in protocol.messages():
        key = message.method.removeprefix("$/").replace("/", "_")
        groups.setdefault(_GROUPS[message.side], {})[key] = message.method
    return {
        "version": protocol.version,
        **{group: groups[group] for group in _GROUPS.values() if group in groups},
        "retryClasses": {m.method: m.retry.class_name for m in protocol.messages()},
    }
