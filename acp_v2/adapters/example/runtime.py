"""The runtime of the example: it keeps its sessions in files of its own, and takes any id with a message.

A session is a file of JSON lines: first what it is, then its messages, each appended when it comes. From time to time
it is compacted: a line says that what stands before it was summed up, and a model would be given only the rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, Literal

if sys.platform != "win32":
    import fcntl

COMPACT_EVERY_BYTES: Final = 256 * 1024
"""How much comes between two compactions of a session, where nobody says otherwise."""

SECONDS_TO_WAIT: Final = 10.0
"""How long a folder may be in use by another process, which may be about to end, before that is an error."""

_PAGE_BYTES = 256 * 1024
_SECONDS_TO_LOOK = 0.02
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class RuntimeSession:
    """A session as the runtime has it. `updated` is when its file was last written, in seconds since 1970."""

    id: str
    cwd: str
    updated: float = 0.0


@dataclass(frozen=True, slots=True)
class RuntimeMessage:
    """A message of a session."""

    id: str
    role: Literal["user", "agent"]
    content: list[dict[str, Any]]


class Runtime:
    """Sessions in a folder, for one process at a time.

    Every method raises `OSError` where the folder or a file cannot be read or written, and `ValueError` where a file is
    not one of the runtime's.

    Args:
        folder: where the sessions are; made where it is not there.
        compact_every: after how many bytes a session is compacted.
    """

    def __init__(self, folder: Path, *, compact_every: int = COMPACT_EVERY_BYTES) -> None:
        self._folder = folder
        self._compact_every = compact_every
        self._lock: IO[bytes] | None = None

    async def open(self) -> None:
        """Take the folder, and wait a while for another process to end that uses it.

        Raises:
            TimeoutError: it is still in use.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = self._folder.joinpath(".lock").open("ab")
        try:
            async with asyncio.timeout(SECONDS_TO_WAIT):
                while not _locks(lock):
                    await asyncio.sleep(_SECONDS_TO_LOOK)
        except BaseException:
            lock.close()
            raise
        self._lock = lock

    def close(self) -> None:
        """Let go of the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    async def create(self, session: RuntimeSession) -> None:
        """Add a session.

        Raises:
            FileExistsError: there is one of that id.
        """
        await asyncio.to_thread(self._create, session, iter(()))

    async def fork(self, session_id: str, fork: RuntimeSession) -> None:
        """Add a session with the messages of another, ids included.

        Raises:
            FileNotFoundError: there is no such session.
        """
        await asyncio.to_thread(self._create, fork, _lines(self._path(session_id)))

    async def find(self, session_id: str) -> RuntimeSession | None:
        """The session of that id, or None."""
        if not _ID.fullmatch(session_id):
            return None
        return await asyncio.to_thread(_head, self._path(session_id))

    async def sessions(self) -> list[RuntimeSession]:
        """All sessions by id."""

        def read() -> list[RuntimeSession]:
            heads = (_head(path) for path in sorted(self._folder.glob("*.jsonl")))
            return [head for head in heads if head is not None]

        return await asyncio.to_thread(read)

    async def delete(self, session_id: str) -> None:
        """Remove a session; nothing where it is not there."""
        if _ID.fullmatch(session_id):
            await asyncio.to_thread(self._path(session_id).unlink, missing_ok=True)

    async def append(self, session_id: str, message: RuntimeMessage) -> None:
        """Add a message to a session. Where there is one of that id already, there are then two.

        Raises:
            FileNotFoundError: there is no such session.
        """
        await asyncio.to_thread(self._append, self._path(session_id), message)

    async def pages(self, session_id: str) -> AsyncIterator[list[RuntimeMessage]]:
        """Every message of a session, by pages, whatever was compacted since. This is what a replay shows."""
        path, offset, is_more = self._path(session_id), 0, True
        while is_more:
            entries, offset = await asyncio.to_thread(_read, path, offset)
            is_more = bool(entries)
            messages = [_message(entry["message"]) for entry in entries if "message" in entry]
            if messages:
                yield messages

    async def context(self, session_id: str) -> list[RuntimeMessage]:
        """The messages since the last compaction: what a model would be given. It is not the history."""
        entries = await asyncio.to_thread(lambda: [json.loads(line) for line in _lines(self._path(session_id))])
        compactions = [number for number, entry in enumerate(entries) if "compaction" in entry]
        since = compactions[-1] if compactions else 0
        return [_message(entry["message"]) for entry in entries[since:] if "message" in entry]

    def _path(self, session_id: str) -> Path:
        if not _ID.fullmatch(session_id):
            # Ids come from clients, and must not lead out of the folder.
            raise FileNotFoundError("there is no such session")
        return self._folder / f"{session_id}.jsonl"

    def _create(self, session: RuntimeSession, messages: Iterator[bytes]) -> None:
        path = self._path(session.id)
        if path.exists():
            raise FileExistsError("there is a session of that id already")
        draft = path.with_suffix(".new")
        with draft.open("wb") as file:
            file.write(_line({"session": {"id": session.id, "cwd": session.cwd}}))
            file.writelines(messages)
            _sync(file)
        draft.replace(path)

    def _append(self, path: Path, message: RuntimeMessage) -> None:
        lines = message_line(message)
        with path.open("r+b") as file:
            end = _end_of_last_line(file)
            if end // self._compact_every != (end + len(lines)) // self._compact_every:
                lines += _line({"compaction": {"at": time.time()}})
            file.seek(end)
            file.truncate()
            try:
                file.write(lines)
                _sync(file)
            except OSError:
                # What was not said to be stored is not to be found later.
                with contextlib.suppress(OSError):
                    os.truncate(path, end)
                raise


def _locks(file: IO[bytes]) -> bool:
    if sys.platform != "win32":  # There, nothing keeps a second process out.
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def message_line(message: RuntimeMessage) -> bytes:
    """A message as a line of its session's file."""
    return _line({"message": asdict(message)})


def _message(fields: dict[str, Any]) -> RuntimeMessage:
    return RuntimeMessage(fields["id"], fields["role"], fields["content"])


def _head(path: Path) -> RuntimeSession | None:
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline())["session"]
            return RuntimeSession(head["id"], head["cwd"], os.fstat(file.fileno()).st_mtime)
    except FileNotFoundError:
        return None


def _read(path: Path, offset: int) -> tuple[list[Any], int]:
    """The entries of the next whole lines, and where they end. A line without an end was never finished."""
    with path.open("rb") as file:
        file.seek(offset)
        lines = file.readlines(_PAGE_BYTES)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    return [json.loads(line) for line in lines], offset + sum(map(len, lines))


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a session's messages and compactions."""
    with path.open("rb") as file:
        file.readline()
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _end_of_last_line(file: IO[bytes]) -> int:
    """Where to append: behind the last whole line. What stands behind it was not finished when the process died."""
    position = file.seek(0, os.SEEK_END)
    while position > 0:
        begin = max(0, position - _PAGE_BYTES)
        file.seek(begin)
        found = file.read(position - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        position = begin
    return 0
