"""What a method is: its messages, its retry class, and what that means for one lost response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from acp_v2 import models
from acp_v2.idempotency_key import LONGEST, SHORTEST
from acp_v2.retry_class import RetryClass
from acp_v2.wire_model import settled

if TYPE_CHECKING:
    from acp_v2.errors import ErrorCode
    from acp_v2.wire_model import WireModel

Side = Literal["client", "agent", "proxy", "conductor", "either"]


class AfterLostResponse(StrEnum):
    """What a sender does with a request whose response did not come."""

    SEND_AS_IS = "send as is"
    """Send the same params again, under a new id."""

    SEND_WITH_SAME_KEY = "send with the same key"
    """Send the same params with the same key again, under a new id."""

    ASK_APPLICATION = "ask the application"
    """Each attempt makes something new: only the application can tell a duplicate from a loss."""

    DO_NOT_SEND = "do not send"
    """It ended with its connection. On a new one the sender starts over if it still needs to."""


@dataclass(frozen=True, slots=True)
class Message:
    """A request or a notification of a method.

    `params_name` and `result_name` are names in `acp_v2.models`; a notification has no result.
    """

    method: str
    kind: Literal["request", "notification"]
    sender: Side
    receiver: Side
    params_name: str
    result_name: str | None
    errors: tuple[ErrorCode, ...]

    @property
    def params_type(self) -> Any:
        """The type of the params: a `WireModel` class, or a union of such classes."""
        return getattr(models, self.params_name)

    @property
    def result_type(self) -> Any:
        """The type of the result: a `WireModel` class, a union, `Any`, or None for a notification."""
        return getattr(models, self.result_name) if self.result_name else None

    def read_params(self, value: Any) -> Any:
        """Params as they stand on the wire, as a model.

        Raises:
            pydantic.ValidationError: they are malformed in a place where no lenient policy applies.
        """
        return read(self.params_name, value)

    def read_result(self, value: Any) -> Any:
        """A result as it stands on the wire, as a model.

        Raises:
            pydantic.ValidationError: it is malformed in a place where no lenient policy applies.
            ValueError: the message is a notification.
        """
        if self.result_name is None:
            raise ValueError(f"{self.method} is a notification; it has no result")
        return read(self.result_name, value)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the protocol.

    `needs` is the capability that has to be advertised, as a path such as `agent.session.fork`; None: baseline.
    `key` is the wire name of the field that holds the idempotency key, for a keyed method.
    """

    name: str
    summary: str
    stability: Literal["stable", "unstable"]
    needs: str | None
    retry: RetryClass
    key: str | None
    messages: tuple[Message, ...]

    @property
    def request(self) -> Message | None:
        """Its request, if it has one."""
        return next((m for m in self.messages if m.kind == "request"), None)

    @property
    def notification(self) -> Message | None:
        """Its notification, if it has one."""
        return next((m for m in self.messages if m.kind == "notification"), None)

    def after_lost_response(self, params: WireModel | Mapping[str, Any] | None = None) -> AfterLostResponse:
        """What to do when the response to a request with these params was lost.

        Args:
            params: the params as they were sent, as a model or as JSON. They matter for a keyed method alone, which
                is a duplicating one where they hold no key.
        """
        match self.retry:
            case RetryClass.SAFE:
                return AfterLostResponse.SEND_AS_IS
            case RetryClass.KEYED:
                has_key = params is not None and self._has_key(params)
                return AfterLostResponse.SEND_WITH_SAME_KEY if has_key else AfterLostResponse.ASK_APPLICATION
            case RetryClass.DUPLICATING:
                return AfterLostResponse.ASK_APPLICATION
            case RetryClass.CONNECTION_BOUND:
                return AfterLostResponse.DO_NOT_SEND

    def _has_key(self, params: WireModel | Mapping[str, Any]) -> bool:
        fields = params if isinstance(params, Mapping) else params.to_wire()
        key = fields.get(self.key or "")
        return isinstance(key, str) and SHORTEST <= len(key) <= LONGEST


def read(type_name: str, value: Any) -> Any:
    """A JSON value as a type of `acp_v2.models`.

    Raises:
        pydantic.ValidationError: it is malformed in a place where no lenient policy applies.
    """
    return settled(_adapter(type_name).validate_python(value, by_alias=True, by_name=False))


@cache
def _adapter(type_name: str) -> TypeAdapter[Any]:
    return TypeAdapter(getattr(models, type_name))
