"""The scenarios for clients, by what they are about."""

from acp_v2.conformance.scenarios.client import keys, lost_responses

__all__ = ["keys", "lost_responses"]
