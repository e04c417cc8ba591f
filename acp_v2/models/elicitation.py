# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    ExactlyOne,
    Integral,
    Number,
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)

from . import scalars


class BooleanPropertySchema(Extensible):
    """An input for yes or no, such as a checkbox."""

    __tags__ = ("type",)

    type: Literal["boolean"] = "boolean"

    title: Annotated[str | None, OrAbsent()] = None
    """Label for the input. Absent or `null`: none is given."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains to the user what to enter. Absent or `null`: no explanation."""

    default: Annotated[bool | None, OrAbsent()] = None
    """Whether the box is ticked at first. Absent or `null`: no default."""


class CompleteElicitationNotification(Extensible):
    """The agent's word that what the user went to a URL for is done. The state of the session's foreground work is
    not affected.
    """

    elicitation_id: scalars.ElicitationId
    """The question that is done, by the id its request had. A client must ignore one that it does not know or that
    was done already.
    """


class CreateElicitationRequestBase(Extensible):
    """Asks the user for something, by `form` or by `url`. It belongs either to a session, perhaps to a tool call
    in it, or to a request the client has pending. The agent must ask only in a `mode` that the client
    advertised.

    If all foreground work of the session waits for the user, an agent asking within a session should report
    `requires_action`. After such a report it must report `running` when things move again, or `idle` if the
    work ends there. A question from independent background work, or one that belongs to a request, leaves the
    state alone. When work is cancelled, the agent should cancel the open questions which only that work needed;
    sharing its scope does not make a question one of them.
    """

    message: str
    """What is wanted and why, in words for the user."""


class CreateElicitationResponseBase(Extensible):
    """What the user did with the question, told apart by `action`."""


class CreateElicitationResponseCancel(CreateElicitationResponseBase):
    """The question was called off, as when the user closes it without a choice."""

    __tags__ = ("action",)

    action: Literal["cancel"] = "cancel"


class CreateElicitationResponseDecline(CreateElicitationResponseBase):
    """The user said no."""

    __tags__ = ("action",)

    action: Literal["decline"] = "decline"


class ElicitationAcceptAction(WireModel):
    """The user went along with the question."""

    content: dict[str, scalars.ElicitationContentValue] | None = None
    """What the user entered, by the names in the form's schema and in keeping with it. Absent or `null`: nothing,
    which is usual for a URL.
    """


class CreateElicitationResponseAccept(CreateElicitationResponseBase, ElicitationAcceptAction):
    """The user sent the form, or agreed to open the URL. The latter does not mean that what happens there is
    finished.
    """

    __tags__ = ("action",)

    action: Literal["accept"] = "accept"


class ElicitationFormModeBase(WireModel):
    """A question answered by filling in a form."""

    requested_schema: ElicitationSchema
    """The inputs the form has, and what may be entered in each."""


class ElicitationRequestScope(WireModel):
    """Ties a question to a request instead of a session, as when the agent needs something from the user to log in
    or to be configured before any session exists.
    """

    request_id: scalars.RequestId
    """The request from client to agent, still unanswered, that led to the question."""


class ElicitationFormModeRequest(ElicitationFormModeBase, ElicitationRequestScope):
    """The form belongs to a pending request from the client, where no session is involved, as during a login."""


class CreateElicitationRequestFormRequest(CreateElicitationRequestBase, ElicitationFormModeRequest):
    """The client builds a form from a schema and returns what the user entered. It must not be used to ask for
    secrets or credentials. The form belongs to a pending request from the client, where no session is involved,
    as during a login.
    """

    __tags__ = ("mode",)

    mode: Literal["form"] = "form"


class ElicitationSchema(Extensible):
    """The form, as a small subset of JSON Schema: one flat object, each property of which is one input."""

    type: scalars.ElicitationSchemaType
    """Always `object`; with anything else the schema is rejected."""

    title: Annotated[str | None, OrAbsent()] = None
    """Heading of the form. Absent or `null`: it has none."""

    properties: dict[str, ElicitationPropertySchema]
    """The inputs, by the names their values come back under. They must be of simple types, without nested objects."""

    required: Annotated[list[str] | None, FailFast()] = None
    """Names of the inputs the answer must contain. Absent or `null`: all are optional."""

    description: Annotated[str | None, OrAbsent()] = None
    """What the form is for. Absent or `null`: that is not said."""


class ElicitationSessionScope(WireModel):
    """Places a question in a session. It may name a tool call too, for instance where an MCP server asked while
    that call was running and the agent hands the question on to the user.
    """

    session_id: scalars.SessionId
    """The session the question arose in."""

    tool_call_id: Annotated[scalars.ToolCallId | None, OrAbsent()] = None
    """The tool call the question arose in. Absent or `null`: the session as a whole."""


class ElicitationFormModeSession(ElicitationFormModeBase, ElicitationSessionScope):
    """The form belongs to a session, and to one of its tool calls if that is named."""


class CreateElicitationRequestFormSession(CreateElicitationRequestBase, ElicitationFormModeSession):
    """The client builds a form from a schema and returns what the user entered. It must not be used to ask for
    secrets or credentials. The form belongs to a session, and to one of its tool calls if that is named.
    """

    __tags__ = ("mode",)

    mode: Literal["form"] = "form"


CreateElicitationRequestForm: TypeAlias = Annotated[
    CreateElicitationRequestFormSession | CreateElicitationRequestFormRequest, ExactlyOne()
]
"""The client builds a form from a schema and returns what the user entered. It must not be used to ask for
secrets or credentials.
"""


ElicitationFormMode: TypeAlias = Annotated[ElicitationFormModeSession | ElicitationFormModeRequest, ExactlyOne()]
"""A question answered by filling in a form."""


class ElicitationUrlModeBase(WireModel):
    """A question the user answers on a web page, outside ACP. It is the mode for anything sensitive."""

    elicitation_id: scalars.ElicitationId
    """Names this question, for `elicitation/complete` to refer to."""

    url: str
    """The page to open. The agent must not put credentials, personal data or anything that signs the user in into
    the address. The client must show it in full and have the user's consent before it opens it.
    """


class ElicitationUrlModeRequest(ElicitationUrlModeBase, ElicitationRequestScope):
    """The page belongs to a pending request from the client, where no session is involved, as during a login."""


class CreateElicitationRequestUrlRequest(CreateElicitationRequestBase, ElicitationUrlModeRequest):
    """The client takes the user to a web page, after consent. The answers stay between the user and that page. The
    page belongs to a pending request from the client, where no session is involved, as during a login.
    """

    __tags__ = ("mode",)

    mode: Literal["url"] = "url"


class ElicitationUrlModeSession(ElicitationUrlModeBase, ElicitationSessionScope):
    """The page belongs to a session, and to one of its tool calls if that is named."""


class CreateElicitationRequestUrlSession(CreateElicitationRequestBase, ElicitationUrlModeSession):
    """The client takes the user to a web page, after consent. The answers stay between the user and that page. The
    page belongs to a session, and to one of its tool calls if that is named.
    """

    __tags__ = ("mode",)

    mode: Literal["url"] = "url"


CreateElicitationRequestUrl: TypeAlias = Annotated[
    CreateElicitationRequestUrlSession | CreateElicitationRequestUrlRequest, ExactlyOne()
]
"""The client takes the user to a web page, after consent. The answers stay between the user and that page."""


ElicitationUrlMode: TypeAlias = Annotated[ElicitationUrlModeSession | ElicitationUrlModeRequest, ExactlyOne()]
"""A question the user answers on a web page, outside ACP. It is the mode for anything sensitive."""


class EnumOption(Extensible):
    """A value to choose and what the user sees of it."""

    const: str
    """The value that comes back if this one is chosen."""

    title: str
    """The label the user sees in place of the value."""

    description: Annotated[str | None, OrAbsent()] = None
    """More about the value, to help choosing. Absent or `null`: there is no more."""


class IntegerPropertySchema(Extensible):
    """An input for a whole number."""

    __tags__ = ("type",)

    type: Literal["integer"] = "integer"

    title: Annotated[str | None, OrAbsent()] = None
    """Label for the input. Absent or `null`: none is given."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains to the user what to enter. Absent or `null`: no explanation."""

    minimum: Annotated[int | None, Integral()] = None
    """The least number allowed, itself included. Absent or `null`: no lower bound."""

    maximum: Annotated[int | None, Integral()] = None
    """The greatest number allowed, itself included. Absent or `null`: no upper bound."""

    default: Annotated[int | None, Integral(), OrAbsent()] = None
    """What the input holds at first. Absent or `null`: no default."""


class MultiSelectPropertySchema(Extensible):
    """An input for several choices at once."""

    __tags__ = ("type",)

    type: Literal["array"] = "array"

    title: Annotated[str | None, OrAbsent()] = None
    """Label for the input. Absent or `null`: none is given."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains to the user what to enter. Absent or `null`: no explanation."""

    min_items: Annotated[int | None, Integral(ge=0)] = None
    """The fewest choices the user has to make. Absent or `null`: no lower limit."""

    max_items: Annotated[int | None, Integral(ge=0)] = None
    """The most choices the user can make. Absent or `null`: no upper limit."""

    items: MultiSelectItems
    """The values to choose from."""

    default: Annotated[list[str] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The values chosen at first. Absent or `null`: no default."""


class NumberPropertySchema(Extensible):
    """An input for a number, with or without a fraction."""

    __tags__ = ("type",)

    type: Literal["number"] = "number"

    title: Annotated[str | None, OrAbsent()] = None
    """Label for the input. Absent or `null`: none is given."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains to the user what to enter. Absent or `null`: no explanation."""

    minimum: Annotated[float | None, Number()] = None
    """The least number allowed, itself included. Absent or `null`: no lower bound."""

    maximum: Annotated[float | None, Number()] = None
    """The greatest number allowed, itself included. Absent or `null`: no upper bound."""

    default: Annotated[float | None, Number(), OrAbsent()] = None
    """What the input holds at first. Absent or `null`: no default."""


class StringMultiSelectItems(Extensible):
    """Bare values of a multiple choice."""

    __tags__ = ("type",)

    type: Literal["string"] = "string"

    enum: Annotated[list[str], FailFast(), Field(min_length=1)]
    """The values, which also serve as their labels; there must be at least one."""


class StringPropertySchema(Extensible):
    """An input for text. With `enum` or `oneOf` it becomes a choice of one value."""

    __tags__ = ("type",)

    type: Literal["string"] = "string"

    title: Annotated[str | None, OrAbsent()] = None
    """Label for the input. Absent or `null`: none is given."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains to the user what to enter. Absent or `null`: no explanation."""

    min_length: Annotated[int | None, Integral(ge=0)] = None
    """The fewest characters allowed. Absent or `null`: no lower limit."""

    max_length: Annotated[int | None, Integral(ge=0)] = None
    """The most characters allowed. Absent or `null`: no upper limit."""

    pattern: str | None = None
    """An ECMA-262 regular expression that the text has to match. Absent or `null`: any text will do."""

    format: scalars.StringFormat | None = None
    """What the text has to be, such as an email address. Absent or `null`: no particular thing."""

    default: Annotated[str | None, OrAbsent()] = None
    """What the input holds at first. Absent or `null`: no default."""

    enum: Annotated[list[str] | None, FailFast(), Field(min_length=1)] = None
    """The values to choose from, which also serve as their labels; there must be at least one. Absent or `null`:
    no choices come from here.
    """

    one_of: Annotated[list[EnumOption] | None, FailFast(), Field(min_length=1)] = None
    """The values to choose from, each with a label of its own; there must be at least one. Absent or `null`: no
    choices come from here.
    """


class TitledMultiSelectItems(Extensible):
    """Labelled values of a multiple choice."""

    any_of: Annotated[list[EnumOption], FailFast(), Field(min_length=1)]
    """The values, each with its label; there must be at least one."""


class UnknownCreateElicitationRequestRequest(CreateElicitationRequestBase, ElicitationRequestScope):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client must not present it as one of the modes it knows. It should keep
    the payload as it came wherever it stores, replays or passes on the request.
    """

    mode: Annotated[str, UnlistedTag(frozenset({"form", "url"}))]


class UnknownCreateElicitationRequestSession(CreateElicitationRequestBase, ElicitationSessionScope):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client must not present it as one of the modes it knows. It should keep
    the payload as it came wherever it stores, replays or passes on the request.
    """

    mode: Annotated[str, UnlistedTag(frozenset({"form", "url"}))]


UnknownCreateElicitationRequest: TypeAlias = Annotated[
    UnknownCreateElicitationRequestSession | UnknownCreateElicitationRequestRequest, ExactlyOne()
]
"""Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
later versions of the protocol. A client must not present it as one of the modes it knows. It should keep
the payload as it came wherever it stores, replays or passes on the request.
"""


CreateElicitationRequest: TypeAlias = Annotated[
    CreateElicitationRequestForm | CreateElicitationRequestUrl | UnknownCreateElicitationRequest,
    OpenUnion("mode", "mode"),
]
"""Asks the user for something, by `form` or by `url`. It belongs either to a session, perhaps to a tool call
in it, or to a request the client has pending. The agent must ask only in a `mode` that the client
advertised.

If all foreground work of the session waits for the user, an agent asking within a session should report
`requires_action`. After such a report it must report `running` when things move again, or `idle` if the
work ends there. A question from independent background work, or one that belongs to a request, leaves the
state alone. When work is cancelled, the agent should cancel the open questions which only that work needed;
sharing its scope does not make a question one of them.
"""


class UnknownCreateElicitationResponse(CreateElicitationResponseBase):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. An agent must handle it like `cancel`, and should keep the payload as it
    came wherever it stores, replays or passes on the response.
    """

    action: Annotated[str, UnlistedTag(frozenset({"accept", "decline", "cancel"}))]


CreateElicitationResponse: TypeAlias = Annotated[
    CreateElicitationResponseAccept
    | CreateElicitationResponseDecline
    | CreateElicitationResponseCancel
    | UnknownCreateElicitationResponse,
    OpenUnion("action", "action"),
]
"""What the user did with the question, told apart by `action`."""


class UnknownElicitationPropertySchema(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client must not render it as an input of a kind it knows. It should keep
    the schema as it came wherever it stores, replays or passes on the request.
    """

    type: Annotated[str, UnlistedTag(frozenset({"string", "number", "integer", "boolean", "array"}))]


ElicitationPropertySchema: TypeAlias = Annotated[
    StringPropertySchema
    | NumberPropertySchema
    | IntegerPropertySchema
    | BooleanPropertySchema
    | MultiSelectPropertySchema
    | UnknownElicitationPropertySchema,
    OpenUnion("type", "type"),
]
"""One input of a form, by its JSON Schema `type`. To let the user choose one of several values, use `string`
with `enum` or `oneOf`; to let the user choose any number of them, use `array`.
"""


class UnknownMultiSelectItems(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep it as it came when it forwards the request; it cannot
    tell the choices from it.
    """

    type: Annotated[str, UnlistedTag(frozenset({"string"}))]


MultiSelectItems: TypeAlias = Annotated[
    StringMultiSelectItems | UnknownMultiSelectItems | TitledMultiSelectItems, OpenUnion("type", "type")
]
"""The values of a multiple choice, either bare, with `type`, or labelled, without it as MCP has it."""
