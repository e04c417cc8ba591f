"""Where human output goes: `rich` on a terminal, plain unwrapped text without padding in a pipe."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

_PIPED_WIDTH = 10_000
"""A pipe has no edge to wrap at; a program on its other end reads lines."""

Segment = str | tuple[str, str]
"""Text, or text with a rich style: `("not valid", "red")`."""


def say(*segments: Segment, stderr: bool = False) -> None:
    """Print one line. `rich` is loaded only where its styles would be seen."""
    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty():
        from rich.text import Text

        console(stderr=stderr).print(Text.assemble(*segments), soft_wrap=True)
    else:
        stream.write("".join(s if isinstance(s, str) else s[0] for s in segments) + "\n")


def console(*, stderr: bool = False) -> Console:
    """A console for standard output or standard error, for tables and other things of many lines."""
    from rich.console import Console
    from rich.theme import Theme

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to `acp_v2.cli.main`, which knows that a reader that goes away is no error."""
            raise  # noqa: PLE0704  # rich calls this while it handles the BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    # rich's own style for code sets a black background, which is a box on a light terminal.
    options: dict[str, Any] = {"highlight": False, "emoji": False, "theme": Theme({"markdown.code": "cyan"})}
    if stream.isatty():
        return _Console(file=stream, **options)
    return _Console(file=cast("TextIO", _Unpadded(stream)), width=_PIPED_WIDTH, **options)


class _Unpadded:
    """A stream without the spaces that tables leave at the ends of lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.flush = stream.flush
        self.isatty = stream.isatty

    def write(self, text: str) -> int:
        return self._stream.write(re.sub(r" +(?=\n)", "", text))
