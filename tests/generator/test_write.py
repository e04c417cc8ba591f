"""Laying files down and comparing them, one behaviour each."""

from pathlib import Path

import pytest

from generator.write import OutputClashError, build, check, emit_all

FILES = {"acp_v2/schema/a.json": "one\ntwo\nthree\n", "acp_v2/schema/deep/b.json": "x\n"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    build(tmp_path, FILES)
    return tmp_path


def test_build_writes_every_file(built: Path):
    assert {p: (built / p).read_text() for p in FILES} == FILES


def test_build_a_second_time_changes_nothing(built: Path):
    before = {p: (built / p).stat().st_mtime_ns for p in FILES}

    assert build(built, FILES) == []
    assert {p: (built / p).stat().st_mtime_ns for p in FILES} == before


def test_build_leaves_no_drafts_behind(built: Path):
    assert sorted(p.name for p in built.rglob("*") if p.is_file()) == ["a.json", "b.json"]


def test_build_removes_what_is_no_longer_generated(built: Path):
    assert build(built, {"acp_v2/schema/a.json": FILES["acp_v2/schema/a.json"]}) == ["acp_v2/schema/deep/b.json"]
    assert not (built / "acp_v2/schema/deep/b.json").exists()


def test_build_leaves_files_outside_its_folders_alone(built: Path):
    mine = built / "acp_v2" / "hand_written.py"
    mine.write_text("pass\n")

    build(built, FILES)

    assert mine.exists()


def test_check_is_content_with_what_build_wrote(built: Path):
    assert check(built, FILES) == []


def test_check_names_the_file_and_the_first_differing_line(built: Path):
    (built / "acp_v2/schema/a.json").write_text("one\n2\n3\n")

    (found,) = check(built, FILES)

    assert (found.path, found.kind, found.line, found.expected, found.found) == (
        "acp_v2/schema/a.json",
        "differs",
        2,
        "two",
        "2",
    )


@pytest.mark.parametrize(
    ("text", "line", "found_text"),
    [
        ("one\ntwo\nthree", 4, "(end of file)"),
        ("one\ntwo\nthree\n\n", 5, ""),
        ("", 1, ""),
        ("one\r\ntwo\r\nthree\r\n", 1, "one\\r"),
    ],
)
def test_check_sees_line_ends_and_the_end_of_the_file(built: Path, text: str, line: int, found_text: str):
    (built / "acp_v2/schema/a.json").write_bytes(text.encode())

    (found,) = check(built, FILES)

    assert (found.line, found.found) == (line, found_text)


def test_check_survives_bytes_that_are_no_text(built: Path):
    (built / "acp_v2/schema/a.json").write_bytes(b"one\n\xff\n")

    assert [d.line for d in check(built, FILES)] == [2]


def test_check_names_a_file_that_is_missing(built: Path):
    (built / "acp_v2/schema/a.json").unlink()

    assert [str(d) for d in check(built, FILES)] == ["acp_v2/schema/a.json:1: is missing"]


def test_check_names_a_file_that_was_added_by_hand(built: Path):
    (built / "acp_v2/schema/mine.json").write_text("{}")

    assert [(d.path, d.kind) for d in check(built, FILES)] == [("acp_v2/schema/mine.json", "not generated")]


def test_two_emitters_may_not_claim_one_path():
    with pytest.raises(OutputClashError, match=r"a\.json"):
        emit_all(None, [lambda _: {"a.json": "1"}, lambda _: {"a.json": "1"}])
