"""Turns of phrase that findings share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def listed(names: Iterable[str], word: str = "or") -> str:
    """`a`, `a or b`, `a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def hint(name: str, known: Iterable[str]) -> str:
    """What may have been meant, as the end of a sentence, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
