"""Speed and size of the documentation site."""

import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from generator import memo
from generator.emit import docs
from generator.load import load
from tests.bench.measure import Figure, command_seconds, seconds

REPOSITORY = Path(__file__).parents[2]
ACPSPEC = str(Path(sys.executable).with_name("acpspec"))
PUBLIC = REPOSITORY / "site" / "public"
PAGE = "spec/guide/overview.md"


def figures() -> Iterator[Figure]:
    """Each with the limit that it has to keep to."""
    yield Figure("acpspec site", command_seconds([ACPSPEC, "site"], runs=3), "s", 12.0)
    yield Figure("the pages' Markdown", _markdown_seconds(), "s", 1.5)
    yield Figure("from an edit to the page that shows it", _edit_seconds(), "s", 3.0)
    yield Figure("the audit page", (PUBLIC / "audit/index.html").stat().st_size / 1024, "KB", 150)
    largest = max(path.stat().st_size for path in PUBLIC.glob("types/*/index.html"))
    yield Figure("the largest page of types", largest / 1024, "KB", 400)


def _markdown_seconds() -> float:
    protocol = load(REPOSITORY)

    def anew() -> None:
        with tempfile.TemporaryDirectory() as empty:
            memo.HOME = Path(empty)
            docs.emit(protocol)

    return seconds(anew)


def _edit_seconds(edits: int = 3) -> float:
    """The median of the seconds from saving a page's source to its new text on the served page."""
    skipped = shutil.ignore_patterns(".git", ".venv", "node_modules", "public", ".cache", "__pycache__")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "checkout")
        shutil.copytree(REPOSITORY, root, ignore=skipped)
        with _served(root) as address:
            return statistics.median(_until_shown(root / PAGE, f"{address}overview/", n) for n in range(edits))


@contextlib.contextmanager
def _served(root: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [str(Path(sys.executable).with_name("mkdocs")), "serve", "--dirty", "--dev-addr", address]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=root / "site", env=environment, stdout=silent, stderr=silent) as server:
        try:
            _wait_for(f"http://{address}/overview/", "Overview")
            yield f"http://{address}/"
        finally:
            server.terminate()


def _until_shown(source: Path, address: str, number: int) -> float:
    words = f"Edit number {number}."
    started = time.perf_counter()
    source.write_text(f"{source.read_text('utf-8')}\n{words}\n", "utf-8")
    _wait_for(address, words)
    return time.perf_counter() - started


def _wait_for(address: str, words: str) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), urllib.request.urlopen(address) as answer:  # noqa: S310  # our own
            if words in answer.read().decode():
                return
        time.sleep(0.05)
    raise RuntimeError(f"{address} did not show {words!r} within a minute")
