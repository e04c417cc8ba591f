"""The suite for agents."""

from __future__ import annotations

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.options import Options
from acp_v2.conformance.outcomes import Check, Outcome
from acp_v2.conformance.run import Run
from acp_v2.conformance.runner import Suite
from acp_v2.conformance.scenarios import Steps
from acp_v2.conformance.targets import Target

_NO_KEYS = "no key in what the agent sends"
_LEAKS = {
    "update": ("PRIV-01", "a session update"),
    "replay": ("PRIV-02", "a replayed update"),
    "list": ("PRIV-02", "a result of session/list"),
}


class AgentSuite(Suite):
    """The scenarios for agents, with an agent to run them on.

    Args:
        target: the agent.
        options: how long to wait, and which texts make it do what.
    """

    def __init__(self, target: Target, options: Options) -> None:
        super().__init__("agent", target.name, options)
        self._target = target
        self._agent = AgentUnderTest(target, options, self.keys, self.witness)

    async def perform(self, run: Run, steps: Steps) -> None:
        """Run one scenario with the agent."""
        await self._agent.begin()
        peer = await self._agent.connect()
        if peer.session_capabilities is None:
            raise run.skip_rest("the agent does not advertise capabilities.session")
        await steps(run, self._agent)

    def look_back(self, run: Run) -> None:
        """A key is out of place wherever it stands, whatever the scenario is about."""
        entries = self.transcript.entries()
        for leak in sorted(self._agent.leaks):
            rule, where = _LEAKS[leak]
            came = f"a key stood in {where}"
            run.checks.append(Check(rule, run.scenario.id, Outcome.FAILED, _NO_KEYS, came, transcript=entries))

    async def abandon(self) -> None:
        """Let go of every connection, and of what was started."""
        await self._agent.abandon()

    async def end(self) -> None:
        """End in good order."""
        await self._agent.end()

    @property
    def log(self) -> str:
        """The end of what the agent wrote to its standard error."""
        return self._target.log
