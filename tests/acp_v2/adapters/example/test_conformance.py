"""The example adapter conforms, and so does what is behind proxies."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acp_v2.adapters.example.test_traces import COMMAND
from tests.acp_v2.agent.client import REPOSITORY

PROXY = (sys.executable, "-m", "acp_v2.proxy")
CONFORM = (sys.executable, "-m", "acp_v2.cli", "conform", "agent", "--timeout", "120")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param((), id="alone"),
        pytest.param((*PROXY, "--proxy", shlex.join(PROXY), "--"), id="behind proxies", marks=pytest.mark.soak),
    ],
)
def test_it_conforms(before: tuple[str, ...], tmp_path: Path):
    report = tmp_path / "report.json"
    command = [*CONFORM, "--report", str(report), "--", *before, *COMMAND, "--sessions", str(tmp_path / "sessions")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    found = json.loads(report.read_text("utf-8"))
    assert found["verdict"] == "conformant", done.stdout
    assert {rule["outcome"] for rule in found["rules"]} == {"passed", "skipped"}
