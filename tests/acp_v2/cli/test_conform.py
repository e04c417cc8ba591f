"""`acpspec conform`: what it runs, says and writes, and its exit codes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.acp_v2.agent.client import REPOSITORY
from tests.acp_v2.conformance.test_hostile_agents import HOSTILE, MARK, processes_marked

ACPSPEC = [sys.executable, "-m", "acp_v2.cli"]
AGENT = [*ACPSPEC, "agent"]
MUTANT = [sys.executable, "-m", "tests.acp_v2.conformance.mutants"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def conform(*arguments: str, cwd: Path = REPOSITORY) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*ACPSPEC, "conform", *arguments], capture_output=True, text=True, check=False, cwd=cwd, env=ENVIRONMENT
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def outcomes(path: Path) -> dict[str, str]:
    return {rule["id"]: rule["outcome"] for rule in json.loads(path.read_text("utf-8"))["rules"]}


def test_the_reference_agent_conforms_and_every_report_is_written(tmp_path: Path):
    reports = [tmp_path / f"report.{end}" for end in ("json", "xml", "html")]
    store = f"sqlite:///{tmp_path / 'sessions.db'}"
    done = conform("agent", *(f"--report={path}" for path in reports), "--", *AGENT, "--store", store)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "conformant"
    assert done.stderr == ""
    assert all(path.stat().st_size > 1000 for path in reports)
    found = outcomes(reports[0])
    assert {rule for rule, outcome in found.items() if outcome != "passed"} == {"INS-10", "INS-11", "STORE-02"}
    assert set(found.values()) == {"passed", "skipped"}


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_it_starts_and_restarts_an_agent_at_an_address(scheme: str, tmp_path: Path):
    url = f"{scheme}://127.0.0.1:{free_port()}/acp"
    store = f"sqlite:///{tmp_path / 'sessions.db'}"
    report = tmp_path / "report.json"
    chosen = ("--rule", "STORE-02", "--rule", "HELD-01", "--rule", "PRIV-02")
    done = conform(
        "agent", "--url", url, f"--report={report}", *chosen, "--", *AGENT, "--listen", url, "--store", store
    )
    assert done.returncode == 0, done.stdout
    found = outcomes(report)
    assert {rule for rule, outcome in found.items() if outcome != "passed"} == {"STORE-01"}
    assert {"STORE-02", "HELD-01", "PRIV-02"} <= found.keys()


def test_without_a_way_to_restart_it_the_rules_that_need_one_are_skipped(tmp_path: Path):
    url = f"ws://127.0.0.1:{free_port()}/acp"
    with subprocess.Popen([*AGENT, "--listen", url], cwd=REPOSITORY, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as it:
        try:
            done = conform("agent", "--url", url, "--scenario", "retry-after-restart")
        finally:
            it.terminate()
    assert done.returncode == 0, done.stdout
    assert "STORE-02 skipped: the suite cannot restart this agent; --restart-cmd says how" in done.stdout
    assert done.stdout.splitlines()[-1] == "nothing failed, but not everything was run"


def test_a_restart_command_restarts_it(tmp_path: Path):
    url = f"ws://127.0.0.1:{free_port()}/acp"
    pid, report = tmp_path / "pid", tmp_path / "report.json"
    script = tmp_path / "restart.py"
    start = [*AGENT, "--listen", url, "--store", f"sqlite:///{tmp_path / 'sessions.db'}"]
    script.write_text(
        "import os, pathlib, signal, subprocess\n"
        f"pid = pathlib.Path({str(pid)!r})\n"
        "if pid.exists(): os.kill(int(pid.read_text()), signal.SIGKILL)\n"
        f"it = subprocess.Popen({start!r}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL, start_new_session=True)\n"
        "pid.write_text(str(it.pid))\n"
    )
    restart = f"{sys.executable} {script}"
    subprocess.run([sys.executable, script], check=True, cwd=REPOSITORY, env=ENVIRONMENT)
    try:
        arguments = ("--url", url, "--restart-cmd", restart, "--rule", "STORE-02", "--report", str(report))
        done = conform("agent", *arguments)
    finally:
        os.kill(int(pid.read_text()), 9)
    assert done.returncode == 0, done.stdout
    assert outcomes(report)["STORE-02"] == "passed"


def test_a_failure_is_told_with_its_rule_and_without_the_key(tmp_path: Path):
    report = tmp_path / "report.json"
    done = conform("agent", "--scenario", "no-key", f"--report={report}", "--", *MUTANT, "takes-null-for-a-key")
    assert done.returncode == 1
    assert "KEY-03 holds, in no-key: The key is optional." in done.stdout
    assert "  expected: a message for each of four equal prompts" in done.stdout
    assert done.stdout.splitlines()[-1] == "non-conformant"
    assert outcomes(report) == {"KEY-03": "failed"}


def test_the_texts_that_real_agents_need_can_be_given():
    chosen = ("--rule", "INS-08", "--rule", "HELD-01", "--rule", "LAST-05")
    done = conform("agent", "--fail-prompt=", "--busy-prompt=", "--local-prompt=", *chosen, "--", *AGENT)
    assert done.returncode == 0, done.stdout
    for rules, option in (("INS-08", "--fail-prompt"), ("HELD-01", "--busy-prompt"), ("LAST-05", "--local-prompt")):
        line = next(line for line in done.stdout.splitlines() if rules in line and " skipped: " in line)
        assert option in line


def test_the_environment_is_handed_on():
    done = conform(
        "agent", "--env", "ACPSPEC_MODE=x", "--scenario", "no-key", "--", "sh", "-c", 'exit "${#ACPSPEC_MODE}"'
    )
    assert done.returncode == 1
    assert "it ended early: no connection" in done.stdout


def test_an_agent_that_cannot_begin_is_told_once_with_what_it_wrote():
    done = conform("agent", "--", "sh", "-c", "echo I find no settings >&2; exit 4")
    assert done.returncode == 1
    # Once for the rules of the scenario that was begun, and once for all others.
    assert done.stdout.count(" not tested: ") == 2
    assert "  I find no settings\n" in done.stdout


def test_a_command_that_ends_instead_of_listening_is_not_waited_for():
    url = f"ws://127.0.0.1:{free_port()}/acp"
    done = conform("agent", "--url", url, "--timeout", "600", "--", "sh", "-c", "echo the port is taken; exit 3")
    assert done.returncode == 1
    assert "it ended early: sh ended with 3" in done.stdout
    assert "  the port is taken\n" in done.stdout


def test_who_is_in_an_address_is_not_told():
    url = f"http://ada:secret@127.0.0.1:{free_port()}/acp"
    done = conform("agent", "--url", url, "--timeout", "1", "--scenario", "no-key")
    assert "cannot be reached" in done.stdout
    assert "secret" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("agent",), "say which agent it is"),
        (("agent", "--url", "ftp://host"), "begins with ws://"),
        (("agent", "--url", "ws://"), "is like ws://HOST:PORT/PATH"),
        (("agent", "--url", "http://127.0.0.1:99999/"), "cannot be read: Port out of range"),
        (("agent", "--url", "http://[::1/"), "cannot be read: Invalid IPv6 URL"),
        (("agent", "--report", "no/such/folder/r.html", "--", "agent"), "there is no folder no/such/folder"),
        (("agent", "--token", "t", "--", "agent"), "for an agent at an address"),
        (("agent", "--restart-cmd", "x", "--url", "ws://127.0.0.1:1/", "--", "agent"), "itself"),
        (("agent", "--report", "r.pdf", "--", "agent"), "has to end with .json"),
        (("agent", "--scenario", "no-such", "--", "agent"), "acpspec conform list --side agent"),
        (("agent", "--timeout", "0", "--", "agent"), "a positive number of seconds"),
        (("agent", "--env", "x", "--", "agent"), "NAME=VALUE"),
    ],
)
def test_what_it_cannot_run_with(arguments: tuple[str, ...], says: str):
    done = conform(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_the_list_has_every_scenario_with_its_rules():
    listed: list[dict[str, Any]] = json.loads(conform("list", "--side", "agent", "--json").stdout)
    retry = next(scenario for scenario in listed if scenario["id"] == "retry-same-connection")
    assert retry["rules"] == ["KEY-01", "INS-02", "INS-03", "INS-04"]
    text = conform("list", "--side", "agent").stdout
    assert all(scenario["id"] in text for scenario in listed)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_breaks_it_off_finds_no_process_left(number: signal.Signals, tmp_path: Path):
    command = [*ACPSPEC, "conform", "agent", "--", sys.executable, str(HOSTILE), "hangs"]
    with subprocess.Popen(
        command, cwd=REPOSITORY, env={**ENVIRONMENT, MARK: str(tmp_path)}, stderr=subprocess.PIPE, text=True
    ) as it:
        while len(processes_marked(str(tmp_path))) < 2:
            assert it.poll() is None
            time.sleep(0.01)
        it.send_signal(number)
        assert it.wait() == 130
        assert it.stderr is not None
        assert "Traceback" not in it.stderr.read()
    assert processes_marked(str(tmp_path)) == []


def test_a_missing_library_is_said():
    without = "import sys; sys.modules['jinja2'] = None; from acp_v2.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", without, "conform", "agent", "--report", "r.html", "--", "agent"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY, env=ENVIRONMENT)
    assert done.returncode == 2
    assert "pip install 'acp-v2[conform]'" in done.stderr
