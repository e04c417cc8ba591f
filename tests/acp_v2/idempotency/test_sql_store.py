"""The store in SQLite and PostgreSQL: several processes, their death, and what goes wrong with databases."""

import asyncio
import contextlib
import dataclasses
import json
import logging
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from acp_v2 import IdempotencyKey, RequestCancelled
from acp_v2.idempotency import Insertion, Outcome, Pending, Recorded, StoredMessage, StoredSession, StoreError
from acp_v2.idempotency.sql import claims_postgresql
from acp_v2.idempotency.sql.claims import digest_of
from acp_v2.idempotency.sql.failures import store_error
from acp_v2.idempotency.sql.migrations import VERSION, migrate
from acp_v2.idempotency.sql.postgresql import connector
from acp_v2.idempotency.sql_store import SqlStore
from tests.acp_v2.idempotency.conftest import Nodes
from tests.postgresql import PostgresqlServer, find_programs

KEY = IdempotencyKey("a-secret-key")
SESSION = StoredSession("s", "/work")
CHILD = Path(__file__).parent / "node_process.py"


def user(id_: str) -> StoredMessage:
    return StoredMessage(id_, "user", [{"type": "text", "text": "Hi"}])


async def history(store: SqlStore) -> list[str]:
    return [message.id async for message in store.messages("s")]


@contextlib.asynccontextmanager
async def child(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A node in a process of its own, which does not outlive the test."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, CHILD, *arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=2**26
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            process.send_signal(signal.SIGCONT)
        await process.wait()


async def said(process: asyncio.subprocess.Process) -> Any:
    assert process.stdout
    return json.loads(await process.stdout.readline())


def tell(process: asyncio.subprocess.Process) -> None:
    assert process.stdin
    process.stdin.write(b"\n")


def path_of(nodes: Nodes) -> Path:
    assert nodes.url
    return Path(make_url(nodes.url).database or "")


async def contention(nodes: Nodes, processes: int, keys: int, attempts: int) -> None:
    """Processes submit the same keys at the same time: one message each, and everybody is told which."""
    store = await nodes.open()
    await store.create_session(SESSION)
    async with contextlib.AsyncExitStack() as stack:
        arguments = [("contend", nodes.url, str(number), str(keys), str(attempts)) for number in range(processes)]
        nodes_apart = [await stack.enter_async_context(child(*a)) for a in arguments]
        assert [await said(node) for node in nodes_apart] == ["ready"] * processes
        for node in nodes_apart:
            tell(node)
        answers: list[dict[str, list[str]]] = await asyncio.gather(*(said(node) for node in nodes_apart))

    inserted = {id_.partition(" ")[0]: id_ for id_ in await history(store)}

    assert len(inserted) == len(await history(store)) == keys
    assert answers == [{number: [inserted[number]] * attempts for number in map(str, range(keys))}] * processes


class TestProcesses:
    async def test_eight_processes_insert_each_key_once(self, sql_nodes: Nodes):
        await contention(sql_nodes, processes=8, keys=50, attempts=5)

    @pytest.mark.soak
    async def test_eight_processes_insert_each_of_many_keys_once(self, sql_nodes: Nodes):
        await contention(sql_nodes, processes=8, keys=500, attempts=5)

    async def test_who_waits_for_another_process_is_told_what_it_inserted(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        await store.create_session(SESSION)
        async with child("hold", sql_nodes.url, KEY, "60") as holder:
            assert await said(holder) == "claimed"
            assert await store.claim("s", KEY) is None
            waits = asyncio.create_task(store.outcome("s", KEY))

            tell(holder)

            assert await waits == Outcome("held")
            assert await said(holder) == ["held", True]

    async def test_the_death_of_a_holder_leaves_the_key_unused(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        await store.create_session(SESSION)
        async with child("hold", sql_nodes.url, KEY, "1") as holder:
            assert await said(holder) == "claimed"
            assert await store.claim("s", KEY) is None
            waits = asyncio.create_task(store.outcome("s", KEY))

            holder.kill()

            assert await waits is None
            assert await store.look_up("s", KEY) is None
        assert await store.find_key("s", KEY) is None
        assert await store.claim("s", KEY)
        assert await store.add_message("s", user("m"), KEY) == Insertion("m")

    async def test_a_holder_that_stood_still_inserts_nothing_more(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open()
        await store.create_session(SESSION)
        async with child("hold", sqlite_nodes.url, KEY, "1") as holder:
            assert await said(holder) == "claimed"
            assert await store.claim("s", KEY) is None
            assert await store.look_up("s", KEY) == Pending()
            holder.send_signal(signal.SIGSTOP)
            assert await store.outcome("s", KEY) is None
            assert await store.look_up("s", KEY) is None
            claim = await store.claim("s", KEY)
            assert claim
            assert await store.add_message("s", user("m"), KEY) == Insertion("m")
            await claim.release(Outcome("m"))

            holder.send_signal(signal.SIGCONT)
            tell(holder)

            assert await said(holder) == ["m", False]
        assert await history(store) == ["m"]

    async def test_what_was_said_to_be_stored_is_stored_whenever_the_process_dies(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        await store.create_session(SESSION)
        acknowledged: list[str] = []
        for enough in (1, 5, 25):
            async with child("write", sql_nodes.url) as writer:
                lines = [await said(writer) for _ in range(enough)]
                writer.kill()
                assert writer.stdout
                # The last line may be cut off.
                rest = (await writer.stdout.read()).splitlines(keepends=True)
                lines += [json.loads(line) for line in rest if line.endswith(b"\n")]
            acknowledged = max(acknowledged, lines, key=len)
            assert (await history(store))[: len(acknowledged)] == acknowledged

        stored = await history(store)

        assert stored == [f"m{number}" for number in range(len(stored))]

    async def test_a_store_outlives_the_process(self, sql_nodes: Nodes):
        first = await sql_nodes.open()
        await first.create_session(SESSION)
        await first.add_message("s", user("m"), KEY)
        await first.claim("s", IdempotencyKey("held"))
        await first.close()

        second = await sql_nodes.open()
        found = await second.find_session("s")

        assert found is not None
        assert dataclasses.replace(found, updated=SESSION.updated) == SESSION
        assert await second.find_key("s", KEY) == Recorded("m", user("m").content)
        assert await second.add_message("s", user("n"), KEY) == Insertion("m", is_new=False)
        assert await second.claim("s", IdempotencyKey("held"))

    async def test_processes_may_open_a_new_store_at_the_same_time(self, sql_nodes: Nodes):
        stores = await asyncio.gather(*(sql_nodes.open() for _ in range(6)))

        await stores[0].create_session(SESSION)

        assert [await store.find_session("s") for store in stores] == [SESSION] * 6

    async def test_a_closed_store_says_so(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        await store.close()
        await store.close()

        for step in (store.create_session(SESSION), store.look_up("s", KEY), store.claim("s", KEY)):
            with pytest.raises(StoreError, match="closed"):
                await step

    async def test_whoever_stops_adding_leaves_the_message_in_or_out_and_the_store_in_order(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        await store.create_session(SESSION)
        for turns in range(12):
            key = IdempotencyKey.generate()
            adding = asyncio.create_task(store.add_message("s", user(f"m{turns}"), key))
            for _ in range(turns):
                await asyncio.sleep(0)
            adding.cancel()
            await asyncio.wait([adding])

            is_in = await store.find_key("s", key) is not None
            assert await store.add_message("s", user(f"n{turns}"), key) == (
                Insertion(f"m{turns}", is_new=False) if is_in else Insertion(f"n{turns}")
            )


class TestSecrecy:
    async def test_a_key_is_in_no_log_error_or_notification(
        self, sql_nodes: Nodes, caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest
    ):
        caplog.set_level(logging.DEBUG)
        one, other = await sql_nodes.two()
        said_by_the_server = ""
        payloads: list[str] = []
        if sql_nodes.url.startswith("postgresql"):
            listener = await connector(sql_nodes.url, 10)()
            await listener.add_listener("acp_v2_claims", lambda *args: payloads.append(args[-1]))
        claim = await one.claim("s", KEY)
        await other.claim("s", KEY)
        waits = asyncio.create_task(other.outcome("s", KEY))
        await other.withdraw("s", KEY)
        await claim.withdrawn()
        await claim.release(Outcome(error=RequestCancelled()))
        await waits
        await one.add_message("s", user("m"), KEY)
        await other.add_message("s", user("m"), KEY)
        await other.find_key("s", KEY)
        await other.look_up("s", KEY)
        errors: list[BaseException] = []
        for session_id, id_ in (("none", "n"), ("s", "m"), ("s", "\ud800")):
            with pytest.raises(StoreError) as caught:
                await one.add_message(session_id, user(id_), IdempotencyKey(KEY + "2"))
            errors.append(caught.value)
        if sql_nodes.url.startswith("postgresql"):
            await listener.close()
            said_by_the_server = request.getfixturevalue("postgresql_server").log.read_text()
            assert {payload.split(" ")[0] for payload in payloads} == {"withdraw", "ended"}

        told = [caplog.text, said_by_the_server, *payloads, repr(claim), repr(one)]
        told += ["".join(traceback.format_exception(error)) for error in errors]

        for secret in (str(KEY), KEY.encode().hex(), repr(KEY.encode())):
            assert not any(secret in text for text in told)

    def test_a_password_is_not_repeated(self):
        for url in ("postgresql://me:hunter2@:x/", "mysql://me:hunter2@host/db", "hunter2"):
            with pytest.raises(StoreError, match="sqlite:////path/to/file or postgresql://") as caught:
                asyncio.run(SqlStore.open(url))
            assert "hunter2" not in "".join(traceback.format_exception(caught.value))

    async def test_others_on_the_machine_cannot_read_the_file(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open()
        await store.create_session(SESSION)

        files = list(path_of(sqlite_nodes).parent.iterdir())

        assert len(files) > 1
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


class TestVersions:
    async def test_an_older_store_is_migrated_with_all_that_it_has(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        database = store._database
        await database.transaction(lambda c: c.exec_driver_sql("DROP TABLE acp_store"))
        for table in ("acp_messages", "acp_sessions", "acp_outcomes", "acp_claims"):
            await database.transaction(lambda c, table=table: c.exec_driver_sql(f"DROP TABLE IF EXISTS {table}"))
        await migrate(database, 1)
        rows = [
            "INSERT INTO acp_sessions (id, cwd, updated) VALUES ('s', '/work', 12.5)",
            "INSERT INTO acp_messages (session_id, id, role, content) VALUES ('s', 'm', 'user', '[]')",
        ]
        for row in rows:
            await database.transaction(lambda c, row=row: c.exec_driver_sql(row))
        await store.close()

        migrated = await sql_nodes.open()

        assert await migrated.find_session("s") == StoredSession("s", "/work", None, 12.5, 12.5)
        assert await history(migrated) == ["m"]
        assert await migrated.add_message("s", user("n"), KEY) == Insertion("n")

    async def test_a_newer_store_is_left_alone(self, sql_nodes: Nodes):
        store = await sql_nodes.open()
        newer = "UPDATE acp_store SET version = version + 1"
        await store._database.transaction(lambda connection: connection.exec_driver_sql(newer))

        with pytest.raises(StoreError, match=rf"has version {VERSION + 1}.* up to {VERSION}: it takes a newer release"):
            await sql_nodes.open()


class TestSqlite:
    async def test_a_commit_is_on_the_disk_when_it_returns(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open()

        async def settings(connection: Any) -> list[Any]:
            return [
                (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            ]

        assert await store._database.read(settings) == ["wal", 2, 1]

    async def test_a_locked_database_is_an_error_and_nothing_is_stored(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open(patience=0.05)
        await store.create_session(SESSION)
        somebody = sqlite3.connect(path_of(sqlite_nodes), isolation_level=None)
        somebody.execute("BEGIN IMMEDIATE")

        for step in (store.add_message("s", user("m"), KEY), store.claim("s", KEY), store.delete_session("s")):
            with pytest.raises(StoreError, match=r"locked by another process, and was for 0\.05 seconds"):
                await step
        assert await store.find_key("s", KEY) is None

        somebody.close()
        assert await store.claim("s", KEY)
        assert await store.add_message("s", user("m"), KEY) == Insertion("m")

    async def test_a_lock_that_passes_is_waited_for(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open()
        await store.create_session(SESSION)
        somebody = sqlite3.connect(path_of(sqlite_nodes), isolation_level=None)
        somebody.execute("BEGIN IMMEDIATE")
        adding = asyncio.create_task(store.add_message("s", user("m"), KEY))
        await asyncio.wait([adding], timeout=0.1)
        assert not adding.done()

        somebody.close()

        assert await adding == Insertion("m")

    async def test_a_full_disk_is_an_error_and_what_was_said_to_be_stored_is(self, small_disk: Path):
        nodes = Nodes(f"sqlite:///{small_disk}/store.db")
        store = await nodes.open()
        await store.create_session(SESSION)
        acknowledged: list[str] = []

        async def fill() -> None:
            while True:
                id_ = f"m{len(acknowledged)}"
                message = StoredMessage(id_, "user", [{"type": "text", "text": "x" * 50_000}])
                acknowledged.append((await store.add_message("s", message, IdempotencyKey(id_))).message_id)

        with pytest.raises(StoreError, match="disk"):
            await fill()

        assert acknowledged
        assert await history(store) == acknowledged
        assert await store.find_key("s", IdempotencyKey(f"m{len(acknowledged)}")) is None
        with contextlib.suppress(StoreError):
            await store.close()

        again = await nodes.open()
        assert await history(again) == acknowledged
        await again.close()

    async def test_a_file_that_is_no_database_is_an_error(self, sqlite_nodes: Nodes):
        path_of(sqlite_nodes).write_bytes(b"This is no database. " * 500)

        with pytest.raises(StoreError, match="is corrupt, or is no SQLite database"):
            await sqlite_nodes.open()

        assert path_of(sqlite_nodes).read_bytes() == b"This is no database. " * 500

    async def test_a_corrupt_file_is_an_error(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open()
        await store.create_session(SESSION)
        for number in range(50):
            await store.add_message("s", user(f"m{number}"), IdempotencyKey(f"key {number}"))
        await store.close()
        path = path_of(sqlite_nodes)
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (size - 4096))

        with pytest.raises(StoreError, match="corrupt"):
            await history(await sqlite_nodes.open())

    @pytest.mark.parametrize("path", ["/nowhere/at/all/store.db", "/"])
    async def test_a_file_that_cannot_be_made_is_an_error(self, path: str):
        with pytest.raises(StoreError, match=r"cannot be (opened or )?made"):
            await SqlStore.open(f"sqlite:///{path}", patience=0.05)

    @pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:////tmp/x?mode=ro"])
    async def test_a_store_is_a_file(self, url: str):
        with pytest.raises(StoreError, match="names a file"):
            await SqlStore.open(url)

    async def test_a_lease_from_before_the_machine_was_restarted_holds_nothing(self, sqlite_nodes: Nodes):
        store = await sqlite_nodes.open()
        left_behind = (digest_of("s", KEY), "of another time", time.monotonic() + 100_000, 10.0)
        with sqlite3.connect(path_of(sqlite_nodes)) as file:
            file.execute("INSERT INTO acp_claims (digest, id, renewed, lease) VALUES (?, ?, ?, ?)", left_behind)
        file.close()

        assert await store.look_up("s", KEY) is None
        assert await store.claim("s", KEY)

    async def test_a_claim_lasts_longer_than_its_lease_while_its_holder_lives(self, sqlite_nodes: Nodes):
        holder, other = await sqlite_nodes.open(lease=0.5), await sqlite_nodes.open()
        assert await holder.claim("s", KEY)
        until = time.monotonic() + 3 * 0.5

        while time.monotonic() < until:
            assert await other.claim("s", KEY) is None
            await asyncio.sleep(0.05)


class TestPostgresql:
    async def test_keys_that_share_a_lock_wait_for_each_other_and_are_answered_their_own(
        self, postgresql_nodes: Nodes, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(claims_postgresql, "_number", lambda digest: 7)
        one, other = await postgresql_nodes.two()
        another = IdempotencyKey("another")
        claim = await one.claim("s", KEY)
        assert claim
        assert await other.claim("s", another) is None
        waits = asyncio.create_task(other.outcome("s", another))

        await claim.release(Outcome(error=RequestCancelled()))

        assert await waits is None
        assert await other.claim("s", another)

    async def test_one_node_may_hold_keys_that_share_a_lock(
        self, postgresql_nodes: Nodes, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(claims_postgresql, "_number", lambda digest: 7)
        one, other = await postgresql_nodes.two()
        claims = [await one.claim("s", IdempotencyKey(key)) for key in ("a", "b")]

        await claims[0].release(None)

        assert await other.claim("s", IdempotencyKey("b")) is None
        await claims[1].release(None)
        assert await other.claim("s", IdempotencyKey("b"))

    async def test_what_was_not_notified_is_found_by_looking(self, postgresql_nodes: Nodes, monkeypatch):
        monkeypatch.setattr(claims_postgresql, "_CHANNEL", "nobody_listens")
        one = await postgresql_nodes.open()
        monkeypatch.undo()
        other = await postgresql_nodes.open()
        claim = await one.claim("s", KEY)
        monkeypatch.setattr(claims_postgresql, "_CHANNEL", "nobody_listens")
        assert await other.claim("s", KEY) is None
        waits = asyncio.create_task(other.outcome("s", KEY))

        await claim.release(Outcome("m"))

        assert await waits == Outcome("m")

    async def test_a_node_whose_connection_was_cut_has_its_claims_again(self, postgresql_nodes: Nodes):
        one, other = await postgresql_nodes.two()
        claim = await one.claim("s", KEY)
        assert claim

        cut = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        await other._database.read(lambda connection: connection.exec_driver_sql(cut))
        assert await one.find_key("s", KEY) is None
        while one._claims._unlocked:
            await asyncio.sleep(0.01)

        assert await other.claim("s", KEY) is None
        withdrawn = asyncio.create_task(claim.withdrawn())
        await other.withdraw("s", KEY)
        await withdrawn

    async def test_a_store_outlives_a_restart_of_its_server(self):
        server = PostgresqlServer(find_programs())
        try:
            server.start()
            nodes = Nodes(server.take_database())
            one, other = await nodes.two()
            claim = await one.claim("s", KEY)
            assert claim
            assert await one.add_message("s", user("m"), None) == Insertion("m")
            server.stop()
            for step in (one.find_session("s"), one.add_message("s", user("n"), KEY), other.claim("s", KEY)):
                with pytest.raises(StoreError, match=r"cannot be reached|is gone"):
                    await step
            server.start()

            assert await history(other) == ["m"]
            assert await one.add_message("s", user("o"), KEY) == Insertion("o")
            await claim.release(Outcome("o"))
            assert await other.find_key("s", KEY) == Recorded("o", user("o").content)
            await nodes.close()
        finally:
            server.remove()

    async def test_a_connection_that_is_cut_while_a_message_is_added_leaves_no_doubt(self, postgresql_nodes: Nodes):
        one, other = await postgresql_nodes.two()
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        for number in range(20):
            adding = asyncio.create_task(one.add_message("s", user(f"m{number}"), IdempotencyKey(f"key {number}")))
            with contextlib.suppress(StoreError):
                await other._database.read(lambda connection: connection.exec_driver_sql(cut))
            with contextlib.suppress(StoreError):
                assert await adding == Insertion(f"m{number}")
                assert (await history(other))[-1] == f"m{number}"

        assert len(set(await history(other))) == len(await history(other))

    @pytest.mark.parametrize(
        "url",
        ["postgresql://me:hunter2@/store?host=/nowhere", "postgresql://me:hunter2@127.0.0.1:1/store"],
    )
    async def test_a_server_that_cannot_be_reached_is_an_error(self, url: str):
        with pytest.raises(StoreError, match="server cannot be reached") as caught:
            await SqlStore.open(url, patience=5)
        assert "hunter2" not in "".join(traceback.format_exception(caught.value))

    async def test_a_database_that_is_not_there_is_an_error(self, postgresql_nodes: Nodes):
        with pytest.raises(StoreError, match="has no such database"):
            await SqlStore.open(postgresql_nodes.url.replace("@/", "@/no_"))

    @pytest.mark.parametrize("option", ["sslmode=never", "port=x", "no_such_option=1"])
    async def test_an_option_that_nobody_knows_is_an_error(self, postgresql_nodes: Nodes, option: str):
        with pytest.raises(StoreError):
            await SqlStore.open(f"{postgresql_nodes.url}&{option}")

    @pytest.mark.parametrize(
        ("state", "words"),
        [
            ("53100", "The disk of the store's server is full"),
            ("53300", "no connection left"),
            ("28P01", "refused the user or the password"),
            ("57P01", "stopping"),
            ("25006", "copy of another"),
            ("XX001", "corrupt"),
            ("42P01", r"failed \(SQLSTATE 42P01\)"),
        ],
    )
    def test_what_the_server_says_is_said_in_plain_words(self, state: str, words: str):
        class FromServerError(Exception):
            sqlstate = state

        with pytest.raises(StoreError, match=words):
            raise store_error(FromServerError("DETAIL: Key (session_id, key)=(s, a-secret-key)"))


class TestExtra:
    def test_without_sqlalchemy_the_extra_is_named(self):
        program = "import sys; sys.modules['sqlalchemy'] = None; import acp_v2.idempotency.sql_store"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

        assert done.stderr.splitlines()[-1] == (
            "ImportError: SqlStore needs SQLAlchemy; get it with: pip install 'acp-v2[sql]'"
        )

    @pytest.mark.parametrize(
        ("module", "url"), [("aiosqlite", "sqlite:////tmp/never.db"), ("asyncpg", "postgresql://me@host/store")]
    )
    async def test_without_a_driver_the_extra_is_named(self, monkeypatch: pytest.MonkeyPatch, module: str, url: str):
        monkeypatch.setitem(sys.modules, module, None)

        with pytest.raises(StoreError, match=rf"needs {module}; get it with: pip install 'acp-v2\[sql\]'"):
            await SqlStore.open(url)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte, where one may be mounted; otherwise a limit that SQLite itself keeps to."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"a full disk: no small one can be mounted here: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)
