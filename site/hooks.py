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


def on_post_build(config: Any) -> None:
    """Mend lunr, with which Material's pages search: it takes states of its word automaton for one another.

    It names a state by its edges, each a letter and a number without anything between, so that with digits among the
    letters two states can have one name; then the search finds words that are not there, and breaks off.

    Raises:
        PluginError: the script has changed, so that it is to be looked at whether this is still needed.
    """
    (worker,) = (Path(config.site_dir) / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    text = worker.read_text("utf-8")
    if _MENDED_NAME in text:
        return
    if text.count(_NAME) != 1:
        raise PluginError(f"{worker.name} names states otherwise than hooks.py knows; see on_post_build there")
    worker.write_text(text.replace(_NAME, _MENDED_NAME), "utf-8")


_NAME = "e=e+s+o.id}return e}"
_MENDED_NAME = 'e=e+s+o.id+","}return e}'


def on_page_content(html: str, page: Any, config: Any, files: Any) -> None:
    """Count the lines of code among the anchors of a page, which mkdocs overlooks when it checks links."""
    page.present_anchor_ids.update(re.findall(r'<span id="([^"]+)"', html))
