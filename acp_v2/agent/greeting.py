"""How a connection begins: `initialize` first, and again only until another request comes."""

from __future__ import annotations

from typing import Any

from acp_v2.connection import Call, Handlers, NotificationHandler, RequestHandler, Result
from acp_v2.errors import InvalidRequest
from acp_v2.messages import unsupported_version
from acp_v2.methods import PROTOCOL_VERSION
from acp_v2.models import (
    AgentCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    SessionCapabilities,
    SessionDeleteCapabilities,
    SessionForkCapabilities,
)


class Greeting:
    """The state of one connection before it can be used.

    Args:
        info: what the agent says it is.
    """

    def __init__(self, info: Implementation) -> None:
        self._info = info
        self._is_initialized = False
        self._is_used = False

    def guard(self, handlers: Handlers) -> Handlers:
        """Handlers that are reached only after `initialize`."""
        requests = {method: self._request(handler) for method, handler in handlers.requests.items()}
        return Handlers(
            {**requests, "initialize": self._initialize},
            {method: self._notification(handler) for method, handler in handlers.notifications.items()},
        )

    async def _initialize(self, call: Call[InitializeRequest]) -> InitializeResponse:
        if self._is_used:
            raise InvalidRequest("initialize comes before every other request")
        requested = call.params.protocol_version
        if requested < PROTOCOL_VERSION:
            raise unsupported_version(requested)
        self._is_initialized = True
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            info=self._info,
            capabilities=AgentCapabilities(
                session=SessionCapabilities(delete=SessionDeleteCapabilities(), fork=SessionForkCapabilities())
            ),
        )

    def _request(self, handler: RequestHandler) -> RequestHandler:
        async def guarded(call: Call[Any]) -> Result:
            if not self._is_initialized:
                raise InvalidRequest("initialize comes before every other request")
            self._is_used = True
            return await handler(call)

        return guarded

    def _notification(self, handler: NotificationHandler) -> NotificationHandler:
        async def guarded(call: Call[Any]) -> None:
            if self._is_initialized:
                await handler(call)

        return guarded
