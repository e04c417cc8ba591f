"""What mkdocs does besides: while it serves, follow changes of the registry and the templates."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

REPOSITORY = Path(__file__).resolve().parents[1]
SERVING: list[bool] = []


def on_startup(command: str, dirty: bool) -> None:  # noqa: FBT001  # mkdocs says how it calls
    """Remember whether this is `mkdocs serve`."""
    SERVING[:] = [command == "serve"]


def on_pre_build(config: Any) -> None:
    """Write the pages that differ, so that a build which finds nothing to write does not start another.

    Raises:
        PluginError: the registry has faults; they are said, and the server waits for them to be mended.
    """
    if not any(SERVING):
        return
    command = [sys.executable, "-m", "generator", "build"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PluginError(f"{done.stdout}{done.stderr}")
    for path in (REPOSITORY / "acp_v2" / "schema").glob("*.json"):
        shown = Path(config.docs_dir) / "schema" / path.name
        if not shown.exists() or shown.read_bytes() != path.read_bytes():
            shutil.copyfile(path, shown)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> None:
    """Count the lines of code among the anchors of a page, which mkdocs overlooks when it checks links."""
    page.present_anchor_ids.update(re.findall(r'<span id="([^"]+)"', html))
