"""Runs the scenarios of a side, one after another, and makes the report."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from acp_v2.conformance.catalogue import Scenario, Side, scenarios
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.options import Options
from acp_v2.conformance.outcomes import Outcome, Report, ScenarioResult, WireFault
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import Steps, bound
from acp_v2.conformance.transcript import Transcript
from acp_v2.conformance.troubles import ConnectionEnded, NoConnection, NothingCame, Stopped, Trouble
from acp_v2.conformance.witness import Witness

_MOST_IN_VAIN: Final = 3
"""After so many scenarios in a row in which it went silent or away, no further one is begun."""

Progress = Callable[[ScenarioResult], object]
"""Told of each scenario when it has ended."""


class Suite:
    """The scenarios of a side, with something to run them on.

    Args:
        side: whose they are.
        name: what a report calls the thing that is tested.
        options: how long to wait.
    """

    def __init__(self, side: Side, name: str, options: Options) -> None:
        importlib.import_module(f"acp_v2.conformance.scenarios.{side}")
        self.side: Side = side
        self.name = name
        self.options = options
        self.keys = Keys()
        self.transcript = Transcript()
        self.witness = Witness(self.keys, self.transcript)
        self._ended_early: str | None = None
        self._in_vain = 0

    async def perform(self, run: Run, steps: Steps) -> None:
        """Run one scenario with what is tested."""
        raise NotImplementedError

    def look_back(self, run: Run) -> None:
        """Look at what is looked at in every scenario."""

    async def abandon(self) -> None:
        """Something went wrong: let go of everything, so that the next scenario begins anew."""

    async def end(self) -> None:
        """Leave nothing behind."""

    @property
    def log(self) -> str:
        """The end of what was written to standard error."""
        return ""

    @property
    def wire_faults(self) -> tuple[WireFault, ...]:
        """What was wrong on the wire so far."""
        return self.witness.faults

    async def run(self, chosen: Sequence[Scenario] | None = None, *, progress: Progress | None = None) -> Report:
        """Run scenarios, all by default, and report. Nothing that was started is left behind."""
        whole = [s for s in scenarios().values() if s.side == self.side]
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
            side=self.side,
            target=self.name,
            seconds=time.monotonic() - began,
            results=tuple(results),
            wire_faults=self.wire_faults,
            ended_early=self._ended_early,
            is_partial=len(chosen) < len(whole),
            log=self.keys.mask_text(self.log),
            chosen=tuple(chosen),
        )

    async def _results(self, chosen: Sequence[Scenario]) -> AsyncIterator[ScenarioResult]:
        deadline = time.monotonic() + self.options.time_limit
        for scenario in chosen:
            left = deadline - time.monotonic()
            if self._ended_early is None and left <= 0:
                self._ended_early = f"the time limit of {self.options.time_limit:g} s was over"
            if self._ended_early is None and self._in_vain >= _MOST_IN_VAIN:
                self._ended_early = f"in {self._in_vain} scenarios in a row the {self.side} did not answer or went away"
            if self._ended_early is not None:
                return
            yield await self.run_one(scenario, seconds=left)

    async def run_one(self, scenario: Scenario, *, seconds: float | None = None) -> ScenarioResult:
        """Run one scenario for at most so many seconds."""
        began = time.monotonic()
        run = Run(scenario, self.keys, self.transcript)
        stopped: str | None = None
        try:
            async with asyncio.timeout(seconds):
                self.witness.begin(scenario.id)
                await self.perform(run, bound()[scenario.id])
        except Stopped as reason:
            stopped = str(reason)
        except NoConnection as reason:
            # Without one, the other scenarios would only wait in turn.
            self._ended_early = stopped = str(reason)
            await self.abandon()
        except Trouble as reason:
            stopped = str(reason)
            self._in_vain += isinstance(reason, NothingCame | ConnectionEnded)
            await self.abandon()
        except TimeoutError:
            stopped = f"the time limit of {self.options.time_limit:g} s was over"
            await self.abandon()
        if any(check.outcome is Outcome.PASSED for check in run.checks):
            self._in_vain = 0
        self.look_back(run)
        if any(check.outcome is Outcome.FAILED for check in run.checks):
            await self.abandon()
        is_whole = {check.rule for check in run.checks} >= set(scenario.rules)
        return ScenarioResult(
            scenario=scenario,
            seconds=time.monotonic() - began,
            checks=tuple(run.checks),
            stopped=None if is_whole else self.keys.mask_text(stopped or "it ended before its end"),
            transcript=() if is_whole else self.transcript.entries(),
        )
