"""The conformance suite: does an agent keep the rules of `spec/rules.yaml`, whatever language it is written in?

    report = asyncio.run(AgentSuite(StdioTarget(["my-agent"]), Options()).run())

It is what `acpspec conform` runs. Scenarios do something with the agent and check rules on the way; each rule then
passes, fails, is skipped with a reason, or could not be tested. It needs the extra `conform`, and for an address the
extra `remote`, too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_v2.conformance.agent_suite import AgentSuite
    from acp_v2.conformance.client_suite import ClientSuite, CommandClient
    from acp_v2.conformance.options import Options
    from acp_v2.conformance.outcomes import Outcome, Report, Verdict
    from acp_v2.conformance.proxy_suite import ProxySuite
    from acp_v2.conformance.targets import StdioTarget, Target, UrlTarget

__all__ = [
    "AgentSuite",
    "ClientSuite",
    "CommandClient",
    "Options",
    "Outcome",
    "ProxySuite",
    "Report",
    "StdioTarget",
    "Target",
    "UrlTarget",
    "Verdict",
]

_MODULES = {
    "AgentSuite": "agent_suite",
    "ClientSuite": "client_suite",
    "CommandClient": "client_suite",
    "Options": "options",
    "Outcome": "outcomes",
    "ProxySuite": "proxy_suite",
    "Report": "outcomes",
    "StdioTarget": "targets",
    "Target": "targets",
    "UrlTarget": "targets",
    "Verdict": "outcomes",
}


def __getattr__(name: str) -> Any:
    # Where this is installed, every run of pytest imports the plugin and so this package, with the extra or without.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"acp_v2.conformance.{_MODULES[name]}"), name)
