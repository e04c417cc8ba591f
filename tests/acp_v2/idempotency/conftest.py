"""Stores as tests see them: one store, and as many nodes that use it as a test wants, in each of its kinds."""

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_v2.idempotency import MemoryStore, Store, StoredSession
from acp_v2.idempotency.sql_store import SqlStore
from tests.postgresql import PostgresqlServer


class Nodes:
    """Nodes that share one store. In memory there is one process, and all nodes are the same."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self._shared = MemoryStore()
        self._opened: list[Store] = []

    async def open(self, **options: Any) -> Store:
        node: Store = self._shared if self.url is None else await SqlStore.open(self.url, **options)
        self._opened.append(node)
        return node

    async def two(self) -> tuple[Store, Store]:
        """Two nodes, and a session "s"."""
        one, other = await self.open(), await self.open()
        await one.create_session(StoredSession("s", "/work"))
        return one, other

    async def close(self) -> None:
        for node in self._opened:
            await node.close()


@pytest.fixture
def sqlite_nodes(tmp_path: Path) -> Nodes:
    return Nodes(f"sqlite:///{tmp_path}/store.db")


@pytest.fixture
def postgresql_nodes(postgresql_server: PostgresqlServer) -> Iterator[Nodes]:
    url = postgresql_server.take_database()
    yield Nodes(url)
    postgresql_server.give_back(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def sql_nodes(request: pytest.FixtureRequest) -> Nodes:
    return request.getfixturevalue(f"{request.param}_nodes")


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def nodes(request: pytest.FixtureRequest) -> Nodes:
    return Nodes(None) if request.param == "memory" else request.getfixturevalue(f"{request.param}_nodes")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run tests that are coroutines, each in an event loop of its own, and close the nodes that they opened."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}

    async def run() -> None:
        try:
            await pyfuncitem.obj(**arguments)
        finally:
            for nodes in arguments.values():
                if isinstance(nodes, Nodes):
                    await nodes.close()

    asyncio.run(run())
    return True
