"""How long the conformance suite takes."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.measure import Figure

AGENT = [sys.executable, "-m", "acp_v2.cli", "agent"]
RUNS = 3
LIMIT = 30.0
"""Seconds for the agent suite over stdio."""


def figures() -> Iterator[Figure]:
    """The whole agent suite over stdio, against the reference agent with stored sessions."""
    with tempfile.TemporaryDirectory() as folder:
        reports = [_run(Path(folder), number) for number in range(RUNS)]
    middle = statistics.median(report["seconds"] for report in reports)
    report = next(report for report in reports if report["seconds"] == middle)
    yield Figure("the agent suite over stdio", middle, "s", LIMIT, parts=_parts(report))


def _run(folder: Path, number: int) -> dict[str, Any]:
    path = folder / f"{number}.json"
    store = f"sqlite:///{folder / str(number)}.db"
    command = [
        sys.executable,
        "-m",
        "acp_v2.cli",
        "conform",
        "agent",
        "--report",
        str(path),
        "--",
        *AGENT,
        "--store",
        store,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-500:])
    return json.loads(path.read_text("utf-8"))


def _parts(report: dict[str, Any]) -> dict[str, float]:
    """What bounds it: the scenarios that start a process, those that wait for work to end, and the rest."""
    starts = ("retry-same-connection", "held-when-connection-ends", "retry-after-resume", "retry-after-restart")
    seconds = {scenario["id"]: scenario["seconds"] for scenario in report["scenarios"]}
    started = sum(seconds[name] for name in starts)
    return {
        f"scenarios that start the agent ({len(starts)} starts)": started,
        f"all other scenarios ({len(seconds) - len(starts)})": sum(seconds.values()) - started,
        "ending the last process": report["seconds"] - sum(seconds.values()),
    }
