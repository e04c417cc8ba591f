"""`acpspec`: look up, check and prove how ACP v2 behaves when a message is lost.

This module only knows which commands there are; each has a module of its own that is imported when it runs, so that
`acpspec --help` needs neither the schema nor any library.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from acp_v2 import __version__
from acp_v2.cli.conform_arguments import add_conform

OK, FAULTY, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: all is well; the input, the registry or the generated files are not; the command could not be run; it was
ended from the keyboard, as shells count it."""

_EPILOG = """\
exit codes:
  0    all is well
  1    the message is not valid, the name is not known, no row passes the filters, the prompt was
       not inserted, what was tested is not conformant, or the registry or its generated files are
       not in order
  2    the command could not be run: wrong usage, an unreadable file, or an extra that is not installed
  130  it was interrupted

`acpspec COMMAND --help` explains a command.
"""

_CHECKOUT_COMMANDS = ("build", "check", "lint", "site")


class UsageError(Exception):
    """The command cannot be run as it was given; the message says what to do."""


AddParser = Callable[..., argparse.ArgumentParser]
"""argparse's `add_parser` of one group of commands."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show an arrow shows a question mark.
            stream.reconfigure(errors="replace")
    try:
        return _run_command(argv)
    except UsageError as error:
        print(f"acpspec: {error}", file=sys.stderr)
        return UNUSABLE
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        install = f"install it with: pip install 'acp-v2[{extra}]'"
        print(f"acpspec: this command needs {error.name}; {install}", file=sys.stderr)
        return UNUSABLE
    except BrokenPipeError:
        # The reader has gone, as `| head` does. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED


def _run_command(argv: Sequence[str] | None) -> int:
    try:
        own, command = _split(sys.argv[1:] if argv is None else argv)
        arguments = _parser().parse_args(own, argparse.Namespace(command=command))
        run: Callable[[argparse.Namespace], int] = arguments.run
        return run(arguments)
    finally:
        # While a reader that has gone can still be told from other failures.
        sys.stdout.flush()


def _split(argv: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The arguments of acpspec, and the command of a peer after `--`, whose options argparse is not to read."""
    end = argv.index("--") if "--" in argv and argv[0] in _COMMANDS_WITH_PEERS else len(argv)
    return argv[:end], argv[end + 1 :]


_COMMANDS_WITH_PEERS = ("prompt", "conform")

_EXTRAS = {
    "rich": "cli",
    "jsonschema": "cli",
    "jinja2": "conform",
    "yaml": "spec",
    "starlette": "remote",
    "uvicorn": "remote",
    "websockets": "remote",
    "httpx": "remote",
    "httpx_sse": "remote",
    "stamina": "client",
    "filelock": "client",
}
"""Which extra brings a module that a command may find missing."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="acpspec",
        description="Look up, check and prove how the Agent Client Protocol (ACP) v2 behaves when a message is lost.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"acpspec {__version__}")
    add_parser = parser.add_subparsers(metavar="COMMAND", required=True).add_parser
    _add_audit(add_parser)
    _add_explain(add_parser)
    _add_validate(add_parser)
    _add_agent(add_parser)
    _add_prompt(add_parser)
    add_conform(add_parser)
    _add_checkout_commands(add_parser)
    return parser


def _run(module: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        return importlib.import_module(f"acp_v2.cli.{module}").run(arguments)

    return run


def _add_audit(add_parser: AddParser) -> None:
    text = "The retry audit: every message, its retry class, and what a repeat does."
    command = add_parser("audit", help=text, description=text)
    command.add_argument("methods", metavar="METHOD", nargs="*", help="only these methods (default: all)")
    command.add_argument(
        "--class",
        dest="classes",
        metavar="CLASS",
        action="append",
        default=[],
        help="only these, with commas or repeated",
    )
    command.add_argument(
        "--side",
        choices=("client", "agent", "proxy", "conductor"),
        help="only what this side sends: what it may or may not repeat",
    )
    command.add_argument("--stability", choices=("stable", "unstable"), help="only stable or only unstable methods")
    command.add_argument(
        "--format", choices=("table", "json", "markdown", "csv"), default="table", help="default: %(default)s"
    )
    command.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    command.set_defaults(run=_run("audit"))


def _add_explain(add_parser: AddParser) -> None:
    text = "Everything known about a method, type, field, error code, retry class or finding."
    command = add_parser("explain", help=text, description=text)
    command.add_argument(
        "name",
        metavar="NAME",
        help="session/prompt, PromptRequest, PromptRequest.idempotencyKey, invalid_params, -32602, keyed",
    )
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=_run("explain"))


def _add_validate(add_parser: AddParser) -> None:
    text = "Say of JSON-RPC messages what they are in ACP v2, and what is wrong with them."
    command = add_parser(
        "validate",
        help=text,
        description=f"{text} FILE holds one message, or one a line; a response finds its request on an earlier line.",
    )
    command.add_argument("file", metavar="FILE", help="the file, or - for standard input")
    command.add_argument("--method", help="the method that a response answers")
    command.add_argument(
        "--from",
        dest="sender",
        choices=("client", "agent", "proxy", "conductor"),
        help="the side that wrote the messages",
    )
    command.add_argument("--stable", action="store_true", help="refuse what is unstable in v2")
    command.add_argument("--json", action="store_true", help="one JSON object for each message, on a line of its own")
    command.set_defaults(run=_run("validate"))


def _add_agent(add_parser: AddParser) -> None:
    text = "Run the reference agent, a peer to try clients against."
    command = add_parser(
        "agent",
        help=text,
        description=f"{text} It follows what a prompt says: `/sleep S` keeps the session busy for S seconds, `/fail N` "
        "is answered with an error N times before it is inserted, `/local` is a command whose message is not kept, and "
        "anything else is echoed in chunks.",
    )
    command.add_argument(
        "--store",
        metavar="URL",
        default="memory",
        help="where sessions are kept: sqlite:////path/to/file, postgresql://… or memory (default: %(default)s)",
    )
    command.add_argument(
        "--while-busy",
        choices=("hold", "insert"),
        default="hold",
        help="hold a prompt that comes while its session is busy until it is not, or insert it at once "
        "(default: %(default)s)",
    )
    command.add_argument(
        "--on-disconnect",
        choices=("keep", "drop"),
        default="keep",
        help="keep held prompts when the connection that they came on ends, or drop them (default: %(default)s)",
    )
    command.add_argument(
        "--listen",
        metavar="URL",
        help="serve any number of clients on ws://127.0.0.1:PORT/… or http://127.0.0.1:PORT/… instead of one on "
        "standard input and output; port 0 is any that is free, and standard error says which",
    )
    command.add_argument(
        "--token",
        help="what clients on a socket have to send as `Authorization: Bearer`; better in the variable ACPSPEC_TOKEN, "
        "which others on this machine cannot see",
    )
    command.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="let pages of this origin connect to a socket, such as https://example.org (default: none; repeatable)",
    )
    command.add_argument(
        "--max-message-bytes",
        metavar="N",
        type=_positive,
        default=64 * 1024 * 1024,
        help="refuse larger messages (default: %(default)s)",
    )
    command.set_defaults(run=_run("agent"))


def _add_prompt(add_parser: AddParser) -> None:
    text = "Send one prompt to an agent, and show what it does."
    command = add_parser(
        "prompt",
        help=text,
        description=f"{text} What the agent says goes to standard output, everything else to standard error. When the "
        "connection is lost, the prompt is sent again with its key. Ctrl-C breaks off the agent's work.",
        usage="acpspec prompt [OPTION…] TEXT -- COMMAND…\n       acpspec prompt [OPTION…] TEXT --url URL",
    )
    command.add_argument("text", metavar="TEXT", nargs="?", help="the prompt, or - for standard input")
    command.add_argument("--url", help="connect to an agent at ws://…, wss://…, http://… or https://… instead")
    command.add_argument("--token", help="what to show there as a bearer token")
    command.add_argument("--cwd", metavar="DIR", help="the session's working directory (default: this one)")
    command.add_argument("--session", metavar="ID", help="go on with this session instead of a new one")
    command.add_argument("--login", metavar="METHOD", help="sign in with this one of the agent's methods first")
    command.add_argument(
        "--outbox", metavar="FILE", help="keep the prompt in this file until its outcome is known (default: in memory)"
    )
    command.add_argument("--key", help="the idempotency key to send (default: a random one)")
    command.add_argument("--resend", action="store_true", help="send it once more at the end, to see a retry answered")
    command.add_argument(
        "--pending", action="store_true", help="send what an earlier run left in --outbox, and no other prompt"
    )
    command.add_argument("--allow", action="store_true", help="answer each question for permission with its first yes")
    command.set_defaults(run=_run("prompt"))


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError("a positive whole number is expected")
    return int(text)


def _add_checkout_commands(add_parser: AddParser) -> None:
    root = checkout_root()
    if root is None:
        for name in _CHECKOUT_COMMANDS:
            # Known, so that whoever reads about it learns why it is not here; not listed.
            add_parser(name).set_defaults(run=_needs_checkout(name))
        return
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    importlib.import_module("generator.cli").add_commands(add_parser)


def _needs_checkout(name: str) -> Callable[[argparse.Namespace], int]:
    def run(_arguments: argparse.Namespace) -> int:
        raise UsageError(f"`{name}` needs a checkout of the repository; this is an installed package")

    return run


def checkout_root() -> Path | None:
    """The checkout that this package is part of, or None where it is installed without one."""
    root = Path(__file__).resolve().parents[2]
    is_checkout = (root / "generator" / "cli.py").is_file() and (root / "spec").is_dir()
    return root if is_checkout else None
