"""Says of a JSON-RPC message what it is in ACP v2 and what is wrong with it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from acp_v2.explaining_validator import ExplainingValidator, Problem, kind_of
from acp_v2.schema_files import load_schema_file

Kind = Literal["request", "notification", "response", "unknown"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a message is, and what is wrong with it.

    `method` and `sender` are None where they cannot be told; `sender` is client, agent, proxy, conductor or either.
    `problems` make the message invalid; `notes` say what is allowed but may not be meant.
    """

    kind: Kind
    method: str | None
    sender: str | None
    retry_class: str | None
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that waits for its response."""

    method: str
    message: dict[str, Any]


class MessageValidator:
    """Validates the messages of one conversation in their order, so that a response finds its request.

    Args:
        stable: refuse what is unstable in v2.
    """

    def __init__(self, *, stable: bool = False) -> None:
        schema = load_schema_file("schema.json" if stable else "schema.unstable.json")
        self._validator = ExplainingValidator(schema)
        self._methods: dict[str, Any] = {
            name: method
            for name, method in load_schema_file("methods.json")["methods"].items()
            if not stable or method["stability"] == "stable"
        }
        self._unstable: set[str] = load_schema_file("methods.json")["methods"].keys() - self._methods.keys()
        self._asked: dict[tuple[bool, Any], list[_Asked]] = {}

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods it knows."""
        return tuple(self._methods)

    def check(self, message: Any, *, sender: str | None = None, method: str | None = None) -> Verdict:
        """Look at one message.

        Args:
            message: the JSON value, as `acp_v2.wire.read_json` reads it.
            sender: the side that wrote it, where known: client, agent, proxy or conductor.
            method: for a response, the method of its request; without it, the request has to have come before.
        """
        if isinstance(message, list):
            return _unknown(Problem("", "is an array; v2 has no batches, and answers this with one -32600 and id null"))
        if not isinstance(message, dict):
            return _unknown(Problem("", f"has to be an object, but is {kind_of(message)}"))
        fields = cast("dict[str, Any]", message)
        envelope = list(_envelope_problems(fields))
        if "method" in fields:
            verdict = self._call(fields, sender)
        elif "result" in fields or "error" in fields:
            verdict = self._response(fields, method)
        else:
            verdict = _unknown(Problem("", "has neither a method nor a result nor an error, so it is no message"))
        return Verdict(
            verdict.kind,
            verdict.method,
            verdict.sender,
            verdict.retry_class,
            (*envelope, *verdict.problems),
            verdict.notes,
        )

    def _call(self, fields: dict[str, Any], sender: str | None) -> Verdict:
        name = fields["method"]
        kind: Kind = "request" if "id" in fields else "notification"
        if not isinstance(name, str):
            return Verdict(kind, None, None, None, (Problem("/method", f"has to be a string, but is {kind_of(name)}"),))
        if kind == "request":
            self._remember(fields, name)
        if name.startswith("_"):
            return Verdict(kind, name, sender, None, (), ("an extension method, which the schema does not describe",))
        method = self._methods.get(name)
        if method is None:
            return Verdict(kind, name, None, None, (Problem("/method", self._no_method(name)),))
        found = next((m for m in method["messages"] if m["kind"] == kind), None)
        if found is None:
            message = method["messages"][0]
            text = (
                f"{name} is a notification; it must not have an id"
                if kind == "request"
                else f"{name} is a request; it needs an id"
            )
            return Verdict(message["kind"], name, message["from"], message["retry"]["class"], (Problem("/id", text),))
        problems = [*_side_problems(name, found, sender), *self._params_problems(found, fields)]
        if {"result", "error"} & fields.keys():
            problems.append(Problem("", "has a method and a result or an error; it is a call or a response, not both"))
        about_keys = dict(self._key_notes(name, fields.get("params")))
        unknown = (n for n in self._validator.notes(fields.get("params"), "/params") if n.name not in about_keys)
        notes = (*about_keys.values(), *(f"{note.pointer} {note.text}" for note in unknown))
        return Verdict(kind, name, found["from"], found["retry"]["class"], tuple(problems), notes)

    def _no_method(self, name: str) -> str:
        if name in self._unstable:
            return f"{name} is unstable, and only what is stable was asked for"
        close = difflib.get_close_matches(name, self._methods, n=1)
        return f"v2 has no method {name}; {f'did you mean {close[0]}?' if close else 'the answer is -32601'}"

    def _remember(self, fields: dict[str, Any], method: str) -> None:
        request_id = fields["id"]
        if _is_id(request_id):
            self._asked.setdefault((isinstance(request_id, str), request_id), []).append(_Asked(method, fields))

    def _params_problems(self, message: dict[str, Any], fields: dict[str, Any]) -> Iterator[Problem]:
        if "params" not in fields or fields["params"] is None:
            empty = self._validator.problems(message["params"], {})
            if empty:
                yield Problem("/params", f"is missing; {message['params']} {_joined(p.text for p in empty)}")
        elif isinstance(fields["params"], list):
            yield Problem("/params", "is an array; ACP takes params by name, in an object")
        else:
            yield from self._validator.problems(message["params"], fields["params"], "/params")

    def _key_notes(self, name: str, params: Any) -> Iterator[tuple[str, str]]:
        """A key in the wrong place is no error, because unknown fields are not; but it does not do what it should.

        Yields the key's name and what there is to say.
        """
        for keyed, method in self._methods.items():
            for message in method["messages"]:
                key = message["retry"]["key"]
                if key and isinstance(params, dict):
                    if name == keyed and cast("dict[str, Any]", params).get(key) is None:
                        yield key, f"without {key}, sending it again is duplicating"
                    if name != keyed and key in params:
                        yield key, f"{key} has no effect here; only {keyed} takes it"
                    meta: Any = cast("dict[str, Any]", params).get("_meta")
                    if isinstance(meta, dict) and key in meta:
                        yield key, f"{key} has no effect in _meta; it belongs in the params of {keyed}"

    def _response(self, fields: dict[str, Any], method: str | None) -> Verdict:
        """Against each request that it may answer; with several of the same id (one of each side), the best counts."""
        if method is not None:
            candidates = [method]
        else:
            response_id = fields.get("id")
            asked = self._asked.get((isinstance(response_id, str), response_id), []) if _is_id(response_id) else []
            candidates = [a.method for a in asked]
            if not candidates and "error" not in fields:
                text = "no request with this id came before, so its method is not known; say which with --method"
                return Verdict("response", None, None, None, (Problem("/id", text),))
        verdicts = [self._response_to(fields, name) for name in candidates] or [self._response_to(fields, None)]
        best = min(verdicts, key=lambda v: len(v.problems))
        if method is None and candidates:
            asked = self._asked[isinstance(fields["id"], str), fields["id"]]
            del asked[verdicts.index(best)]
        return best

    def _response_to(self, fields: dict[str, Any], name: str | None) -> Verdict:
        problems: list[Problem] = []
        request = (
            next((m for m in self._methods[name]["messages"] if m["kind"] == "request"), None)
            if name in self._methods
            else None
        )
        sender = request["to"] if request else None
        if name is not None and request is None and not name.startswith("_"):
            what = "a notification, which gets no response" if name in self._methods else "which is no method of v2"
            problems.append(Problem("", f"answers {name}, {what}"))
        if "result" in fields and "error" in fields:
            problems.append(Problem("", "has a result and an error; a response has one of them"))
        if "error" in fields:
            problems += self._validator.problems("Error", fields["error"], "/error")
        elif request is not None:
            problems += self._validator.problems(request["result"], fields["result"], "/result")
        retry_class = request["retry"]["class"] if request else None
        unknown = self._validator.notes(fields["result"], "/result") if request and "error" not in fields else ()
        notes = tuple(f"{note.pointer} {note.text}" for note in unknown)
        return Verdict("response", name, sender, retry_class, tuple(problems), notes)


def _unknown(problem: Problem) -> Verdict:
    return Verdict("unknown", None, None, None, (problem,))


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _envelope_problems(fields: dict[str, Any]) -> Iterator[Problem]:
    if "jsonrpc" not in fields:
        yield Problem("", 'needs the field jsonrpc with the value "2.0"')
    elif fields["jsonrpc"] != "2.0":
        yield Problem("/jsonrpc", 'has to be "2.0"')
    is_error_response = "method" not in fields and "error" in fields
    if "id" in fields:
        value = fields["id"]
        if value is None and is_error_response:
            return
        if not _is_id(value):
            yield Problem("/id", f"has to be a string or an integer, but is {kind_of(value)}")
        elif isinstance(value, float) and not value.is_integer():
            yield Problem("/id", "has to be a string or an integer, but is a number with a fraction")
    elif "method" not in fields:
        yield Problem("", "needs the field id, the id of the request that it answers")


def _side_problems(name: str, message: dict[str, Any], sender: str | None) -> Iterator[Problem]:
    allowed = message["from"]
    # A conductor hands a client's messages on to a proxy, and a proxy an agent's to its conductor, as they are.
    stands_for = {"conductor": "client", "proxy": "agent"}.get(sender or "")
    if sender is None or allowed in (sender, stands_for, "either"):
        return
    yield Problem(
        "/method", f"the {sender} must not send the {message['kind']} {name}; it goes from {allowed} to {message['to']}"
    )


def _joined(texts: Iterator[str]) -> str:
    return " and ".join(texts)
