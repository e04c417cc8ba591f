"""A small client to try the reference agent with, and ways to run the agent that it talks to."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, Self

from acp_v2 import IdempotencyKey
from acp_v2.agent import ReferenceAgent
from acp_v2.connection import Call, Connection, Handlers
from acp_v2.idempotency import Store
from acp_v2.messages import RequestId, Response
from acp_v2.transports import Transport
from acp_v2.transports.memory import memory_pair
from acp_v2.transports.stdio import LineTransport

REPOSITORY = Path(__file__).parents[3]
CWD = "/work/project"

Update = dict[str, Any]


class Client:
    """One connection to an agent, with all updates that came on it."""

    def __init__(self, transport: Transport) -> None:
        handlers = Handlers(notifications={"session/update": self._updated})
        self.connection = Connection(transport, "client", handlers)
        self.updates: list[tuple[str, Update]] = []
        self.raw: list[str] = []
        self._running = asyncio.create_task(self.connection.run())
        self._news = asyncio.Event()

    async def initialize(self) -> Any:
        info = {"name": "test", "version": "1"}
        return await self.request("initialize", {"protocolVersion": 2, "info": info})

    async def new_session(self, cwd: str = CWD) -> str:
        return (await self.request("session/new", {"cwd": cwd})).session_id

    async def resume(self, session_id: str, *, replays: bool = False) -> None:
        replay = {"replayFrom": {"type": "start"}} if replays else {}
        await self.request("session/resume", {"sessionId": session_id, "cwd": CWD, **replay})

    async def fork(self, session_id: str) -> str:
        return (await self.request("session/fork", {"sessionId": session_id, "cwd": CWD})).session_id

    async def prompt(self, session_id: str, text: str, key: str | None = None) -> str:
        """The id of the prompt's message."""
        return (await self.request("session/prompt", prompt(session_id, text, key))).message_id

    def start_prompt(self, session_id: str, text: str, key: str | None = None) -> Pending:
        return Pending(self, *self.connection.start("session/prompt", prompt(session_id, text, key)))

    async def request(self, method: str, params: Any) -> Any:
        return await self.connection.request(method, params)

    async def ask(self, method: str, params: Any) -> Response:
        return await self.connection.ask(method, params)

    def cancel(self, session_id: str) -> None:
        self.connection.tell("session/cancel", {"sessionId": session_id})

    async def until(self, session_id: str, fits: Callable[[Update], bool], *, after: int = 0) -> int:
        """Wait for an update, and say how many updates had come with it."""
        seen = after
        while True:
            for number, (where, update) in enumerate(self.updates[seen:], seen + 1):
                if where == session_id and fits(update):
                    return number
            seen = len(self.updates)
            self._news.clear()
            await self._news.wait()

    async def until_idle(self, session_id: str, *, after: int = 0) -> int:
        return await self.until(session_id, lambda u: u.get("state") == "idle", after=after)

    async def until_busy(self, session_id: str, *, after: int = 0) -> int:
        return await self.until(session_id, lambda u: u.get("state") == "running", after=after)

    async def everything_sent(self) -> None:
        """Return when what the agent has sent by now has come: it answers in order."""
        await self.request("session/list", {"cwd": "/nowhere"})

    def of(self, session_id: str, *kinds: str) -> list[Update]:
        """The session's updates of these kinds."""
        return [u for where, u in self.updates if where == session_id and u["sessionUpdate"] in kinds]

    def user_messages(self, session_id: str) -> list[str]:
        return [update["messageId"] for update in self.of(session_id, "user_message")]

    async def close(self) -> None:
        await self.connection.close()
        await self._running

    async def _updated(self, call: Call[Any]) -> None:
        self.updates.append((call.params.session_id, call.params.update.to_wire()))
        self._news.set()


class Pending:
    """A prompt that is sent and not answered."""

    def __init__(self, client: Client, request_id: RequestId, answer: asyncio.Future[Response]) -> None:
        self._client = client
        self._id = request_id
        self._answer = answer

    @property
    def is_answered(self) -> bool:
        return self._answer.done()

    @property
    def is_answered_well(self) -> bool:
        return self._answer.done() and self._answer.exception() is None and self._answer.result().error is None

    def cancel(self) -> None:
        """`$/cancel_request`"""
        self._client.connection.tell("$/cancel_request", {"requestId": self._id})

    async def message_id(self) -> str:
        return (await self._answer).read_result("session/prompt").message_id

    async def error_code(self) -> int:
        response = await self._answer
        assert response.error is not None
        return response.error.code


def prompt(session_id: str, text: str, key: Any = None) -> dict[str, Any]:
    params: dict[str, Any] = {"sessionId": session_id, "prompt": [{"type": "text", "text": text}]}
    return params if key is None else {**params, "idempotencyKey": key}


def new_key() -> str:
    return str(IdempotencyKey.generate())


class Place(Protocol):
    """Somewhere an agent runs. Sessions that it has stored outlive it."""

    async def connect(self) -> Client:
        """A new, initialised connection."""
        ...

    async def restart(self) -> None:
        """End the agent's process, and with it every connection; the next `connect` finds a new one."""
        ...


class InProcess:
    """The agent in the process of the tests; any number of connections."""

    def __init__(self, store: Store, **options: Any) -> None:
        self._store = store
        self._options = options
        self._clients: list[Client] = []
        self._serving: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self.agent = ReferenceAgent(self._store, **self._options)
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients:
            await client.close()
        await asyncio.gather(*self._serving)
        await self.agent.close()

    async def connect(self) -> Client:
        client = self.open()
        await client.initialize()
        return client

    def open(self) -> Client:
        """A connection that is not initialised."""
        mine, theirs = memory_pair()
        self._serving.append(asyncio.create_task(self.agent.serve(theirs)))
        self._clients.append(Client(mine))
        return self._clients[-1]

    async def restart(self) -> None:
        await self.__aexit__()
        self._clients.clear()
        self._serving.clear()
        await self.__aenter__()


class OverStdio:
    """The agent in a process of its own, which ends with its one connection."""

    def __init__(self, *arguments: str, command: tuple[str, ...] | None = None, **env: str) -> None:
        self._command = command or (sys.executable, "-m", "acp_v2.cli", "agent")
        self._arguments = arguments
        self._env = env
        self._processes: list[tuple[asyncio.subprocess.Process, Client]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process, client in self._processes:
            await client.close()
            await process.wait()

    async def connect(self) -> Client:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *self._arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **self._env},
        )
        assert process.stdin
        assert process.stdout
        client = Client(LineTransport(process.stdout, process.stdin))
        self._processes.append((process, client))
        await client.initialize()
        return client

    async def restart(self) -> None:
        for process, client in self._processes:
            if process.returncode is None:
                process.send_signal(signal.SIGKILL)
                await process.wait()
            await client.close()
        self._processes.clear()

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The process of the newest connection."""
        return self._processes[-1][0]
