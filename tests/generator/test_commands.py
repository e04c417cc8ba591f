"""`build`, `check` and `lint` on a registry, and on the real one."""

import json
from pathlib import Path

import pytest

from generator.cli import main

REPOSITORY = Path(__file__).parents[2]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_generated_files_of_this_repository_are_up_to_date(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "check")

    assert code == 0, out
    assert out.endswith("; the generated files are up to date\n")


def test_this_repository_has_nothing_to_find_fault_with(capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "lint")

    assert code == 0, err
    assert out.endswith("; nothing to find fault with\n")


def test_build_then_check_is_content(registry: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "build", "--root", str(registry))

    assert code == 0
    assert out.splitlines()[-1].startswith("6 methods, 6 messages, 22 types; ")
    assert run(capsys, "check", "--root", str(registry))[0] == 0


def test_build_twice_changes_nothing(registry: Path, capsys: pytest.CaptureFixture[str]):
    main(["build", "--root", str(registry)])

    assert run(capsys, "build", "--root", str(registry))[1].splitlines()[-1].endswith("no generated files changed")


def test_check_after_an_edit_of_the_registry_names_the_file_and_the_line(
    registry: Path, capsys: pytest.CaptureFixture[str]
):
    main(["build", "--root", str(registry)])
    path = registry / "spec/methods.yaml"
    path.write_text(path.read_text().replace("It answers anew.", "It answers once more."))
    capsys.readouterr()

    code, out, _ = run(capsys, "check", "--root", str(registry))

    assert code == 1
    assert out.splitlines()[0].startswith("acp_v2/schema/methods.json:")
    assert 'expected:             "again": "It answers once more."' in out
    assert 'found:                "again": "It answers anew."' in out
    assert out.splitlines()[-1] == "one generated file is not what the registry gives; run `acpspec build`"


def test_check_as_json_is_for_programs(registry: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "check", "--json", "--root", str(registry))

    assert code == 1
    assert {d["kind"] for d in json.loads(out)} == {"missing"}


@pytest.mark.parametrize("command", ["build", "check", "lint"])
def test_a_fault_of_the_registry_is_printed_and_nothing_is_written(
    registry: Path, capsys: pytest.CaptureFixture[str], command: str
):
    path = registry / "spec/methods.yaml"
    path.write_text(path.read_text().replace("class: safe", "class: saved"))

    code, out, err = run(capsys, command, "--root", str(registry))

    assert (code, out) == (1, "")
    assert err.splitlines()[0] == (
        "spec/methods.yaml:112: methods.note/list.request.retry.class: no retry class saved; "
        "there are safe, keyed, duplicating and connection_bound [unknown-class]"
    )
    assert not (registry / "acp_v2").exists()


def test_lint_as_json_is_for_programs(registry: Path, capsys: pytest.CaptureFixture[str]):
    path = registry / "spec/methods.yaml"
    path.write_text(path.read_text().replace("class: safe", "class: saved"))

    (finding,) = json.loads(run(capsys, "lint", "--json", "--root", str(registry))[1])

    assert finding["path"] == "methods.note/list.request.retry.class"
    assert (finding["file"], finding["line"], finding["code"]) == ("spec/methods.yaml", 112, "unknown-class")


def test_lint_lists_its_codes(capsys: pytest.CaptureFixture[str]):
    assert "alias-cycle" in run(capsys, "lint", "--codes")[1]


def test_a_folder_without_a_registry_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = run(capsys, "lint", "--root", str(tmp_path))

    assert code == 1
    assert err.startswith("spec/registry.schema.json:1: the notation's schema cannot be read: ")
