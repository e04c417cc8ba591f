"""`python -m acp_v2.adapters.example`: how it starts and what it cannot run with."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acp_v2.adapters.example.test_traces import COMMAND
from tests.acp_v2.agent.client import REPOSITORY


def run(*arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [*COMMAND, *arguments], input=text, capture_output=True, text=True, check=False, env=environment
    )


def test_it_says_what_it_is_and_ends_with_its_input(tmp_path: Path):
    params = {"protocolVersion": 2, "info": {"name": "test", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    done = run("--sessions", str(tmp_path / "made" / "by it"), text=json.dumps(request) + "\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["result"]["info"]["name"] == "acp-v2-example-adapter"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--sessions"),
        (("--sessions", sys.executable), "cannot be used"),
        (("--sessions", "/proc/nowhere"), "cannot be used"),
        (("--sessions", ".", "--compact-every", "0"), "positive"),
    ],
)
def test_what_it_cannot_run_with(arguments: tuple[str, ...], said: str):
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
