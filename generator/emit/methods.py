"""`methods.json`: everything that the registry knows about methods, retry classes and errors, for programs."""

from __future__ import annotations

from typing import Any

from generator.emit import NOTICE, SCHEMA_DIR, to_json
from generator.model import Message, Method, Protocol


def emit(protocol: Protocol) -> dict[str, str]:
    """The one file."""
    return {f"{SCHEMA_DIR}/methods.json": to_json(_document(protocol))}


def _document(protocol: Protocol) -> dict[str, Any]:
    return {
        "$comment": NOTICE,
        "version": protocol.version,
        "retryClasses": {
            c.name: {"title": c.title, "meaning": c.meaning, "afterLostResponse": c.after_lost_response}
            for c in protocol.retry_classes
        },
        "methods": {m.name: _method(protocol, m) for m in protocol.methods},
        "errorCodes": {
            v.name: {"code": v.value, "title": v.title or v.name, "doc": v.doc} for v in protocol.error_codes()
        },
    }


def _method(protocol: Protocol, method: Method) -> dict[str, Any]:
    return {
        "summary": method.summary,
        "doc": method.doc,
        "stability": "unstable" if method.unstable else "stable",
        "needs": method.needs,
        "when": method.when,
        "rules": list(method.rules),
        "messages": [_message(protocol, m) for m in method.messages],
    }


def _message(protocol: Protocol, message: Message) -> dict[str, Any]:
    codes = {v.name: v.value for v in protocol.error_codes()}
    return {
        "kind": message.kind,
        "from": message.sender,
        "to": message.receiver,
        "side": message.side,
        "doc": message.doc,
        "params": message.params,
        "result": message.result,
        "errors": [{"name": e.name, "code": codes[e.name], "when": e.when} for e in message.errors],
        "retry": {
            "class": message.retry.class_name,
            "key": message.retry.key,
            "why": message.retry.why,
            "again": message.retry.again,
        },
    }
