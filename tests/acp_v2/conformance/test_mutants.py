"""A rule is checked when the suite fails an agent that breaks it, naming the rule; and it fails no other agent."""

import asyncio

import pytest

from acp_v2.conformance import AgentSuite, Options, Outcome, Report, Verdict
from acp_v2.conformance.catalogue import rules, scenarios
from tests.acp_v2.conformance.in_process import InProcess
from tests.acp_v2.conformance.mutants import MUTANTS, VARIANTS, Row

PATIENCE = dict.fromkeys(
    (
        "answers-only-the-attempt-cancelled",
        "cancels-by-the-first-id-alone",
        "ignores-keys",
        "inserts-each-held-attempt",
    ),
    3.0,
)
"""What waits for an answer that never comes need not wait long; all others may take their time."""


def run(name: str, row: Row, chosen: list[str] | None = None) -> Report:
    target = InProcess(lambda store: row.build(store, **row.options), is_remote=row.over == "remote")
    suite = AgentSuite(target, Options(patience=PATIENCE.get(name, 60.0), cwd="/work"))
    picked = None if chosen is None else [scenarios()[id_] for id_ in chosen]
    return asyncio.run(suite.run(picked))


def failed(report: Report) -> set[str]:
    return {result.rule.id for result in report.rule_results() if result.outcome is Outcome.FAILED}


def test_there_is_a_mutant_for_every_rule_that_a_scenario_of_agents_checks():
    checked = {rule for scenario in scenarios().values() if scenario.side == "agent" for rule in scenario.rules}
    assert {row.rule for row in MUTANTS.values()} == checked


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_fails_by_its_rule(name: str):
    row = MUTANTS[name]
    report = run(name, row, list(rules()[row.rule].checked_by))
    assert row.rule in failed(report)
    assert failed(report) <= row.fails
    assert report.verdict is Verdict.NON_CONFORMANT
    assert not report.wire_faults


@pytest.mark.soak
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_fails_by_its_rule_and_by_no_unrelated_one(name: str):
    report = run(name, MUTANTS[name])
    assert failed(report) == MUTANTS[name].fails
    assert not report.wire_faults


@pytest.mark.parametrize("name", VARIANTS)
def test_both_sides_of_a_choice_conform(name: str):
    report = run(name, VARIANTS[name])
    assert not report.failures
    assert report.verdict is Verdict.CONFORMANT


@pytest.mark.parametrize(
    ("name", "rule", "outcome"),
    [
        ("holds", "INS-11", Outcome.SKIPPED),
        ("holds", "HELD-01", Outcome.PASSED),
        ("inserts-while-busy", "INS-11", Outcome.PASSED),
        ("inserts-while-busy", "HELD-01", Outcome.SKIPPED),
        ("compares", "INS-10", Outcome.PASSED),
        ("holds", "INS-10", Outcome.SKIPPED),
        ("stdio", "STORE-01", Outcome.PASSED),
        ("stdio", "STORE-02", Outcome.SKIPPED),
        ("holds", "STORE-01", Outcome.SKIPPED),
    ],
)
def test_what_an_agent_does_not_show_is_skipped_with_a_reason(name: str, rule: str, outcome: Outcome):
    report = run(name, VARIANTS[name], list(rules()[rule].checked_by))
    (result,) = [result for result in report.rule_results() if result.rule.id == rule]
    assert result.outcome is outcome
    assert bool(result.reasons) == (outcome is Outcome.SKIPPED)
