"""What mkdocs does besides: while it serves, follow changes of the registry and the templates."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

REPOSITORY = Path(__file__).resolve().parents[1]
SERVING: list[bool] = []
sys.path.insert(0, str(REPOSITORY))  # The generator is of this checkout.


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
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        # Imported by the first build and kept, because starting an interpreter takes longer than generating.
        code = importlib.import_module("generator.commands").build(argparse.Namespace(root=REPOSITORY))
    if code != 0:
        raise PluginError(said.getvalue())
    for path in (REPOSITORY / "acp_v2" / "schema").glob("*.json"):
        shown = Path(config.docs_dir) / "schema" / path.name
        if not shown.exists() or shown.read_bytes() != path.read_bytes():
            shutil.copyfile(path, shown)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> None:
    """Count the lines of code among the anchors of a page, which mkdocs overlooks when it checks links."""
    page.present_anchor_ids.update(re.findall(r'<span id="([^"]+)"', html))
