"""Reports as files: JSON for programs, JUnit XML for CI, one HTML page for people. None has a key in it.

The end of the file's name decides which it is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from acp_v2.conformance.outcomes import Report

Write = Callable[[Report], str]

_MODULES: Final = {".json": "json_report", ".xml": "junit_report", ".html": "html_report"}


def writer(path: Path) -> Write:
    """What makes the text of a file of that name.

    Raises:
        ValueError: its end is none that is known.
        ImportError: the extra `conform` is not installed.
    """
    module = _MODULES.get(path.suffix.lower())
    if module is None:
        raise ValueError(f"{path} has to end with {', '.join(_MODULES)}")
    return importlib.import_module(f"acp_v2.conformance.reports.{module}").text
