"""The conformance suite: does an agent keep the rules of `spec/rules.yaml`, whatever language it is written in?

    report = asyncio.run(AgentSuite(StdioTarget(["my-agent"]), Options()).run())

It is what `acpspec conform` runs. Scenarios do something with the agent and check rules on the way; each rule then
passes, fails, is skipped with a reason, or could not be tested. It needs the extra `conform`, and for an address the
extra `remote`, too.
"""

from acp_v2.conformance.agent_suite import AgentSuite
from acp_v2.conformance.options import Options
from acp_v2.conformance.outcomes import Outcome, Report, Verdict
from acp_v2.conformance.targets import StdioTarget, Target, UrlTarget

__all__ = ["AgentSuite", "Options", "Outcome", "Report", "StdioTarget", "Target", "UrlTarget", "Verdict"]
