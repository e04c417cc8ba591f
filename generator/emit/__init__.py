"""The emitters: each a pure function from the Model to the files it is responsible for, by path."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from generator.model import Protocol

Emitter = Callable[[Protocol], dict[str, str]]
"""Takes the Model, gives the text of files by POSIX path relative to the repository."""

SCHEMA_DIR = "acp_v2/schema"

NOTICE = "Generated from spec/ by `acpspec build`. Do not edit."


def to_json(value: Any) -> str:
    """A JSON file's text: two spaces, in the order given, UTF-8 as it is, a newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
