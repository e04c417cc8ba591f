"""The site, built once and served below a sub-path, and a browser to look at it."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from generator import site
from generator.cli import main
from tests.site.serving import REPOSITORY, copy_checkout, served

NO_WORKERS = "globalThis.Worker = class extends EventTarget { postMessage() {} terminate() {} };"
"""Not a route, which would take the browser's cache away from everything else."""

APT_GET = ["apt-get", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=1", "-qq"]


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with a page that has moved; building the site changes nothing here but npm's packages."""
    try:
        site.install(REPOSITORY)
    except site.SiteError as error:
        pytest.skip(f"the site cannot be built: {error}")
    copy = copy_checkout(tmp_path_factory.mktemp("checkout"))
    (copy / "spec" / "guide" / "moved.yaml").write_text("once/the-audit: audit\n")
    return copy


@pytest.fixture(scope="session")
def built(checkout: Path) -> Path:
    """The folder with the site as mkdocs builds it."""
    assert main(["site", "--root", str(checkout)]) == 0
    return (checkout / "site" / "public").rename(checkout / "built")


@pytest.fixture(scope="session")
def address(built: Path) -> Iterator[str]:
    """Where the site is served: below a sub-path, by a server that knows nothing of it."""
    with served(built) as found:
        yield found


@pytest.fixture(scope="session")
def chromium() -> str:
    """Debian's Chromium, installed where that is possible."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        with (Path(tempfile.gettempdir()) / "acp-v2-chromium.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for arguments in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
                try:
                    subprocess.run([*APT_GET, *arguments], check=False, capture_output=True, timeout=300)
                except subprocess.TimeoutExpired:
                    pytest.skip("Chromium: apt-get did not end within five minutes")
        found = shutil.which("chromium")
    return found or pytest.skip("Chromium is not installed, and apt-get could not install it")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Closed after each module, because an event loop counts as running in between."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def open_context(browser: Browser, address: str) -> Callable[..., BrowserContext]:
    """Opens contexts in which addresses are taken relative to the site.

    They do without what the search works with: on each page it takes longer than everything else together.
    """

    def opened(**options: Any) -> BrowserContext:
        given = {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}, **options}
        context = browser.new_context(base_url=address, **given)
        context.add_init_script(NO_WORKERS)
        return context

    return opened


@pytest.fixture(scope="module")
def context(open_context: Callable[..., BrowserContext]) -> BrowserContext:
    return open_context()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    yield page
    page.close()
