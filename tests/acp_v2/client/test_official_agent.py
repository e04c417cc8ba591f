"""An agent that nobody here wrote, with the official TypeScript SDK: it ignores keys, and everything else works."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import InternalError, RequestCancelled, ResourceNotFound
from acp_v2.client import Client, Session, Updated
from acp_v2.models import (
    AgentMessage,
    CreateElicitationRequest,
    CreateElicitationResponse,
    CreateElicitationResponseAccept,
    IdleStateUpdateCancelled,
    IdleStateUpdateEndTurn,
    RequestPermissionRequest,
    UserMessage,
)
from acp_v2.transports.process import spawn
from tests.acp_v2.agent.client import CWD
from tests.acp_v2.client.scripted_agent import outcome
from tests.acp_v2.client.weather import Weather


@pytest.fixture(params=["alone", "behind a proxy"])
def command(official_peers: Path, tmp_path: Path, request: pytest.FixtureRequest) -> list[str]:
    agent = ["node", str(official_peers / "agent.mjs"), str(tmp_path / "sessions.json")]
    return agent if request.param == "alone" else [sys.executable, "-m", "acp_v2.proxy", "--", *agent]


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 120))


async def updates_until(session: Session, *ends: type) -> list[Any]:
    updates: list[Any] = []
    async for event in session.events():
        if isinstance(event, Updated):
            updates.append(event.update)
            if isinstance(event.update, ends):
                break
    return updates


async def history(client: Client, session: Session) -> list[str]:
    replayed = await client.resume_session(session.id, CWD, replays=True)
    updates = [event.update for event in list(replayed._events) if isinstance(event, Updated) and event.is_replayed]
    return [update.content[0].text for update in updates if isinstance(update, UserMessage)]


def test_prompts_sessions_and_their_history(command: list[str]) -> None:
    async def test() -> None:
        async with Client.spawn(command) as client:
            assert client.agent is not None
            assert client.agent.greeting is not None
            assert client.agent.greeting.info.name == "official"
            session = await client.new_session(CWD)
            message_id = await (await session.prompt("Hello"))
            updates = await updates_until(session, IdleStateUpdateEndTurn)
            assert [update.message_id for update in updates if isinstance(update, UserMessage)] == [message_id]
            fork = await client.fork_session(session)
            assert {info.session_id async for info in client.list_sessions()} == {session.id, fork.id}
            assert await history(client, fork) == ["Hello"]
            await client.delete_session(fork.id)
            await client.delete_session(fork.id)
            assert [info.session_id async for info in client.list_sessions()] == [session.id]
            with pytest.raises(ResourceNotFound):
                await client.resume_session(fork.id, CWD)

    run(test)


def test_errors_held_prompts_and_cancelling(command: list[str]) -> None:
    async def test() -> None:
        async with Client.spawn(command) as client:
            session = await client.new_session(CWD)
            refused = await session.prompt("/fail 1", key="mine")
            assert isinstance(await outcome(refused), InternalError)
            await (await session.prompt("/fail 1", key="mine"))
            await updates_until(session, IdleStateUpdateEndTurn)

            await (await session.prompt("/sleep 1000"))
            withdrawn, held = await session.prompt("Never mind"), await session.prompt("Held")
            while not (withdrawn.attempts and held.attempts):
                await asyncio.sleep(0)
            await withdrawn.cancel()
            assert isinstance(await outcome(withdrawn), RequestCancelled)
            await session.cancel()
            assert isinstance(await outcome(held), RequestCancelled)
            await updates_until(session, IdleStateUpdateCancelled)

    run(test)


def test_permissions_and_elicitations(command: list[str]) -> None:
    async def permit(request: RequestPermissionRequest) -> str:
        return request.options[0].option_id

    async def enter(request: CreateElicitationRequest) -> CreateElicitationResponse:
        return CreateElicitationResponseAccept(content={"name": "Ada"})

    async def test() -> None:
        async with Client.spawn(command, on_permission=permit, on_elicitation=enter) as client:
            session = await client.new_session(CWD)
            await (await session.prompt("/ask"))
            updates = await updates_until(session, IdleStateUpdateEndTurn)
            (answer,) = [update for update in updates if isinstance(update, AgentMessage)]
            assert answer.content[0].text == "yes Ada"

    run(test)


def test_after_a_lost_answer_the_prompt_is_sent_again_with_its_key_and_inserted_twice(command: list[str]) -> None:
    """What cannot be had from an agent that ignores the key; one that did not arrive is inserted once all the same."""

    async def test() -> None:
        weather = Weather(lambda: spawn(command), kills=True)
        async with Client(weather.connect) as client:
            session = await client.new_session(CWD)
            for text, boundary in (("never arrived", 1), ("answer lost", 2)):
                weather.cut_before(boundary)
                submission = await session.prompt(text)
                await submission
                assert submission.attempts == 2
                assert len(weather.keys(text)) == 1
                await updates_until(session, IdleStateUpdateEndTurn)
            assert await history(client, session) == ["never arrived", "answer lost", "answer lost"]

    run(test)
