"""How a program that serves somebody ends when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any


async def until_terminated(work: Coroutine[Any, Any, None]) -> None:
    """Let SIGTERM end the work in good order: it is cancelled, and waited for."""
    working = asyncio.create_task(work)
    with contextlib.suppress(NotImplementedError):  # On Windows the process just ends.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    try:
        await asyncio.wait([working])
    finally:
        working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
