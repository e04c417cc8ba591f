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
        self.phrases = protocol.phrases
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
            defs[f"{side}Request"] = self._requests(side, [m for m in messages if m.kind == "request"])
            defs[f"{side}Notification"] = self._notifications(side, [m for m in messages if m.kind == "notification"])
            defs[f"{side}Response"] = self._responses(side, asked)
        return defs

    def _side(self, side: str) -> Schema:
        return {
            "title": side,
            "description": self.phrases.message,
            "type": "object",
            "properties": _JSONRPC,
            "required": ["jsonrpc"],
            "anyOf": [
                self._titled(kind, f"{side}{kind}", description)
                for kind, description in (
                    ("Request", self.phrases.request),
                    ("Response", self.phrases.response),
                    ("Notification", self.phrases.notification),
                )
            ],
        }

    def _protocol_level(self) -> Schema:
        """Notifications that either side may send."""
        messages = [m for m in self.protocol.messages() if m.side == "protocol"]
        return {
            "title": "ProtocolLevel",
            "description": self.phrases.protocol_level,
            "type": "object",
            "properties": {**_JSONRPC, "method": self._method(), "params": self._params(messages)},
            "required": ["jsonrpc", "method"],
            "x-docs-ignore": True,
        }

    def _requests(self, side: str, messages: list[Message]) -> Schema:
        envelope = self.protocol.envelope
        extension = self._titled("ExtMethodRequest", envelope.ext_request, self.phrases.extension)
        identity = {"description": self.phrases.request_id, **self.defs.wrapped_ref(envelope.id)}
        return {
            "description": self.phrases.request,
            "type": "object",
            "properties": {
                "id": identity,
                "method": self._method(),
                "params": self._params(messages, *([] if side == "Proxy" else [extension])),
            },
            "required": ["id", "method"],
            "x-docs-ignore": True,
        }

    def _notifications(self, side: str, messages: list[Message]) -> Schema:
        extension = self._titled("ExtNotification", self.protocol.envelope.ext_notification, self.phrases.extension)
        return {
            "description": self.phrases.notification,
            "type": "object",
            "properties": {
                "method": self._method(),
                "params": self._params(messages, *([] if side == "Proxy" else [extension])),
            },
            "required": ["method"],
            "x-docs-ignore": True,
        }

    def _responses(self, side: str, asked: list[Message]) -> Schema:
        envelope = self.protocol.envelope
        results = [self._titled(m.result, m.result, f"Answers `{m.method}`.") for m in asked if m.result]
        if side != "Proxy":
            results.append(self._titled("ExtMethodResponse", envelope.ext_result, self.phrases.extension))
        return {
            "description": self.phrases.response,
            "anyOf": [
                {
                    "title": "Result",
                    "description": self.phrases.result,
                    "type": "object",
                    "properties": {
                        "id": {"description": self.phrases.response_id, **self.defs.wrapped_ref(envelope.id)},
                        "result": {"description": self.phrases.result, "anyOf": results},
                    },
                    "required": ["id", "result"],
                },
                {
                    "title": "Error",
                    "description": self.phrases.error,
                    "type": "object",
                    "properties": {
                        "id": {"description": self.phrases.error_id, "anyOf": self._nullable_id()},
                        "error": {"description": self.phrases.error, **self.defs.wrapped_ref(envelope.error)},
                    },
                    "required": ["id", "error"],
                },
            ],
            "x-docs-ignore": True,
        }

    def _params(self, messages: list[Message], *extensions: Schema) -> Schema:
        branches = [self._titled(m.params, m.params, m.doc or self.protocol.method(m.method).summary) for m in messages]
        return {"description": self.phrases.params, "anyOf": [{"anyOf": [*branches, *extensions]}, {"type": "null"}]}

    def _method(self) -> Schema:
        return {"description": self.phrases.method, "type": "string"}

    def _titled(self, title: str, type_name: str, description: str) -> Schema:
        return {"title": title, "description": description, **self.defs.wrapped_ref(type_name)}

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
