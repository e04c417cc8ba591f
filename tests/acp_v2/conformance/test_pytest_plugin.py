"""`pytest acp-conform.toml`: every scenario is a test of an SDK's own run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acp_v2.agent.client import REPOSITORY

HOSTILE = Path(__file__).with_name("hostile.py")


def run(folder: Path, text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    (folder / "acp-conform.toml").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "acp_v2.conformance.pytest_plugin", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "-rA", *arguments, "acp-conform.toml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


def agent_of(name: str) -> str:
    return f"command = {json.dumps([sys.executable, '-m', 'tests.acp_v2.conformance.mutants', name])}"


def test_each_scenario_is_a_test_and_what_is_not_shown_is_skipped(tmp_path: Path):
    done = run(tmp_path, f"[agent]\n{agent_of('holds')}", "-k", "no-key or retry-during-work or every-message")
    assert done.returncode == 0, done.stdout
    assert "PASSED acp-conform.toml::no-key" in done.stdout
    assert "PASSED acp-conform.toml::every-message-is-valid" in done.stdout
    assert "1 skipped" in done.stdout
    assert "the agent inserts no prompt while its session is at work" in done.stdout


def test_a_failure_names_the_rule_what_was_expected_and_what_came(tmp_path: Path):
    done = run(tmp_path, f"[agent]\n{agent_of('takes-null-for-a-key')}", "-k", "no-key")
    assert done.returncode == 1
    assert "KEY-03 holds, in no-key" in done.stdout
    assert "https://acp-v2.example/prompt-lifecycle/#KEY-03" in done.stdout
    assert "came:     3 ids and 3 user messages" in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_what_could_not_be_tested_fails(tmp_path: Path):
    done = run(tmp_path, f'[agent]\ncommand = ["{sys.executable}", "{HOSTILE}", "crashes at once"]', "-k", "no-key")
    assert done.returncode == 1
    assert "not tested: no connection" in done.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[agent]", "say which agent it is"),
        ("[agent]\ncommand = 'agent'", "command is an array of strings"),
        ("[agent]\ncommand = ['agent']\nbusy = 'x'", "busy is not known; there are command"),
        ("[agent]\ncommand = ['agent']\ntimeout = 0", "timeout is a positive number of seconds"),
        ("[agents]", "it has one table, [agent]"),
        ("[agent", "acp-conform.toml"),
    ],
)
def test_a_file_that_says_nothing_sensible(tmp_path: Path, text: str, says: str):
    done = run(tmp_path, text)
    assert done.returncode == 2
    assert says in done.stdout
    assert "Traceback" not in done.stdout


def pytest_without(modules: tuple[str, ...], folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    program = (
        f"import sys, pytest\nsys.modules.update(dict.fromkeys({modules!r}))\nsys.exit(pytest.main(sys.argv[1:]))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "-p", "acp_v2.conformance.pytest_plugin", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


def test_where_it_is_installed_without_its_extra_pytest_runs_all_the_same(tmp_path: Path):
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n")
    done = pytest_without(("jsonschema", "jinja2", "rich"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_a_file_of_the_suite_without_its_extra_says_what_to_install(tmp_path: Path):
    (tmp_path / "acp-conform.toml").write_text('[agent]\ncommand = ["agent"]\n')
    done = pytest_without(("jsonschema",), tmp_path, "acp-conform.toml")
    assert done.returncode == 2
    assert "pip install 'acp-v2[conform]'" in done.stdout
