"""The official TypeScript SDK as the client of the reference agent, with proxies in between."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.acp_v2.agent.client import REPOSITORY
from tests.acp_v2.agent.test_official_client import (  # noqa: F401  # the traces are the same; `run` is not
    Trace,
    official_client,
    test_a_prompt_that_was_inserted_during_active_work_is_recognised,
    test_a_retry_gets_the_id_of_the_one_message,
    test_after_an_error_the_key_is_unused,
    test_every_attempt_at_a_held_prompt_is_answered_alike,
    test_the_same_key_in_another_session_and_in_a_fork_is_another_submission,
)
from tests.acp_v2.proxy.test_traces import AGENT, CHAINS, PROXY


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.soak) for name in ("no proxy", "two proxies")])
def run(request: pytest.FixtureRequest, official_client: Path, tmp_path: Path) -> Trace:  # noqa: F811
    """Runs a trace and gives what the client saw."""

    def run_trace(trace: str, *options: str) -> Any:
        store = f"sqlite:///{tmp_path / 'sessions.db'}"
        command = [*PROXY, *CHAINS[request.param], "--", *AGENT, "--store", store, *options]
        done = subprocess.run(
            ["node", str(official_client), json.dumps({"transport": "stdio", "command": command, "trace": trace})],
            capture_output=True,
            text=True,
            check=False,
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run_trace
