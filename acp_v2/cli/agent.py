"""`acpspec agent`: run the reference agent, on standard input and output or on a socket."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import signal
from collections.abc import Coroutine
from typing import Any

from acp_v2.agent import ReferenceAgent
from acp_v2.cli import OK, UsageError
from acp_v2.idempotency import Store, StoreError
from acp_v2.transports.stdio import open_stdio


def run(arguments: argparse.Namespace) -> int:
    """Run the agent until its peer is gone or it is told to end."""
    # Standard output is for messages.
    logging.basicConfig(level=logging.WARNING, format="acpspec agent: %(levelname)s: %(message)s")
    asyncio.run(_until_terminated(_run(arguments)))
    return OK


async def _run(arguments: argparse.Namespace) -> None:
    store = await open_store(arguments.store)
    try:
        agent = ReferenceAgent(store, while_busy=arguments.while_busy, on_disconnect=arguments.on_disconnect)
        await agent.serve_alone(await open_stdio(max_message_bytes=arguments.max_message_bytes))
    finally:
        await store.close()


async def open_store(url: str) -> Store:
    """The store that a URL names, or one in memory.

    Raises:
        UsageError: it cannot be opened.
    """
    if url == "memory":
        from acp_v2.idempotency.memory_store import MemoryStore

        return MemoryStore()
    try:
        from acp_v2.idempotency.sql_store import SqlStore

        return await SqlStore.open(url)
    except (ImportError, StoreError) as error:
        raise UsageError(f"the store cannot be opened: {error}") from None


async def _until_terminated(work: Coroutine[Any, Any, None]) -> None:
    """Let SIGTERM end the work in good order."""
    working = asyncio.create_task(work)
    with contextlib.suppress(NotImplementedError):  # On Windows the process just ends.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    try:
        await asyncio.wait([working])
    finally:
        working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
