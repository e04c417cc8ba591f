"""Runs the reference agent, and kills it at one point between a prompt's receipt and its answer.

    python killed_agent.py STORE POINT [NUMBER]

The points are before and after the agent touches something outside of itself; nothing in the agent knows of them. Some
are passed by a prompt that is held, and by no other. The prompt is the first that comes, or that of a number. At any
other point than these the agent lives.
"""

import asyncio
import json
import os
import signal
import sys
from typing import Any

from acp_v2.agent import ReferenceAgent
from acp_v2.idempotency.sql_store import SqlStore
from acp_v2.transports.stdio import open_stdio

POINTS = [
    "received",
    "before look_up",
    "after look_up",
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
HELD = ["before claim", "after claim", "before release", "after release"]
"""The points that only a held prompt passes."""


class Death:
    """Comes at a point, once that many prompts have come."""

    def __init__(self, point: str, number: int) -> None:
        self._point = point
        self._prompts_before = number

    def prompt_came(self) -> None:
        self._prompts_before -= 1

    def is_at(self, reached: str) -> bool:
        return reached == self._point and self._prompts_before <= 0

    def at(self, reached: str) -> None:
        if self.is_at(reached):
            os.kill(os.getpid(), signal.SIGKILL)


class KilledStore:
    """A store in whose methods the process dies."""

    def __init__(self, store: Any, death: Death) -> None:
        self._store = store
        self._death = death

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in ("look_up", "claim", "add_message"):
            return method

        async def dying(*arguments: Any) -> Any:
            self._death.at(f"before {name}")
            result = await method(*arguments)
            self._death.at(f"after {name}")
            return KilledClaim(result, self._death) if hasattr(result, "release") else result

        return dying


class KilledClaim:
    def __init__(self, claim: Any, death: Death) -> None:
        self._claim = claim
        self._death = death

    async def withdrawn(self) -> None:
        await self._claim.withdrawn()

    async def release(self, outcome: Any) -> None:
        self._death.at("before release")
        await self._claim.release(outcome)
        self._death.at("after release")


class KilledTransport:
    """A transport on which the process dies with a prompt."""

    def __init__(self, transport: Any, death: Death) -> None:
        self._transport = transport
        self._death = death

    async def receive(self) -> Any:
        line = await self._transport.receive()
        if line is not None and json.loads(line).get("method") == "session/prompt":
            self._death.prompt_came()
            self._death.at("received")
        return line

    async def send(self, text: str) -> None:
        message = json.loads(text)
        kind = message.get("params", {}).get("update", {}).get("sessionUpdate")
        what = "answer" if "messageId" in message.get("result", {}) else kind
        self._death.at(f"before {what}")
        await self._transport.send(text)
        self._death.at(f"after {what}")

    async def close(self) -> None:
        await self._transport.close()


async def main(url: str, point: str, number: str = "1") -> None:
    death = Death(point, int(number))
    # The usual lease would have whoever comes next wait that long in SQLite.
    store = await SqlStore.open(url, lease=1.0)
    agent = ReferenceAgent(KilledStore(store, death))  # type: ignore[arg-type]
    await agent.serve_alone(KilledTransport(await open_stdio(), death))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
