"""The traces of the proposal from the client's side, with the connection cut at every message boundary."""

import asyncio
import contextlib
import itertools
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import IdleStateUpdateEndTurn, InternalError
from acp_v2.client import Client, KeyReused, Session, Updated, link
from acp_v2.transports.remote import connect
from tests.acp_v2.agent.client import CWD, REPOSITORY
from tests.acp_v2.client.weather import AGENT, Place, Weather, agent_at, history

Trace = Callable[[Session], Awaitable[list[tuple[str | None, str]]]]
"""Prompts in a session, and gives the id and text of each message that has to be there then."""

SCHEMES = ["stdio", "ws", "http"]


def run(test: Callable[[], Awaitable[Any]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 300))


async def one(session: Session) -> list[tuple[str | None, str]]:
    """A retry on the same connection, or after resuming on a new one."""
    return [(await (await session.prompt("Hello")), "Hello")]


async def several(session: Session) -> list[tuple[str | None, str]]:
    """Several prompts at once."""
    texts = ["/sleep 0", "/local but not quite", "third"]
    submissions = [await session.prompt(text) for text in texts]
    return [(await submission, text) for submission, text in zip(submissions, texts, strict=True)]


async def held(session: Session) -> list[tuple[str | None, str]]:
    """A retry while the prompt is held; with an agent that holds none, one that was inserted during active work."""
    first, second = await session.prompt("/sleep 0.1"), await session.prompt("Hello")
    return [(await first, "/sleep 0.1"), (await second, "Hello")]


async def refused(session: Session) -> list[tuple[str | None, str]]:
    """A retry after an error."""
    while True:
        submission = await session.prompt("/fail 1", key=f"own {session.id}")
        try:
            return [(await submission, "/fail 1")]
        except InternalError:
            continue


TRACES: dict[str, tuple[Trace, dict[str, Any]]] = {
    "one": (one, {}),
    "several": (several, {}),
    "held": (held, {}),
    "held-and-dropped": (held, {"on_disconnect": "drop"}),
    "during-work": (held, {"while_busy": "insert"}),
    "refused": (refused, {}),
}


def sampled(schemes: list[str]) -> list[Any]:
    """All combinations with a trace; those with a process for each connection in `make soak`, but for one."""
    return [
        pytest.param(*names, marks=pytest.mark.soak if "stdio" in names and "one" not in names else [])
        for names in itertools.product(schemes, TRACES)
    ]


async def cut_everywhere(place: Place, weather: Weather, trace: Trace) -> None:
    """Follow a trace in one session after another, with the connection cut one message later each time."""
    expected: dict[str, list[tuple[str | None, str]]] = {}
    async with Client(weather.connect) as client:
        for boundary in itertools.count(1):
            session = await client.new_session(CWD)
            # An agent may forget a session without a message, so that there has to be one.
            first = await (await session.prompt("first"))
            async for event in session.events():
                if isinstance(event, Updated) and isinstance(event.update, IdleStateUpdateEndTurn):
                    break
            weather.attempts.clear()
            weather.cut_before(boundary)
            messages = await trace(session)
            expected[session.id] = [(first, "first"), *messages]
            for _, text in messages:
                assert len(weather.keys(text)) == 1
                assert weather.keys(text) != {None}
            assert len({attempt for _, _, attempt in weather.attempts}) == len(weather.attempts)
            if not weather.has_cut:
                break
    assert boundary > 3, "a prompt, its message and its answer can be lost"
    assert weather.connections == boundary
    async with place.observed() as observer:
        assert {session_id: await history(observer, session_id) for session_id in expected} == expected


@pytest.fixture
def _short_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that break soon are made anew at once."""
    monkeypatch.setattr(link, "_SHORT_LIFE", 0)


@pytest.mark.parametrize(("scheme", "trace"), sampled(SCHEMES))
@pytest.mark.usefixtures("_short_lives")
def test_wherever_the_connection_is_cut_each_submission_is_one_message(scheme: str, trace: str, tmp_path: Path) -> None:
    async def test() -> None:
        steps, options = TRACES[trace]
        async with agent_at(scheme, tmp_path, **options) as place:
            await cut_everywhere(place, Weather(place.connect), steps)

    run(test)


@pytest.mark.parametrize(("scheme", "trace"), sampled(["stdio"]))
@pytest.mark.usefixtures("_short_lives")
def test_wherever_the_agent_is_killed_each_submission_is_one_message(scheme: str, trace: str, tmp_path: Path) -> None:
    async def test() -> None:
        steps, options = TRACES[trace]
        async with agent_at(scheme, tmp_path, **options) as place:
            await cut_everywhere(place, Weather(place.connect, kills=True), steps)

    run(test)


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_an_agent_on_a_socket_that_is_killed_and_started_again_gets_what_was_pending(
    scheme: str, tmp_path: Path
) -> None:
    async def test() -> None:
        store = f"--store=sqlite:///{tmp_path / 'sessions'}"

        @contextlib.asynccontextmanager
        async def agent(url: str) -> AsyncIterator[str]:
            process = await asyncio.create_subprocess_exec(
                *(*AGENT, store, "--listen", url), stderr=subprocess.PIPE, cwd=REPOSITORY
            )
            try:
                assert process.stderr is not None
                yield (await process.stderr.readline()).decode().split()[-1]
            finally:
                process.kill()
                await process.wait()

        async with contextlib.AsyncExitStack() as client_of, contextlib.AsyncExitStack() as killed:
            url = await killed.enter_async_context(agent(f"{scheme}://127.0.0.1:0/acp"))
            client = await client_of.enter_async_context(Client.to(url))
            session = await client.new_session(CWD)
            busy = await session.prompt("/sleep 3600")
            messages = [(await busy, "/sleep 3600")]
            submissions = [await session.prompt(text) for text in ("held", "held, too")]
            while not all(submission.attempts for submission in submissions):
                await asyncio.sleep(0.01)
            await killed.aclose()
            async with agent(url):
                messages += [(await submissions[0], "held"), (await submissions[1], "held, too")]
                assert await Place(partial(connect, url)).history(session.id) == messages

    run(test)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("answers", ["are lost", "come late", "come twice"])
def test_an_answer_that_is_lost_or_late_or_comes_twice_is_one_message(
    scheme: str, answers: Any, tmp_path: Path
) -> None:
    async def test() -> None:
        async with agent_at(scheme, tmp_path) as place:
            weather = Weather(place.connect)
            async with Client(weather.connect) as client:
                session = await client.new_session(CWD)
                weather.answers = answers
                submissions = [await session.prompt(text) for text in ("Hello", "there")]
                messages = [(await submissions[0], "Hello"), (await submissions[1], "there")]
            assert await place.history(session.id) == messages
            assert submissions[0].attempts == (2 if answers == "are lost" else 1)
            assert len(weather.keys("Hello")) == 1

    run(test)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_retry_on_the_same_connection_has_the_same_message_and_elsewhere_another(scheme: str, tmp_path: Path) -> None:
    async def test() -> None:
        async with agent_at(scheme, tmp_path) as place, Client(place.connect) as client:
            session, other = await client.new_session(CWD), await client.new_session(CWD)
            submission = await session.prompt("Hello", key="mine")
            message_id = await submission
            request = {**submission.params, "idempotencyKey": "mine"}
            again = await client.request("session/prompt", {"sessionId": session.id, **request})
            assert again.message_id == message_id
            fork = await client.fork_session(session)
            for elsewhere in (other, fork):
                answer = await client.request("session/prompt", {"sessionId": elsewhere.id, **request})
                assert answer.message_id != message_id
                with pytest.raises(KeyReused):
                    await elsewhere.prompt("Hello", key="mine")

    run(test)


def test_a_post_that_failed_is_sent_again_on_the_same_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before it arrived, and after it had."""
    import httpx

    from acp_v2.transports.http_client import HttpClientTransport

    async def test() -> None:
        async with agent_at("http", tmp_path) as place:
            weather = Weather(place.connect)
            async with Client(weather.connect) as client:
                session = await client.new_session(CWD)
                post, failures = HttpClientTransport._post, ["before", "after"]

                async def failing(transport: HttpClientTransport, text: str, headers: dict[str, str]) -> Any:
                    failure = failures.pop() if failures and '"session/prompt"' in text else None
                    if failure != "before":
                        response = await post(transport, text, headers)
                    if failure is not None:
                        raise httpx.ReadError("the weather")
                    return response

                monkeypatch.setattr(HttpClientTransport, "_post", failing)
                submission = await session.prompt("Hello")
                message_id = await submission
                assert submission.attempts == 3
                assert weather.connections == 1
            assert await place.history(session.id) == [(message_id, "Hello")]
            assert len(weather.keys("Hello")) == 1

    run(test)
