"""`examples.json` and `corpus.json`: exchanges of every method, and valid and invalid values, for tests anywhere."""

from __future__ import annotations

from typing import Any

from generator.emit import NOTICE, SCHEMA_DIR, to_json
from generator.model import Example, Protocol


def emit(protocol: Protocol) -> dict[str, str]:
    """Both files."""
    instances = [
        {"id": i.id, "type": i.type, "valid": i.valid, "why": i.why, "value": i.value} for i in protocol.instances
    ]
    return {
        f"{SCHEMA_DIR}/examples.json": to_json(
            {"$comment": NOTICE, "examples": [_example(e) for e in protocol.examples]}
        ),
        f"{SCHEMA_DIR}/corpus.json": to_json({"$comment": NOTICE, "instances": instances}),
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "id": example.id,
        "method": example.method,
        "kind": example.kind,
        "title": example.title,
        "doc": example.doc,
        "params": example.params,
        **({example.answer: getattr(example, example.answer)} if example.answer else {}),
    }
