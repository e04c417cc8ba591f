"""Proxies and conductors that hand keys on as they came conform, and those that do anything to them do not."""

import asyncio
import sys

import pytest

from acp_v2.conformance import Options, Outcome, Report, Verdict
from acp_v2.conformance.proxy_suite import ProxySuite
from tests.acp_v2.conformance.proxy_mutants import CHANGES

PROXY = [sys.executable, "-m", "acp_v2.proxy"]
MUTANT = [sys.executable, "-m", "tests.acp_v2.conformance.proxy_mutants"]
AS_PROXY: list[str] = []
AS_CONDUCTOR = ["--", "{agent}"]


def run(*command: str) -> Report:
    return asyncio.run(ProxySuite(command, Options(patience=60)).run())


def outcomes(report: Report) -> dict[str, Outcome]:
    return {result.rule.id: result.outcome for result in report.rule_results()}


@pytest.mark.parametrize(
    ("role", "rule"),
    [(AS_PROXY, "PROXY-01"), (AS_CONDUCTOR, "PROXY-02"), (["--proxy", "{proxy}", *AS_CONDUCTOR], "PROXY-02")],
)
def test_ours_conform(role: list[str], rule: str):
    report = run(*PROXY, *role)
    assert report.verdict is Verdict.CONFORMANT
    assert outcomes(report)[rule] is Outcome.PASSED
    assert set(outcomes(report).values()) == {Outcome.PASSED, Outcome.SKIPPED}


@pytest.mark.parametrize(("role", "rule"), [(AS_PROXY, "PROXY-01"), (AS_CONDUCTOR, "PROXY-02")])
@pytest.mark.parametrize("name", CHANGES)
def test_a_mutant_fails_by_its_rule(name: str, role: list[str], rule: str):
    report = run(*MUTANT, name, *role)
    assert {r for r, outcome in outcomes(report).items() if outcome is Outcome.FAILED} == {rule}
    assert not report.wire_faults


@pytest.mark.parametrize("role", [AS_PROXY, AS_CONDUCTOR])
def test_what_the_mutants_are_made_of_conforms(role: list[str]):
    assert run(*MUTANT, "nothing", *role).verdict is Verdict.CONFORMANT


def test_a_proxy_that_is_none_gets_a_verdict():
    report = asyncio.run(ProxySuite([sys.executable, "-c", ""], Options(patience=2)).run())
    assert report.verdict is Verdict.NON_CONFORMANT
    (result,) = [r for r in report.rule_results() if r.rule.id == "PROXY-01"]
    assert result.outcome is Outcome.NOT_TESTED
