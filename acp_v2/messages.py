"""Reads one JSON-RPC message: a typed request, notification or response, or what to answer instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, cast

from pydantic import ValidationError

from acp_v2.acp_error import AcpError
from acp_v2.errors import (
    ErrorCode,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ParseError,
    UnsupportedProtocolVersion,
)
from acp_v2.method import Message, Method
from acp_v2.methods import METHODS, PROTOCOL_VERSION
from acp_v2.problems import problems
from acp_v2.wire import INVALID_REQUEST, WireError, check_json, read_json

RequestId = str | int


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `params` is a model of `acp_v2.models`, or for an extension method the JSON value as it came.

    `raw` is the whole message as JSON; whoever forwards it forwards that.
    """

    id: RequestId
    method: str
    params: Any
    raw: dict[str, Any] = field(repr=False)

    @property
    def spec(self) -> Method | None:
        """What the protocol says of the method; None for an extension."""
        return METHODS.get(self.method)


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification. `params` and `raw` are as in `Request`."""

    method: str
    params: Any
    raw: dict[str, Any] = field(repr=False)

    @property
    def spec(self) -> Method | None:
        """What the protocol says of the method; None for an extension."""
        return METHODS.get(self.method)


@dataclass(frozen=True, slots=True)
class Response:
    """A response. Which type its result is follows from its request: `read_result` takes the method.

    `id` is None only on an error whose request could not be read. `error` is None where there is a result.
    """

    id: RequestId | None
    result: Any
    error: AcpError | None
    raw: dict[str, Any] = field(repr=False)

    def read_result(self, method: str) -> Any:
        """The result as a model of `acp_v2.models`; that of an extension method as it came.

        Raises:
            AcpError: the response is an error; it is raised as the exception of its code.
            KeyError: the protocol has no such request.
            pydantic.ValidationError: the result is malformed in a place where no lenient policy applies.
        """
        if self.error is not None:
            raise self.error
        if method.startswith("_"):
            return self.result
        request = METHODS[method].request
        if request is None:
            raise KeyError(method)
        return request.read_result(self.result)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A message that is wrong, and the JSON-RPC response to answer it with.

    `answer` is None where nothing may be answered: a malformed notification or response.
    """

    error: AcpError
    answer: dict[str, Any] | None


def parse_message(
    message: bytes | str | dict[str, Any], *, receiver: Literal["agent", "client"] | None = None
) -> Request | Notification | Response | Rejected:
    """Read one JSON-RPC message.

    Args:
        message: the JSON text (bytes are UTF-8), or its value as `acp_v2.wire.read_json` gives it.
        receiver: the side that reads it; a method that this side does not serve is then not found.

    Returns:
        The message; or a `Rejected` with -32700 for what is no JSON (a dict with a NaN or a set in it, too), -32600
        for what is no message (an array, a duplicate key), -32601 for an unknown method and -32602 for malformed
        params, whose `data` has JSON pointers. An `initialize` of an earlier version, whose params may have another
        shape, is -32022.
        Nothing is raised, whatever comes.
    """
    value: Any = message
    try:
        if isinstance(message, bytes | str):
            value = read_json(message)
        elif isinstance(value, dict):
            check_json(value)
    except WireError as error:
        kind = InvalidRequest if error.code == INVALID_REQUEST else ParseError
        return _rejected(kind(f"The message {error}"), None)
    if isinstance(value, list):
        return _rejected(InvalidRequest("A message is one object; there are no batches"), None)
    if not isinstance(value, dict):
        return _rejected(InvalidRequest("A message is an object"), None)
    fields = cast("dict[str, Any]", value)
    if "method" in fields:
        return _parse_call(fields, receiver)
    return _parse_response(fields)


def _rejected(error: AcpError, request_id: RequestId | None, *, answered: bool = True) -> Rejected:
    answer = {"jsonrpc": "2.0", "id": request_id, "error": error.to_wire()} if answered else None
    return Rejected(error, answer)


def _parse_call(fields: dict[str, Any], receiver: str | None) -> Request | Notification | Rejected:
    is_request = "id" in fields
    request_id = as_request_id(fields.get("id"))
    if is_request and request_id is None:
        return _rejected(InvalidRequest("id is a string or an integer"), None)
    name = fields["method"]
    if fields.get("jsonrpc") != "2.0" or not isinstance(name, str) or {"result", "error"} & fields.keys():
        error = InvalidRequest('A call has jsonrpc "2.0", a method that is a string, and no result or error')
        return _rejected(error, request_id, answered=is_request)
    params: Any = fields.get("params")
    if name.startswith("_"):
        parsed = params
    else:
        spec = _message(name, receiver, is_request=is_request)
        if isinstance(spec, AcpError):
            return _rejected(spec, request_id, answered=is_request)
        try:
            parsed = spec.read_params({} if params is None else params)
        except ValidationError:
            if name == "initialize" and (too_old := _too_old(params)) is not None:
                return _rejected(too_old, request_id, answered=is_request)
            found = problems(spec.params_type, {} if params is None else params, "/params")
            data = {"problems": [p.to_wire() for p in found]}
            if found:
                data = {"pointer": found[0].pointer, **data}
            return _rejected(InvalidParams(f"Invalid params of {name}", data), request_id, answered=is_request)
    if request_id is not None:
        return Request(request_id, name, parsed, fields)
    return Notification(name, parsed, fields)


def _too_old(params: Any) -> UnsupportedProtocolVersion | None:
    """Why `initialize` of an earlier version, which has params of another shape, is not agreed to."""
    given: Any = cast("dict[str, Any]", params).get("protocolVersion") if isinstance(params, dict) else None
    requested = as_request_id(given)
    if isinstance(requested, int) and 0 <= requested < PROTOCOL_VERSION:
        return unsupported_version(requested)
    return None


def unsupported_version(requested: int) -> UnsupportedProtocolVersion:
    """The answer to `initialize` where the client knows earlier versions alone."""
    data = {"requested": requested, "supported": [PROTOCOL_VERSION]}
    return UnsupportedProtocolVersion(f"The newest version asked for is {requested}, not {PROTOCOL_VERSION}", data)


def _message(name: str, receiver: str | None, *, is_request: bool) -> Message | AcpError:
    """The message of a method, or why there is none."""
    method = METHODS.get(name)
    messages = method.messages if method else ()
    kind = "request" if is_request else "notification"
    meant = [m for m in messages if m.kind == kind] or messages
    spec = next((m for m in meant if receiver is None or m.receiver in (receiver, "either")), None)
    if spec is None:
        return MethodNotFound(f"Method not found: {name[:100]}", {"method": name[:100]})
    if spec.kind != kind:
        what = "a notification and takes no id" if is_request else "a request and needs an id"
        return InvalidRequest(f"{name} is {what}")
    return spec


def _parse_response(fields: dict[str, Any]) -> Response | Rejected:
    has_error = "error" in fields
    request_id = as_request_id(fields.get("id"))
    id_is_fine = "id" in fields and (request_id is not None or (has_error and fields["id"] is None))
    if fields.get("jsonrpc") != "2.0" or not id_is_fine or ("result" in fields) == has_error:
        error = InvalidRequest(
            'A message has jsonrpc "2.0" and a method, or the id of a request and a result or an error'
        )
        # Whoever sent it waits for no answer to a response; to something that is neither, one may help.
        is_response = has_error or "result" in fields
        return _rejected(error, request_id, answered=not is_response)
    if not has_error:
        return Response(request_id, fields["result"], None, fields)
    try:
        return Response(request_id, None, AcpError.from_wire(fields["error"]), fields)
    except ValueError as error:
        return _rejected(InvalidRequest(f"The error of a response is malformed: {error}"), request_id, answered=False)


def as_request_id(value: Any) -> RequestId | None:
    """An id as it is compared: `1.0` is `1`; None for what is no id."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, str | int) else None


__all__ = [
    "ErrorCode",
    "Notification",
    "Rejected",
    "Request",
    "RequestId",
    "Response",
    "as_request_id",
    "parse_message",
]
