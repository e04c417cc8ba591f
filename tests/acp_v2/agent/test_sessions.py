"""How sessions of the reference agent begin, are found again, and end."""

import asyncio
import time
from datetime import datetime
from typing import Any

import pytest

from acp_v2 import InvalidParams, InvalidRequest, ResourceNotFound, UnsupportedProtocolVersion
from acp_v2.agent.lifecycle import PAGE
from tests.acp_v2.agent.client import CWD, InProcess, new_key, prompt
from tests.acp_v2.agent.conftest import Run

INFO = {"name": "test", "version": "1"}


def test_initialize_tells_what_the_agent_can_do(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        response = await place.open().initialize()
        assert response.protocol_version == 2
        assert response.to_wire()["capabilities"] == {"session": {"delete": {}, "fork": {}}}

    run_in_process(steps)


def test_a_later_version_is_answered_with_this_one_and_an_earlier_one_refused(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = place.open()
        with pytest.raises(UnsupportedProtocolVersion) as caught:
            await client.request("initialize", {"protocolVersion": 1, "info": INFO})
        assert caught.value.data == {"requested": 1, "supported": [2]}
        # As version 1 has it, without `info`.
        with pytest.raises(UnsupportedProtocolVersion) as caught:
            await client.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        assert caught.value.data == {"requested": 1, "supported": [2]}
        with pytest.raises(InvalidParams):
            await client.request("initialize", {"protocolVersion": 2})
        response = await client.request("initialize", {"protocolVersion": 3, "info": INFO})
        assert response.protocol_version == 2

    run_in_process(steps)


def test_initialize_comes_first_and_again_only_until_something_else_has_come(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = place.open()
        with pytest.raises(InvalidRequest):
            await client.new_session()
        await client.initialize()
        await client.initialize()
        await client.new_session()
        with pytest.raises(InvalidRequest):
            await client.initialize()

    run_in_process(steps)


@pytest.mark.parametrize("method", ["session/new", "session/fork", "session/resume"])
@pytest.mark.parametrize(
    ("params", "pointer"),
    [
        ({"cwd": "relative/path"}, "/params/cwd"),
        ({"mcpServers": [{"type": "stdio", "name": "m", "command": "/bin/m"}]}, "/params/mcpServers/0"),
        ({"systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "x"}]}}, "/params/systemPrompt"),
    ],
)
def test_a_session_is_not_set_up_with_what_is_not_advertised(
    run_in_process: Run, method: str, params: dict[str, Any], pointer: str
):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        with pytest.raises(InvalidParams) as caught:
            await client.request(method, {"sessionId": session, "cwd": CWD, **params})
        assert caught.value.data == {"pointer": pointer}

    run_in_process(steps)


def test_sessions_are_listed_by_page_and_by_directory(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        made = {await client.new_session() for _ in range(PAGE + 3)}
        elsewhere = await client.new_session("/elsewhere")

        first = await client.request("session/list", {"cwd": CWD})
        assert len(first.sessions) == PAGE
        second = await client.request("session/list", {"cwd": CWD, "cursor": first.next_cursor})
        assert second.next_cursor is None
        assert {s.session_id for s in [*first.sessions, *second.sessions]} == made

        (only,) = (await client.request("session/list", {"cwd": "/elsewhere/"})).sessions
        assert only.to_wire().items() >= {"sessionId": elsewhere, "cwd": "/elsewhere"}.items()
        with pytest.raises(InvalidParams):
            await client.request("session/list", {"cursor": "made up"})

    run_in_process(steps)


def test_a_session_is_listed_with_when_its_last_message_came(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()

        async def listed() -> str:
            (only,) = (await client.request("session/list", {})).sessions
            return only.updated_at

        new = await listed()
        assert abs(datetime.fromisoformat(new).timestamp() - time.time()) < 60
        while await listed() == new:
            await client.prompt(session, "/local")
            await client.prompt(session, "Hi")
        assert await listed() > new

    run_in_process(steps)


def test_resuming_tells_the_state_and_history_only_where_asked(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await client.prompt(session, "Hi")
        await client.until_idle(session)

        for replays, kinds in ((False, ["state_update"]), (True, ["user_message", "agent_message", "state_update"])):
            before = len(client.updates)
            await client.resume(session, replays=replays)
            assert [update["sessionUpdate"] for _, update in client.updates[before:]] == kinds

        await client.prompt(session, "/sleep 1000")
        other = await place.connect()
        await other.resume(session)
        assert [update["state"] for _, update in other.updates] == ["running"]

    run_in_process(steps)


def test_resuming_needs_the_session_its_directory_and_a_known_cursor(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, other = await place.connect(), await place.connect()
        session = await client.new_session()
        with pytest.raises(ResourceNotFound) as caught:
            await other.resume("no-such-session")
        assert caught.value.data == {"sessionId": "no-such-session"}
        with pytest.raises(InvalidParams):
            await other.request("session/resume", {"sessionId": session, "cwd": "/elsewhere"})
        cursor = {"type": "message", "messageId": "m"}
        with pytest.raises(InvalidParams):
            await other.request("session/resume", {"sessionId": session, "cwd": CWD, "replayFrom": cursor})
        with pytest.raises(ResourceNotFound):
            await other.prompt(session, "Hi")
        await other.request("session/resume", {"sessionId": session, "cwd": CWD + "/./"})
        await other.prompt(session, "Hi")

    run_in_process(steps)


def test_closing_cancels_everything_and_is_the_last_that_is_heard_of_a_session(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, other = await place.connect(), await place.connect()
        session = await client.new_session()
        await other.resume(session)
        await client.prompt(session, "/sleep 1000")
        held = client.start_prompt(session, "Hi", new_key())
        await client.request("session/close", {"sessionId": session})

        heard = len(client.updates)
        assert client.updates[-1][1]["stopReason"] == "cancelled"
        assert await held.error_code() == -32800
        for somebody in (client, other):
            with pytest.raises(ResourceNotFound):
                await somebody.prompt(session, "Hi")
        await client.everything_sent()
        assert len(client.updates) == heard

        await client.resume(session, replays=True)
        assert client.updates[-1][1] == {"sessionUpdate": "state_update", "state": "idle"}

    run_in_process(steps)


def test_closing_what_is_closed_or_does_not_exist_succeeds(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        for where in (session, session, "no-such-session"):
            await client.request("session/close", {"sessionId": where})

    run_in_process(steps)


@pytest.mark.parametrize("is_gone", [True, False], ids=["gone", "lingers"])
def test_a_close_that_is_sent_again_on_a_new_connection_ends_what_the_old_one_left_behind(
    run_in_process: Run, is_gone: bool
):
    async def steps(place: InProcess) -> None:
        old, new, key = await place.connect(), await place.connect(), new_key()
        session = await old.new_session()
        await old.prompt(session, "/sleep 1000")
        old.start_prompt(session, "Hi", key)
        await old.everything_sent()
        if is_gone:
            await old.close()
            await asyncio.wait(place._serving[:1])

        await new.request("session/close", {"sessionId": session})

        await new.resume(session, replays=True)
        assert new.updates[-1][1] == {"sessionUpdate": "state_update", "state": "idle"}
        assert len(new.user_messages(session)) == 1

    run_in_process(steps)


def test_deleting_ends_a_session_and_forgets_its_messages_and_keys(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client, key = await place.connect(), new_key()
        session = await client.new_session()
        await client.prompt(session, "Hi", key)
        await client.until_idle(session)
        await client.prompt(session, "/sleep 1000")
        held = client.start_prompt(session, "Hello", new_key())
        for _ in range(2):
            await client.request("session/delete", {"sessionId": session})
        assert await held.error_code() == -32800
        assert (await client.request("session/list", {})).sessions == []
        with pytest.raises(ResourceNotFound):
            await client.resume(session)
        with pytest.raises(ResourceNotFound):
            await client.prompt(session, "Hi", key)

    run_in_process(steps)


def test_a_fork_goes_its_own_way(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await client.prompt(session, "Hi")
        await client.until_idle(session)
        fork = await client.fork(session)
        await client.prompt(fork, "On its own")
        await client.until_idle(fork)

        other = await place.connect()
        for where in (session, fork):
            await other.resume(where, replays=True)
        assert len(other.user_messages(session)) == 1
        assert len(other.user_messages(fork)) == 2
        with pytest.raises(ResourceNotFound):
            await client.fork("no-such-session")

    run_in_process(steps)


def test_the_work_of_a_lost_connection_goes_on(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        session = await client.new_session()
        await client.prompt(session, "/sleep 0.05")
        await client.close()
        await asyncio.wait(place._serving)

        other = await place.connect()
        await other.resume(session)
        await other.until_idle(session)
        await other.resume(session, replays=True)
        assert [update["content"][0]["text"] for update in other.of(session, "agent_message")] == ["Slept for 0.05 s."]

    run_in_process(steps)


def test_what_nobody_needs_is_not_kept_in_memory(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        for _ in range(3):
            client = await place.connect()
            session = await client.new_session()
            await client.prompt(session, "Hi", new_key())
            await client.prompt(session, "/local", new_key())
            await client.until_idle(session)
            await client.close()
        await asyncio.wait(place._serving)
        agent = place.agent
        while agent._sessions._live:
            await asyncio.sleep(0)
        assert not agent._submissions._states._live_only
        assert not agent._prompts._pending

    run_in_process(steps)


def test_a_prompt_that_is_no_message_for_want_of_a_session_says_which(run_in_process: Run):
    async def steps(place: InProcess) -> None:
        client = await place.connect()
        with pytest.raises(ResourceNotFound) as caught:
            await client.request("session/prompt", prompt("gone", "Hi", new_key()))
        assert caught.value.data == {"sessionId": "gone"}

    run_in_process(steps)
