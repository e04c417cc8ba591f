"""The scenarios as code, bound to those of the registry by id.

    @scenario("retry-same-connection")
    async def retry_same_connection(run: Run, agent: AgentUnderTest) -> None: ...

No scenario waits for a fixed time to see that nothing more comes. It asks for something else instead and waits for the
answer: what was sent before has come by then.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

Steps = Callable[..., Awaitable[None]]
"""Takes the run and what is tested."""

F = TypeVar("F", bound=Callable[..., Awaitable[None]])

_STEPS: dict[str, Steps] = {}


def scenario(scenario_id: str) -> Callable[[F], F]:
    """Bind a function to a scenario of the registry.

    Raises:
        ValueError: another is bound to it.
    """

    def bind(steps: F) -> F:
        if scenario_id in _STEPS:
            raise ValueError(f"two functions are bound to {scenario_id}")
        _STEPS[scenario_id] = steps
        return steps

    return bind


def bound() -> dict[str, Any]:
    """Every function, by the id of its scenario, of the sides that were imported."""
    return dict(_STEPS)
