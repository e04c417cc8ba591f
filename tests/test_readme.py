"""The README's commands and its Python give what it shows. A `…` stands for the rest of a line or word."""

import asyncio
import doctest
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import IdempotencyKey, PromptRequest, TextContent
from acp_v2.connection import Call, Connection
from acp_v2.idempotency import StoredSession
from acp_v2.transports.memory import memory_pair

REPOSITORY = Path(__file__).parents[1]
CONSOLES = re.findall(
    r"```console\n\$ acpspec (.*?)\n(.*?)```", (REPOSITORY / "README.md").read_text("utf-8"), re.DOTALL
)

MESSAGES = [
    {
        "id": 1,
        "method": "session/prompt",
        "params": {"sessionId": "s", "prompt": [{"type": "text"}], "idempotencyKey": ""},
    },
    {"id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]}},
    {"id": 2, "result": {"messageId": None}},
]


@pytest.mark.parametrize(("command", "shown"), CONSOLES, ids=[c for c, _ in CONSOLES])
def test_a_command_prints_what_the_readme_shows(command: str, shown: str, tmp_path: Path):
    (tmp_path / "examples-of-yours.ndjson").write_text("\n".join(json.dumps({"jsonrpc": "2.0", **m}) for m in MESSAGES))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    done = subprocess.run(
        [sys.executable, "-m", "acp_v2.cli", *shlex.split(command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)},
    )

    for line, expected in zip(done.stdout.splitlines(), shown.splitlines(), strict=True):
        pattern = re.escape(expected).replace("…", ".*")
        assert re.fullmatch(pattern, line), f"{line!r} is not {expected!r}"


def test_there_are_commands_in_the_readme():
    assert len(CONSOLES) == 4


def test_the_python_gives_what_the_readme_shows():
    (shown,) = re.findall(r"```pycon\n(.*?)```", (REPOSITORY / "README.md").read_text("utf-8"), re.DOTALL)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)

    done = runner.run(doctest.DocTestParser().get_doctest(shown, {}, "README.md", "README.md", 0))

    assert (done.failed, done.attempted) == (0, 7)


def python_of(section: str) -> str:
    (text,) = re.findall(rf"\n## {section}\n(.*?)\n## ", (REPOSITORY / "README.md").read_text("utf-8"), re.DOTALL)
    (shown,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return shown


def test_the_client_in_the_readme_gets_the_id_of_its_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    client: dict[str, Any] = {}
    exec(python_of("You write a client that loses no prompt"), client)  # noqa: S102

    assert re.fullmatch("[0-9a-f-]{36}", asyncio.run(client["talk"]([sys.executable, "-m", "acp_v2.cli", "agent"])))


def test_the_agent_in_the_readme_inserts_a_keyed_prompt_once():
    shown = python_of("You write an agent")
    agent: dict[str, Any] = {"new_id": iter(["msg_01", "msg_02"]).__next__}
    exec(shown, agent)  # noqa: S102
    params = PromptRequest(session_id="s", prompt=[TextContent(text="Hi")], idempotency_key=IdempotencyKey.generate())

    async def ask_twice() -> list[str]:
        connection = Connection(memory_pair()[0], "agent")
        await agent["store"].create_session(StoredSession("s", "/home/ada"))
        return [await agent["prompt"](Call(connection, "session/prompt", params, number)) for number in (1, 2)]

    assert asyncio.run(ask_twice()) == ["msg_01", "msg_01"]
