"""What all tests share: the repository, the generated files, packages from npm, and a loud word on what is skipped."""

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.postgresql import PostgresqlServer, find_programs

REPOSITORY = Path(__file__).parents[1]
SCHEMA_DIR = REPOSITORY / "acp_v2" / "schema"

OFFICIAL_SDK = (
    "@agentclientprotocol/sdk",
    "2.4.0",
    "sha512-7qJ8nnyj7WesC5ve185ioTpB2/svQoeGV4HA4nLEhgDUrcmBe54/08VcXc/oL4p14tDbxxECZzdYmUYQ+4l+Wg==",
)


@pytest.fixture(scope="session")
def schemas() -> dict[str, Any]:
    """Both generated schemas, by file name."""
    return {
        name: json.loads((SCHEMA_DIR / name).read_text("utf-8")) for name in ("schema.json", "schema.unstable.json")
    }


@pytest.fixture(scope="session")
def npm_package() -> Callable[[str, str, str], Path]:
    """The folder of a package from npm: pinned by version and hash, fetched once, skipped where it cannot be had."""

    def fetch(name: str, version: str, integrity: str) -> Path:
        home = REPOSITORY / ".cache" / "npm" / f"{name.replace('/', '+')}-{version}"
        archive = home / "package.tgz"
        home.mkdir(parents=True, exist_ok=True)
        # Tests run in several processes.
        with FileLock(home / "lock"):
            if not archive.is_file():
                _npm_pack(f"{name}@{version}", archive)
            return _unpacked(archive, integrity)

    return fetch


def _unpacked(archive: Path, integrity: str) -> Path:
    home = archive.parent
    algorithm, _, digest = integrity.partition("-")
    found = base64.b64encode(hashlib.new(algorithm, archive.read_bytes()).digest()).decode()
    assert found == digest, f"{home.name} is not the package that is pinned here"
    if not (home / "package").is_dir():
        with tarfile.open(archive) as tar:
            tar.extractall(home, filter="data")
    return home / "package"


def _npm_pack(package: str, archive: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip(f"{package}: npm is not installed")
    archive.parent.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=20000", package]
    try:
        done = subprocess.run(command, cwd=archive.parent, capture_output=True, text=True, check=False, timeout=90)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{package}: npm did not answer within 90 seconds")
    if done.returncode != 0:
        pytest.skip(f"{package}: npm could not fetch it: {' '.join(done.stderr.split())[-300:]}")
    (packed,) = (p for p in archive.parent.glob("*.tgz") if p != archive)
    packed.rename(archive)


@pytest.fixture(scope="session")
def official(npm_package: Callable[[str, str, str], Path]) -> Path:
    """The official TypeScript SDK, which carries the official v2 schema as it stood before the proposal."""
    return npm_package(*OFFICIAL_SDK)


@pytest.fixture(scope="session")
def official_peers() -> Path:
    """A folder with scripts that use the official SDK, beside it and what it needs, each pinned by version and hash."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("the official TypeScript SDK: Node.js 20 and npm are not installed")
    home = REPOSITORY / ".cache" / "peers"
    home.mkdir(parents=True, exist_ok=True)
    sources = REPOSITORY / "tests" / "peers"
    lock = (sources / "package-lock.json").read_text("utf-8")
    installed = home / "installed-lock.json"
    # Tests run in several processes.
    with FileLock(home / "lock"):
        for name in ("package.json", "package-lock.json", "agent.mjs", "client.mjs"):
            shutil.copy(sources / name, home / name)
        if not installed.is_file() or installed.read_text("utf-8") != lock:
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
            done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                reason = " ".join(done.stderr.split())[-300:]
                pytest.skip(f"the official TypeScript SDK: npm could not fetch it: {reason}")
            installed.write_text(lock, "utf-8")
    return home


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A server that all tests share, each with a database of its own."""
    server = PostgresqlServer(find_programs())
    try:
        server.start()
        yield server
    finally:
        server.remove()


SLOW = (
    "tests/acp_v2/adapters/example",
    "tests/acp_v2/agent",
    "tests/acp_v2/cli/test_prompt.py",
    "tests/acp_v2/client",
    "tests/acp_v2/conformance",
    "tests/acp_v2/idempotency",
    "tests/acp_v2/proxy",
    "tests/site",
    "tests/test_packaging.py",
    "tests/test_readme.py",
    "tests/test_typing.py",
)
"""What starts browsers, servers or other interpreters; everything else goes first."""


# Before xdist looks for the groups.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    in_several_processes = config.getoption("dist", "no") != "no"

    def turn(item: pytest.Item) -> int:
        if in_several_processes and _place(item).startswith("tests/site"):
            return 0  # One of the processes is busy with the site while the others do all the rest.
        return 2 if _place(item).startswith(SLOW) else 1

    items.sort(key=turn)
    for item in items:
        # The tests of a file share what they set up, and those of the site one site.
        place = _place(item)
        item.add_marker(pytest.mark.xdist_group("tests/site" if place.startswith("tests/site") else place))


def _place(item: pytest.Item) -> str:
    return item.path.relative_to(REPOSITORY).as_posix()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was not tested, where it cannot be overlooked."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section(f"NOT TESTED: {len(skipped)} skipped", sep="!", red=True, bold=True)
        for report in skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            terminalreporter.write_line(f"{report.nodeid}: {str(reason).removeprefix('Skipped: ')}", red=True)
