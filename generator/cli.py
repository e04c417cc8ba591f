"""The commands that need a checkout: `build`, `check`, `lint` and `site`. What they do is in `generator.commands`."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

DEFAULT_ROOT = Path(__file__).resolve().parents[1]

COMMANDS = {
    "build": "Write every generated file anew from the registry.",
    "check": "Say whether the generated files are what the registry gives; change nothing.",
    "lint": "Say what is wrong with the registry; change nothing.",
    "site": "Build the documentation site from the generated pages, or serve it.",
}


def add_commands(add_parser: Callable[..., argparse.ArgumentParser]) -> None:
    """Add this module's commands to a parser; each sets `run`, which takes the arguments and gives the exit code."""
    for name, text in COMMANDS.items():
        command = add_parser(name, help=text, description=text)
        command.add_argument("--root", type=Path, default=DEFAULT_ROOT, help="the checkout (default: this one)")
        if name in ("check", "lint"):
            command.add_argument("--json", action="store_true", help="what was found, as a JSON array")
        if name == "lint":
            command.add_argument("--release", action="store_true", help="also refuse what only a release has to settle")
            command.add_argument("--codes", action="store_true", help="list every code and what it means")
        if name == "site":
            command.add_argument("--builder", choices=["mkdocs", "zensical"], default="mkdocs", help="what builds it")
            command.add_argument("--serve", action="store_true", help="serve it, and follow changes of the registry")
        command.set_defaults(run=_run(name))


def _run(name: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        # Imported late: the parser and its help need none of the libraries that the commands do.
        return getattr(importlib.import_module("generator.commands"), name)(arguments)

    return run


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, 1 where something is wrong with the registry or the files, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m generator", description=__doc__)
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND").add_parser)
    arguments = parser.parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    return run(arguments)
