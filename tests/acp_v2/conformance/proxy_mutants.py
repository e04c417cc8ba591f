"""Wrong proxies: python -m tests.acp_v2.conformance.proxy_mutants NAME [-- AGENT…], a proxy or a conductor."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from acp_v2.proxy import Conductor, Proxy
from acp_v2.transports import Transport
from acp_v2.transports.process import spawn
from acp_v2.transports.stdio import open_stdio
from tests.acp_v2.conformance.mutants import is_malformed

Params = dict[str, Any]
KEY = "idempotencyKey"


def trim(params: Params) -> None:
    if isinstance(params.get(KEY), str):
        params[KEY] = params[KEY].strip()


def lower(params: Params) -> None:
    if isinstance(params.get(KEY), str):
        params[KEY] = params[KEY].lower()


def drop_null(params: Params) -> None:
    if params.get(KEY, 0) is None:
        del params[KEY]


def drop_malformed(params: Params) -> None:
    if is_malformed(params.get(KEY)):
        del params[KEY]


def add(params: Params) -> None:
    params.setdefault(KEY, "made-by-the-proxy")


def nothing(params: Params) -> None:
    """No mutant."""


CHANGES: dict[str, Callable[[Params], None]] = {
    "trims": trim,
    "folds-case": lower,
    "drops-null": drop_null,
    "drops-malformed": drop_malformed,
    "adds": add,
}


class Tampering:
    """A transport on which prompts are changed as they come in."""

    def __init__(self, transport: Transport, change: Callable[[Params], None]) -> None:
        self._transport = transport
        self._change = change

    async def receive(self) -> str | bytes | None:
        text = await self._transport.receive()
        if text is None:
            return None
        message = json.loads(text)
        if message.get("method") == "session/prompt":
            self._change(message["params"])
        return json.dumps(message)

    async def send(self, text: str) -> None:
        await self._transport.send(text)

    async def close(self) -> None:
        await self._transport.close()


async def main() -> None:
    change = {**CHANGES, "nothing": nothing}[sys.argv[1]]
    outside = Tampering(await open_stdio(), change)
    if "--" not in sys.argv:
        await Proxy(outside).run()
        return
    agent = await spawn(sys.argv[sys.argv.index("--") + 1 :])
    try:
        await Conductor(outside, [], agent).run()
    finally:
        await agent.close()


if __name__ == "__main__":
    asyncio.run(main())
