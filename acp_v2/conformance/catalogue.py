"""The rules and scenarios of the registry, as `rules.json` has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from acp_v2.schema_files import load_schema_file

Side = Literal["agent", "client", "proxy"]
Level = Literal["must", "must_not", "should", "should_not", "may", "holds"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement of the proposal that binds somebody. `url` leads to its sentence on the site."""

    id: str
    level: Level
    who: str
    text: str
    url: str
    checked_by: tuple[str, ...]

    @property
    def is_binding(self) -> bool:
        """Whether it has to be shown, and not only to be reported."""
        return self.level in ("must", "must_not", "holds")


@dataclass(frozen=True, slots=True)
class Scenario:
    """Something that is done with an agent, a client or a proxy, and the rules that it checks."""

    id: str
    side: Side
    title: str
    doc: str
    rules: tuple[str, ...]


@cache
def rules() -> dict[str, Rule]:
    """Every rule that a scenario checks, by id."""
    return {
        rule_id: Rule(rule_id, item["level"], item["who"], item["text"], item["url"], tuple(item["checkedBy"]))
        for rule_id, item in load_schema_file("rules.json")["rules"].items()
        if "checkedBy" in item
    }


@cache
def scenarios() -> dict[str, Scenario]:
    """Every scenario, by id, in the order of the registry."""
    return {
        scenario_id: Scenario(
            scenario_id,
            item["side"],
            item["title"],
            item["doc"],
            tuple(rule.id for rule in rules().values() if scenario_id in rule.checked_by),
        )
        for scenario_id, item in load_schema_file("rules.json")["scenarios"].items()
    }
