"""The seven traces of the proposal, against the example adapter: over stdio, with a process that dies in between."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acp_v2.agent.client import OverStdio
from tests.acp_v2.agent.test_traces import (  # noqa: F401  # the traces are the same; `run` is not
    Trace,
    test_a_held_prompt_is_inserted_when_the_session_is_idle_and_every_attempt_gets_its_id,
    test_a_retry_after_a_restart_with_a_stored_session,
    test_a_retry_after_an_error,
    test_a_retry_after_resuming_on_a_new_connection,
    test_a_retry_of_a_prompt_that_was_inserted_during_active_work,
    test_a_retry_on_the_same_connection,
    test_a_retry_while_the_prompt_is_held,
    test_the_same_key_in_another_session_and_in_a_fork,
)

COMMAND = (sys.executable, "-m", "acp_v2.adapters.example")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., None]:
    """Runs a trace against the adapter."""

    def run_trace(trace: Trace, while_busy: str = "hold") -> None:
        async def steps() -> None:
            async with OverStdio("--sessions", str(tmp_path), "--while-busy", while_busy, command=COMMAND) as place:
                await trace(place)

        asyncio.run(steps())

    return run_trace
