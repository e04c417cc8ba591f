"""Remembers the result of an expensive pure function on disk, by what it depends on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[1] / ".cache"

KEPT = 4
"""How many results of a function are kept, so that switching between branches costs nothing."""


def remembered(name: str, depends_on: Any, make: Callable[[], dict[str, str]]) -> dict[str, str]:
    """`make()`, or what it gave when it last depended on the same.

    Args:
        name: of the function; its latest results lie in a folder of that name.
        depends_on: plain data with everything that the result follows from, the order of keys included.
        make: the function.
    """
    # Pickled because that takes a third of the time of JSON; nothing is ever unpickled.
    digest = hashlib.sha256(pickle.dumps(depends_on, protocol=5)).hexdigest()
    path = HOME / name / f"{digest}.json"
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(path.read_text("utf-8"))
        if isinstance(known, dict):
            return known  # pyright: ignore[reportUnknownVariableType]
    made = make()
    # A folder that cannot be written costs time, nothing else.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in sorted(path.parent.iterdir(), key=lambda p: p.stat().st_mtime)[: -KEPT + 1]:
            old.unlink()
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(made), "utf-8")
        draft.replace(path)
    return made
