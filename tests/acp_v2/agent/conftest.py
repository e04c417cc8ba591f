"""The agent in the process of the tests, and stores for agents in processes of their own."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_v2.idempotency import MemoryStore
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


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty store that outlives the processes which use it."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'sessions.db'}"
        return
    server = request.getfixturevalue("postgresql_server")
    database = server.take_database()
    yield database
    server.give_back(database)
