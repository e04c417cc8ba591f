"""`python -m acp_v2.proxy`: how it starts, what passes through it, and how it and what it started end."""

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acp_v2.agent.client import REPOSITORY
from tests.acp_v2.proxy.test_traces import AGENT, CHAINS, PROXY

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1.0,
    "method": "initialize",
    "params": {"protocolVersion": 2, "info": {"name": "test", "version": "1"}},
}

TALKER = """
import sys
request = sys.stdin.readline()
for number in range(2000):
    print('{"jsonrpc":"2.0","method":"_told","params":[%d,1.0]}' % number)
print('{"jsonrpc":"2.0","id":1,"result":"done"}')
"""
"""An agent that has much to say and ends with its first answer."""


def run(*arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROXY, *arguments], input=text, capture_output=True, text=True, check=False, cwd=REPOSITORY, env=ENVIRONMENT
    )


def test_it_ends_with_its_input_and_the_agent_has_answered_by_then():
    done = run("--", *AGENT, text=json.dumps(INITIALIZE) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"id":1.0' in done.stdout, "as the client wrote it"
    assert json.loads(done.stdout)["result"]["info"]["name"] == "acp-v2-reference"


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_all_that_an_agent_says_before_it_ends_arrives(chain: tuple[str, ...]):
    async def steps() -> None:
        process = await asyncio.create_subprocess_exec(
            *PROXY,
            *chain,
            "--",
            sys.executable,
            "-c",
            TALKER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=REPOSITORY,
            env=ENVIRONMENT,
        )
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b'{"jsonrpc":"2.0","id":"x","method":"_talk"}\n')
        lines = (await process.stdout.read()).decode().splitlines()
        assert [json.loads(line).get("params") for line in lines[:2000]] == [[number, 1.0] for number in range(2000)]
        assert json.loads(lines[2000]) == {"jsonrpc": "2.0", "id": "x", "result": "done"}
        assert b"the agent has ended" in await process.stderr.read()
        assert await process.wait() == 1

    asyncio.run(steps())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--", "/no/such/agent"), "/no/such/agent cannot be started"),
        (("--proxy", "/no/such/proxy", "--", *AGENT), "/no/such/proxy cannot be started"),
        (("--proxy", "proxy"), "--proxy needs an agent"),
        (("--proxy", "", "--", *AGENT), "a command is expected"),
        (("--proxy", "'", "--", *AGENT), "cannot be read"),
    ],
)
def test_what_it_cannot_run_with(arguments: tuple[str, ...], said: str):
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_when_it_is_terminated_what_it_started_ends_too(tmp_path: Path):
    pids = [tmp_path / "proxy", tmp_path / "agent"]
    noting = [("/bin/sh", "-c", f'echo $$ > {shlex.quote(str(pid))}; exec "$@"', "sh") for pid in pids]

    async def steps() -> None:
        process = await asyncio.create_subprocess_exec(
            *PROXY,
            "--proxy",
            shlex.join((*noting[0], *PROXY)),
            "--",
            *noting[1],
            *AGENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            env=ENVIRONMENT,
        )
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        assert json.loads(await process.stdout.readline())["result"]["protocolVersion"] == 2
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                os.kill(int(pid.read_text()), 0)

    asyncio.run(steps())
