"""A peer that nobody here wrote: the official TypeScript SDK as the client, through the traces of the proposal."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.acp_v2.agent.client import REPOSITORY

Trace = Callable[..., Any]

TRANSPORTS = ["stdio", "ws", "http"]


@pytest.fixture(scope="session")
def official_client(official_peers: Path) -> Path:
    """The script that drives the SDK."""
    return official_peers / "client.mjs"


@pytest.fixture(params=TRANSPORTS)
def run(request: pytest.FixtureRequest, official_client: Path, tmp_path: Path) -> Trace:
    """Runs a trace and gives what the client saw."""

    def run_trace(trace: str, *options: str) -> Any:
        url = f"sqlite:///{tmp_path / 'sessions.db'}"
        command = [sys.executable, "-m", "acp_v2.cli", "agent", "--store", url, *options]
        if request.param != "stdio":
            command += ["--listen", f"{request.param}://127.0.0.1:0/acp"]
        arguments = json.dumps({"transport": request.param, "command": command, "trace": trace})
        done = subprocess.run(
            ["node", str(official_client), arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run_trace


@pytest.mark.parametrize("trace", ["retry-same-connection", "retry-after-resume", "retry-after-restart"])
def test_a_retry_gets_the_id_of_the_one_message(run: Trace, trace: str):
    seen = run(trace)
    assert len(set(seen["ids"])) == 1
    assert set(seen["messages"]) == set(seen["ids"])


def test_every_attempt_at_a_held_prompt_is_answered_alike(run: Trace):
    seen = run("retry-while-held")
    assert seen["codes"] == [-32800] * 4
    assert seen["before"] == 1, "what is held is not inserted"
    assert len(set(seen["ids"])) == 1
    assert seen["messages"] == seen["ids"][:1]


def test_after_an_error_the_key_is_unused(run: Trace):
    seen = run("retry-after-error")
    assert seen["code"] == -32603
    assert len(set(seen["ids"])) == 1
    assert seen["messages"] == seen["ids"][:1]


def test_the_same_key_in_another_session_and_in_a_fork_is_another_submission(run: Trace):
    assert len(set(run("same-key-elsewhere")["ids"])) == 3


def test_a_prompt_that_was_inserted_during_active_work_is_recognised(run: Trace):
    seen = run("retry-during-work", "--while-busy", "insert")
    assert len(set(seen["ids"])) == 1
    assert seen["messages"] == [seen["first"], seen["ids"][0]]
