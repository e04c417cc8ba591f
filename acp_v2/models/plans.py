# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    OpenUnion,
    SkipInvalidItems,
    UnlistedTag,
)

from . import scalars


class PlanEntry(Extensible):
    """One task the agent intends to do on the way to what the user asked for."""

    content: str
    """What the task is about, in words for people."""

    priority: scalars.PlanEntryPriority
    """How much the outcome depends on this task."""

    status: scalars.PlanEntryStatus
    """How far the task has got."""


class PlanFile(Extensible):
    """Unstable: may change or go without a new protocol version.

    A plan that is kept in a file.
    """

    __tags__ = ("type",)

    type: Literal["file"] = "file"

    plan_id: scalars.PlanId
    """The plan to create or replace."""

    uri: str
    """Where the file that holds the plan is."""


class PlanItems(Extensible):
    """A plan as a list of tasks."""

    __tags__ = ("type",)

    type: Literal["items"] = "items"

    plan_id: scalars.PlanId
    """The plan to create or replace."""

    entries: Annotated[list[PlanEntry], FailFast(), SkipInvalidItems()]
    """All tasks of the plan with the status each has now. The agent must list every one each time, also those that
    did not change, as the client puts this list in place of the last one.
    """


class PlanMarkdown(Extensible):
    """Unstable: may change or go without a new protocol version.

    A plan that is a text of its own rather than a list of tasks.
    """

    __tags__ = ("type",)

    type: Literal["markdown"] = "markdown"

    plan_id: scalars.PlanId
    """The plan to create or replace."""

    content: str
    """The whole plan in Markdown; it is not appended to what came before."""


class PlanRemoved(Extensible):
    """Unstable: may change or go without a new protocol version.

    Says that a plan no longer exists, so that the client stops showing it.
    """

    __tags__ = ("session_update",)

    session_update: Literal["plan_removed"] = "plan_removed"

    plan_id: scalars.PlanId
    """The plan that is gone."""


class PlanUpdate(Extensible):
    """Creates a plan or gives an existing one new content. The new content replaces the old as a whole."""

    __tags__ = ("session_update",)

    session_update: Literal["plan_update"] = "plan_update"

    plan: PlanUpdateContent
    """The plan as it now stands, with the id that says which one it is."""


class UnknownPlanUpdateContent(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. It replaces what was there under the same `planId`, like any other form. A
    receiver should keep the payload as it came wherever it stores, replays or passes on plans; apart from that
    it should show it in some generic way or not at all.
    """

    type: Annotated[str, UnlistedTag(frozenset({"items", "file", "markdown"}))]

    plan_id: scalars.PlanId
    """The plan whose content this is, understood or not."""


PlanUpdateContent: TypeAlias = Annotated[
    PlanItems | PlanFile | PlanMarkdown | UnknownPlanUpdateContent, OpenUnion("type", "type")
]
"""A plan in one of several forms. Each form, private ones included, must carry a `planId`."""
