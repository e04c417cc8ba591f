"""The file of an outbox: who may read it, what it refuses, what is left in its bytes, and who owns what is pending."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_v2 import IdempotencyKey
from acp_v2.client import KeyReused, OutboxError
from acp_v2.client.pending_prompts import VERSION, PendingPrompts
from tests.acp_v2.agent.client import REPOSITORY

SECRET = "a secret that nobody else may read"
PARAMS = {"prompt": [{"type": "text", "text": SECRET}]}
ERROR = {"code": -32603, "message": "Internal error"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


@pytest.fixture
def kept(path: Path) -> Iterator[PendingPrompts]:
    prompts = PendingPrompts(path)
    yield prompts
    prompts.close()


def key() -> IdempotencyKey:
    return IdempotencyKey.generate()


def files_of(path: Path) -> bytes:
    """Everything in the file and in what SQLite keeps beside it."""
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*") if file.is_file())


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestFile:
    def test_is_for_its_owner_alone(self, path: Path) -> None:
        before = os.umask(0)
        try:
            prompts = PendingPrompts(path)
            prompts.submit(key(), "session", PARAMS, 0)
            assert {file.name: mode(file) for file in path.parent.glob("*") if file.is_file()} == {
                "outbox": 0o600,
                "outbox-shm": 0o600,
                "outbox-wal": 0o600,
            }
            assert mode(path.with_name("outbox.owners")) == 0o700
            prompts.close()
        finally:
            os.umask(before)

    def test_that_others_could_read_is_taken_from_them(self, path: Path) -> None:
        PendingPrompts(path).close()
        path.chmod(0o644)
        PendingPrompts(path).close()
        assert mode(path) == 0o600

    def test_of_another_program_is_refused_and_left_as_it_is(self, path: Path) -> None:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE notes (text)")
        db.close()
        path.chmod(0o644)
        before = path.read_bytes()
        with pytest.raises(OutboxError, match="is a database of something else; choose another file"):
            PendingPrompts(path)
        assert path.read_bytes() == before
        assert mode(path) == 0o644
        assert names_in(path.parent) == ["outbox"]

    def test_with_another_application_id_is_refused(self, path: Path) -> None:
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA application_id = 7")
        db.close()
        with pytest.raises(OutboxError, match="is a database of something else"):
            PendingPrompts(path)

    def test_that_is_no_database_is_refused_and_left_as_it_is(self, path: Path) -> None:
        path.write_text("Dear diary, " * 100)
        path.chmod(0o644)
        with pytest.raises(OutboxError, match="cannot be opened: file is not a database"):
            PendingPrompts(path)
        assert path.read_text().startswith("Dear diary")
        assert mode(path) == 0o644

    def test_of_a_newer_version_is_refused(self, path: Path) -> None:
        PendingPrompts(path).close()
        with sqlite3.connect(path) as db:
            db.execute(f"PRAGMA user_version = {VERSION + 1}")
        db.close()
        with pytest.raises(OutboxError, match=rf"newer version \(format {VERSION + 1}, known is {VERSION}\); update"):
            PendingPrompts(path)

    def test_in_a_folder_that_is_not_there_is_refused(self, path: Path) -> None:
        with pytest.raises(OutboxError, match=r"cannot be opened: .*No such file or directory"):
            PendingPrompts(path / "below")

    def test_that_is_a_folder_is_refused(self, path: Path) -> None:
        path.mkdir()
        with pytest.raises(OutboxError, match="cannot be opened"):
            PendingPrompts(path)

    def test_that_is_damaged_is_said_when_it_is_used(self, path: Path) -> None:
        prompts = PendingPrompts(path)
        for _ in range(50):
            prompts.submit(key(), "session", PARAMS, 0)
        prompts.close()
        damaged = bytearray(path.read_bytes())
        damaged[4096:] = b"\xff" * (len(damaged) - 4096)
        path.write_bytes(damaged)
        prompts = PendingPrompts(path)
        with pytest.raises(OutboxError, match="malformed"):
            prompts.submit(key(), "session", PARAMS, 0)
        prompts.close()

    def test_a_row_that_somebody_has_changed_is_said_and_not_taken_up(self, path: Path) -> None:
        prompts = PendingPrompts(path)
        prompts.submit(key(), "session", PARAMS, 0)
        prompts.close()
        with sqlite3.connect(path) as db:
            db.execute("UPDATE prompts SET params = 'no JSON'")
        db.close()
        prompts = PendingPrompts(path)
        with pytest.raises(OutboxError, match="cannot be"):
            prompts.adopt("session")
        prompts.close()

    def test_leaves_nothing_beside_it_when_it_is_closed(self, path: Path) -> None:
        PendingPrompts(path).close()
        assert names_in(path.parent) == ["outbox", "outbox.owners"]
        assert names_in(path.with_name("outbox.owners")) == []

    def test_that_is_closed_says_so(self, path: Path) -> None:
        prompts = PendingPrompts(path)
        prompts.close()
        with pytest.raises(OutboxError, match="is closed"):
            prompts.submit(key(), "session", PARAMS, 0)

    def test_is_one_for_several_agents(self, path: Path) -> None:
        one, other, same_key = PendingPrompts(path, "one"), PendingPrompts(path, "other"), key()
        assert one.submit(same_key, "session", PARAMS, 0)[1]
        assert other.submit(same_key, "another", PARAMS, 0)[1]
        one.close()
        assert other.adopt("session") == []
        other.close()

    def test_a_full_disk_refuses_a_prompt_and_keeps_the_others(self, kept: PendingPrompts) -> None:
        first, second = key(), key()
        kept.submit(first, "session", PARAMS, 0)
        assert kept._db is not None
        kept._db.execute("PRAGMA max_page_count = 10")
        with pytest.raises(OutboxError, match="cannot be written: database or disk is full"):
            kept.submit(second, "session", {"prompt": [{"type": "text", "text": "x" * 100_000}]}, 0)
        assert kept.find(second) is None
        assert kept.find(first) is not None


class TestKeys:
    def test_a_new_one_is_pending(self, kept: PendingPrompts) -> None:
        prompt, is_new = kept.submit(key(), "session", PARAMS, 12.5)
        assert is_new
        assert (prompt.state, prompt.params, prompt.submitted, prompt.owner) == ("pending", PARAMS, 12.5, kept.owner)

    def test_prompts_are_numbered_in_the_order_of_submission(self, kept: PendingPrompts) -> None:
        numbers = [kept.submit(key(), "session", PARAMS, 0)[0].number for _ in range(3)]
        assert numbers == sorted(set(numbers))

    @pytest.mark.parametrize(
        "other", [("session", {"prompt": [{"type": "text", "text": "else"}]}), ("elsewhere", PARAMS)]
    )
    def test_one_that_comes_with_something_else_is_refused(self, kept: PendingPrompts, other: tuple) -> None:
        used = key()
        kept.submit(used, "session", PARAMS, 0)
        with pytest.raises(KeyReused) as raised:
            kept.submit(used, *other, 0)
        assert used not in str(raised.value)

    def test_one_that_was_inserted_is_compared_still(self, kept: PendingPrompts) -> None:
        used = key()
        kept.submit(used, "session", PARAMS, 0)
        kept.inserted(used, "message", is_told=True)
        with pytest.raises(KeyReused):
            kept.submit(used, "session", {"prompt": []}, 0)
        again, is_new = kept.submit(used, "session", PARAMS, 1)
        assert (again.state, again.message_id, is_new) == ("inserted", "message", False)

    def test_the_order_of_fields_does_not_matter(self, kept: PendingPrompts) -> None:
        used = key()
        kept.submit(used, "session", {"prompt": [{"type": "text", "text": "a"}]}, 0)
        _, is_new = kept.submit(used, "session", {"prompt": [{"text": "a", "type": "text"}]}, 0)
        assert not is_new

    def test_one_that_was_refused_is_pending_again(self, kept: PendingPrompts) -> None:
        used = key()
        kept.submit(used, "session", PARAMS, 0)
        kept.cancel(used)
        kept.failed(used, ERROR, is_told=True)
        again, is_new = kept.submit(used, "session", PARAMS, 7)
        assert (again.state, again.params, again.submitted, is_new) == ("pending", PARAMS, 7, True)
        assert not again.is_cancelled
        assert again.error is None

    def test_one_with_an_unknown_outcome_is_not_new_when_it_is_pending_again(self, kept: PendingPrompts) -> None:
        used = key()
        kept.submit(used, "session", PARAMS, 0)
        kept.failed(used, {"unknown": "lost"}, is_told=True)
        assert kept.submit(used, "session", PARAMS, 7)[1] is False

    def test_a_failure_that_is_told_late_leaves_what_was_submitted_anew(self, kept: PendingPrompts) -> None:
        used = key()
        first, _ = kept.submit(used, "session", PARAMS, 0)
        kept.failed(used, ERROR, is_told=False)
        kept.submit(used, "session", PARAMS, 7)
        kept.told(used, first.submitted)
        found = kept.find(used)
        assert found is not None
        assert (found.state, found.params) == ("pending", PARAMS)
        kept.failed(used, ERROR, is_told=False)
        kept.told(used, first.submitted)
        found = kept.find(used)
        assert found is not None
        assert found.params == PARAMS, "of the second failure nobody was told"

    def test_they_stand_in_no_words_about_a_prompt(self, kept: PendingPrompts) -> None:
        used = key()
        prompt, _ = kept.submit(used, "session", PARAMS, 0)
        assert used not in repr(prompt)
        assert SECRET not in repr(prompt)


class TestForgetting:
    @pytest.mark.parametrize("outcome", ["inserted", "failed", "told"])
    @pytest.mark.parametrize("length", [1, 3000], ids=["short", "long"])
    def test_nothing_of_a_text_is_left_when_the_outcome_is_known(
        self, kept: PendingPrompts, path: Path, outcome: str, length: int
    ) -> None:
        used, other = key(), key()
        kept.submit(other, "session", {"prompt": [{"type": "text", "text": "still pending"}]}, 0)
        kept.submit(used, "session", {"prompt": [{"type": "text", "text": SECRET * length}]}, 0)
        assert SECRET.encode() in files_of(path)
        if outcome == "inserted":
            kept.inserted(used, "message", is_told=False)
        else:
            kept.failed(used, ERROR, is_told=outcome == "failed")
            kept.told(used, 0)
        kept.tidy()
        assert SECRET.encode() not in files_of(path)
        assert b"still pending" in files_of(path)

    def test_nothing_is_left_among_many_that_come_and_go(self, kept: PendingPrompts, path: Path) -> None:
        keys = [key() for _ in range(120)]
        for number, used in enumerate(keys):
            text = f"<{number}>{SECRET}" * (1 + number * 7 % 40)
            kept.submit(used, "session", {"prompt": [{"type": "text", "text": text}]}, 0)
        for used in keys[::2]:
            kept.inserted(used, "message", is_told=True)
        kept.tidy()
        content = files_of(path)
        assert [n for n in range(120) if f"<{n}>{SECRET}".encode() in content] == list(range(1, 120, 2))

    def test_the_text_of_a_failure_stays_until_it_is_told(self, kept: PendingPrompts) -> None:
        used = key()
        kept.submit(used, "session", PARAMS, 0)
        kept.failed(used, ERROR, is_told=False)
        found = kept.find(used)
        assert found is not None
        assert found.params == PARAMS


OWNER = """
import sys
from acp_v2 import IdempotencyKey
from acp_v2.client.pending_prompts import PendingPrompts
prompts = PendingPrompts(sys.argv[1])
for key in ("one", "two"):
    prompts.submit(IdempotencyKey(key), "session", {"prompt": [{"type": "text", "text": key}]}, 0)
print("kept", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def owner(path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process to which two prompts belong."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"kept\n"
        yield process
        process.kill()


class TestOwners:
    def test_a_living_process_keeps_its_prompts(self, path: Path, owner: "subprocess.Popen[bytes]") -> None:
        prompts = PendingPrompts(path)
        assert prompts.adopt("session") == []
        prompts.close()

    def test_the_prompts_of_a_killed_process_are_taken_up_in_order(
        self, path: Path, owner: "subprocess.Popen[bytes]"
    ) -> None:
        owner.kill()
        owner.wait()
        prompts = PendingPrompts(path)
        assert [prompt.key for prompt in prompts.adopt("session")] == ["one", "two"]
        assert prompts.adopt("session") == []
        assert names_in(path.with_name("outbox.owners")) == [prompts.owner]
        prompts.close()

    def test_those_of_another_outbox_in_this_process_are_left_to_it(self, path: Path, kept: PendingPrompts) -> None:
        kept.submit(key(), "session", PARAMS, 0)
        other = PendingPrompts(path)
        assert other.adopt("session") == []
        kept.close()
        assert len(other.adopt("session")) == 1
        other.close()

    def test_what_is_left_open_is_what_nobody_was_told_of(self, path: Path) -> None:
        first = PendingPrompts(path)
        names = ["pending", "failed", "failed and told", "inserted", "inserted and told"]
        for name in names:
            first.submit(IdempotencyKey(name), "session", PARAMS, 0)
        for name in names[1:3]:
            first.failed(IdempotencyKey(name), ERROR, is_told=name.endswith("told"))
        for name in names[3:]:
            first.inserted(IdempotencyKey(name), "message", is_told=name.endswith("told"))
        first.close()
        second = PendingPrompts(path)
        assert [prompt.key for prompt in second.adopt("session")] == ["pending", "failed", "inserted"]
        second.close()

    def test_what_is_to_be_sent_in_other_sessions_is_left_and_what_is_only_to_be_told_is_not(self, path: Path) -> None:
        first = PendingPrompts(path)
        for name in ("pending", "failed", "cancelled"):
            first.submit(IdempotencyKey(name), "session", PARAMS, 0)
        first.failed(IdempotencyKey("failed"), ERROR, is_told=False)
        first.cancel(IdempotencyKey("cancelled"))
        first.close()
        second = PendingPrompts(path)
        assert [prompt.key for prompt in second.adopt("other")] == ["failed", "cancelled"]
        assert [prompt.key for prompt in second.left_behind()] == ["pending"]
        assert [prompt.key for prompt in second.adopt("session")] == ["pending"]
        assert second.left_behind() == []
        second.close()

    def test_what_a_living_process_is_to_send_is_not_left_behind(
        self, path: Path, owner: "subprocess.Popen[bytes]"
    ) -> None:
        prompts = PendingPrompts(path)
        assert prompts.left_behind() == []
        owner.kill()
        owner.wait()
        assert [prompt.key for prompt in prompts.left_behind()] == ["one", "two"]
        prompts.close()

    def test_only_one_of_two_takes_a_prompt_up(self, path: Path) -> None:
        first = PendingPrompts(path)
        first.submit(key(), "session", PARAMS, 0)
        first.close()
        others = [PendingPrompts(path) for _ in range(2)]
        assert sorted(len(other.adopt("session")) for other in others) == [0, 1]
        for other in others:
            other.close()

    def test_the_memory_of_a_process_has_no_other_owner(self) -> None:
        prompts = PendingPrompts(":memory:")
        prompts.submit(key(), "session", PARAMS, 0)
        assert prompts.adopt("session") == []
        prompts.close()
