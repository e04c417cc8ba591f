"""A private PostgreSQL server for tests, of Debian's package: on a socket in a folder of its own, gone afterwards."""

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest


class PostgresqlServer:
    """A server with no more care for its disk than tests need. It never runs as root, because it refuses to.

    Args:
        programs: the folder of PostgreSQL's programs.
        is_durable: whether it waits for its disk before it says that something is committed, as every server does that
            is not for tests.
    """

    def __init__(self, programs: Path, *, is_durable: bool = False) -> None:
        self._programs = programs
        self._is_durable = is_durable
        self._as_user: list[str] = []
        self._home = Path(tempfile.mkdtemp(prefix="acp-pg-"))  # short, because a socket's path may not be long
        self._names = itertools.count()
        self._empty: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self._home, "postgres", "postgres")
            self._as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._run(
            "initdb", "--username=acp", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "-D", "data"
        )

    def start(self) -> None:
        # So that it ends with the tests, even where they are killed.
        mortal = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        disk = "on" if self._is_durable else "off"
        settings = ["listen_addresses=", f"fsync={disk}", "synchronous_commit=on", "max_connections=200"]
        command = [self._programs / "postgres", "-D", "data", "-k", self._home, *(f"-c{s}" for s in settings)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._as_user, *mortal, *command], cwd=self._home, stdout=log, stderr=log
            )
        ready = [self._programs / "pg_isready", "-q", "-h", self._home]
        while subprocess.run(ready, check=False).returncode != 0:
            assert self._process.poll() is None, self.log.read_text()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop, whoever is connected."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)  # without a last look after the disk
        shutil.rmtree(self._home)

    def take_database(self) -> str:
        """The URL of a database with nothing in it."""
        if not self._empty:
            name = f"store{next(self._names)}"
            self._run("createdb", "-h", str(self._home), "-U", "acp", name)
            self._empty.append(f"postgresql://acp@/{name}?host={self._home}")
        return self._empty.pop()

    def give_back(self, url: str) -> None:
        """Whoever still uses the database is thrown out, and it is emptied, which is quicker than to make another."""
        everybody = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        commands = [f"SELECT pg_terminate_backend(pid, 60000) {everybody}", "DROP SCHEMA public CASCADE"]
        for command in [*commands, "CREATE SCHEMA public"]:
            self._run("psql", "--quiet", "-d", url, "-c", "SET client_min_messages = warning", "-c", command)
        self._empty.append(url)

    @property
    def log(self) -> Path:
        """What the server says."""
        return self._home / "log"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_user, self._programs / program, *arguments]
        subprocess.run(command, cwd=self._home, check=True, stdout=subprocess.DEVNULL)


def find_programs() -> Path:
    """The folder of PostgreSQL's programs. They are installed where that can be; otherwise the test is skipped."""
    if not (found := _installed()) and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "postgresql"]):
            command = ["apt-get", "-o", "DPkg::Lock::Timeout=120", *arguments]
            subprocess.run(command, env=environment, capture_output=True, check=False)
        found = _installed()
    if not found:
        pytest.skip("PostgreSQL is not installed, and could not be; on Debian: apt-get install postgresql")
    return found


def _installed() -> Path | None:
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if folders:
        return max(folders, key=lambda folder: int(folder.parent.name))
    elsewhere = shutil.which("postgres")
    return Path(elsewhere).resolve().parent if elsewhere else None
