"""The agent in the process of the tests."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from acp_v2.idempotency.memory_store import MemoryStore
from tests.acp_v2.agent.client import InProcess

Run = Callable[..., None]


@pytest.fixture
def run_in_process() -> Run:
    """Runs steps against an agent over a store in memory; further arguments are the agent's."""

    def run(steps: Callable[[InProcess], Awaitable[None]], **options: Any) -> None:
        async def whole() -> None:
            async with InProcess(MemoryStore(), **options) as place:
                await steps(place)

        asyncio.run(whole())

    return run
