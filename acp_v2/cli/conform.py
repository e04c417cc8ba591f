"""`acpspec conform`: does an agent, a client or a proxy keep the rules?"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from acp_v2.cli import FAULTY, OK, UsageError
from acp_v2.cli.console import say
from acp_v2.conformance import Options, Outcome, Report, Verdict
from acp_v2.conformance.catalogue import Scenario, scenarios
from acp_v2.conformance.client_suite import AGENT, ClientSuite, CommandClient
from acp_v2.conformance.outcomes import RuleResult, ScenarioResult
from acp_v2.conformance.proxy_suite import ProxySuite
from acp_v2.conformance.reports import Write, writer
from acp_v2.conformance.runner import Suite
from acp_v2.conformance.settings import Settings
from acp_v2.conformance.wording import described_failure

T = TypeVar("T")

_STYLES = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.SKIPPED: "dim",
    Outcome.NOT_TESTED: "yellow",
}

_LOG_LINES = 10


def run_list(arguments: argparse.Namespace) -> int:
    """Print the scenarios with the rules that they check."""
    found = [s for s in scenarios().values() if arguments.side in (None, s.side)]
    if arguments.json:
        rows = [{"id": s.id, "side": s.side, "title": s.title, "doc": s.doc, "rules": list(s.rules)} for s in found]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return OK
    for scenario in found:
        say((scenario.id, "bold"), f" ({scenario.side}): {scenario.title}")
        say(f"  {', '.join(scenario.rules)}")
    return OK


def run_proxy(arguments: argparse.Namespace) -> int:
    """Test a proxy or a conductor, and say what came of it."""
    chosen = _chosen("proxy", arguments)
    if not arguments.command:
        raise UsageError("say which proxy or conductor: `-- COMMAND …`")
    options = Options(patience=arguments.timeout, time_limit=arguments.time_limit)
    suite = ProxySuite(arguments.command, options, env={**os.environ, **dict(arguments.env)})
    return _run(suite, chosen, arguments)


def run_client(arguments: argparse.Namespace) -> int:
    """Test a client, and say what came of it."""
    chosen = _chosen("client", arguments)
    if not any(AGENT in part for part in arguments.command):
        raise UsageError("say which client: `-- COMMAND …`, with {agent} where the command of its agent stands")
    restart, with_key = (_words(line) for line in (arguments.restart_cmd, arguments.key_cmd))
    if with_key and not any("{key}" in part for part in with_key):
        raise UsageError("--key-cmd has {key} where the key stands")
    options = Options(patience=arguments.timeout, time_limit=arguments.time_limit, prompt=arguments.prompt)
    client = CommandClient(
        arguments.command,
        restart_command=restart,
        key_command=with_key,
        env={**os.environ, **dict(arguments.env)},
        patience=arguments.timeout,
    )
    return _run(ClientSuite(client, options), chosen, arguments)


def _words(line: str | None) -> list[str]:
    try:
        return shlex.split(line or "")
    except ValueError as error:
        raise UsageError(f"{line} cannot be read: {error}") from None


def run_agent(arguments: argparse.Namespace) -> int:
    """Test an agent, and say what came of it."""
    chosen = _chosen("agent", arguments)
    with _working_directory(arguments.cwd) as cwd:
        return _run(_settings(arguments, cwd).suite(), chosen, arguments)


def _run(suite: Suite, chosen: list[Scenario] | None, arguments: argparse.Namespace) -> int:
    writers = [(path, _writer(path)) for path in arguments.reports]
    report = asyncio.run(_until_told(suite.run(chosen, progress=_say_result)))
    _say_report(report)
    _write_all([(path, write(report)) for path, write in writers])
    return FAULTY if report.verdict is Verdict.NON_CONFORMANT else OK


async def _until_told(work: Coroutine[Any, Any, T]) -> T:
    """Let SIGTERM break it off like the keyboard does, so that nothing stays behind."""
    working = asyncio.create_task(work)
    with contextlib.suppress(NotImplementedError):  # On Windows the process just ends.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    try:
        return await working
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _settings(arguments: argparse.Namespace, cwd: str) -> Settings:
    options = Options(
        patience=arguments.timeout,
        time_limit=arguments.time_limit,
        cwd=cwd,
        login=arguments.login,
        prompt=arguments.prompt,
        busy_prompt=arguments.busy_prompt or None,
        fail_prompt=arguments.fail_prompt or None,
        local_prompt=arguments.local_prompt or None,
    )
    token = arguments.token or (os.environ.get("ACPSPEC_TOKEN") if arguments.url else None) or None
    command = tuple(arguments.command or ())
    try:
        return Settings(command, arguments.url, token, arguments.restart_cmd, dict(arguments.env), options)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _chosen(side: str, arguments: argparse.Namespace) -> list[Scenario] | None:
    whole = [s for s in scenarios().values() if s.side == side]
    names = [*arguments.scenarios, *arguments.rules]
    known = {s.id for s in whole} | {rule for s in whole for rule in s.rules}
    if unknown := [name for name in names if name not in known]:
        what = f"no scenario for {side}s has or checks {', '.join(unknown)}"
        raise UsageError(f"{what}; `acpspec conform list --side {side}` lists them")
    if not names:
        return None
    return [s for s in whole if s.id in names or set(s.rules) & set(names)]


@contextlib.contextmanager
def _working_directory(given: str | None) -> Generator[str]:
    """The absolute path that sessions get: the one that was given, or an empty folder of their own."""
    if given is not None:
        yield str(Path(given).absolute())
        return
    with tempfile.TemporaryDirectory(prefix="acpspec-conform-", ignore_cleanup_errors=True) as folder:
        yield folder


def _writer(path: Path) -> Write:
    try:
        write = writer(path)
    except ValueError as error:
        raise UsageError(f"--report {error}") from None
    # Said now and not after minutes, when the run would be lost.
    if not path.parent.is_dir():
        raise UsageError(f"--report {path}: there is no folder {path.parent}")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--report {path} cannot be written")
    return write


def _write_all(texts: list[tuple[Path, str]]) -> None:
    """Write what can be written, and say what cannot."""
    faults: list[str] = []
    for path, text in texts:
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            faults.append(f"{path} cannot be written: {error.strerror}")
    if faults:
        raise UsageError("; ".join(faults))


def _say_result(result: ScenarioResult) -> None:
    outcome = result.outcome
    say((f"{outcome:11}", _STYLES[outcome]), f"{result.scenario.id} ({result.seconds:.2f} s)")
    sys.stdout.flush()


def _say_report(report: Report) -> None:
    results = report.rule_results()
    for result in results:
        if result.outcome is Outcome.FAILED:
            for check in result.failures:
                say()
                head, *rest = described_failure(check).splitlines()
                say((head, "bold red"))
                say("\n".join(rest))
    for fault in report.wire_faults:
        say()
        say(("not a valid message", "red"), f" in {fault.scenario}, {fault.times}×: {fault.text}")
        say(f"  {fault.entry.text}")
    _say_reasons(results, Outcome.SKIPPED)
    _say_reasons(results, Outcome.NOT_TESTED)
    say()
    if report.log and any(result.outcome is Outcome.NOT_TESTED for result in results):
        say(f"the end of what the {report.side} wrote besides:")
        say("\n".join(f"  {line[:300]}" for line in report.log.splitlines()[-_LOG_LINES:]))
        say()
    if report.ended_early:
        say(("it ended early: ", "red"), report.ended_early)
    counts = ", ".join(f"{n} {o}" for o in Outcome if (n := sum(1 for r in results if r.outcome is o)))
    style = {Verdict.CONFORMANT: "bold green", Verdict.NON_CONFORMANT: "bold red"}.get(report.verdict, "bold")
    say(f"{len(results)} rules: {counts}; {report.seconds:.1f} s")
    say((str(report.verdict), style))


def _say_reasons(results: Sequence[RuleResult], outcome: Outcome) -> None:
    by_reason: dict[str, list[str]] = {}
    for result in results:
        if result.outcome is outcome:
            by_reason.setdefault("; ".join(result.reasons), []).append(result.rule.id)
    if by_reason:
        say()
    for reason, ids in by_reason.items():
        say((f"{', '.join(ids)} {outcome}: ", _STYLES[outcome]), reason)
