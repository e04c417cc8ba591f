"""What tests of the site stand on: a copy of the checkout to build in, and a server for what was built."""

import contextlib
import http.server
import shutil
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PACKAGES = REPOSITORY / "site" / "node_modules"

COPIED = ("acp_v2", "generator", "spec", "templates", "site", "pyproject.toml", "CHANGELOG.md")
NOT_COPIED = shutil.ignore_patterns("__pycache__", "node_modules", "public", "built", ".cache", "npm")


def copy_checkout(target: Path) -> Path:
    """What the site is made of, with what the generator remembers, and with the packages from npm as a link."""
    for name in COPIED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=NOT_COPIED)
        else:
            shutil.copy2(source, target / name)
    if (REPOSITORY / ".cache").exists():
        shutil.copytree(REPOSITORY / ".cache", target / ".cache", ignore=NOT_COPIED)
    (target / "site" / "node_modules").symlink_to(PACKAGES)
    return target


@contextlib.contextmanager
def served(folder: Path, below: str = "/some/where/") -> Iterator[str]:
    """A plain static server of this machine; gives the address of the folder, which is below a sub-path."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __init__(self, *args, **kwargs):
            super().__init__(*args, directory=str(folder), **kwargs)

        def translate_path(self, path):
            return super().translate_path(f"/{path.removeprefix(below)}") if path.startswith(below) else "/nowhere"

        def end_headers(self):
            self.send_header("Cache-Control", "max-age=3600")  # nothing in the folder changes while it is served
            super().end_headers()

        def log_message(self, *args):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            """A browser that leaves a page does not wait for the rest of it."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{below}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def fetched(address: str) -> str:
    """The text at an address."""
    with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310  # an address of this machine
        return answer.read().decode()
