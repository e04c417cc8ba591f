"""`acpspec agent`: how it starts, says where it listens, and ends."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.sync.client import connect

from tests.acp_v2.agent.client import REPOSITORY

COMMAND = [sys.executable, "-m", "acp_v2.cli", "agent"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": 2, "info": {"name": "test", "version": "1"}},
}


def run(*arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *arguments], input=text, capture_output=True, text=True, check=False, cwd=REPOSITORY, env=ENVIRONMENT
    )


def test_it_ends_with_its_input_and_has_answered_by_then():
    done = run(text="".join(json.dumps({**INITIALIZE, "id": n}) + "\n" for n in range(3)))
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0, 1, 2]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--store", "mysql://host/db"), "database, or memory"),
        (("--listen", "ws://127.0.0.1:0/", "--token", "t\u00f6k"), "ASCII"),
        (("--store", "sqlite:////nowhere/at/all.db"), "the store cannot be opened"),
        (("--listen", "https://127.0.0.1:0/"), "cannot listen on https://127.0.0.1:0/"),
        (("--listen", "ws://127.0.0.1"), "names a port"),
        (("--listen", "ws://0.0.0.0:0/"), "--token"),
        (("--while-busy", "sleep"), "invalid choice"),
        (("--max-message-bytes", "0"), "positive"),
    ],
)
def test_what_it_cannot_run_with(arguments: tuple[str, ...], said: str):
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("--listen", f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert done.returncode == 2
    assert "in use" in done.stderr


def test_a_corrupt_store(tmp_path: Path):
    (tmp_path / "sessions.db").write_bytes(b"no database " * 1000)
    done = run("--store", f"sqlite:///{tmp_path / 'sessions.db'}")
    assert done.returncode == 2
    assert "the store cannot be opened" in done.stderr


@pytest.mark.parametrize("scheme", ["ws", "http"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(scheme: str, number: signal.Signals):
    with subprocess.Popen(
        [*COMMAND, "--listen", f"{scheme}://127.0.0.1:0/acp"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env=ENVIRONMENT,
    ) as agent:
        assert agent.stderr is not None
        line = agent.stderr.readline()
        assert line.startswith(f"acpspec agent: listening on {scheme}://127.0.0.1:")
        url = line.split()[-1]
        if scheme == "ws":
            with connect(url) as peer:
                peer.send(json.dumps(INITIALIZE))
                assert json.loads(peer.recv())["id"] == 1
                agent.send_signal(number)
                assert agent.wait() == (0 if number == signal.SIGTERM else 130)
        else:
            agent.send_signal(number)
            assert agent.wait() == (0 if number == signal.SIGTERM else 130)
        assert "Traceback" not in agent.stderr.read()


def test_a_missing_library_is_said_before_anything_is_bound():
    without = "import sys; sys.modules['websockets'] = None; from acp_v2.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", without, "agent", "--listen", "ws://127.0.0.1:0/"],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
        env=ENVIRONMENT,
    )
    assert done.returncode == 2
    assert "pip install 'acp-v2[remote]'" in done.stderr


def test_it_ends_when_it_is_terminated_during_work():
    async def steps() -> None:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY, env=ENVIRONMENT
        )
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        await process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0

    asyncio.run(steps())
