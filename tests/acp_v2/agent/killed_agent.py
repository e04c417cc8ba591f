"""Runs the reference agent, and kills it at one point between a prompt's receipt and its answer.

    python killed_agent.py STORE POINT

The points are before and after the agent touches something outside of itself; nothing in the agent knows of them.
"""

import asyncio
import json
import os
import signal
import sys
from typing import Any

from acp_v2.agent import ReferenceAgent
from acp_v2.cli.agent import open_store
from acp_v2.transports.stdio import open_stdio

POINTS = [
    "received",
    "before find_key",
    "after find_key",
    "before claim",
    "after claim",
    "before add_message",
    "after add_message",
    "before release",
    "after release",
    "before user_message",
    "after user_message",
    "before answer",
    "after answer",
]


def die_at(point: str, reached: str) -> None:
    if point == reached:
        os.kill(os.getpid(), signal.SIGKILL)


class KilledStore:
    """A store in whose methods the process dies."""

    def __init__(self, store: Any, point: str) -> None:
        self._store = store
        self._point = point

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in ("find_key", "claim", "add_message"):
            return method

        async def dying(*arguments: Any) -> Any:
            die_at(self._point, f"before {name}")
            result = await method(*arguments)
            die_at(self._point, f"after {name}")
            return KilledClaim(result, self._point) if name == "claim" and result is not None else result

        return dying


class KilledClaim:
    def __init__(self, claim: Any, point: str) -> None:
        self._claim = claim
        self._point = point

    async def withdrawn(self) -> None:
        await self._claim.withdrawn()

    async def release(self, outcome: Any) -> None:
        die_at(self._point, "before release")
        await self._claim.release(outcome)
        die_at(self._point, "after release")


class KilledTransport:
    """A transport on which the process dies with a prompt."""

    def __init__(self, transport: Any, point: str) -> None:
        self._transport = transport
        self._point = point

    async def receive(self) -> Any:
        line = await self._transport.receive()
        if line is not None and json.loads(line).get("method") == "session/prompt":
            die_at(self._point, "received")
        return line

    async def send(self, text: str) -> None:
        message = json.loads(text)
        kind = message.get("params", {}).get("update", {}).get("sessionUpdate")
        what = "answer" if "messageId" in message.get("result", {}) else kind
        die_at(self._point, f"before {what}")
        await self._transport.send(text)
        die_at(self._point, f"after {what}")

    async def close(self) -> None:
        await self._transport.close()


async def main(url: str, point: str) -> None:
    store = await open_store(url)
    agent = ReferenceAgent(KilledStore(store, point))  # type: ignore[arg-type]
    await agent.serve_alone(KilledTransport(await open_stdio(), point))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
