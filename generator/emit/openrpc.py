"""`openrpc.agent.json` and `openrpc.client.json`: what each side serves, for tools that read OpenRPC 1.3.

A method's params stand one by one, as OpenRPC wants them, and whole in `x-params`, because OpenRPC has no word for
params that are a union. Proxy envelopes are left out: they carry other methods.
"""

from __future__ import annotations

from typing import Any

from generator.definitions import Definitions, Schema
from generator.emit import NOTICE, SCHEMA_DIR, to_json
from generator.model import Alias, Example, Message, Protocol, Struct, reachable

_REF_PREFIX = "#/components/schemas/"


def emit(protocol: Protocol) -> dict[str, str]:
    """Both documents, with everything unstable marked by the tag `unstable`."""
    definitions = Definitions(protocol, _REF_PREFIX)
    schemas = definitions.all()
    return {
        f"{SCHEMA_DIR}/openrpc.{side}.json": to_json(_document(definitions, schemas, side))
        for side in ("agent", "client")
    }


def _document(definitions: Definitions, schemas: dict[str, Schema], side: str) -> dict[str, Any]:
    protocol = definitions.protocol
    served = [m for m in protocol.messages() if m.side in (side, "protocol")]
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": f"{protocol.title}: what the {side} serves",
            "version": str(protocol.version),
            "description": NOTICE,
        },
        "methods": [_method(definitions, message) for message in served],
        "components": {
            "schemas": {name: schemas[name] for name in sorted(reachable(protocol, protocol.message_types(served)))}
        },
    }


def _method(definitions: Definitions, message: Message) -> dict[str, Any]:
    protocol = definitions.protocol
    method = protocol.method(message.method)
    codes = {value.name: value for value in protocol.error_codes()}
    # OpenRPC pairs params with a result; examples of errors have no place in it.
    examples = [
        e for e in protocol.examples if (e.method, e.kind) == (message.method, message.kind) and e.answer != "error"
    ]
    document: dict[str, Any] = {
        "name": method.name,
        "summary": method.summary,
        "description": message.doc or method.doc,
        "tags": [{"name": "unstable"}] if method.unstable else [],
        "paramStructure": "by-name",
        "params": _params(definitions, message),
    }
    if message.result:
        document["result"] = {"name": message.result, "schema": definitions.ref(message.result)}
        document["errors"] = [
            {"code": codes[e.name].value, "message": codes[e.name].title or e.name} for e in message.errors
        ]
    document["examples"] = [_example(e, message) for e in examples]
    document["x-params"] = definitions.ref(message.params)
    document["x-retry-class"] = message.retry.class_name
    if message.retry.key:
        document["x-retry-key"] = message.retry.key
    if method.needs:
        document["x-needs"] = method.needs
    return document


def _params(definitions: Definitions, message: Message) -> list[dict[str, Any]]:
    """A content descriptor for each field that the params have in every case."""
    types = definitions.protocol.types
    shape = types[message.params].shape
    while isinstance(shape, Alias) and shape.type.name in types:
        shape = types[shape.type.name].shape
    fields = shape.fields if isinstance(shape, Struct) else ()

    def descriptor(name: str, schema: Schema, *, required: bool) -> dict[str, Any]:
        return {"name": name, "description": schema.pop("description"), "required": required, "schema": schema}

    return [descriptor(f.name, definitions.field(f), required=f.required) for f in fields]


def _example(example: Example, message: Message) -> dict[str, Any]:
    params = [{"name": name, "value": value} for name, value in example.params.items()]
    pairing: dict[str, Any] = {
        "name": example.title,
        **({"description": example.doc} if example.doc else {}),
        "params": params,
    }
    if message.result:
        pairing["result"] = {"name": message.result, "value": example.result}
    return pairing
