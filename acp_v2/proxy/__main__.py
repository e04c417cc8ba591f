"""`python -m acp_v2.proxy`: a proxy on standard input and output, or a conductor with what is behind it."""

from __future__ import annotations

import argparse
import asyncio
import logging
import shlex
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack

from acp_v2.proxy.conductor import Conductor
from acp_v2.proxy.successor import Proxy
from acp_v2.termination import until_terminated
from acp_v2.transports import Transport, TransportClosed
from acp_v2.transports.process import spawn
from acp_v2.transports.stdio import open_stdio

_EPILOG = """\
exit codes:
  0    the client, or the conductor, is gone
  1    a proxy or the agent was gone first
  2    wrong usage, or a command that could not be started
  130  it was interrupted
"""


class _GoneError(Exception):
    """Something behind has ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one client or conductor until it is gone, and return the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.proxy and not arguments.command:
        parser.error("--proxy needs an agent: -- COMMAND…")
    # Standard output is for messages.
    logging.basicConfig(level=logging.WARNING, format="acp_v2.proxy: %(levelname)s: %(message)s")
    try:
        asyncio.run(until_terminated(_run(arguments)))
    except _GoneError as error:
        print(f"acp_v2.proxy: {error}", file=sys.stderr)
        return 1
    except TransportClosed as error:
        print(f"acp_v2.proxy: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


async def _run(arguments: argparse.Namespace) -> None:
    if not arguments.command:
        await Proxy(await open_stdio()).run()
        return
    async with AsyncExitStack() as stack:
        behind: list[Transport] = []
        for command in [*arguments.proxy, arguments.command]:
            transport = await spawn(command)
            stack.push_async_callback(transport.close)
            behind.append(transport)
        *proxies, agent = behind
        gone = await Conductor(await open_stdio(), proxies, agent).run()
    if gone is not None:
        raise _GoneError(f"{gone} has ended, and with it the connection")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m acp_v2.proxy",
        description="Pass ACP messages on as they are, between the client on standard input and output and an agent "
        "that COMMAND starts. Without COMMAND, be a proxy that a conductor has started.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--proxy",
        metavar="COMMAND",
        type=_command,
        action="append",
        default=[],
        help="a proxy to start in between, in quotes with its arguments; repeatable, from the client's side on",
    )
    parser.add_argument("command", metavar="COMMAND", nargs="*", help="the agent and its arguments, after --")
    return parser


def _command(text: str) -> list[str]:
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"cannot be read: {error}") from None
    if not command:
        raise argparse.ArgumentTypeError("a command is expected")
    return command


if __name__ == "__main__":
    sys.exit(main())
