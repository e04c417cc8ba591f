"""Where human output goes: `rich` consoles that keep to plain, unwrapped text when piped."""

from __future__ import annotations

import sys

from rich.console import Console

_PIPED_WIDTH = 10_000
"""A pipe has no edge to wrap at; a program on its other end reads lines."""


def console(*, stderr: bool = False) -> Console:
    """A console for standard output or standard error, with colour and wrapping only on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False)
