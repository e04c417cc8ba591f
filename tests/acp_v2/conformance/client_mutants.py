"""Wrong clients: the client of this package with one behaviour broken, each for the rule that it breaks.

They run in the process of the tests. `InProcessClient` is a target of the suite for any of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import secrets
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_v2 import AcpError
from acp_v2.client import Client, Outbox, Session
from acp_v2.client.errors import OutcomeUnknown
from acp_v2.transports import Transport, TransportClosed
from acp_v2.transports.memory import memory_pair

PROMPT = "session/prompt"
KEY = "idempotencyKey"
CWD = "/work/project"


class ClientTap:
    """A transport that changes, drops and adds messages of the client."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.made: asyncio.Queue[str] = asyncio.Queue()
        self.hidden: set[Any] = set()
        self.renamed: dict[Any, Any] = {}
        self._receiving: asyncio.Task[str | bytes | None] | None = None

    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """What goes out in the place of a message."""
        return [message]

    async def send(self, text: str) -> None:
        for message in self.outgoing(json.loads(text)):
            await self.transport.send(json.dumps(message))

    async def receive(self) -> str | bytes | None:
        while True:
            self._receiving = self._receiving or asyncio.create_task(self.transport.receive())
            made = asyncio.create_task(self.made.get())
            try:
                await asyncio.wait([self._receiving, made], return_when=asyncio.FIRST_COMPLETED)
                if made.done():
                    return made.result()
            finally:
                made.cancel()
            text, self._receiving = self._receiving.result(), None
            if text is None:
                return None
            message = json.loads(text)
            if "method" not in message and message.get("id") in self.hidden:
                continue
            if "method" not in message and message.get("id") in self.renamed:
                message["id"] = self.renamed.pop(message["id"])
            return json.dumps(message)

    async def close(self) -> None:
        await self.transport.close()
        if self._receiving is not None:
            await asyncio.gather(self._receiving, return_exceptions=True)


class KeyPerRequest(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == PROMPT:
            message["params"][KEY] = str(uuid.uuid4())
        return [message]


class NoKey(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == PROMPT:
            del message["params"][KEY]
        return [message]


class RepeatsAnId(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == PROMPT:
            self.renamed[1] = message["id"]
            message["id"] = 1
        return [message]


@dataclass
class Later:
    """Breaks what goes out on every connection but the first."""

    tap: Callable[[Transport], ClientTap]
    connections: int = 0

    def __call__(self, transport: Transport) -> Transport:
        self.connections += 1
        return transport if self.connections == 1 else self.tap(transport)


class ChangesThePrompt(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == PROMPT:
            message["params"]["prompt"][0]["text"] += " (again)"
        return [message]


class AddsToResume(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == "session/resume":
            message["params"][KEY] = str(uuid.uuid4())
        return [message]


def adds_to_second_resume() -> Callable[[Transport], ClientTap]:
    """Adds to the second `session/resume` what the first did not have."""
    connections = 0

    def tap(transport: Transport) -> ClientTap:
        nonlocal connections
        connections += 1
        return ClientTap(transport) if connections == 1 else AddsToResume(transport)

    return tap


class LeavesResumeOut(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") != "session/resume":
            return [message]
        self.made.put_nowait(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}))
        return []


class ListsFirst(ClientTap):
    def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") != PROMPT:
            return [message]
        self.hidden.add("list")
        return [{"jsonrpc": "2.0", "id": "list", "method": "session/list", "params": {}}, message]


class Program:
    """What is started for each prompt: the client of this package, as an application uses it."""

    patience: float | None = None
    keeps_outbox = True

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state

    def tap(self) -> Callable[[Transport], Transport]:
        """What lies between the client and each of its connections, for one run of it."""
        return lambda transport: transport

    def key(self, session_id: str, text: str) -> str | None:
        """The key to pass, if one is."""
        return None

    async def run(self, connect: Any, folder: Path, text: str | None, key: str | None) -> None:
        """Submit a prompt, or see to what is pending, until it is settled."""
        outbox = await Outbox.open(folder / "outbox" if self.keeps_outbox else ":memory:")
        tap = self.tap()

        async def tapped() -> Transport:
            return tap(await connect())

        try:
            left = await outbox.left_behind()
            if text is None and not left:
                return
            async with Client(tapped, outbox=outbox, patience=self.patience) as client:
                if text is None:
                    for session_id in dict.fromkeys(prompt.session_id for prompt in left):
                        await client.resume_session(session_id, CWD)
                        for submission in outbox.pending(session_id):
                            await submission
                    return
                session = await self.session(client)
                await self.submit(session, text, key or self.key(session.id, text))
        except (TransportClosed, AcpError, OutcomeUnknown):
            pass
        finally:
            await outbox.close()

    async def session(self, client: Client) -> Session:
        return await client.new_session(CWD)

    async def submit(self, session: Session, text: str, key: str | None) -> None:
        await (await session.prompt(text, key=key))


def tapped_by(make: Callable[[], Callable[[Transport], Transport]]) -> type[Program]:
    class Tapped(Program):
        def tap(self) -> Callable[[Transport], Transport]:
            return make()

    return Tapped


class NewSessionAgain(Program):
    async def session(self, client: Client) -> Session:
        while True:
            try:
                return await client.new_session(CWD)
            except OutcomeUnknown:
                continue


class ShortKeys(Program):
    def key(self, session_id: str, text: str) -> str | None:
        return f"{secrets.randbelow(10**9):09}"


class KeysFromContent(Program):
    def key(self, session_id: str, text: str) -> str | None:
        return hashlib.sha256(f"{session_id} {text}".encode()).hexdigest()


class RemembersKeysByText(Program):
    def tap(self) -> Callable[[Transport], Transport]:
        keys: dict[str, str] = self.state

        class Remembers(ClientTap):
            def outgoing(self, message: dict[str, Any]) -> list[dict[str, Any]]:
                if message.get("method") == PROMPT:
                    text = message["params"]["prompt"][0]["text"]
                    message["params"][KEY] = keys.setdefault(text, str(uuid.uuid4()))
                return [message]

        return Remembers


class ForgetsItsOutbox(Program):
    keeps_outbox = False


class GivesUp(Program):
    async def run(self, connect: Any, folder: Path, text: str | None, key: str | None) -> None:
        connections = 0
        ending = asyncio.Event()

        async def once() -> Transport:
            nonlocal connections
            connections += 1
            if connections > 1:
                ending.set()
                await asyncio.Event().wait()
            return await connect()

        running = asyncio.create_task(super().run(once, folder, text, key))
        ended = asyncio.create_task(ending.wait())
        try:
            await asyncio.wait([running, ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (running, ended):
                task.cancel()
            await asyncio.gather(running, ended, return_exceptions=True)


class TriesForEver(Program):
    async def submit(self, session: Session, text: str, key: str | None) -> None:
        key = key or str(uuid.uuid4())
        while True:
            try:
                await (await session.prompt(text, key=key))
            except AcpError:
                continue
            return


class IgnoresGivenKeys(Program):
    async def submit(self, session: Session, text: str, key: str | None) -> None:
        await super().submit(session, text, None)


@dataclass(frozen=True)
class Row:
    """A mutant: the rule that it is for, and every rule that it then also breaks."""

    program: type[Program]
    rule: str
    related: tuple[str, ...] = ()

    @property
    def fails(self) -> set[str]:
        return {self.rule, *self.related}


MUTANTS = {
    "adds-to-resume": Row(tapped_by(lambda: Later(adds_to_second_resume())), "CLASS-03"),
    "creates-another-session": Row(NewSessionAgain, "CLASS-04"),
    "key-per-request": Row(tapped_by(lambda: KeyPerRequest), "SUB-01", ("SUB-05", "SUB-06", "SDK-03")),
    "key-per-connection": Row(tapped_by(lambda: Later(KeyPerRequest)), "SUB-06", ("SUB-01",)),
    "short-keys": Row(ShortKeys, "SUB-02"),
    "keys-from-content": Row(KeysFromContent, "SUB-03"),
    "forgets-its-outbox": Row(ForgetsItsOutbox, "SUB-05"),
    "remembers-keys-by-text": Row(RemembersKeysByText, "SUB-07", ("SDK-03",)),
    "changes-the-prompt": Row(tapped_by(lambda: Later(ChangesThePrompt)), "SUB-08"),
    "repeats-an-id": Row(tapped_by(lambda: RepeatsAnId), "SUB-09"),
    "tries-for-ever": Row(TriesForEver, "SUB-10"),
    "leaves-resume-out": Row(tapped_by(lambda: Later(LeavesResumeOut)), "AGAIN-01"),
    "lists-first": Row(tapped_by(lambda: Later(ListsFirst)), "AGAIN-02"),
    "no-key": Row(tapped_by(lambda: NoKey), "SDK-01", ("SDK-03",)),
    "gives-up": Row(GivesUp, "SDK-02"),
    "ignores-given-keys": Row(IgnoresGivenKeys, "SDK-03"),
}
"""Every mutant by name."""


@dataclass
class InProcessClient:
    """A client in the process of the tests as a target."""

    program: type[Program] = Program
    patience: float = 30.0
    name: str = "in process"
    cannot_restart: str | None = None
    cannot_be_given_keys: str | None = None
    log: str = ""
    _came: asyncio.Queue[Transport] = field(default_factory=asyncio.Queue)
    _running: asyncio.Task[None] | None = None
    _folder: tempfile.TemporaryDirectory[str] | None = None
    _state: dict[str, Any] = field(default_factory=dict)

    async def start(self, text: str, *, key: str | None = None) -> None:
        await self._run(text, key)

    async def start_again(self) -> None:
        await self._run(None, None)

    async def connection(self) -> Transport | None:
        coming = asyncio.create_task(self._came.get())
        assert self._running is not None
        try:
            await asyncio.wait([coming, self._running], timeout=self.patience, return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else None
        finally:
            coming.cancel()

    async def ended(self) -> bool:
        if self._running is not None:
            await asyncio.wait([self._running], timeout=self.patience)
        return self._running is None or self._running.done()

    async def kill(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
            self._running = None

    async def forget(self) -> None:
        await self.kill()
        if self._folder is not None:
            self._folder.cleanup()
        self._folder, self._state = None, {}

    async def end(self) -> None:
        await self.forget()

    async def _run(self, text: str | None, key: str | None) -> None:
        await self.kill()
        self._folder = self._folder or tempfile.TemporaryDirectory()
        self._came = asyncio.Queue()
        program = self.program(self._state)
        self._running = asyncio.create_task(program.run(self._connect, Path(self._folder.name), text, key))

    async def _connect(self) -> Transport:
        mine, theirs = memory_pair()
        self._came.put_nowait(theirs)
        return mine
