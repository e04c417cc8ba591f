"""Agents that want a login, have no sessions or speak another version, and the time limit of a run."""

import asyncio
from typing import Any, ClassVar

from acp_v2.conformance import AgentSuite, Options, Outcome, Report, Verdict
from acp_v2.conformance.catalogue import scenarios
from acp_v2.connection import Call, Handlers
from acp_v2.errors import AuthRequired
from acp_v2.transports import Transport
from tests.acp_v2.conformance.in_process import InProcess
from tests.acp_v2.conformance.mutants import Mutant, Tap

CHOSEN = ["no-key", "retry-after-resume"]


def run(build: type[Mutant], chosen: list[str] | None = None, **options: Any) -> Report:
    suite = AgentSuite(InProcess(build), Options(patience=60, cwd="/work", **options))
    return asyncio.run(suite.run([scenarios()[id_] for id_ in chosen or CHOSEN]))


class WantsLogin(Mutant):
    """No session without `auth/login` on the same connection."""

    def break_it(self) -> None:
        logged_in: set[Any] = set()

        async def login(call: Call[Any]) -> dict[str, Any]:
            assert call.params.method_id == "token"
            logged_in.add(call.connection)
            return {}

        async def guarded(handler: Any, call: Call[Any]) -> Any:
            if call.connection not in logged_in:
                raise AuthRequired("Log in first")
            return await handler(call)

        self._handlers = Handlers({**self._handlers.requests, "auth/login": login}, self._handlers.notifications)
        self.wrap("session/new", guarded)
        self.wrap("session/resume", guarded)


def test_it_logs_in_on_each_connection_where_the_agent_asks_for_that():
    report = run(WantsLogin, login="token")
    assert {result.outcome for result in report.results} == {Outcome.PASSED}


def test_without_a_method_to_log_in_with_it_ends_early_and_says_which_option_would_help():
    report = run(WantsLogin)
    assert report.ended_early == "the agent asks for a login; --login METHOD says with which method"
    assert len(report.results) == 1
    assert report.verdict is Verdict.NON_CONFORMANT


class Greets(Mutant):
    """Another answer to `initialize`."""

    changes: ClassVar[dict[str, Any]]

    def tap(self, transport: Transport) -> Transport:
        def outgoing(message: Any) -> None:
            if "capabilities" in message.get("result", {}):
                message["result"].update(self.changes)

        return Tap(transport, outgoing=outgoing)


class HasNoSessions(Greets):
    changes: ClassVar[dict[str, Any]] = {"capabilities": {}}


class SpeaksVersion1(Greets):
    changes: ClassVar[dict[str, Any]] = {"protocolVersion": 1}


class ForksNothing(Greets):
    changes: ClassVar[dict[str, Any]] = {"capabilities": {"session": {}}}


def test_an_agent_without_sessions_owes_nothing():
    report = run(HasNoSessions)
    assert {result.outcome for result in report.rule_results()} == {Outcome.SKIPPED}
    assert report.rule_results()[0].reasons == ("the agent does not advertise capabilities.session",)


def test_an_agent_of_another_version_is_not_tested():
    report = run(SpeaksVersion1)
    assert report.ended_early == "the agent speaks version 1 of ACP, and this is about 2"


def test_what_is_not_advertised_is_skipped():
    report = run(ForksNothing, ["same-key-in-fork", "safe-requests-again"])
    outcomes = {result.rule.id: result for result in report.rule_results()}
    assert outcomes["LAST-02"].reasons == ("the agent does not advertise capabilities.session.fork",)
    assert outcomes["CLASS-05"].outcome is Outcome.PASSED


class Stalls(Mutant):
    """Prompts are never answered."""

    def break_it(self) -> None:
        async def prompt(_handler: Any, _call: Call[Any]) -> Any:
            await asyncio.Event().wait()

        self.wrap("session/prompt", prompt)


def test_the_time_limit_breaks_off_the_scenario_that_runs_and_begins_no_other():
    report = run(Stalls, time_limit=0.5)
    assert [result.stopped for result in report.results] == ["the time limit of 0.5 s was over"]
    assert report.ended_early == "the time limit of 0.5 s was over"
    assert report.verdict is Verdict.NON_CONFORMANT


def test_a_text_that_always_fails_shows_as_well_that_its_key_is_unused():
    report = run(Mutant, ["retry-after-error"], fail_prompt="/fail 999")
    assert {result.rule.id: result.outcome for result in report.rule_results()} == {
        "INS-01": Outcome.PASSED,
        "INS-08": Outcome.PASSED,
    }


def test_a_busy_text_without_seconds_is_good_for_everything_but_work_that_ends_by_itself():
    report = run(
        Mutant, ["retry-while-held", "held-when-connection-ends", "cancel-held-prompt"], busy_prompt="/sleep 999"
    )
    results = {result.rule.id: result for result in report.rule_results()}
    assert results["HELD-02"].outcome is Outcome.SKIPPED
    assert "has no {seconds} in it" in results["HELD-02"].reasons[0]
    assert results["HELD-01"].outcome is results["CANCEL-02"].outcome is Outcome.PASSED
    assert not report.failures


def test_texts_that_do_not_do_what_they_should_are_told():
    report = run(Mutant, ["retry-after-error", "local-command-again"], fail_prompt="Hi", local_prompt="Hi")
    reasons = {result.rule.id: result.reasons for result in report.rule_results()}
    assert reasons["INS-08"] == ("the text of --fail-prompt did not make a prompt fail",)
    assert reasons["LAST-05"] == ("the agent retains the message of --local-prompt",)
