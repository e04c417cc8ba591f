"""The suite inside an SDK's own test run: `pytest acp-conform.toml`.

    [agent]
    command = ["node", "dist/agent.js"]     # or: url = "ws://127.0.0.1:8080/acp"
    busy_prompt = "Run `sleep {seconds}`"   # and any other option of `acpspec conform agent`

Every scenario is a test, named by its id. Nothing is imported before pytest meets a file of that name.
"""

from __future__ import annotations

import asyncio
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from acp_v2.conformance.agent_suite import AgentSuite
    from acp_v2.conformance.catalogue import Scenario
    from acp_v2.conformance.outcomes import ScenarioResult

FILE = "acp-conform.toml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ConformanceFile | None:
    """Take the file, and no other."""
    if file_path.name != FILE:
        return None
    return ConformanceFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]


class ConformanceFile(pytest.File):
    """The scenarios of one file, which share an agent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._suite: AgentSuite | None = None
        # Agents that really do something get a folder where they can do no harm.
        self._folder = tempfile.TemporaryDirectory(prefix="acp-conform-", ignore_cleanup_errors=True)

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each scenario, and one for what came on the wire."""
        try:
            from acp_v2.conformance.catalogue import scenarios  # noqa: PLC0415  # when it is needed
            from acp_v2.conformance.settings import read_settings  # noqa: PLC0415
        except ModuleNotFoundError as error:
            install = "pip install 'acp-v2[conform]'"
            raise self.CollectError(f"{self.path} needs {error.name}; install it with: {install}") from None
        try:
            settings = read_settings(
                tomllib.loads(self.path.read_text("utf-8")), self.path.parent, cwd=self._folder.name
            )
        except (tomllib.TOMLDecodeError, ValueError) as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        self._settings = settings
        for scenario in scenarios().values():
            if scenario.side == "agent":
                item = {"name": scenario.id, "scenario": scenario}
                yield ScenarioItem.from_parent(self, **item)  # pyright: ignore[reportUnknownMemberType]
        yield WireItem.from_parent(self, name="every-message-is-valid")  # pyright: ignore[reportUnknownMemberType]

    def run_scenario(self, scenario: Scenario) -> ScenarioResult:
        """Run one scenario with the agent of all."""
        if self._loop is None or self._suite is None:
            self._loop = asyncio.new_event_loop()
            self._suite = self._settings.suite()
        return self._loop.run_until_complete(self._suite.run_one(scenario))

    @property
    def wire_faults(self) -> list[str]:
        """What was wrong with messages in the scenarios that were run."""
        if self._suite is None:
            return []
        return [f"{fault.scenario}: {fault.text}\n  {fault.entry.text}" for fault in self._suite.wire_faults]

    def teardown(self) -> None:
        """Leave nothing behind."""
        if self._loop is not None and self._suite is not None:
            self._loop.run_until_complete(self._suite.end())
            self._loop.close()
        self._loop = self._suite = None
        self._folder.cleanup()


class NotConformant(Exception):  # noqa: N818  # it is shown as it is
    """What a scenario found."""


class _Item(pytest.Item):
    parent: ConformanceFile  # pyright: ignore[reportIncompatibleMethodOverride]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was found, without where this plugin says it."""
        if isinstance(excinfo.value, NotConformant):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands, for a report."""
        return self.path, None, f"{FILE}::{self.name}"


class ScenarioItem(_Item):
    """One scenario."""

    def __init__(self, *, scenario: Scenario, **options: Any) -> None:
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType]
        self._scenario = scenario

    def runtest(self) -> None:
        """Run it. A scenario of which nothing could be looked at is skipped."""
        from acp_v2.conformance.outcomes import Outcome  # noqa: PLC0415
        from acp_v2.conformance.wording import described_failure  # noqa: PLC0415

        result = self.parent.run_scenario(self._scenario)
        failures = [check for check in result.checks if check.outcome is Outcome.FAILED]
        if failures:
            raise NotConformant("\n\n".join(map(described_failure, failures)))
        if result.stopped is not None:
            raise NotConformant(f"not tested: {result.stopped}")
        if result.outcome is Outcome.SKIPPED:
            pytest.skip("; ".join(dict.fromkeys(check.reason for check in result.checks)))


class WireItem(_Item):
    """Whether everything that came in the scenarios before was a valid message."""

    def runtest(self) -> None:
        """Look at what was noticed."""
        if faults := self.parent.wire_faults:
            raise NotConformant("\n".join(faults))
