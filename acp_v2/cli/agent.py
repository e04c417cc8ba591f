"""`acpspec agent`: run the reference agent, on standard input and output or on a socket."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import os
import sys

from acp_v2.agent import ReferenceAgent
from acp_v2.cli import OK, UsageError
from acp_v2.idempotency import MemoryStore, Store, StoreError
from acp_v2.termination import until_terminated
from acp_v2.transports.sockets import Address, Door
from acp_v2.transports.stdio import open_stdio


def run(arguments: argparse.Namespace) -> int:
    """Run the agent until its peer is gone or it is told to end."""
    # Standard output is for messages.
    logging.basicConfig(level=logging.WARNING, format="acpspec agent: %(levelname)s: %(message)s")
    asyncio.run(until_terminated(_run(arguments)))
    return OK


async def _run(arguments: argparse.Namespace) -> None:
    store = await open_store(arguments.store)
    try:
        agent = ReferenceAgent(store, while_busy=arguments.while_busy, on_disconnect=arguments.on_disconnect)
        if arguments.listen is None:
            await agent.serve_alone(await open_stdio(max_message_bytes=arguments.max_message_bytes))
        else:
            await _listen(agent, arguments)
    finally:
        await store.close()


async def _listen(agent: ReferenceAgent, arguments: argparse.Namespace) -> None:
    token = arguments.token or os.environ.get("ACPSPEC_TOKEN") or None
    if token is not None and not (token.isascii() and token.isprintable() and token == token.strip()):
        raise UsageError("a token is of printable ASCII characters, because it travels in an HTTP header")
    try:
        address = Address.parse(arguments.listen)
        if not address.is_loopback and token is None:
            raise UsageError(f"others can reach {address.host}, so that --token or ACPSPEC_TOKEN is needed")
        # Before the socket is bound, so that a missing library is the first thing that is said.
        transport = importlib.import_module(f"acp_v2.transports.{_MODULES[address.scheme]}")
        listening = address.bind()
    except (ValueError, OSError) as error:
        raise UsageError(f"cannot listen on {arguments.listen}: {error}") from None
    print(f"acpspec agent: listening on {address.url(listening)}", file=sys.stderr, flush=True)
    door = Door(token, frozenset(arguments.allow_origin), arguments.max_message_bytes)
    try:
        await transport.listen(listening, address, door, agent.serve)
    finally:
        await agent.close()


_MODULES = {"ws": "websocket", "http": "http"}


async def open_store(url: str) -> Store:
    """The store that a URL names, or one in memory.

    Raises:
        UsageError: it cannot be opened.
    """
    if url == "memory":
        return MemoryStore()
    if not url.startswith(("sqlite:", "sqlite+", "postgres:", "postgresql:", "postgresql+")):
        # What was given is not repeated, because a password may be in it.
        forms = "sqlite:////path/to/file, postgresql://user@host/database, or memory"
        raise UsageError(f"the store cannot be opened: --store takes {forms}")
    try:
        from acp_v2.idempotency.sql_store import SqlStore

        return await SqlStore.open(url)
    except (ImportError, StoreError) as error:
        raise UsageError(f"the store cannot be opened: {error}") from None
