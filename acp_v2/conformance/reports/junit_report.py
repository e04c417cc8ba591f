"""A report as JUnit XML: a suite for each scenario, and in it a case for each rule that it checks."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # only to write

from acp_v2.conformance.catalogue import rules
from acp_v2.conformance.outcomes import Check, Outcome, Report, ScenarioResult, WireFault
from acp_v2.conformance.transcript import Entry
from acp_v2.conformance.wording import described_entries

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(report: Report) -> str:
    """The whole report. What was not tested is an error, as JUnit has it."""
    root = ET.Element("testsuites", name=f"acpspec conform {report.side}", time=f"{report.seconds:.3f}")
    for result in report.results:
        _add_scenario(root, result)
    _add_wire(root, report.wire_faults)
    if report.ended_early:
        suite = ET.SubElement(root, "testsuite", name="the rest")
        case = ET.SubElement(suite, "testcase", classname="the rest", name="scenarios that were not begun")
        ET.SubElement(case, "error", message=_clean(report.ended_early))
    for suite in root:
        cases = list(suite)
        suite.set("tests", str(len(cases)))
        for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            suite.set(name, str(sum(1 for case in cases if case.find(kind) is not None)))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_scenario(root: ET.Element, result: ScenarioResult) -> None:
    suite = ET.SubElement(root, "testsuite", name=result.scenario.id, time=f"{result.seconds:.3f}")
    for rule in dict.fromkeys((*result.scenario.rules, *(check.rule for check in result.checks))):
        checks = [check for check in result.checks if check.rule == rule]
        case = ET.SubElement(suite, "testcase", classname=result.scenario.id, name=rule)
        failures = [check for check in checks if check.outcome is Outcome.FAILED]
        if failures:
            for check in failures:
                _add_failure(case, check)
        elif not checks:
            error = ET.SubElement(case, "error", message=_clean(result.stopped or "not tested"))
            error.text = _clean(_lines(result.transcript))
        elif all(check.outcome is Outcome.SKIPPED for check in checks):
            ET.SubElement(case, "skipped", message=_clean("; ".join(check.reason for check in checks)))


def _add_failure(case: ET.Element, check: Check) -> None:
    rule = rules()[check.rule]
    message = f"{rule.id}: expected {check.expected}; came {check.came}"
    failure = ET.SubElement(case, "failure", type=rule.level, message=_clean(message))
    failure.text = _clean(f"{rule.text}\n{rule.url}\n\n{_lines(check.transcript)}")


def _add_wire(root: ET.Element, faults: tuple[WireFault, ...]) -> None:
    suite = ET.SubElement(root, "testsuite", name="wire")
    case = ET.SubElement(suite, "testcase", classname="wire", name="every message is valid in ACP v2")
    for fault in faults:
        failure = ET.SubElement(case, "failure", message=_clean(f"{fault.scenario}: {fault.text} ({fault.times}×)"))
        failure.text = _clean(_lines((fault.entry,)))


def _lines(entries: tuple[Entry, ...]) -> str:
    return "\n".join(described_entries(entries))


def _clean(value: str) -> str:
    """Without what XML cannot hold."""
    return _NOT_XML.sub("\ufffd", value)
