# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)

from . import scalars


class Diff(Extensible):
    """What a tool call did to files. For the paths and operations, `changes` is what counts; `patch` adds text a
    client can render, for all of the changes or only some, and must not contradict them.
    """

    __tags__ = ("type",)

    type: Literal["diff"] = "diff"

    changes: Annotated[list[DiffChange], FailFast(), SkipInvalidItems()]
    """One entry per change to a file. It tells a client what was touched and how, with no patch to parse."""

    patch: Annotated[DiffPatch | None, OrAbsent()] = None
    """The changes as text to render. Agents should supply it whenever they feasibly can, and clients must cope
    without it. Absent or `null`: there is no such text.
    """


class DiffChangeBase(Extensible):
    """What happened to one file. The `operation` decides which paths go with it: one for `add`, `delete` and
    `modify`, two for `move` and `copy`.
    """

    file_type: Annotated[scalars.DiffFileType | None, OrAbsent()] = None
    """What sort of entry the file is once the operation is done, or was before a `delete`. Absent or `null`: not
    known.
    """

    mime_type: Annotated[scalars.MediaType | None, OrAbsent()] = None
    """Media type of what the file holds after the change; for `delete`, of what was deleted. Absent or `null`: not
    known.
    """


class DiffPatch(Extensible):
    """Changes as text, and the notation the text is in."""

    format: scalars.DiffPatchFormat
    """How to read `text`. ACP itself defines nothing but `git_patch`."""

    text: str
    """The patch itself, written as `format` says."""


class DiffPathChange(WireModel):
    """The part of a change that involves a single path."""

    path: scalars.AbsolutePath
    """The file that was added, deleted or modified."""


class DiffChangeAdd(DiffChangeBase, DiffPathChange):
    """The file is new."""

    __tags__ = ("operation",)

    operation: Literal["add"] = "add"


class DiffChangeDelete(DiffChangeBase, DiffPathChange):
    """The file is gone."""

    __tags__ = ("operation",)

    operation: Literal["delete"] = "delete"


class DiffChangeModify(DiffChangeBase, DiffPathChange):
    """The file changed and stayed where it is."""

    __tags__ = ("operation",)

    operation: Literal["modify"] = "modify"


class DiffPathPairChange(WireModel):
    """The part of a change that leads from one path to another."""

    old_path: scalars.AbsolutePath
    """The file that was moved or copied, as it was called before."""

    path: scalars.AbsolutePath
    """Where the file is after the move, or where its copy is."""


class DiffChangeCopy(DiffChangeBase, DiffPathPairChange):
    """The file at `path` was made from the one at `oldPath`."""

    __tags__ = ("operation",)

    operation: Literal["copy"] = "copy"


class DiffChangeMove(DiffChangeBase, DiffPathPairChange):
    """The file has another place or name, given in `path`; `oldPath` is where it used to be."""

    __tags__ = ("operation",)

    operation: Literal["move"] = "move"


class UnknownDiffChange(DiffChangeBase):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep the entry as received when it stores or forwards the
    diff, and show it as a change of a kind it does not know.
    """

    operation: Annotated[str, UnlistedTag(frozenset({"add", "delete", "modify", "move", "copy"}))]


DiffChange: TypeAlias = Annotated[
    DiffChangeAdd | DiffChangeDelete | DiffChangeModify | DiffChangeMove | DiffChangeCopy | UnknownDiffChange,
    OpenUnion("operation", "operation"),
]
"""What happened to one file. The `operation` decides which paths go with it: one for `add`, `delete` and
`modify`, two for `move` and `copy`.
"""
