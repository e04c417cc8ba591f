"""`acpspec prompt`: what is shown, and what the exit code says."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acp_v2.client import Outbox
from tests.acp_v2.agent.client import REPOSITORY

ACPSPEC = [sys.executable, "-m", "acp_v2.cli"]
AGENT = [*ACPSPEC, "agent"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}

Done = "subprocess.CompletedProcess[str]"


def prompt(*arguments: str, agent: list[str] = AGENT, text: str = "") -> Done:
    command = [*ACPSPEC, "prompt", *arguments, *(["--", *agent] if agent else [])]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=REPOSITORY
    )


def test_the_agents_text_goes_to_standard_output_and_the_message_to_standard_error() -> None:
    done = prompt("Hello there")
    assert done.returncode == 0
    assert done.stdout == "Hello there\n"
    assert re.fullmatch(r"session \w+\nmessage [\w-]+, sent once\n", done.stderr)


def test_a_prompt_comes_from_standard_input() -> None:
    assert prompt("-", text="From a pipe").stdout == "From a pipe\n"


def test_sent_again_with_its_key_it_is_the_same_message() -> None:
    done = prompt("Hello", "--resend")
    assert done.stdout == "Hello\n"
    assert done.stderr.endswith("sent again with the same key: the same message, inserted once\n")


def test_a_prompt_that_the_agent_refuses_is_exit_code_1() -> None:
    done = prompt("/fail 1")
    assert done.returncode == 1
    assert "the prompt was not inserted: This prompt fails 1 time (-32603)" in done.stderr


def test_it_goes_on_with_a_session(tmp_path: Path) -> None:
    agent = [*AGENT, "--store", f"sqlite:///{tmp_path}/sessions"]
    first = prompt("Hello", agent=agent)
    session = first.stderr.split()[1]
    done = prompt("Again", "--session", session, agent=agent)
    assert done.stdout == "Again\n"
    assert prompt("Again", "--session", "none", agent=agent).returncode == 1


def test_what_a_run_left_in_the_outbox_another_sends(tmp_path: Path) -> None:
    """The first run is killed while its prompt is held."""
    agent = [*AGENT, "--store", f"sqlite:///{tmp_path}/sessions"]
    outbox = ["--outbox", str(tmp_path / "outbox")]
    session = prompt("Hello", *outbox, agent=agent).stderr.split()[1]
    # An agent that never answers a prompt.
    silent = [sys.executable, "-c", SILENT]
    waiting = subprocess.Popen(
        [*ACPSPEC, "prompt", "Kept", "--session", session, *outbox, "--", *silent],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**ENVIRONMENT, "PROMPTED": str(tmp_path / "prompted")},
    )
    assert waiting.stderr is not None
    while waiting.poll() is None and not (tmp_path / "prompted").exists():
        time.sleep(0.01)
    waiting.send_signal(signal.SIGKILL)
    waiting.wait()
    waiting.stderr.close()

    done = prompt("--pending", *outbox, agent=agent)
    assert (done.returncode, done.stdout) == (0, "Kept\n")
    assert prompt("--pending", *outbox, agent=agent).stderr == "nothing is pending\n"


def test_what_was_left_in_a_session_that_is_gone_is_shown_to_the_user_and_not_sent(tmp_path: Path) -> None:
    async def leave() -> None:
        outbox = await Outbox.open(tmp_path / "outbox")
        await outbox.submit("gone", "Kept")
        await outbox.close()

    asyncio.run(leave())
    done = prompt("--pending", "--outbox", str(tmp_path / "outbox"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("(-32002)\nnot sent: Kept\n")


SILENT = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "session/prompt":
        open(os.environ["PROMPTED"], "w").close()
        continue
    result = {"protocolVersion": 2, "info": {"name": "silent", "version": "1"}, "capabilities": {"session": {}}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize(
    ("arguments", "agent", "words"),
    [
        (["Hello"], [], "an agent is either a command after --, or --url"),
        (["Hello", "--url", "ws://127.0.0.1:9"], AGENT, "an agent is either a command after --, or --url"),
        ([], AGENT, "a prompt is needed"),
        (["--pending"], AGENT, "--pending sends what --outbox has"),
        (["Hello", "--url", "ftp://127.0.0.1"], [], "begins with ws://"),
        (["Hello", "--key", "k" * 256], AGENT, "1 to 255 characters"),
        (["Hello", "--outbox", "/"], AGENT, "cannot be opened"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_says_what_is_right(arguments: list[str], agent: list[str], words: str) -> None:
    done = prompt(*arguments, agent=agent)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (["/no/such/program"], "/no/such/program cannot be started"),
        ([sys.executable, "-c", ""], "the connection has ended"),
        ([sys.executable, "-c", "print('no JSON'); input()"], "the connection has ended"),
    ],
)
def test_an_agent_that_cannot_be_reached_is_exit_code_1(agent: list[str], words: str) -> None:
    done = prompt("Hello", agent=agent)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
