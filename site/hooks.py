"""What mkdocs does besides, while it serves: regenerate the pages when the registry or a template changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

REPOSITORY = Path(__file__).resolve().parents[1]


def on_pre_build(config: Any) -> None:
    """Write the pages that differ, so that a build which finds nothing to write does not start another.

    Raises:
        PluginError: the registry has faults; they are said, and the server waits for them to be mended.
    """
    command = [sys.executable, "-m", "generator", "build"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PluginError(f"{done.stdout}{done.stderr}")
