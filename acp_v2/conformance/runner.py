"""Runs the scenarios of the agent's side, one after another, and makes the report."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.catalogue import Scenario, scenarios
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.options import Options
from acp_v2.conformance.outcomes import Check, Outcome, Report, ScenarioResult, WireFault
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import bound
from acp_v2.conformance.targets import Target
from acp_v2.conformance.transcript import Transcript
from acp_v2.conformance.troubles import ConnectionEnded, NoConnection, NothingCame, Stopped, Trouble
from acp_v2.conformance.witness import Witness

_MOST_IN_VAIN: Final = 3
"""After so many scenarios in a row in which the agent went silent or away, no further one is begun."""

Progress = Callable[[ScenarioResult], object]
"""Told of each scenario when it has ended."""


class AgentSuite:
    """The scenarios for agents, with an agent to run them on.

    Args:
        target: the agent.
        options: how long to wait, and which texts make it do what.
    """

    def __init__(self, target: Target, options: Options) -> None:
        importlib.import_module("acp_v2.conformance.scenarios.agent")
        self._target = target
        self._options = options
        self._keys = Keys()
        self._transcript = Transcript()
        self._witness = Witness("agent", self._keys, self._transcript)
        self._agent = AgentUnderTest(target, options, self._keys, self._witness)
        self._ended_early: str | None = None
        self._in_vain = 0

    async def run(self, chosen: Sequence[Scenario] | None = None, *, progress: Progress | None = None) -> Report:
        """Run scenarios, all by default, and report. Nothing that was started is left behind."""
        whole = [s for s in scenarios().values() if s.side == "agent"]
        chosen = whole if chosen is None else chosen
        began = time.monotonic()
        results: list[ScenarioResult] = []
        try:
            async for result in self._results(chosen):
                results.append(result)
                if progress is not None:
                    progress(result)
        finally:
            await self.end()
        return Report(
            side="agent",
            target=self._target.name,
            seconds=time.monotonic() - began,
            results=tuple(results),
            wire_faults=self._witness.faults,
            ended_early=self._ended_early,
            is_partial=len(chosen) < len(whole),
            log=self._keys.mask_text(self._target.log),
            chosen=tuple(chosen),
        )

    async def _results(self, chosen: Sequence[Scenario]) -> AsyncIterator[ScenarioResult]:
        deadline = time.monotonic() + self._options.time_limit
        for scenario in chosen:
            left = deadline - time.monotonic()
            if self._ended_early is None and left <= 0:
                self._ended_early = f"the time limit of {self._options.time_limit:g} s was over"
            if self._ended_early is None and self._in_vain >= _MOST_IN_VAIN:
                self._ended_early = f"in {self._in_vain} scenarios in a row the agent did not answer or went away"
            if self._ended_early is not None:
                return
            yield await self.run_one(scenario, seconds=left)

    async def run_one(self, scenario: Scenario, *, seconds: float | None = None) -> ScenarioResult:
        """Run one scenario for at most so many seconds."""
        began = time.monotonic()
        run = Run(scenario, self._keys, self._transcript)
        stopped: str | None = None
        try:
            async with asyncio.timeout(seconds):
                await self._agent.begin(scenario.id)
                peer = await self._agent.connect()
                if peer.session_capabilities is None:
                    raise run.skip_rest("the agent does not advertise capabilities.session")
                await bound()[scenario.id](run, self._agent)
        except Stopped as reason:
            stopped = str(reason)
        except NoConnection as reason:
            # Without one, the other scenarios would only wait in turn.
            self._ended_early = stopped = str(reason)
            await self._agent.abandon()
        except Trouble as reason:
            stopped = str(reason)
            self._in_vain += isinstance(reason, NothingCame | ConnectionEnded)
            await self._agent.abandon()
        except TimeoutError:
            stopped = f"the time limit of {self._options.time_limit:g} s was over"
            await self._agent.abandon()
        if any(check.outcome is Outcome.PASSED for check in run.checks):
            self._in_vain = 0
        self._look_for_leaks(run)
        if any(check.outcome is Outcome.FAILED for check in run.checks):
            await self._agent.abandon()
        is_whole = {check.rule for check in run.checks} >= set(scenario.rules)
        return ScenarioResult(
            scenario=scenario,
            seconds=time.monotonic() - began,
            checks=tuple(run.checks),
            stopped=None if is_whole else self._keys.mask_text(stopped or "it ended before its end"),
            transcript=() if is_whole else self._transcript.entries(),
        )

    @property
    def wire_faults(self) -> tuple[WireFault, ...]:
        """What was wrong on the wire so far."""
        return self._witness.faults

    async def end(self) -> None:
        """Leave nothing behind."""
        await self._agent.end()

    def _look_for_leaks(self, run: Run) -> None:
        """A key is out of place wherever it stands, whatever the scenario is about."""
        entries = self._transcript.entries()
        for leak in sorted(self._agent.leaks):
            rule, where = _LEAKS[leak]
            came = f"a key stood in {where}"
            run.checks.append(Check(rule, run.scenario.id, Outcome.FAILED, _NO_KEYS, came, transcript=entries))


_NO_KEYS = "no key in what the agent sends"
_LEAKS = {
    "update": ("PRIV-01", "a session update"),
    "replay": ("PRIV-02", "a replayed update"),
    "list": ("PRIV-02", "a result of session/list"),
}
