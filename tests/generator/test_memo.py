"""The generator's memory: what it gives back, and what makes it forget."""

from pathlib import Path

import pytest

from generator import memo
from generator.memo import remembered


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memo, "HOME", tmp_path / "memory")
    return tmp_path / "memory"


def test_what_depends_on_the_same_is_made_once():
    first = remembered("letters", {"a": 1}, lambda: {"file": "made"})

    assert remembered("letters", {"a": 1}, lambda: pytest.fail("made again")) == first == {"file": "made"}


@pytest.mark.parametrize("other", [{"a": 1, "b": 3}, {"b": 2, "a": 1}], ids=["another value", "another order"])
def test_what_depends_on_anything_else_is_made_anew(other: dict[str, int]):
    remembered("letters", {"a": 1, "b": 2}, lambda: {"file": "old"})

    assert remembered("letters", other, lambda: {"file": "new"}) == {"file": "new"}


def test_a_memory_that_cannot_be_read_is_made_anew(home: Path):
    remembered("letters", 1, lambda: {"file": "old"})
    for path in (home / "letters").iterdir():
        path.write_text("{")

    assert remembered("letters", 1, lambda: {"file": "new"}) == {"file": "new"}


def test_the_latest_few_are_kept(home: Path):
    for number in range(2 * memo.KEPT):
        remembered("letters", number, lambda: {"file": "made"})

    assert len(list((home / "letters").iterdir())) == memo.KEPT
