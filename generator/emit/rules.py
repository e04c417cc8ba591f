"""`rules.json`: every statement that binds somebody, and the scenarios that check them, for programs."""

from __future__ import annotations

from typing import Any

from generator.emit import NOTICE, SCHEMA_DIR, to_json
from generator.model import Protocol, Rule
from generator.site_links import rule_url


def emit(protocol: Protocol) -> dict[str, str]:
    """The one file."""
    document = {
        "$comment": NOTICE,
        "version": protocol.version,
        "rules": {rule.id: _rule(rule) for rule in protocol.rules},
        "scenarios": {s.id: {"side": s.side, "title": s.title, "doc": s.doc} for s in protocol.scenarios},
    }
    return {f"{SCHEMA_DIR}/rules.json": to_json(document)}


def _rule(rule: Rule) -> dict[str, Any]:
    """A rule with exactly one of `checkedBy`, `reviewed` and `planned`."""
    check = {"checkedBy": list(rule.checked_by), "reviewed": rule.reviewed, "planned": rule.planned}
    return {
        "level": rule.level,
        "who": rule.who,
        "text": rule.text,
        "page": rule.page,
        "url": rule_url(rule),
        **{word: value for word, value in check.items() if value},
    }
