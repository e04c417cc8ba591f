"""`acpspec` as a person and as a program use it: output, exit codes, and what is said when it cannot go on."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_v2.cli import main
from acp_v2.schema_files import load_schema_file

PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}], "idempotencyKey": "k"}
MESSAGES = {
    (name, message["kind"])
    for name, method in load_schema_file("methods.json")["methods"].items()
    for message in method["messages"]
}


def message(**fields: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **fields})


class Run:
    """Runs a command in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        try:
            code = main(argv)
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)


@pytest.fixture
def write(tmp_path: Path):
    def put(*lines: str) -> str:
        path = tmp_path / "messages.ndjson"
        path.write_text("\n".join(lines), "utf-8")
        return str(path)

    return put


# The program as a whole


def test_help_lists_the_commands_and_the_exit_codes(run: Run):
    code, out, _ = run("--help")

    assert code == 0
    assert all(word in out for word in ("audit", "explain", "validate", "build", "check", "lint", "exit codes"))


def test_help_loads_no_library():
    program = (
        "import sys, acp_v2.cli as c\ntry: c.main(['--help'])\nexcept SystemExit: pass\nprint(sorted(sys.modules))"
    )
    out = subprocess.check_output([sys.executable, "-c", program], text=True)
    loaded = set(out.strip().splitlines()[-1].strip("[]").replace("'", "").split(", "))

    assert loaded & {"jsonschema", "rich", "yaml", "pydantic", "json"} == set()


def test_wrong_usage_exits_2(run: Run):
    assert run("explode")[0] == 2
    assert run()[0] == 2


@pytest.mark.parametrize("command", ["audit --json", "audit", "explain keyed", "lint --codes", "--help"])
def test_a_reader_that_goes_away_is_no_error(command: str):
    script = f"{sys.executable} -m acp_v2 {command} | true; exit ${{PIPESTATUS[0]}}"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=environment)

    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_cannot_show_a_character_shows_another():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    out = subprocess.check_output([sys.executable, "-m", "acp_v2", "explain", "session/prompt"], env=environment)

    assert b"client ? agent" in out


def test_there_is_no_colour_in_a_pipe_and_no_space_at_line_ends(run: Run):
    for argv in (["audit"], ["explain", "session/prompt"], ["explain", "PromptRequest"]):
        out = run(*argv)[1]
        assert "\x1b" not in out
        assert [line for line in out.splitlines() if line != line.rstrip()] == []


def test_there_is_colour_on_a_terminal():
    main_end, other_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    subprocess.run(
        [sys.executable, "-m", "acp_v2", "audit", "--class", "keyed"], stdout=other_end, env=environment, check=True
    )
    os.close(other_end)

    assert b"\x1b[" in os.read(main_end, 65536)


def test_a_missing_extra_is_named(tmp_path: Path):
    program = (
        "import sys; sys.modules['jsonschema'] = None\n"
        "from acp_v2.cli import main; sys.exit(main(['validate', sys.argv[1]]))"
    )
    path = tmp_path / "m.json"
    path.write_text(message(id=1, method="session/list"))
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == "acpspec: this command needs jsonschema; install it with: pip install 'acp-v2[cli]'\n"


# audit


def test_the_audit_has_every_message(run: Run):
    code, out, _ = run("audit", "--json")
    rows = json.loads(out)

    assert code == 0
    assert {(r["method"], r["kind"]) for r in rows} == MESSAGES
    assert {r["method"]: r["retry_class"] for r in rows}["session/fork"] == "duplicating"
    assert all(r["again"] and r["why"] for r in rows)


@pytest.mark.parametrize(
    ("filters", "methods"),
    [
        (["session/list"], {"session/list"}),
        (["session/list", "session/fork", "--class", "duplicating"], {"session/fork"}),
        (["--class", "keyed,duplicating"], {"session/prompt", "session/new", "session/fork"}),
        (["--class", "keyed"], {"session/prompt"}),
        (["--class", "duplicating"], {"session/new", "session/fork"}),
        (["--class", "duplicating", "--stability", "stable"], {"session/new"}),
        (["--class", "keyed", "--class", "duplicating"], {"session/prompt", "session/new", "session/fork"}),
        (["--side", "conductor"], {"proxy/initialize", "proxy/successor", "$/cancel_request"}),
        (["--side", "proxy"], {"proxy/successor", "$/cancel_request"}),
        (
            ["--side", "agent"],
            {
                "session/request_permission",
                "elicitation/create",
                "mcp/message",
                "session/update",
                "elicitation/complete",
                "auth/status_update",
                "$/cancel_request",
            },
        ),
    ],
)
def test_the_audit_is_filtered_by_class_side_and_stability(run: Run, filters: list[str], methods: set[str]):
    assert {r["method"] for r in json.loads(run("audit", "--json", *filters)[1])} == methods


def test_the_audit_as_csv_can_be_read_back(run: Run):
    rows = list(csv.DictReader(io.StringIO(run("audit", "--format", "csv")[1])))

    assert len(rows) == len(MESSAGES)
    assert next(r for r in rows if r["method"] == "session/prompt")["key"] == "idempotencyKey"


def test_the_audit_as_markdown_is_one_table(run: Run):
    lines = run("audit", "--format", "markdown")[1].splitlines()

    assert len(lines) == len(MESSAGES) + 2
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_the_audit_as_a_table_explains_the_classes_it_shows(run: Run):
    out = run("audit", "--class", "duplicating")[1]

    assert "session/new" in out
    assert "An SDK does not resend it on its own." in out
    assert "keyed" not in out


def test_an_unknown_class_is_refused_with_the_known_ones(run: Run):
    code, _, err = run("audit", "--class", "idempotent")

    assert code == 2
    assert err == "acpspec: no retry class idempotent; there are safe, keyed, duplicating, connection_bound\n"


# explain


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "session/prompt",
            ["keyed, key idempotencyKey", "-32602 invalid_params", "PromptResponse", "spec/methods.yaml:"],
        ),
        (
            "PromptRequest",
            ["idempotencyKey", "IdempotencyKey | null", "list of ContentBlock", "spec/types/prompt.yaml:"],
        ),
        ("PromptRequest.idempotencyKey", ["the message is rejected", "spec/types/prompt.yaml:"]),
        ("IdempotencyKey", ["1 to 255 characters", "PromptRequest"]),
        ("ContentBlock", ["text", "TextContent", "(other)"]),
        ("-32602", ["Invalid params", "session/prompt: "]),
        ("invalid_params", ["-32602"]),
        ("duplicating", ["session/new", "session/fork"]),
        ("retry-key", ["optional, nullable and strict"]),
        ("Annotations.audience", ["taken as absent; malformed items are dropped"]),
        ("SessionForkCapabilities", ["unstable"]),
        ("agent.session.fork", ["SessionCapabilities.fork", "session/fork"]),
        ("idempotencyKey", ["PromptRequest.idempotencyKey", "required: no"]),
        ("end_turn", ["variant of IdleStateUpdate"]),
        ("allow_once", ["value of PermissionOptionKind"]),
        ("prompt", ["field PromptRequest.prompt", "session/prompt"]),
        ("SESSION/PROMPT", ["session/prompt"]),
        ("_meta", ["metadata"]),
    ],
)
def test_explain_knows_methods_types_fields_errors_classes_and_findings(run: Run, name: str, words: list[str]):
    code, out, _ = run("explain", name)

    assert code == 0
    assert [word for word in words if word not in out] == []


def test_explain_as_json_has_the_same_facts(run: Run):
    facts = json.loads(run("explain", "session/prompt", "--json")[1])

    assert facts["messages"][0]["retry"]["key"] == "idempotencyKey"


@pytest.mark.parametrize(
    ("name", "meant"),
    [("session/promt", "session/prompt"), ("PromptReqest", "PromptRequest"), ("safer", "safe")],
)
def test_explain_says_what_may_have_been_meant(run: Run, name: str, meant: str):
    code, out, err = run("explain", name)

    assert (code, out) == (1, "")
    assert f"nothing is called {name}; did you mean" in err
    assert meant in err


# validate


def test_a_valid_message_is_said_to_be_what_it_is(run: Run, write):
    code, out, _ = run("validate", write(message(id=1, method="session/prompt", params=PROMPT)))

    assert code == 0
    assert out.splitlines() == ["request session/prompt, sent by the client", "retry class: keyed", "valid"]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("", "is empty; 1 to 255 characters are allowed"),
        ("k" * 256, "has 256 characters; 1 to 255 characters are allowed"),
        (5, "has to be a string, but is a number"),
    ],
)
def test_a_malformed_key_is_explained_with_its_pointer(run: Run, write, key: Any, text: str):
    code, out, _ = run(
        "validate", write(message(id=1, method="session/prompt", params={**PROMPT, "idempotencyKey": key}))
    )

    assert code == 1
    assert f"  /params/idempotencyKey {text}" in out.splitlines()


def test_a_file_of_lines_is_one_conversation(run: Run, write):
    path = write(
        message(id=1, method="session/prompt", params=PROMPT),
        "",
        message(id=1, result={"messageId": 5}),
        message(method="session/cancel", params={"sessionId": "s"}),
    )

    code, out, _ = run("validate", path)

    assert code == 1
    assert out.splitlines()[:2] == [
        "line 3: response to session/prompt, sent by the agent",
        "  /result/messageId has to be a string, but is a number",
    ]
    assert out.splitlines()[-1] == "3 messages, 1 not valid"


def test_one_message_may_span_lines(run: Run, write):
    text = json.dumps(json.loads(message(id=1, method="session/prompt", params=PROMPT)), indent=2)

    assert run("validate", write(text))[0] == 0


def test_a_broken_message_that_spans_lines_is_one_error(run: Run, write):
    code, out, _ = run("validate", write("{", '  "jsonrpc": "2.0",', '  "id": 1,,', "}"))

    assert code == 1
    assert "line 3, column 11" in out
    assert "the answer is -32700" in out


def test_a_response_needs_its_method(run: Run, write):
    path = write(message(id=1, result={"messageId": "m"}))

    assert run("validate", path)[0] == 1
    assert run("validate", path, "--method", "session/prompt")[0] == 0


def test_the_side_that_wrote_it_is_checked(run: Run, write):
    path = write(message(id=1, method="session/prompt", params=PROMPT))

    code, out, _ = run("validate", path, "--from", "agent")

    assert code == 1
    assert "the agent must not send the request session/prompt; it goes from client to agent" in out


def test_each_message_is_an_object_with_json(run: Run, write):
    path = write(message(id=1, method="session/prompt", params=PROMPT), "{")

    code, out, _ = run("validate", path, "--json")
    first, second = (json.loads(line) for line in out.splitlines())

    assert code == 1
    assert (first["line"], first["valid"], first["method"], first["retry_class"]) == (
        1,
        True,
        "session/prompt",
        "keyed",
    )
    assert (second["line"], second["valid"], second["problems"][0]["pointer"]) == (2, False, "")


def test_standard_input_is_a_file_too():
    text = message(id=1, method="session/prompt", params=PROMPT)
    done = subprocess.run(
        [sys.executable, "-m", "acp_v2", "validate", "-"], input=text, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b'{"jsonrpc": "2.0", "id": NaN}', "NaN is no number"),
        (b"[" * 100_000, "nests deeper"),
        (b"[]", "v2 has no batches"),
        (b'{"id": 1, "id": 2}', 'the key "id" twice'),
        (b'{"jsonrpc":"2.0","id":1,"method":"session/close","params":{"sessionId":"\\ud800"}}', "lone surrogate"),
    ],
)
def test_what_is_no_message_is_a_finding_and_no_crash(run: Run, tmp_path: Path, content: bytes, words: str):
    path = tmp_path / "m"
    path.write_bytes(content)

    code, out, _ = run("validate", str(path))

    assert code == 1
    assert words in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["validate", "/nowhere"], "/nowhere cannot be read: No such file or directory"),
        (["validate", "/"], "/ cannot be read: Is a directory"),
        (["validate", "/dev/null"], "/dev/null holds no message"),
        (["validate", "/dev/null", "--method", "x"], "holds no message"),
    ],
)
def test_what_cannot_be_validated_exits_2(run: Run, argv: list[str], words: str):
    code, _, err = run(*argv)

    assert code == 2
    assert words in err


def test_an_unknown_method_is_refused(run: Run, write):
    code, _, err = run("validate", write(message(id=1, result={})), "--method", "session/promt")

    assert code == 2
    assert err == "acpspec: v2 has no method session/promt; `acpspec audit` lists them\n"
