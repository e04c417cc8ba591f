"""Sees everything that is sent and comes in a run: keeps the transcript, and collects what is wrong on the wire."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from acp_v2.conformance.keys import Keys
from acp_v2.conformance.outcomes import WireFault
from acp_v2.conformance.transcript import Transcript
from acp_v2.conformance.wire_checks import Leak, WireChecks

MOST_FAULTS: Final = 100
"""How many different faults are kept."""


class Witness:
    """Of all connections of a run.

    Args:
        keys: the keys of the run.
        transcript: where the entries go.
    """

    def __init__(self, keys: Keys, transcript: Transcript) -> None:
        self._keys = keys
        self._transcript = transcript
        self._scenario = ""
        self._faults: dict[tuple[str, str], WireFault] = {}

    @property
    def faults(self) -> tuple[WireFault, ...]:
        """What was wrong so far, each kind once for each scenario."""
        return tuple(self._faults.values())

    def begin(self, scenario: str) -> None:
        """Another scenario begins."""
        self._scenario = scenario
        self._transcript.begin()

    def checks(self, sender: str) -> WireChecks:
        """Checks for a connection that begins, of the messages that `sender` sends there."""
        return WireChecks(sender, self._keys)

    def note(self, connection: int, text: str) -> None:
        """Something happened that is no message."""
        self._transcript.add(connection, "note", self._keys.mask_text(text))

    def sent(self, connection: int, text: str, message: Any) -> None:
        """The suite sends a message."""
        self._transcript.add(connection, "sent", self._keys.mask_message(text, message))

    def received(
        self, connection: int, text: str, message: Any, checks: WireChecks, answers: str | None, *, replays: bool
    ) -> Leak | None:
        """A message came. Returns where a key stands in it, if one does where it should not."""
        self._keys.learn(message)
        seen = checks.received(message, answers=answers, replays=replays)
        shown = self._keys.mask_message(text, message)
        self._transcript.add(connection, "received", shown)
        for fault in seen.faults:
            self._add_fault(connection, shown, fault)
        return seen.leak

    def saw(self, connection: int, text: str, message: Any) -> None:
        """A message came that need not be valid, because the suite itself sent it on its way."""
        self._transcript.add(connection, "received", self._keys.mask_message(text, message))

    def fault(self, connection: int, text: str, fault: str) -> None:
        """Something came that is no message."""
        shown = self._keys.mask_text(text)
        self._transcript.add(connection, "received", shown)
        self._add_fault(connection, shown, fault)

    def _add_fault(self, connection: int, shown: str, fault: str) -> None:
        place = (self._scenario, fault)
        if known := self._faults.get(place):
            self._faults[place] = replace(known, times=known.times + 1)
        elif len(self._faults) < MOST_FAULTS:
            entry = self._transcript.entry(connection, "received", shown)
            self._faults[place] = WireFault(self._scenario, self._keys.mask_text(fault), entry)
