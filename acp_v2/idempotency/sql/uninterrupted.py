"""Work that is brought to its end although whoever asked for it no longer wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T], undo: Callable[[T], Awaitable[None]] | None = None) -> T:
    """The result of `work`. Who is cancelled meanwhile is cancelled once it is done, and undone where that can be.

    A connection that is let go of in the middle of a change is in no known state, and neither is the change.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled() and task.exception() is None and undo is not None:
        await undo(task.result())
    raise cancelled
