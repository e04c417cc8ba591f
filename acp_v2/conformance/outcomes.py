"""What came of a run: for each scenario, for each rule, and as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from acp_v2.conformance.catalogue import Rule, Scenario, Side, rules
from acp_v2.conformance.transcript import Entry


class Outcome(StrEnum):
    """How a rule or a scenario fared."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The agent does not offer what it takes, or the options given do not provoke it; there is always a reason."""
    NOT_TESTED = "not tested"
    """It should have been, but the scenario did not get there."""


class Verdict(StrEnum):
    """The end of it."""

    CONFORMANT = "conformant"
    NON_CONFORMANT = "non-conformant"
    PARTIAL = "nothing failed, but not everything was run"


@dataclass(frozen=True, slots=True)
class Check:
    """One look at one rule. `reason` is why it was skipped; `transcript` is what led to a failure."""

    rule: str
    scenario: str
    outcome: Outcome
    expected: str = ""
    came: str = ""
    reason: str = ""
    transcript: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class WireFault:
    """Something on the wire that is not a valid message of ACP v2, and how often it came."""

    scenario: str
    text: str
    entry: Entry
    times: int = 1


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """What a scenario found. `stopped` is why it could not go on, where it could not."""

    scenario: Scenario
    seconds: float
    checks: tuple[Check, ...]
    stopped: str | None = None
    transcript: tuple[Entry, ...] = ()

    @property
    def outcome(self) -> Outcome:
        return _worst({check.outcome for check in self.checks}, was_stopped=self.stopped is not None)


@dataclass(frozen=True, slots=True)
class RuleResult:
    """How a rule fared in all scenarios that check it. `reasons` say why it was skipped or not tested."""

    rule: Rule
    outcome: Outcome
    checks: tuple[Check, ...]
    reasons: tuple[str, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome is Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run.

    `target` is what was tested, `seconds` how long it took, `ended_early` why scenarios were not begun, `is_partial`
    whether only a choice of them was asked for, and `log` the end of what the target wrote to its standard error.
    """

    side: Side
    target: str
    seconds: float
    results: tuple[ScenarioResult, ...]
    wire_faults: tuple[WireFault, ...] = ()
    ended_early: str | None = None
    is_partial: bool = False
    log: str = ""
    chosen: tuple[Scenario, ...] = field(default=())

    def rule_results(self) -> list[RuleResult]:
        """Each rule that a chosen scenario checks, in the order of the registry."""
        chosen = {scenario.id for scenario in self.chosen}
        return [self._of(rule) for rule in rules().values() if chosen & set(rule.checked_by)]

    @property
    def failures(self) -> list[Check]:
        """Every failed check."""
        return [check for result in self.results for check in result.checks if check.outcome is Outcome.FAILED]

    @property
    def verdict(self) -> Verdict:
        """Non-conformant where a binding rule failed or was not tested, or a message was none of ACP v2.

        A rule of level `may` fails where neither of the allowed answers came, so that its failures count, too.
        """
        if self.wire_faults or any(map(_breaks, self.rule_results())):
            return Verdict.NON_CONFORMANT
        return Verdict.PARTIAL if self.is_partial else Verdict.CONFORMANT

    def _of(self, rule: Rule) -> RuleResult:
        checks = tuple(check for result in self.results for check in result.checks if check.rule == rule.id)
        outcomes = {check.outcome for check in checks}
        outcome = next((o for o in (Outcome.FAILED, Outcome.PASSED, Outcome.SKIPPED) if o in outcomes), None)
        if outcome is None or (outcome is Outcome.SKIPPED and any(self._unreached(rule))):
            outcome = Outcome.NOT_TESTED
        reasons: list[str] = []
        if outcome is Outcome.SKIPPED:
            reasons = [check.reason for check in checks]
        elif outcome is Outcome.NOT_TESTED:
            reasons = [*self._unreached(rule)] or [self.ended_early or "no scenario got there"]
        return RuleResult(rule, outcome, checks, tuple(dict.fromkeys(reasons)))

    def _unreached(self, rule: Rule) -> Iterator[str]:
        for result in self.results:
            was_reached = any(check.rule == rule.id for check in result.checks)
            if result.stopped is not None and rule.id in result.scenario.rules and not was_reached:
                yield f"{result.scenario.id}: {result.stopped}"


def _breaks(result: RuleResult) -> bool:
    if result.outcome is Outcome.FAILED:
        return result.rule.is_binding or result.rule.level == "may"
    return result.outcome is Outcome.NOT_TESTED and result.rule.is_binding


def _worst(outcomes: Iterable[Outcome], *, was_stopped: bool) -> Outcome:
    found = set(outcomes)
    order: Sequence[Outcome] = (Outcome.FAILED, Outcome.NOT_TESTED, Outcome.PASSED, Outcome.SKIPPED)
    if was_stopped:
        found.add(Outcome.NOT_TESTED)
    return next((outcome for outcome in order if outcome in found), Outcome.NOT_TESTED)
