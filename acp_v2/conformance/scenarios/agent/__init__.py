"""The scenarios for agents, by what they are about."""

from acp_v2.conformance.scenarios.agent import held, key_form, lifetime, privacy, retries

__all__ = ["held", "key_form", "lifetime", "privacy", "retries"]
