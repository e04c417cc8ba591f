"""Reports: what stands in each form, that nothing a target sends can break one, and that no key is in any."""

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acp_v2.conformance.catalogue import scenarios
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.outcomes import Check, Outcome, Report, ScenarioResult, Verdict, WireFault
from acp_v2.conformance.reports import writer
from acp_v2.conformance.run import Run
from acp_v2.conformance.transcript import Entry, Transcript
from acp_v2.conformance.witness import Witness

HOSTILE = "<script>alert(1)</script> & \x00\x1b[31m \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")
SCENARIO = scenarios()["retry-same-connection"]
OTHER = scenarios()["retry-during-work"]


def report(**changes: object) -> Report:
    entries = (Entry(0.1, 1, "sent", HOSTILE), Entry(0.2, 1, "received", "{}"))
    failed = Check("INS-02", SCENARIO.id, Outcome.FAILED, expected="one", came=HOSTILE, transcript=entries)
    passed = [Check(rule, SCENARIO.id, Outcome.PASSED, expected="it") for rule in ("KEY-01", "INS-03", "INS-04")]
    skipped = [Check(rule, OTHER.id, Outcome.SKIPPED, reason="it holds") for rule in OTHER.rules]
    values: dict[str, object] = {
        "side": "agent",
        "target": HOSTILE,
        "seconds": 1.5,
        "results": (
            ScenarioResult(SCENARIO, 1.0, (failed, *passed)),
            ScenarioResult(OTHER, 0.5, tuple(skipped)),
        ),
        "wire_faults": (WireFault(SCENARIO.id, "is not JSON", entries[0], 3),),
        "log": HOSTILE,
        "chosen": (SCENARIO, OTHER),
    }
    return Report(**{**values, **changes})


def good(**changes: object) -> Report:
    """Without failures."""
    passed = tuple(Check(rule, SCENARIO.id, Outcome.PASSED) for rule in SCENARIO.rules)
    result = ScenarioResult(SCENARIO, 1.0, passed)
    return report(**{"results": (result,), "wire_faults": (), "chosen": (SCENARIO,), **changes})


def test_json_has_each_rule_with_its_outcome_and_each_failure_with_its_transcript():
    document = json.loads(writer(Path("r.json"))(report()))
    assert document["verdict"] == "non_conformant"
    rule = next(r for r in document["rules"] if r["id"] == "INS-02")
    assert rule["outcome"] == "failed"
    assert rule["url"] == "https://acp-v2.example/prompt-lifecycle/#INS-02"
    check = next(c for c in rule["checks"] if c["outcome"] == "failed")
    assert check["expected"] == "one"
    assert [entry["direction"] for entry in check["transcript"]] == ["sent", "received"]
    assert next(r for r in document["rules"] if r["id"] == "INS-11")["reasons"] == ["it holds"]


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # what was just written


def test_junit_counts_failures_errors_and_skipped_cases():
    root = parsed(writer(Path("r.xml"))(report()))
    assert {name: root.get(name) for name in ("failures", "errors", "skipped")} == {
        "failures": "2",
        "errors": "0",
        "skipped": "2",
    }
    failure = root.find("./testsuite[@name='retry-same-connection']/testcase[@name='INS-02']/failure")
    assert failure is not None
    assert "https://acp-v2.example/prompt-lifecycle/#INS-02" in (failure.text or "")


def test_junit_has_an_error_for_what_was_not_tested():
    stopped = ScenarioResult(SCENARIO, 1.0, (), stopped="it went away")
    root = parsed(writer(Path("r.xml"))(report(results=(stopped,), wire_faults=(), ended_early="over")))
    assert root.get("errors") == str(len(SCENARIO.rules) + 1)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_the_page_needs_nothing_else_and_runs_nothing():
    page = writer(Path("r.html"))(report())
    tags = Tags()
    tags.feed(page)
    assert not [tag for tag, _ in tags.seen if tag in ("script", "link", "img", "iframe", "object")]
    assert not [attributes for _, attributes in tags.seen if {"src", "onclick", "onload"} & attributes.keys()]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    links = {attributes["href"] for tag, attributes in tags.seen if tag == "a"}
    assert "https://acp-v2.example/prompt-lifecycle/#INS-02" in links
    assert "Transcript, 2 entries" in page


def test_a_report_of_another_kind_is_refused():
    with pytest.raises(ValueError, match=re.escape("r.pdf has to end with .json, .xml, .html")):
        writer(Path("r.pdf"))


def test_a_report_without_failures_says_conformant():
    assert good().verdict is Verdict.CONFORMANT
    assert "Failures" not in writer(Path("r.html"))(good())


# The verdict


def verdict_with(rule: str, outcome: Outcome) -> Verdict:
    scenario = next(s for s in scenarios().values() if rule in s.rules)
    checks = [Check(r, scenario.id, Outcome.PASSED) for r in scenario.rules if r != rule]
    if outcome is not Outcome.NOT_TESTED:
        checks.append(Check(rule, scenario.id, outcome))
    stopped = "it went away" if outcome is Outcome.NOT_TESTED else None
    result = ScenarioResult(scenario, 1.0, tuple(checks), stopped=stopped)
    return report(results=(result,), wire_faults=(), chosen=(scenario,)).verdict


@pytest.mark.parametrize(
    ("rule", "outcome", "verdict"),
    [
        ("KEY-04", Outcome.PASSED, Verdict.CONFORMANT),
        ("KEY-04", Outcome.FAILED, Verdict.NON_CONFORMANT),
        ("KEY-05", Outcome.FAILED, Verdict.NON_CONFORMANT),
        ("INS-03", Outcome.FAILED, Verdict.NON_CONFORMANT),
        ("INS-09", Outcome.FAILED, Verdict.NON_CONFORMANT),
        ("KEY-04", Outcome.NOT_TESTED, Verdict.NON_CONFORMANT),
        ("INS-03", Outcome.NOT_TESTED, Verdict.NON_CONFORMANT),
        ("INS-09", Outcome.NOT_TESTED, Verdict.CONFORMANT),
        ("KEY-04", Outcome.SKIPPED, Verdict.CONFORMANT),
    ],
)
def test_the_verdict_follows_from_level_and_outcome(rule: str, outcome: Outcome, verdict: Verdict):
    assert verdict_with(rule, outcome) is verdict


def test_a_message_that_is_not_valid_is_enough_for_non_conformance():
    assert good(wire_faults=report().wire_faults).verdict is Verdict.NON_CONFORMANT


def test_a_choice_of_scenarios_gives_no_verdict():
    assert good(is_partial=True).verdict is Verdict.PARTIAL


# Keys


def test_a_key_is_masked_wherever_it_turns_up_and_however_it_is_written():
    keys = Keys()
    key = keys.new(lambda marker: f"{marker}-\u00e9-key")
    keys.add(key.upper())
    message = {"a": [key, key.upper()], key: f"before {key} after", "cut": key[:36]}
    shown = keys.mask_message(json.dumps(message), message)
    assert key[:36] not in shown.lower()
    assert json.loads(shown) == {
        "a": ["[key 1]", "[key 1b]"],
        "[key 1]": "before [key 1] after",
        "cut": "[key 1]",
    }


@pytest.mark.parametrize("key", ["f290534a-9770-4730-b25a-7d25f118093a", "order-1234", "7"])
def test_a_key_that_a_client_made_is_masked_too(key: str):
    keys, transcript = Keys(), Transcript()
    witness = Witness(keys, transcript)
    params = {"sessionId": "s7", "prompt": [{"type": "text", "text": "Hi"}], "idempotencyKey": key}
    prompt = {"jsonrpc": "2.0", "id": 7, "method": "session/prompt", "params": params}
    for sent in (prompt, {**prompt, "params": {**params, "idempotencyKey": "another key"}}):
        witness.received(1, json.dumps(sent), sent, witness.checks("client"), None, replays=False)
    first, second = (json.loads(entry.text)["params"] for entry in transcript.entries())
    assert first == {**params, "idempotencyKey": "[key 1]"}
    assert second == {**params, "idempotencyKey": "[key 2]"}


def test_a_client_that_logs_its_key_does_not_bring_it_into_the_report():
    keys = Keys()
    keys.learn({"method": "session/prompt", "params": {"idempotencyKey": "order-1234"}})
    assert keys.mask_text("sending order-1234") == "sending [key 1]"


def test_what_a_run_writes_down_has_no_key_in_it():
    keys, transcript = Keys(), Transcript()
    witness = Witness(keys, transcript)
    witness.begin(SCENARIO.id)
    run = Run(SCENARIO, keys, transcript)
    key = keys.new()
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"key": key}}
    witness.received(1, json.dumps(message), message, witness.checks("agent"), None, replays=False)
    witness.fault(1, f"noise with {key.upper()}", f"what came says {key}")
    witness.note(1, key)
    run.check("INS-02", holds=False, expected="nothing", came=f"the key {key}")
    run.skip("INS-03", reason=key)
    whole = report(
        results=(ScenarioResult(SCENARIO, 1.0, tuple(run.checks)),),
        wire_faults=witness.faults,
        log=keys.mask_text(key),
        target="agent",
    )
    for name in ("r.json", "r.xml", "r.html"):
        text = writer(Path(name))(whole).lower()
        assert key not in text
        assert "[key 1]" in text
