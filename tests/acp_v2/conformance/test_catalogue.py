"""The registry and the code name the same scenarios, and each looks at the rules that it says it does."""

import importlib

from acp_v2.conformance.catalogue import rules, scenarios
from acp_v2.conformance.scenarios import bound


def test_every_scenario_is_bound_to_code_and_no_other_code_is():
    for side in {scenario.side for scenario in scenarios().values()}:
        importlib.import_module(f"acp_v2.conformance.scenarios.{side}")
    assert bound().keys() == scenarios().keys()


def test_a_rule_leads_to_its_sentence_on_the_site():
    assert rules()["KEY-01"].url == "https://acp-v2.example/prompt-lifecycle/#KEY-01"


def test_every_scenario_checks_a_rule():
    assert all(scenario.rules for scenario in scenarios().values())
