"""How what was found is said on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from acp_v2.conformance.catalogue import rules
from acp_v2.conformance.outcomes import Check
from acp_v2.conformance.transcript import Entry

_SHOWN = 12
"""How many entries before a failure are shown; a report has all."""

_ARROWS = {"sent": "→", "received": "←", "note": "·"}


def described_failure(check: Check) -> str:
    """A failure with its rule, what was expected, what came, and the end of the transcript."""
    rule = rules()[check.rule]
    lines = [
        f"{rule.id} {rule.level.replace('_', ' ')}, in {check.scenario}: {rule.text}",
        f"  {rule.url}",
        f"  expected: {check.expected}",
        f"  came:     {check.came}",
        *(f"    {line[:300]}" for line in described_entries(check.transcript[-_SHOWN:])),
    ]
    return "\n".join(lines)


def described_entries(entries: Iterable[Entry]) -> list[str]:
    """Entries of a transcript, one a line."""
    return [f"{entry.at:9.3f} #{entry.connection} {_ARROWS[entry.direction]} {entry.text}" for entry in entries]
