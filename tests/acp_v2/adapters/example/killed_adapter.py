"""Runs the example adapter, and kills it at one point between a prompt's receipt and its answer.

python killed_adapter.py DIR POINT
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from acp_v2.adapters.example import Runtime, RuntimeSessions
from acp_v2.agent import ReferenceAgent
from acp_v2.transports.stdio import open_stdio
from tests.acp_v2.agent import killed_agent
from tests.acp_v2.agent.killed_agent import Death, KilledStore, KilledTransport

POINTS = [
    # Of a held prompt the adapter keeps nothing outside of itself.
    *(point for point in killed_agent.POINTS if point not in killed_agent.HELD),
    *("before append", "half of append", "after append", "before pages", "after pages"),
]


class KilledRuntime(Runtime):
    """A runtime in whose methods the process dies."""

    def __init__(self, folder: Path, death: Death) -> None:
        super().__init__(folder)
        self._death = death

    async def append(self, *arguments: Any) -> None:
        self._death.at("before append")
        await super().append(*arguments)
        self._death.at("after append")

    async def pages(self, session_id: str) -> Any:
        self._death.at("before pages")
        async for page in super().pages(session_id):
            yield page
        self._death.at("after pages")

    def _append(self, path: Path, message: Any) -> None:
        before = path.stat().st_size
        super()._append(path, message)
        whole = path.stat().st_size
        if self._death.is_at("half of append"):
            os.truncate(path, (before + whole) // 2)
            self._death.at("half of append")


async def main(folder: str, point: str) -> None:
    death = Death(point, 1)
    runtime = KilledRuntime(Path(folder), death)
    await runtime.open()
    agent = ReferenceAgent(KilledStore(RuntimeSessions(runtime), death))  # type: ignore[arg-type]
    await agent.serve_alone(KilledTransport(await open_stdio(), death))
    runtime.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
