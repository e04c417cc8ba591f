# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    FirstThatFits,
    OpenUnion,
    OrAbsent,
    OrEmpty,
    SkipInvalidItems,
    UnlistedTag,
)

from . import scalars


class ConfigOptionUpdate(Extensible):
    """Config options or their values have changed, for instance because the agent fell back to another model."""

    __tags__ = ("session_update",)

    session_update: Literal["config_option_update"] = "config_option_update"

    config_options: Annotated[list[SessionConfigOption], FailFast(), SkipInvalidItems()]
    """Every option of the session with the value it now has; the former list is replaced whole."""


class SessionConfigBoolean(WireModel):
    """A setting that is either on or off."""

    current_value: bool
    """Whether the option is on."""


class SessionConfigOptionBase(Extensible):
    """One setting of a session and its current value. Agents should list the more important ones first, and
    clients should show them in that order.
    """

    config_id: scalars.SessionConfigId
    """Identifies the option; a client names it to change the value."""

    name: str
    """The label to show to the user."""

    description: Annotated[str | None, OrAbsent()] = None
    """A longer explanation for the client to show. Absent or `null`: there is none."""

    category: Annotated[scalars.SessionConfigOptionCategory | None, OrAbsent()] = None
    """What sort of setting this is, as a hint for presentation and nothing more. Absent or `null`: no category."""


class SessionConfigOptionBoolean(SessionConfigOptionBase, SessionConfigBoolean):
    """A switch that is on or off."""

    __tags__ = ("type",)

    type: Literal["boolean"] = "boolean"


class SessionConfigSelect(WireModel):
    """A setting that takes one value out of a given set."""

    current_value: scalars.SessionConfigValueId
    """The value in force; must be the `value` of one of the `options`."""

    options: SessionConfigSelectOptions
    """The values to choose from. There must be at least one, and each `value` must be unique across the whole
    option, groups included.
    """


class SessionConfigOptionSelect(SessionConfigOptionBase, SessionConfigSelect):
    """A choice of one value from several, shown for instance as a dropdown."""

    __tags__ = ("type",)

    type: Literal["select"] = "select"


class SessionConfigSelectGroup(Extensible):
    """Values of a `select` option that belong under one heading."""

    group_id: scalars.SessionConfigGroupId
    """Tells the group from its neighbours; it plays no part in setting a value."""

    name: str
    """The heading to show to the user."""

    options: Annotated[list[SessionConfigSelectOption], FailFast(), Field(min_length=1), SkipInvalidItems(), OrEmpty()]
    """The group's values. There must be at least one."""


class SessionConfigSelectOption(Extensible):
    """One value a `select` option can take."""

    value: scalars.SessionConfigValueId
    """What a client sends to choose this value, and what `currentValue` holds while it is chosen."""

    name: str
    """The label to show to the user for this value."""

    description: Annotated[str | None, OrAbsent()] = None
    """A longer explanation of what choosing this value does. Absent or `null`: there is none."""


SessionConfigSelectOptions: TypeAlias = Annotated[
    list[SessionConfigSelectOption] | list[SessionConfigSelectGroup], FirstThatFits(min_items=1)
]
"""The values of a `select` option, in one list or in groups."""


class SetSessionConfigOptionRequestBase(Extensible):
    """Changes one config option. Agents must support this in every session for which they advertise options, and
    must answer an unknown `configId` or an invalid value with `-32602` without changing anything.
    """

    session_id: scalars.SessionId
    """The session whose option is to change."""

    config_id: scalars.SessionConfigId
    """The option to change, by the id the agent advertised it under."""


class SetSessionConfigOptionRequestBoolean(SetSessionConfigOptionRequestBase):
    """On or off, for `boolean` options."""

    __tags__ = ("type",)

    type: Literal["boolean"] = "boolean"

    value: bool
    """Whether the option is to be on."""


class SetSessionConfigOptionRequestId(SetSessionConfigOptionRequestBase):
    """A choice by id, for `select` and other options whose values have ids."""

    __tags__ = ("type",)

    type: Literal["id"] = "id"

    value: scalars.SessionConfigValueId
    """The chosen value; for a `select` option one that its `options` list."""


class SetSessionConfigOptionResponse(Extensible):
    """The change is made. Since one option can affect others, the answer always shows all of them."""

    config_options: Annotated[list[SessionConfigOption], FailFast(), SkipInvalidItems()]
    """Every option of the session with the value it now has, in place of what the client knew before."""


class UnknownSessionConfigOption(SessionConfigOptionBase):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep the raw option when it stores, replays or forwards it,
    and otherwise ignore it. The option's `currentValue` stays in force at the agent.
    """

    type: Annotated[str, UnlistedTag(frozenset({"select", "boolean"}))]


SessionConfigOption: TypeAlias = Annotated[
    SessionConfigOptionSelect | SessionConfigOptionBoolean | UnknownSessionConfigOption, OpenUnion("type", "type")
]
"""One setting of a session and its current value. Agents should list the more important ones first, and
clients should show them in that order.
"""


class UnknownSetSessionConfigOptionRequest(SetSessionConfigOptionRequestBase):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. Agents must answer a value type they do not support with `-32602`.
    """

    type: Annotated[str, UnlistedTag(frozenset({"id", "boolean"}))]

    value: Any
    """The value in whatever form the type prescribes, kept as it came."""


SetSessionConfigOptionRequest: TypeAlias = Annotated[
    SetSessionConfigOptionRequestId | SetSessionConfigOptionRequestBoolean | UnknownSetSessionConfigOptionRequest,
    OpenUnion("type", "type"),
]
"""Changes one config option. Agents must support this in every session for which they advertise options, and
must answer an unknown `configId` or an invalid value with `-32602` without changing anything.
"""
