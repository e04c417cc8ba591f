"""`python -m acp_v2.adapters.example`: run the example adapter on standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from acp_v2 import __version__
from acp_v2.adapters.example.runtime import COMPACT_EVERY_BYTES, Runtime
from acp_v2.adapters.example.runtime_sessions import RuntimeSessions
from acp_v2.agent import ReferenceAgent
from acp_v2.models import Implementation
from acp_v2.termination import until_terminated
from acp_v2.transports.stdio import open_stdio

INFO = Implementation(name="acp-v2-example-adapter", title="ACP v2 example adapter", version=__version__)


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one client until it is gone. Returns 0, 2 where the folder cannot be used, 130 where it is interrupted."""
    arguments = _parser().parse_args(argv)
    # Standard output is for messages.
    logging.basicConfig(level=logging.WARNING, format="example adapter: %(levelname)s: %(message)s")
    try:
        asyncio.run(until_terminated(_run(arguments)))
    except TimeoutError:
        print(f"example adapter: {arguments.sessions} is in use by another process", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"example adapter: {arguments.sessions} cannot be used: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


async def _run(arguments: argparse.Namespace) -> None:
    runtime = Runtime(arguments.sessions, compact_every=arguments.compact_every)
    await runtime.open()
    store = RuntimeSessions(runtime)
    try:
        agent = ReferenceAgent(store, while_busy=arguments.while_busy, on_disconnect=arguments.on_disconnect, info=INFO)
        await agent.serve_alone(await open_stdio())
    finally:
        await store.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m acp_v2.adapters.example",
        description="Run the example adapter: an ACP v2 agent over a runtime that owns its stored sessions.",
    )
    parser.add_argument("--sessions", metavar="DIR", type=Path, required=True, help="where the runtime's sessions are")
    parser.add_argument(
        "--while-busy",
        choices=("hold", "insert"),
        default="hold",
        help="hold a prompt that comes while its session is busy, or insert it at once (default: %(default)s)",
    )
    parser.add_argument(
        "--on-disconnect",
        choices=("keep", "drop"),
        default="keep",
        help="keep held prompts when their connection ends, or drop them (default: %(default)s)",
    )
    parser.add_argument(
        "--compact-every",
        metavar="BYTES",
        type=_positive,
        default=COMPACT_EVERY_BYTES,
        help="how much comes between two compactions of a session (default: %(default)s)",
    )
    return parser


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError("a positive whole number is expected")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
