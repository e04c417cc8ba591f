"""An agent in the process of the tests as a target: fast, and killed without a process being killed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from acp_v2.idempotency import MemoryStore, Store
from acp_v2.transports import Transport
from acp_v2.transports.memory import memory_pair


class InProcess:
    """An agent over a store in memory that outlives it.

    Args:
        build: makes the agent.
        is_remote: whether it is as if reached over a network, with all connections to one process; else each connection
            has an agent of its own, as over stdio.
    """

    name = "in process"
    cannot_restart = None

    def __init__(self, build: Callable[[Store], Any], *, is_remote: bool = True) -> None:
        self.is_remote = is_remote
        self.log = ""
        self._build = build
        self._store = MemoryStore()
        self._agent: Any = None
        self._serving: list[tuple[Transport, asyncio.Task[None]]] = []

    async def open(self) -> Transport:
        mine, theirs = memory_pair()
        if self._agent is None or not self.is_remote:
            self._agent = self._build(self._store)
        serve = self._agent.serve if self.is_remote else self._agent.serve_alone
        self._serving.append((mine, asyncio.create_task(serve(theirs))))
        return mine

    async def restart(self) -> None:
        """Nobody has a chance to tidy up."""
        if self._agent is not None:
            self._agent.is_killed = True
        await self.end()

    async def end(self) -> None:
        for transport, serving in self._serving:
            await transport.close()
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving
        self._serving.clear()
        if self._agent is not None:
            await self._agent.close()
        self._agent = None
