"""A report as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from acp_v2 import __version__
from acp_v2.conformance.outcomes import Check, Report, RuleResult, ScenarioResult, WireFault
from acp_v2.conformance.transcript import Entry


def text(report: Report) -> str:
    """The whole report; a transcript stands where something failed or was not tested."""
    document = {
        "tool": "acpspec conform",
        "version": __version__,
        "side": report.side,
        "target": report.target,
        "verdict": report.verdict.name.lower(),
        "seconds": round(report.seconds, 3),
        "endedEarly": report.ended_early,
        "isPartial": report.is_partial,
        "rules": [_rule(result) for result in report.rule_results()],
        "scenarios": [_scenario(result) for result in report.results],
        "wireFaults": [_fault(fault) for fault in report.wire_faults],
        "log": report.log,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule(result: RuleResult) -> dict[str, Any]:
    rule = result.rule
    return {
        "id": rule.id,
        "level": rule.level,
        "who": rule.who,
        "text": rule.text,
        "url": rule.url,
        "outcome": result.outcome.name.lower(),
        "reasons": list(result.reasons),
        "checks": [_check(check) for check in result.checks],
    }


def _check(check: Check) -> dict[str, Any]:
    words = {"expected": check.expected, "came": check.came, "reason": check.reason}
    return {
        "scenario": check.scenario,
        "outcome": check.outcome.name.lower(),
        **{name: value for name, value in words.items() if value},
        **({"transcript": _entries(check.transcript)} if check.transcript else {}),
    }


def _scenario(result: ScenarioResult) -> dict[str, Any]:
    return {
        "id": result.scenario.id,
        "title": result.scenario.title,
        "outcome": result.outcome.name.lower(),
        "seconds": round(result.seconds, 3),
        "stopped": result.stopped,
        **({"transcript": _entries(result.transcript)} if result.transcript else {}),
    }


def _fault(fault: WireFault) -> dict[str, Any]:
    return {"scenario": fault.scenario, "text": fault.text, "times": fault.times, "message": asdict(fault.entry)}


def _entries(entries: tuple[Entry, ...]) -> list[dict[str, Any]]:
    return [asdict(entry) for entry in entries]
