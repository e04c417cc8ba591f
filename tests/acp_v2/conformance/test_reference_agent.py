"""The reference agent conforms, wherever it keeps its sessions and however it is reached, also on a busy machine."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acp_v2.agent.client import REPOSITORY

ACPSPEC = [sys.executable, "-m", "acp_v2.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
REPEATS = 20


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "memory":
        yield "memory"
    elif request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'sessions.db'}"
    else:
        server = request.getfixturevalue("postgresql_server")
        database = server.take_database()
        yield database
        server.give_back(database)


def outcomes(report: Path, store: str, transport: str = "stdio", *options: str) -> dict[str, str]:
    """How each rule fared; the verdict stands under the empty name."""
    agent = [*ACPSPEC, "agent", "--store", store, *options]
    address: list[str] = []
    if transport != "stdio":
        with socket.create_server(("127.0.0.1", 0)) as listening:
            url = f"{transport}://127.0.0.1:{listening.getsockname()[1]}/acp"
        address, agent = ["--url", url], [*agent, "--listen", url]
    command = [*ACPSPEC, "conform", "agent", "--timeout", "120", "--report", str(report), *address, "--", *agent]
    subprocess.run(command, capture_output=True, check=False, cwd=REPOSITORY, env=ENVIRONMENT)
    document = json.loads(report.read_text("utf-8"))
    return {"": document["verdict"], **{rule["id"]: rule["outcome"] for rule in document["rules"]}}


@pytest.mark.soak
@pytest.mark.parametrize("transport", ["stdio", "ws", "http"])
@pytest.mark.parametrize("options", [(), ("--while-busy", "insert"), ("--on-disconnect", "drop")])
def test_it_conforms(store: str, transport: str, options: tuple[str, ...], tmp_path: Path):
    found = outcomes(tmp_path / "report.json", store, transport, *options)
    assert found[""] == "conformant"
    assert {"failed", "not_tested"} & set(found.values()) == set()


@contextmanager
def busy_machine() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@pytest.mark.soak
def test_a_busy_machine_changes_no_outcome(tmp_path: Path):
    quiet = outcomes(tmp_path / "report.json", f"sqlite:///{tmp_path / 'quiet.db'}")
    assert quiet[""] == "conformant"
    with busy_machine():
        for number in range(REPEATS):
            assert outcomes(tmp_path / "report.json", f"sqlite:///{tmp_path / f'{number}.db'}") == quiet
