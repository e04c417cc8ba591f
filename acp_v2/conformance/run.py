"""One run of one scenario: what it finds of the rules that it checks."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from acp_v2.conformance.catalogue import Scenario
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.outcomes import Check, Outcome
from acp_v2.conformance.transcript import Transcript
from acp_v2.conformance.troubles import NoConnection, Stopped, Trouble


class Run:
    """What a scenario writes down.

    Args:
        scenario: which it is; it checks the rules that the registry says it does, and no other.
        keys: the keys of the run, which stay out of what is written down.
        transcript: what goes over the wire meanwhile.
    """

    def __init__(self, scenario: Scenario, keys: Keys, transcript: Transcript) -> None:
        self.scenario = scenario
        self.checks: list[Check] = []
        self._keys = keys
        self._transcript = transcript

    def check(self, rule: str, holds: object, *, expected: str, came: str) -> bool:
        """Look at a rule.

        Args:
            rule: its id.
            holds: whether it was kept.
            expected: what had to happen.
            came: what happened.

        Returns:
            Whether it was kept.
        """
        self._owns(rule)
        if holds:
            self.checks.append(Check(rule, self.scenario.id, Outcome.PASSED, expected=expected))
        else:
            self._fail(rule, expected, came)
        return bool(holds)

    def check_count(self, messages: list[str], *, is_known: bool = True) -> None:
        """Look at rule INS-02.

        Args:
            messages: the user messages that can only be there for one key.
            is_known: whether the key was recognised; where it was not, it is no recorded one.
        """
        if not is_known:
            self.skip("INS-02", reason="the key was not recognised")
            return
        came = f"{len(messages) or 'no'} user messages"
        self.check("INS-02", len(messages) < 2, expected="no second user message for the key", came=came)

    def skip(self, *rules: str, reason: str) -> None:
        """Say why rules cannot be looked at."""
        for rule in rules:
            self._owns(rule)
            self.checks.append(Check(rule, self.scenario.id, Outcome.SKIPPED, reason=self._keys.mask_text(reason)))

    def skip_rest(self, reason: str) -> Stopped:
        """Say why whatever was not looked at yet cannot be; to be raised, which ends the scenario."""
        seen = {check.rule for check in self.checks}
        self.skip(*(rule for rule in self.scenario.rules if rule not in seen), reason=reason)
        return Stopped(reason)

    @contextmanager
    def blaming(self, *rules: str, expected: str) -> Generator[None]:
        """Whatever goes wrong in here is a failure of these rules.

        Raises:
            Stopped: it did, and the scenario cannot go on.
        """
        try:
            yield
        except (Stopped, NoConnection):
            raise
        except Trouble as error:
            for rule in rules:
                self._owns(rule)
                self._fail(rule, expected, str(error))
            raise Stopped(str(error)) from None

    def stop_unless(self, holds: object, reason: str) -> None:
        """End the scenario, because the rest of it makes no sense.

        Raises:
            Stopped: `holds` is not true.
        """
        if not holds:
            raise Stopped(reason)

    def _fail(self, rule: str, expected: str, came: str) -> None:
        came = self._keys.mask_text(came)
        entries = self._transcript.entries()
        check = Check(rule, self.scenario.id, Outcome.FAILED, expected=expected, came=came, transcript=entries)
        self.checks.append(check)

    def _owns(self, rule: str) -> None:
        if rule not in self.scenario.rules:
            raise LookupError(f"the registry does not say that {self.scenario.id} checks {rule}")
