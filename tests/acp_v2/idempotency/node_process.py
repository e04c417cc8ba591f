"""A node in a process of its own: told what to do by arguments, and says what it did in lines on stdout."""

import asyncio
import json
import random
import sys

from acp_v2 import IdempotencyKey
from acp_v2.idempotency import Insertion, Outcome, StoredMessage, Submissions
from acp_v2.idempotency.sql_store import SqlStore


def say(what: object) -> None:
    print(json.dumps(what), flush=True)


async def heard() -> None:
    """Wait for a line."""
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def hold(url: str, key: str, lease: str) -> None:
    """Claim a key of session "s"; at a line, insert its message and say what came of it."""
    store = await SqlStore.open(url, lease=float(lease))
    claim = await store.claim("s", IdempotencyKey(key))
    say("claimed" if claim else "lost")
    await heard()
    insertion = await store.add_message("s", StoredMessage("held", "user", []), IdempotencyKey(key))
    if claim:
        await claim.release(Outcome(insertion.message_id))
    say([insertion.message_id, insertion.is_new])
    await store.close()


async def write(url: str) -> None:
    """Add one message after another to session "s" until somebody ends it, and say each that is stored."""
    store = await SqlStore.open(url)
    number = 0
    while True:
        key = IdempotencyKey(f"key {number}")
        insertion = await store.add_message("s", StoredMessage(f"m{number}", "user", []), key)
        say(insertion.message_id)
        number += 1


async def contend(url: str, name: str, keys: str, attempts: str) -> None:
    """Submit each key several times, each time as if by another node, in no order; say what each was answered."""
    store = await SqlStore.open(url)
    answers: dict[int, list[str]] = {number: [] for number in range(int(keys))}

    async def ready() -> None:
        """Half of the attempts hold the prompt, and so claim its key."""
        await asyncio.sleep(0)

    async def submit_all(attempt: int) -> None:
        submissions = Submissions(store)
        for number in random.sample(range(int(keys)), int(keys)):

            async def insert(key: IdempotencyKey | None, number: int = number) -> Insertion:
                message = StoredMessage(f"{number} by {name} at attempt {attempt}", "user", [])
                return await store.add_message("s", message, key)

            key = IdempotencyKey(f"key {number}")
            held = {"ready": ready} if (number + attempt) % 2 else {}
            answers[number].append(await submissions.submit("s", key, insert, **held))

    say("ready")
    await heard()
    await asyncio.gather(*(submit_all(attempt) for attempt in range(int(attempts))))
    say(answers)
    await store.close()


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    asyncio.run({"hold": hold, "write": write, "contend": contend}[what](*arguments))
