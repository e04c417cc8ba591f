"""Whatever an agent does, there is a verdict and a report, and no process is left behind."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from acp_v2.conformance import AgentSuite, Options, Outcome, Report, StdioTarget, Verdict

HOSTILE = Path(__file__).with_name("hostile.py")
MARK = "ACPSPEC_TEST_MARK"

WAYS = {
    "crashes at once": "the agent closed it",
    "crashes at a prompt": "the agent closed it",
    "hangs": "did not come within",
    "answers with a wrong id": "did not come within",
    "floods updates": "more than 5,000 messages",
    "never ends a line": "did not come within",
    "floods standard error": "-32603",
    "writes noise": "-32603",
    "writes bytes that are no text": "-32603",
    "leaves a child": "-32603",
    "ignores signals and the end of its input": "-32603",
}
"""What each does, and what a report then says."""

SILENT = ("hangs", "answers with a wrong id", "never ends a line")
"""What never answers, so that nobody need wait long for it."""


def processes_marked(mark: str) -> list[int]:
    """The processes that have a variable with this value, which those that they start inherit."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={mark}".encode() in environment.split(b"\0"):
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("way", WAYS)
def test_it_gets_a_verdict_and_leaves_nothing_behind(way: str, tmp_path: Path):
    if not Path("/proc/self/environ").exists():
        pytest.skip("processes are looked for in /proc")
    mark = str(tmp_path)  # no other run of the tests has it
    target = StdioTarget([sys.executable, str(HOSTILE), way], env={**os.environ, MARK: mark})

    options = Options(patience=2 if way in SILENT else 60, cwd="/work")
    report = asyncio.run(AgentSuite(target, options).run())

    assert report.verdict is Verdict.NON_CONFORMANT
    assert not any(result.outcome is Outcome.PASSED for result in report.rule_results())
    assert WAYS[way] in everything_said(report)
    assert processes_marked(mark) == []


def everything_said(report: Report) -> str:
    reasons = [reason for result in report.rule_results() for reason in result.reasons]
    failures = [check.came for check in report.failures]
    return "\n".join([*reasons, *failures, *(fault.text for fault in report.wire_faults)])


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("writes noise", "is not JSON"),
        ("writes bytes that are no text", "is not UTF-8"),
        ("answers with a wrong id", "no request with this id came before"),
    ],
)
def test_what_is_no_message_is_told(way: str, says: str):
    target = StdioTarget([sys.executable, str(HOSTILE), way])
    report = asyncio.run(AgentSuite(target, Options(patience=2, cwd="/work")).run())
    assert any(says in fault.text for fault in report.wire_faults)


def test_a_command_that_does_not_exist():
    report = asyncio.run(AgentSuite(StdioTarget(["/no/such/agent"]), Options()).run())
    assert report.verdict is Verdict.NON_CONFORMANT
    assert report.ended_early is not None
    assert "/no/such/agent cannot be started" in report.ended_early
