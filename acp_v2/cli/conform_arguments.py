"""The arguments of `acpspec conform`; they need nothing that the command needs."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path

AddParser = Callable[..., argparse.ArgumentParser]


def add_conform(add_parser: AddParser) -> None:
    """Add the command with its commands for each side."""
    text = (
        "Test whether an agent, a client, a proxy or a conductor keeps the rules, in whatever language it is written."
    )
    command = add_parser("conform", help=text, description=text)
    add_side = command.add_subparsers(metavar="SIDE", required=True).add_parser
    _add_conform_agent(add_side)
    _add_conform_client(add_side)
    _add_conform_proxy(add_side)
    _add_conform_list(add_side)


def _add_conform_agent(add_parser: AddParser) -> None:
    text = "Test an agent."
    command = add_parser(
        "agent",
        help=text,
        usage="acpspec conform agent [OPTION …] -- COMMAND …\n"
        "       acpspec conform agent [OPTION …] --url URL [-- COMMAND …]",
        description=f"{text} COMMAND is started for each connection and speaks ACP on its standard input and output. "
        "With --url, the agent is at an address; COMMAND, where there is one, starts it there. What cannot be provoked "
        "with the options given is skipped, and the report says so.",
    )
    command.add_argument("--url", help="the agent's address, beginning with ws://, wss://, http:// or https://")
    command.add_argument(
        "--restart-cmd", metavar="LINE", help="for an agent that runs already: a line for the shell that restarts it"
    )
    command.add_argument("--token", help="a bearer token for --url; better in the variable ACPSPEC_TOKEN")
    _add_prompt_arguments(command)
    command.add_argument("--cwd", metavar="FOLDER", help="the working directory of sessions (default: an empty folder)")
    command.add_argument(
        "--login", metavar="METHOD", help="the authentication method to log in with, if it comes to that"
    )
    _add_run_arguments(command)
    command.set_defaults(run=_run("run_agent"))


def _add_conform_client(add_parser: AddParser) -> None:
    text = "Test a client."
    command = add_parser(
        "client",
        help=text,
        usage="acpspec conform client [OPTION …] -- COMMAND …",
        description=f"{text} COMMAND submits one prompt, to an agent that it starts: {{agent}} in it becomes a program "
        "that leads back to the suite, {text} the prompt, and {state} a folder for what is to outlive the client.",
    )
    command.add_argument("--prompt", metavar="TEXT", default="Hello there", help="the prompt (default: `%(default)s`)")
    command.add_argument(
        "--restart-cmd",
        metavar="LINE",
        help="the client as it is started after it was killed, with the same words in it",
    )
    command.add_argument(
        "--key-cmd", metavar="LINE", help="the client as it is given a key of the application's, {key}, and {text}"
    )
    _add_run_arguments(command)
    command.set_defaults(run=_run("run_client"))


def _add_conform_proxy(add_parser: AddParser) -> None:
    text = "Test a proxy or a conductor."
    command = add_parser(
        "proxy",
        help=text,
        usage="acpspec conform proxy [OPTION …] -- COMMAND …",
        description=f"{text} COMMAND is a proxy, whose conductor the suite is. With {{agent}} in it, it is a conductor "
        "or something else that starts an agent: {agent} becomes a program that leads back to the suite, and {proxy} "
        "one that is a proxy in between.",
    )
    _add_run_arguments(command)
    command.set_defaults(run=_run("run_proxy"))


def _add_prompt_arguments(command: argparse.ArgumentParser) -> None:
    given = "default: `%(default)s`, for the reference agent"
    command.add_argument("--prompt", metavar="TEXT", default="Hello there", help="a text that is answered quickly")
    command.add_argument(
        "--busy-prompt",
        metavar="TEXT",
        default="/sleep {seconds}",
        help="a text that keeps the agent busy for so many seconds; without {seconds}, until it is cancelled; empty: "
        f"there is none ({given})",
    )
    command.add_argument(
        "--fail-prompt",
        metavar="TEXT",
        default="/fail 1",
        help="a text that is answered with an error, at least the first time in a session; empty: there is none "
        f"({given})",
    )
    command.add_argument(
        "--local-prompt",
        metavar="TEXT",
        default="/local",
        help=f"a text whose message is shown and not kept; empty: there is none ({given})",
    )


def _add_run_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--env",
        metavar="NAME=VALUE",
        type=_assignment,
        action="append",
        default=[],
        help="set a variable for COMMAND (repeatable)",
    )
    command.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=30.0,
        help="how long to wait for anything that is owed (default: %(default)g)",
    )
    command.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        default=900.0,
        help="how long all of it may take (default: %(default)g)",
    )
    command.add_argument(
        "--scenario",
        metavar="ID",
        dest="scenarios",
        action="append",
        default=[],
        help="run only this scenario (repeatable)",
    )
    command.add_argument(
        "--rule", metavar="ID", dest="rules", action="append", default=[], help="run only what checks this rule"
    )
    command.add_argument(
        "--report",
        metavar="FILE",
        dest="reports",
        type=Path,
        action="append",
        default=[],
        help="write the report to FILE.json, FILE.xml (JUnit) or FILE.html (repeatable)",
    )


def _add_conform_list(add_parser: AddParser) -> None:
    text = "Print the scenarios with the rules that they check."
    command = add_parser("list", help=text, description=text)
    command.add_argument("--side", choices=("agent", "client", "proxy"), help="only those for this side")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=_run("run_list"))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError("a positive number of seconds is expected")
    return seconds


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("NAME=VALUE is expected")
    return name, value


def _run(function: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        return getattr(importlib.import_module("acp_v2.cli.conform"), function)(arguments)

    return run
