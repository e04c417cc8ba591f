"""ACP v2 for Python: typed models of every message, the retry class of every method, and tools that stand on both.

    from acp_v2 import METHODS, IdempotencyKey, PromptRequest, RetryClass, TextContent, parse_message

A name's module is imported when the name is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_v2.acp_error import AcpError as AcpError
    from acp_v2.errors import AuthRequired as AuthRequired
    from acp_v2.errors import ErrorCode as ErrorCode
    from acp_v2.errors import InternalError as InternalError
    from acp_v2.errors import InvalidParams as InvalidParams
    from acp_v2.errors import InvalidRequest as InvalidRequest
    from acp_v2.errors import MethodNotFound as MethodNotFound
    from acp_v2.errors import ParseError as ParseError
    from acp_v2.errors import RequestCancelled as RequestCancelled
    from acp_v2.errors import ResourceNotFound as ResourceNotFound
    from acp_v2.errors import UnsupportedProtocolVersion as UnsupportedProtocolVersion
    from acp_v2.idempotency_key import IdempotencyKey as IdempotencyKey
    from acp_v2.messages import Notification as Notification
    from acp_v2.messages import Rejected as Rejected
    from acp_v2.messages import Request as Request
    from acp_v2.messages import Response as Response
    from acp_v2.messages import parse_message as parse_message
    from acp_v2.method import AfterLostResponse as AfterLostResponse
    from acp_v2.method import Message as Message
    from acp_v2.method import Method as Method
    from acp_v2.methods import METHODS as METHODS
    from acp_v2.methods import PROTOCOL_VERSION as PROTOCOL_VERSION
    from acp_v2.models import *
    from acp_v2.retry_class import RetryClass as RetryClass
    from acp_v2.wire_model import WireModel as WireModel

__version__ = "0.1.0"

_HOMES = {
    "acp_error": ("AcpError",),
    "errors": (
        "AuthRequired",
        "ErrorCode",
        "InternalError",
        "InvalidParams",
        "InvalidRequest",
        "MethodNotFound",
        "ParseError",
        "RequestCancelled",
        "ResourceNotFound",
        "UnsupportedProtocolVersion",
    ),
    "idempotency_key": ("IdempotencyKey",),
    "messages": ("Notification", "Rejected", "Request", "Response", "parse_message"),
    "method": ("AfterLostResponse", "Message", "Method"),
    "methods": ("METHODS", "PROTOCOL_VERSION"),
    "retry_class": ("RetryClass",),
    "wire_model": ("WireModel",),
}
"""The public names that are not generated models, by module."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def _get(name: str) -> Any:
    if name == "__all__":
        return [n for n in __dir__() if not n.startswith("_")]
    module = _MODULES.get(name, "models")
    try:
        value = None if name.startswith("_") else getattr(importlib.import_module(f"{__name__}.{module}"), name)
    except AttributeError:
        value = None
    if value is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


if not TYPE_CHECKING:
    # Hidden from type checkers, which would take any name for one that is there.
    __getattr__ = _get


def __dir__() -> list[str]:
    models = importlib.import_module(f"{__name__}.models")
    return sorted({"__version__", *_MODULES, *models.__all__})
