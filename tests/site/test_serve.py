"""What is edited shows in the pages that are being served, and a fault on the way does not end the serving."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator import site
from tests.site.serving import REPOSITORY, copy_checkout, fetched

PATIENCE = 120
"""After so many seconds something hangs; nothing here is about speed."""


@dataclass(frozen=True)
class Serving:
    """A checkout that is being served."""

    root: Path
    address: str
    log: Path
    process: subprocess.Popen[bytes]

    def page(self, name: str) -> str:
        """A page as it is served now; nothing while it cannot be had."""
        try:
            return fetched(self.address + name)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return ""

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"stands {text.count(old)} times in {file}: {old}"
        path.write_text(text.replace(old, new), "utf-8")

    def wait_until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            said = self.log.read_text("utf-8")
            assert self.process.poll() is None, f"the server has ended:\n{said}"
            assert time.monotonic() < deadline, f"it never came to be:\n{said}"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """`make serve`, in a copy and on a port of its own."""
    try:
        site.install(REPOSITORY)
    except site.SiteError as error:
        pytest.skip(f"the site cannot be served: {error}")
    root = copy_checkout(tmp_path_factory.mktemp("served"))
    site.prepare(root)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    log = root / "serve.log"
    command = [str(Path(sys.executable).with_name("mkdocs")), "serve", "--dev-addr", f"127.0.0.1:{port}"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=root / "site", env=environment, stdout=output, stderr=output)
        serving = Serving(root, f"http://127.0.0.1:{port}/", log, process)
        try:
            serving.wait_until(lambda: "Retry audit" in serving.page("audit/"))
            yield serving
        finally:
            process.terminate()
            process.wait()


def test_an_edit_of_the_registry_shows_in_pages_and_files(serving: Serving):
    serving.edit("spec/methods.yaml", "again: A second fork is created.", "again: Yet another fork is created.")

    for name in ("audit/", "methods/session-fork/", "schema/methods.json"):
        serving.wait_until(lambda name=name: "Yet another fork is created." in serving.page(name))


def test_a_fault_is_said_and_what_is_edited_to_mend_it_shows(serving: Serving):
    serving.edit("spec/guide/proxies.md", "title: Proxies", "tilte: Proxies")
    serving.wait_until(lambda: "spec/guide/proxies.md:2: its head has a title" in serving.log.read_text("utf-8"))

    serving.edit("spec/guide/proxies.md", "tilte: Proxies", "title: All about proxies")
    serving.edit("templates/docs/checker.md.j2", "Paste a message.", "Paste any message.")

    serving.wait_until(lambda: "All about proxies" in serving.page("proxies/"))
    serving.wait_until(lambda: "Paste any message." in serving.page("checker/"))


def test_what_a_build_writes_does_not_start_builds_without_end(serving: Serving):
    """Each of three edits is seen, and what its build writes once more, or not at all where the build failed."""
    said = serving.log.read_text("utf-8")

    assert said.count("Detected file changes") <= 8
