# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    FirstThatFits,
    Integral,
    Number,
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)

from . import scalars


class Annotations(Extensible):
    """Hints on an object, which a client can take into account in how it uses or displays it."""

    audience: Annotated[list[scalars.Role] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """Whom the content is meant for, which can be the user, the assistant, both or someone else. Absent or `null`:
    nobody is named.
    """

    last_modified: Annotated[str | None, OrAbsent()] = None
    """When the resource behind the content was last changed. As in MCP it should be an ISO 8601 time, for example
    `2025-01-12T15:00:58Z`. Absent or `null`: not reported.
    """

    priority: Annotated[float | None, Number(ge=0, le=1), OrAbsent()] = None
    """How much the content matters, compared with other content, when a client chooses what to bring forward: `0`
    is least, `1` most. Absent or `null`: no priority is given.
    """


class AudioContent(Extensible):
    """Audio that goes to a model or comes from one, with its bytes inside the block."""

    __tags__ = ("type",)

    type: Literal["audio"] = "audio"

    data: str
    """The bytes of the audio in base64."""

    mime_type: scalars.MediaType
    """The format that `data` has when decoded, such as `audio/wav`."""

    annotations: Annotated[Annotations | None, OrAbsent()] = None
    """Hints that help a client show or route the audio. Absent or `null`: none."""


class BlobResourceContents(Extensible):
    """A binary resource with its content."""

    blob: str
    """The complete bytes of the resource in base64."""

    uri: str
    """Says which resource the bytes belong to."""

    mime_type: Annotated[scalars.MediaType | None, OrAbsent()] = None
    """The format of the bytes when decoded. Absent or `null`: not stated."""


class EmbeddedResource(Extensible):
    """A resource brought along, content and all, in a prompt or in the result of a tool call. That way a sender
    can share what the receiver has no access to.
    """

    __tags__ = ("type",)

    type: Literal["resource"] = "resource"

    resource: EmbeddedResourceResource
    """What the resource contains, be it text or binary data."""

    annotations: Annotated[Annotations | None, OrAbsent()] = None
    """Hints that help a client show or route the resource. Absent or `null`: none."""


class Icon(Extensible):
    """A picture for use in an interface, possibly meant for certain sizes or for one theme."""

    src: str
    """Where the icon is found. It must be an `https:` or `data:` URI, and clients reject every other scheme. They
    send no credentials when they fetch it and follow no redirect to another scheme or origin.
    """

    mime_type: Annotated[scalars.MediaType | None, OrAbsent()] = None
    """Overrides the media type given by the source, should that be missing or too general. Absent or `null`: the
    type from the source counts.
    """

    sizes: Annotated[list[str] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """The sizes that the icon suits. Each should be a width and a height, as in `48x48`, or `any` for a scalable
    format such as SVG. Absent or `null`: none are stated, and the client should take every size to be fine.
    """

    theme: Annotated[scalars.IconTheme | None, OrAbsent()] = None
    """The theme that the icon is made for. Absent or `null`: no particular one."""


class ImageContent(Extensible):
    """An image that goes to a model or comes from one, with its bytes inside the block."""

    __tags__ = ("type",)

    type: Literal["image"] = "image"

    data: str
    """The bytes of the image in base64."""

    mime_type: scalars.MediaType
    """The format that `data` has when decoded, such as `image/png`."""

    uri: Annotated[str | None, OrAbsent()] = None
    """A URI that belongs to the image, such as that of its source. Absent or `null`: it has none."""

    annotations: Annotated[Annotations | None, OrAbsent()] = None
    """Hints that help a client show or route the image. Absent or `null`: none."""


class ResourceLink(Extensible):
    """Refers to a resource from a prompt or from the result of a tool call. The receiver is not sure to be able to
    read it.
    """

    __tags__ = ("type",)

    type: Literal["resource_link"] = "resource_link"

    name: str
    """What people see as the name of the resource, such as `report.pdf`."""

    uri: str
    """The URI of the resource, for example `file:///home/user/report.pdf`."""

    title: Annotated[str | None, OrAbsent()] = None
    """A title for the user interface. Absent or `null`: there is none."""

    description: Annotated[str | None, OrAbsent()] = None
    """Further details for people to read. Absent or `null`: there are none."""

    icons: Annotated[list[Icon] | None, FailFast(), SkipInvalidItems(), OrAbsent()] = None
    """Icons of various sizes that a client can show with the link. Absent or `null`: none."""

    mime_type: Annotated[scalars.MediaType | None, OrAbsent()] = None
    """The format of the resource itself. Absent or `null`: not stated."""

    size: Annotated[int | None, Integral(ge=0), OrAbsent()] = None
    """How many bytes the resource has. Absent or `null`: not known."""

    annotations: Annotated[Annotations | None, OrAbsent()] = None
    """Hints that help a client show or route the link. Absent or `null`: none."""


class TextContent(Extensible):
    """Text that goes to a model or comes from one."""

    __tags__ = ("type",)

    type: Literal["text"] = "text"

    text: str
    """The text itself, in which Markdown may occur."""

    annotations: Annotated[Annotations | None, OrAbsent()] = None
    """Hints that help a client show or route the text. Absent or `null`: none."""


class TextResourceContents(Extensible):
    """Carries a resource that can be written as text, such as a source file, inside the message."""

    text: str
    """The complete text of the resource."""

    uri: str
    """Says which resource the text belongs to."""

    mime_type: Annotated[scalars.MediaType | None, OrAbsent()] = None
    """What kind of text it is, such as `text/x-python`. Absent or `null`: not stated."""


EmbeddedResourceResource: TypeAlias = Annotated[TextResourceContents | BlobResourceContents, FirstThatFits()]
"""The content of an embedded resource. Whether it has `text` or `blob` tells the two forms apart."""


class UnknownContentBlock(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A receiver should keep the raw payload when it stores, replays, proxies or
    forwards content, and otherwise ignore the block or show it generically. In `session/prompt`, an agent must
    reject a type it does not support with `-32602`.
    """

    type: Annotated[str, UnlistedTag(frozenset({"text", "image", "audio", "resource_link", "resource"}))]


ContentBlock: TypeAlias = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContentBlock,
    OpenUnion("type", "type"),
]
"""One piece of content that can be displayed. Blocks make up the prompts a client sends, the messages an agent
reports with `session/update`, and what a tool call yields. Their form is compatible with that of MCP, so an
agent can pass on the output of an MCP tool as it got it.
"""
