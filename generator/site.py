"""Builds or serves the site: what the pages load, the pages, and beside each its Markdown."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from generator.emit import SCHEMA_DIR
from generator.emit.docs import PAGES_DIR
from generator.site_links import tidy

_LINK = re.compile(r"\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
_SNIPPET = re.compile(r'^--8<-- "(?P<path>[^"]+)"$')
_ATTRIBUTES = re.compile(r" ?\{ ?[.#][^}\n]*\}")
_BLOCK = re.compile(r"</?div\b[^>]*>")
_FENCE = re.compile(r"^\s*(```+|~~~+)")


class SiteError(Exception):
    """The site cannot be built; the message says what is missing or which command failed."""


def install(root: Path) -> None:
    """Fetch the packages from npm, unless those of this very lock file are there.

    Packages that are a link to another checkout's are used, and never changed: npm empties the folder that it installs
    into, so a link to others than these is replaced.

    Raises:
        SiteError: Node is missing, or npm failed.
    """
    site = root / "site"
    lock, packages = site / "package-lock.json", site / "node_modules"
    installed = packages / ".installed-lock.json"
    if shutil.which("npm") is None:
        raise SiteError("the site's scripts and fonts come from npm; install Node 20.11 or later")
    if installed.exists() and installed.read_bytes() == lock.read_bytes():
        return
    if packages.is_symlink():
        packages.unlink()
    _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], site)
    shutil.copyfile(lock, installed)


def prepare(root: Path) -> None:
    """Bundle what the pages load and put the schema files beside the pages.

    Raises:
        SiteError: Node is missing, or a command failed.
    """
    install(root)
    _run(["node", "build.mjs"], root / "site")
    target = root / PAGES_DIR / "schema"
    target.mkdir(parents=True, exist_ok=True)
    for path in (root / SCHEMA_DIR).glob("*.json"):
        shutil.copyfile(path, target / path.name)


def build(root: Path, builder: str) -> Path:
    """Build the site with `mkdocs` or `zensical`. Returns the folder with it.

    Raises:
        SiteError: the builder is not installed, or refuses something.
    """
    prepare(root)
    public = root / "site" / "public"
    shutil.rmtree(public, ignore_errors=True)
    # mkdocs: `--quiet` would keep warnings from being counted, and so take the strictness out of `--strict`.
    _run([_tool(builder), "build", "--strict", "--clean"], root / "site")
    for path, text in markdown_pages(root):
        (public / path).write_text(text, "utf-8")
    return public


def serve(root: Path) -> None:
    """Serve the site until interrupted, rebuilt and reloaded whenever the registry or a template changes."""
    prepare(root)
    # Only the pages that changed are built anew; the navigation follows at the next start.
    _run([_tool("mkdocs"), "serve", "--dirty"], root / "site")


def markdown_pages(root: Path) -> Iterator[tuple[PurePosixPath, str]]:
    """The Markdown to stand beside each page's HTML: without front matter and markup of the theme, snippets put in."""
    docs = root / PAGES_DIR
    for source in sorted(docs.rglob("*.md")):
        page = PurePosixPath(source.relative_to(docs).as_posix())
        yield _beside(page), _plain(source.read_text("utf-8"), page, root)


def _beside(page: PurePosixPath) -> PurePosixPath:
    """`a/b.md` is shown as `a/b/`, `a/index.md` as `a/`."""
    return page if page.name == "index.md" else page.with_suffix("") / "index.md"


def _plain(text: str, page: PurePosixPath, root: Path) -> str:
    text = re.sub(r"\A---\n.*?\n---\n<!--[^\n]*-->\n+", "", text, flags=re.DOTALL)

    def link(match: re.Match[str]) -> str:
        target = PurePosixPath(posixpath.normpath(page.parent / match["target"]))
        target = _beside(target) if target.suffix == ".md" else target
        return f"]({posixpath.relpath(target, _beside(page).parent)}{match['anchor'] or ''})"

    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        if snippet := _SNIPPET.match(line):
            lines += (root / snippet["path"]).read_text("utf-8").splitlines()
        elif mark := _FENCE.match(line):
            fence = "" if fence and line.strip().startswith(fence) else fence or mark[1]
            lines.append(line)
        elif fence:
            lines.append(line)
        else:
            lines.append(_ATTRIBUTES.sub("", _LINK.sub(link, _BLOCK.sub("", line))).rstrip())
    return tidy("\n".join(lines)).strip() + "\n"


def _tool(name: str) -> str:
    tool = Path(sys.executable).with_name(name)
    if not tool.exists():
        raise SiteError(f"{name} is not installed; `make setup` brings it")
    return str(tool)


def _run(command: list[str], folder: Path) -> None:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, check=False)  # noqa: S603  # fixed commands
    if done.returncode != 0:
        raise SiteError(f"`{' '.join(command)}` ended with {done.returncode}")
