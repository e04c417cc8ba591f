"""Our client conforms, and a client that breaks a rule fails by that rule."""

import asyncio
import sys

import pytest

from acp_v2.conformance import Options, Outcome, Report, Verdict
from acp_v2.conformance.catalogue import rules, scenarios
from acp_v2.conformance.client_suite import ClientSuite, CommandClient
from tests.acp_v2.conformance.client_mutants import MUTANTS, InProcessClient, Program

PROMPT = [sys.executable, "-m", "acp_v2.cli", "prompt"]
OUTBOX = ["--outbox", "{state}/outbox"]


def run(program: type[Program], chosen: list[str] | None = None) -> Report:
    suite = ClientSuite(InProcessClient(program, patience=60), Options(patience=60))
    return asyncio.run(suite.run(None if chosen is None else [scenarios()[id_] for id_ in chosen]))


def failed(report: Report) -> set[str]:
    return {result.rule.id for result in report.rule_results() if result.outcome is Outcome.FAILED}


def test_there_is_a_mutant_for_every_rule_that_a_scenario_of_clients_checks():
    checked = {rule for scenario in scenarios().values() if scenario.side == "client" for rule in scenario.rules}
    assert {row.rule for row in MUTANTS.values()} == checked


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_fails_by_its_rule(name: str):
    row = MUTANTS[name]
    report = run(row.program, list(rules()[row.rule].checked_by))
    assert row.rule in failed(report)
    assert failed(report) <= row.fails
    assert not report.wire_faults


@pytest.mark.soak
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_fails_by_its_rule_and_by_no_unrelated_one(name: str):
    report = run(MUTANTS[name].program)
    assert failed(report) == MUTANTS[name].fails
    assert not report.wire_faults


def test_what_the_mutants_are_made_of_conforms():
    report = run(Program)
    assert not report.failures
    assert report.verdict is Verdict.CONFORMANT


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(["client-response-lost", "client-restarted", "client-given-key"], id="sampled"),
        pytest.param(None, id="whole", marks=pytest.mark.soak),
    ],
)
def test_acpspec_prompt_conforms(chosen: list[str] | None):
    restart = [*PROMPT, "--pending", *OUTBOX, "--", "{agent}"]
    key = [*PROMPT, "--key", "{key}", "{text}", "--", "{agent}"]
    client = CommandClient(
        [*PROMPT, *OUTBOX, "{text}", "--", "{agent}"], restart_command=restart, key_command=key, patience=120
    )
    picked = None if chosen is None else [scenarios()[id_] for id_ in chosen]
    report = asyncio.run(ClientSuite(client, Options(patience=120)).run(picked))
    assert not report.failures
    assert report.verdict is (Verdict.CONFORMANT if chosen is None else Verdict.PARTIAL)
    assert {result.outcome for result in report.rule_results()} == {Outcome.PASSED}


def test_without_the_commands_that_it_takes_rules_are_skipped():
    client = CommandClient([*PROMPT, "{text}", "--", "{agent}"])
    chosen = [scenarios()[id_] for id_ in ("client-restarted", "client-given-key")]
    report = asyncio.run(ClientSuite(client, Options()).run(chosen))
    reasons = {result.rule.id: result.reasons for result in report.rule_results() if result.outcome is Outcome.SKIPPED}
    assert "--restart-cmd" in reasons["SUB-05"][0]
    assert "--key-cmd" in reasons["SDK-03"][0]


@pytest.mark.parametrize(
    "command", [["true"], ["/no/such/client", "{agent}"], [sys.executable, "-c", "import time; time.sleep(1000)"]]
)
def test_a_client_that_is_none_gets_a_verdict(command: list[str]):
    report = asyncio.run(ClientSuite(CommandClient(command, patience=1), Options(patience=1)).run())
    assert report.verdict is Verdict.NON_CONFORMANT
    assert report.ended_early is not None
