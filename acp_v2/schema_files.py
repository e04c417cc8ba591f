"""The generated JSON files that ship in the package, loaded once each."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_schema_file(name: str) -> Any:
    """The value of a file in `acp_v2/schema`, such as `schema.unstable.json`.

    It is shared: treat it as read-only.
    """
    return json.loads(files("acp_v2").joinpath("schema", name).read_text("utf-8"))
