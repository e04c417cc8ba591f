"""An agent that nobody here wrote the protocol of: the official TypeScript SDK's, which knows nothing of keys."""

import asyncio
from pathlib import Path

from acp_v2.conformance import AgentSuite, Options, Outcome, StdioTarget, Verdict

NEEDS_A_KEY = {
    *("KEY-01", "KEY-04", "KEY-05", "INS-02", "INS-03", "INS-04", "INS-09", "HELD-01", "CANCEL-01", "CANCEL-02"),
    *("LAST-03", "LAST-04", "LAST-05", "STORE-01"),
}
"""What cannot be kept without looking at a key."""


def test_it_fails_by_the_rules_that_need_a_key_and_by_no_other(official_peers: Path, tmp_path: Path):
    target = StdioTarget(["node", str(official_peers / "agent.mjs"), str(tmp_path / "sessions.json")])
    report = asyncio.run(AgentSuite(target, Options(patience=10, cwd="/work")).run())

    by_outcome = {
        outcome: {result.rule.id for result in report.rule_results() if result.outcome is outcome}
        for outcome in Outcome
    }
    assert by_outcome[Outcome.FAILED] == NEEDS_A_KEY
    assert by_outcome[Outcome.SKIPPED] == {"INS-10", "INS-11", "STORE-02"}
    assert by_outcome[Outcome.NOT_TESTED] == set()
    assert report.verdict is Verdict.NON_CONFORMANT
    assert not report.wire_faults
