"""`schema.json` and `schema.unstable.json`: every type, the JSON-RPC envelopes, and the root that joins them."""

from __future__ import annotations

from typing import Any

from generator.definitions import Definitions, Schema
from generator.emit import NOTICE, SCHEMA_DIR, to_json
from generator.model import Choice, Message, Protocol, stable


def emit(protocol: Protocol) -> dict[str, str]:
    """Both schema files."""
    return {
        f"{SCHEMA_DIR}/schema.json": to_json(schema(stable(protocol))),
        f"{SCHEMA_DIR}/schema.unstable.json": to_json(schema(protocol)),
    }


def schema(protocol: Protocol) -> Schema:
    """The JSON Schema of a whole protocol; it describes one message at a time."""
    envelopes = _Envelopes(protocol)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": NOTICE,
        "title": protocol.title,
        "anyOf": envelopes.root(),
        "$defs": dict(sorted({**Definitions(protocol).all(), **envelopes.definitions()}.items())),
    }


class _Envelopes:
    """The JSON-RPC messages of each side, derived from who sends what. A side is who *sends*: `AgentRequest`."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.defs = Definitions(protocol)
        between_sides = [m for m in protocol.messages() if m.side in ("agent", "client")]
        self.sent_by: dict[str, list[Message]] = {
            "Agent": [m for m in between_sides if m.sender == "agent"],
            "Client": [m for m in between_sides if m.sender == "client"],
        }
        proxy = [m for m in protocol.messages() if m.side == "proxy"]
        if proxy:
            self.sent_by["Proxy"] = proxy

    def root(self) -> list[Schema]:
        sides = [self._side(name) for name in self.sent_by]
        sides.insert(2, self._protocol_level())
        return sides

    def definitions(self) -> dict[str, Schema]:
        defs: dict[str, Schema] = {}
        for side, messages in self.sent_by.items():
            # What a side answers is what the other side asks; between conductor and proxy both do both.
            other = {"Agent": "Client", "Client": "Agent"}.get(side, side)
            asked = [m for m in self.sent_by[other] if m.kind == "request"]
            defs[f"{side}Request"] = self._call(side, [m for m in messages if m.kind == "request"], is_request=True)
            defs[f"{side}Notification"] = self._call(
                side, [m for m in messages if m.kind == "notification"], is_request=False
            )
            defs[f"{side}Response"] = self._response(side, asked)
        return defs

    def _side(self, side: str) -> Schema:
        return {
            "title": side,
            "description": "A JSON-RPC 2.0 message of this side.",
            "type": "object",
            "properties": _JSONRPC,
            "required": ["jsonrpc"],
            "anyOf": [
                {"title": kind, **self.defs.wrapped_ref(f"{side}{kind}")}
                for kind in ("Request", "Response", "Notification")
            ],
        }

    def _protocol_level(self) -> Schema:
        """Notifications that either side may send."""
        messages = [m for m in self.protocol.messages() if m.side == "protocol"]
        return {
            "title": "ProtocolLevel",
            "description": "A JSON-RPC 2.0 notification that either side may send and ignore.",
            "type": "object",
            "properties": {
                **_JSONRPC,
                "method": _text("The method."),
                "params": self._params(messages, "The method's params."),
            },
            "required": ["jsonrpc", "method"],
            "x-docs-ignore": True,
        }

    def _call(self, side: str, messages: list[Message], *, is_request: bool) -> Schema:
        kind = "request" if is_request else "notification"
        envelope = self.protocol.envelope
        extension = envelope.ext_request if is_request else envelope.ext_notification
        title = "ExtMethodRequest" if is_request else "ExtNotification"
        extras: list[Schema] = [] if side == "Proxy" else [{"title": title, **self.defs.wrapped_ref(extension)}]
        identity: Schema = {"id": {"description": "Returns in the response.", **self.defs.wrapped_ref(envelope.id)}}
        return {
            "description": f"A JSON-RPC {kind}: a method and its params.",
            "type": "object",
            "properties": {
                **(identity if is_request else {}),
                "method": _text("The method."),
                "params": self._params(messages, "The method's params.", extras),
            },
            "required": ["id", "method"] if is_request else ["method"],
            "x-docs-ignore": True,
        }

    def _params(self, messages: list[Message], description: str, extras: list[Schema] | None = None) -> Schema:
        branches = [self._branch(m, m.params) for m in messages]
        return {
            "description": description,
            "anyOf": [{"anyOf": [*branches, *(extras or [])]}, {"type": "null"}],
        }

    def _branch(self, message: Message, type_name: str) -> Schema:
        summary = message.doc or self.protocol.method(message.method).summary
        return {"title": type_name, "description": summary, **self.defs.wrapped_ref(type_name)}

    def _response(self, side: str, asked: list[Message]) -> Schema:
        envelope = self.protocol.envelope
        results = [self._branch(m, m.result) for m in asked if m.result]
        if side != "Proxy":
            results.append({"title": "ExtMethodResponse", **self.defs.wrapped_ref(envelope.ext_result)})
        return {
            "description": "A JSON-RPC response: a result or an error.",
            "anyOf": [
                {
                    "title": "Result",
                    "description": "The request succeeded.",
                    "type": "object",
                    "properties": {
                        "id": {"description": "The id of the request.", **self.defs.wrapped_ref(envelope.id)},
                        "result": {"description": "The method's result.", "anyOf": results},
                    },
                    "required": ["id", "result"],
                },
                {
                    "title": "Error",
                    "description": "The request failed.",
                    "type": "object",
                    "properties": {
                        "id": {
                            "description": "The id of the request; null where it could not be read.",
                            "anyOf": self._nullable_id(),
                        },
                        "error": {"description": "What went wrong.", **self.defs.wrapped_ref(envelope.error)},
                    },
                    "required": ["id", "error"],
                },
            ],
            "x-docs-ignore": True,
        }

    def _nullable_id(self) -> list[Any]:
        """The alternatives of an id, spelled out, with null."""
        definition = self.protocol.types[self.protocol.envelope.id]
        alternatives: list[Schema] = (
            self.defs.definition(definition)["anyOf"]
            if isinstance(definition.shape, Choice)
            else [self.defs.ref(definition.name)]
        )
        return [*alternatives, {"type": "null"}]


_JSONRPC: Schema = {"jsonrpc": {"type": "string", "enum": ["2.0"]}}


def _text(description: str) -> Schema:
    return {"description": description, "type": "string"}
