"""Runs a client that submits prompts, and kills it at one point between the submission and what follows its outcome.

    python killed_client.py OUTBOX STORE SESSION JOURNAL POINT

It submits what the user typed, one line of standard input after another, and says `kept` when a prompt is kept. Without
a point it sends what is pending, and ends when nothing is. In the journal it notes every attempt before it is made, and
what the application was told.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from acp_v2.client import Client, Outbox, Submission
from acp_v2.client.pending_prompts import PendingPrompts
from acp_v2.transports.process import spawn
from tests.acp_v2.agent.client import CWD

WRITES = ["submit", "inserted", "failed", "told"]
POINTS = [
    *(f"{when} {write}" for write in WRITES for when in ("before", "in", "after")),
    "before send",
    "after send",
    "received",
    "before settled",
    "after settled",
]
"""`in` is before the transaction is committed."""


class Killer:
    def __init__(self, point: str, journal: Path) -> None:
        self._point = point
        self._journal = journal

    def reach(self, point: str) -> None:
        if point == self._point:
            os.kill(os.getpid(), signal.SIGKILL)

    def note(self, **entry: Any) -> None:
        # One write to a file that is open for appending, which outlives the process.
        with self._journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def wrap_writes(self) -> None:
        for name in WRITES:
            setattr(PendingPrompts, name, self._dying(name, getattr(PendingPrompts, name)))

    def _dying(self, name: str, method: Any) -> Any:
        def dying(prompts: PendingPrompts, *arguments: Any, **options: Any) -> Any:
            self.reach(f"before {name}")
            if self._point == f"in {name}":
                assert prompts._db is not None
                prompts._db.set_trace_callback(lambda sql: sql.startswith("COMMIT") and self.reach(f"in {name}"))
            result = method(prompts, *arguments, **options)
            self.reach(f"after {name}")
            return result

        return dying

    async def settled(self, submission: Submission) -> None:
        self.reach("before settled")
        # Of an inserted prompt that an earlier process kept the text is gone by now.
        texts = submission.params.get("prompt", [])
        self.note(told=submission.state, key=submission.key, text=texts[0]["text"] if texts else None)
        self.reach("after settled")


class Line:
    """A transport on which the process dies with a prompt."""

    def __init__(self, transport: Any, killer: Killer) -> None:
        self._transport = transport
        self._killer = killer
        self._prompts: set[int] = set()

    async def send(self, text: str) -> None:
        message = json.loads(text)
        if message.get("method") != "session/prompt":
            await self._transport.send(text)
            return
        params = message["params"]
        self._prompts.add(message["id"])
        self._killer.note(sent=params["prompt"][0]["text"], key=params["idempotencyKey"])
        self._killer.reach("before send")
        await self._transport.send(text)
        self._killer.reach("after send")

    async def receive(self) -> Any:
        text = await self._transport.receive()
        if text is not None and json.loads(text).get("id") in self._prompts:
            self._killer.reach("received")
        return text

    async def close(self) -> None:
        await self._transport.close()


async def main(path: str, store: str, session_id: str, journal: str, point: str = "") -> None:
    killer = Killer(point, Path(journal))
    killer.wrap_writes()

    async def connect() -> Line:
        return Line(await spawn([sys.executable, "-m", "acp_v2.cli", "agent", "--store", store]), killer)

    outbox = await Outbox.open(path, on_settled=killer.settled)
    async with Client(connect, outbox=outbox) as client:
        session = await client.resume_session(session_id, CWD)
        waiting = asyncio.gather(*outbox.pending(), return_exceptions=True)
        for line in await asyncio.to_thread(lambda: list(sys.stdin)):
            submission = await session.prompt(line.strip())
            print("kept", flush=True)
            await asyncio.gather(submission, return_exceptions=True)
        await waiting
    await outbox.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
