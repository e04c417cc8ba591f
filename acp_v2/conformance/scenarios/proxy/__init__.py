"""The scenarios for proxies and conductors."""

from acp_v2.conformance.scenarios.proxy import forwarding

__all__ = ["forwarding"]
