"""The pages that a registry gives: which there are, what stands in them, and that they follow from the registry."""

import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import markdown
import pytest

from generator import memo
from generator.emit.docs import emit
from generator.load import load
from generator.model import Protocol, Struct
from generator.site_links import Links, cell, generated_pages, method_page, tidy, topic_page

REPOSITORY = Path(__file__).parents[3]
SCHEMA = json.loads((REPOSITORY / "acp_v2/schema/schema.unstable.json").read_text("utf-8"))
METHODS = sorted({d["x-method"] for d in SCHEMA["$defs"].values() if "x-method" in d})

NEW_METHOD = """
  session/rename_branch:
    summary: Rename a session's branch.
    doc: The branch keeps its commits; only its name changes.
    unstable: true
    needs: agent.session
    request:
      from: client
      to: agent
      params: RenameBranchRequest
      result: RenameBranchResponse
      retry:
        class: safe
        why: It sets a value, so that the last write stands.
        again: The same name is set again.
"""
NEW_TYPES = """
  RenameBranchRequest:
    unstable: true
    doc: Gives the session's branch another name.
    fields: {}
  RenameBranchResponse:
    unstable: true
    doc: The branch has its new name.
    fields: {}
"""


@pytest.fixture(scope="module")
def protocol() -> Protocol:
    return load(REPOSITORY)


@pytest.fixture(scope="module")
def files(protocol: Protocol) -> dict[str, str]:
    return emit(protocol)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A registry to edit, as large as the real one."""
    shutil.copytree(REPOSITORY / "spec", tmp_path / "spec")
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"stands {text.count(old)} times in {path}: {old}"
    path.write_text(text.replace(old, new), "utf-8")


def shown(page: str) -> str:
    """A page as the site shows it: HTML."""
    extensions = ["attr_list", "md_in_html", "tables", "pymdownx.details", "pymdownx.superfences", "pymdownx.tabbed"]
    return markdown.markdown(
        page, extensions=extensions, extension_configs={"pymdownx.tabbed": {"alternate_style": True}}
    )


def read(page: str) -> str:
    """A page as a reader sees it: the text of its HTML."""
    return html.unescape(re.sub(r"<[^>]+>", "", shown(page)))


def test_the_pages_are_the_written_and_the_generated_ones(protocol: Protocol, files: dict[str, str]):
    pages = {path.removeprefix("site/docs/") for path in files if path.endswith(".md")}

    assert pages == generated_pages(protocol) | {f"{page.slug}.md" for page in protocol.pages}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_the_unstable_schema_has_a_page(files: dict[str, str], method: str):
    assert f"# `{method}`\n" in files[f"site/docs/{method_page(method)}"]


def test_the_unstable_schema_has_all_methods(protocol: Protocol):
    assert [m.name for m in protocol.methods if m.name not in METHODS] == []


@pytest.mark.parametrize("method", METHODS)
def test_a_method_page_has_all_that_a_reader_looks_for(protocol: Protocol, files: dict[str, str], method: str):
    page = files[f"site/docs/{method_page(method)}"]
    messages = protocol.method(method).messages
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)

    for message in messages:
        suffix = f" as a {message.kind}" if len(messages) > 1 else ""
        wanted = ["Sending it again", "Params", *(["Result", "Errors"] if message.kind == "request" else [])]
        assert [f"{name}{suffix}" for name in wanted if f"{name}{suffix}" not in headings] == []
        assert f"(../overview.md#class-{message.retry.class_name})" in page
        assert message.sender in page
        assert f"Schema of the params, `{message.params}`" in page or message.params not in protocol.types
    assert '=== "JSON"' in page
    assert '=== "Python"' in page
    assert [r for r in protocol.method(method).rules if f"#{r})" not in page] == []


@pytest.mark.parametrize("method", METHODS)
def test_a_method_page_leads_to_the_methods_line_in_the_registry(files: dict[str, str], method: str):
    line = int(re.search(r"registry\.md#line-0-(\d+)\)", files[f"site/docs/{method_page(method)}"])[1])
    registry = (REPOSITORY / "spec/methods.yaml").read_text("utf-8").splitlines()

    assert registry[line - 1].strip() == f"{method}:"


def test_the_audit_has_every_message_once(protocol: Protocol, files: dict[str, str]):
    rows = re.findall(
        r"^\| \[`([^`]+)`\]\([^)]*\)( request| notification)? \|", files["site/docs/audit.md"], re.MULTILINE
    )

    messages = [
        (m.method, f" {m.kind}" if len(protocol.method(m.method).messages) > 1 else "") for m in protocol.messages()
    ]
    assert sorted(rows) == sorted(messages)


def test_every_type_and_every_field_of_an_object_has_an_anchor(protocol: Protocol, files: dict[str, str]):
    missing = [
        anchor
        for definition in protocol.types.values()
        for anchor in (
            definition.name,
            *(
                f"{definition.name}.{field.name}"
                for field in (definition.shape.fields if isinstance(definition.shape, Struct) else ())
            ),
        )
        if f"{{ #{anchor} }}" not in files[f"site/docs/{topic_page(definition.topic)}"]
    ]

    assert missing == []


def test_a_type_says_who_uses_it(files: dict[str, str]):
    section = files["site/docs/types/prompt.md"].split("{ #IdempotencyKey }\n")[1].split("\n## ")[0]

    assert "\nUsed by [`PromptRequest`](#PromptRequest)\n" in section


def test_every_rule_is_in_the_traceability_with_what_checks_it(protocol: Protocol, files: dict[str, str]):
    rows = re.findall(r"^\| `([A-Z]+-\d+)`.* \| (.*) \|$", files["site/docs/traceability.md"], re.MULTILINE)

    assert [rule for rule, _ in rows] == [rule.id for rule in protocol.rules]
    assert [rule for rule, check in rows if not check] == []


def test_numbers_follow_from_the_registry(copy: Path, files: dict[str, str]):
    methods = copy / "spec/methods.yaml"
    methods.write_text(methods.read_text("utf-8") + NEW_METHOD, "utf-8")
    types = copy / "spec/types/session.yaml"
    types.write_text(types.read_text("utf-8") + NEW_TYPES, "utf-8")

    changed = emit(load(copy))

    def numbers(made: dict[str, str], path: str, pattern: str) -> list[int]:
        return [int(n) for n in re.search(pattern, made[f"site/docs/{path}"]).groups()]

    for path, pattern, more in [
        ("audit.md", r"Of (\d+) methods (\d+) are \[safe\].* (\d+) is \[keyed\].* (\d+) are \[dupl", [1, 1, 0, 0]),
        ("methods/index.md", r"has (\d+) methods with (\d+) messages", [1, 1]),
        ("types/index.md", r"(\d+) types in (\d+) topics", [2, 0]),
        ("index.md", r"each of the (\d+) methods", [1]),
        ("index.md", r"\[safe\].*? \| (\d+) \|", [1]),
        ("llms.txt", r"each of (\d+) methods", [1]),
    ]:
        before, after = numbers(files, path, pattern), numbers(changed, path, pattern)
        assert after == [n + m for n, m in zip(before, more, strict=True)], path
    assert "session/rename_branch" in changed["site/docs/methods/session-rename_branch.md"]
    assert "methods/session-rename_branch.md" in changed["site/mkdocs.yml"]


MARKUP = r"<script>alert(1)</script> a | b {{ 1 + 1 }} *c* _d_ [e](f) ![g](h) `i|j *k*` { .l } &lt; \* # end."


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of a registry whose texts have in them all that means something to HTML, Markdown or Jinja."""
    copy = tmp_path_factory.mktemp("marked")
    shutil.copytree(REPOSITORY / "spec", copy / "spec")
    for file, text in [
        ("methods.yaml", "summary: Submit user input to a session."),
        ("methods.yaml", "again: A second fork is created."),
        ("types/prompt.yaml", "doc: The session whose work and waiting prompts are to be cancelled."),
        ("rules.yaml", "text: A proxy passes `idempotencyKey` on unchanged."),
        ("examples/session/prompt.yaml", "title: A prompt with a key"),
    ]:
        edit(copy / "spec" / file, f"{text}\n", f"{text.partition(':')[0]}: {json.dumps(MARKUP)}\n")
    return emit(load(copy))


@pytest.mark.parametrize(
    ("page", "times"),
    [
        ("methods/session-prompt.md", 3),  # the summary, a rule, an example's title
        ("methods/session-fork.md", 1),
        ("methods/session-cancel.md", 1),
        ("methods/index.md", 1),
        ("types/prompt.md", 1),
        ("audit.md", 1),
        ("traceability.md", 1),
        ("proxies.md", 1),
    ],
)
def test_what_a_text_of_the_registry_says_is_shown_and_not_carried_out(marked: dict[str, str], page: str, times: int):
    text = marked[f"site/docs/{page}"].partition("\n---\n")[2]

    assert read(text).count(MARKUP.replace("`", "")) == times
    assert "<script>" not in shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "- a", "+ a", "* a", "1. a", "2) a", "> a", "# a", "a\n---", "a\n===", "~~~", "```", "---", "!!! note",
        "??? note", '=== "a"', ": a", "    a", "| a | b |", '--8<-- "CHANGELOG.md"', "[a]: https://x.example",
        "one\n\n- two", "one\n\n    two", "\u202ea", "\U0001fa90" * 300, "a" * 3000,
    ],
)  # fmt: skip
def test_a_text_of_the_registry_is_a_paragraph_however_it_begins(protocol: Protocol, text: str):
    made = Links(protocol, "overview.md").text(text)

    assert set(re.findall(r"<(\w+)", shown(made))) == {"p"}
    assert re.sub(r"\s+", " ", read(made)).strip() == re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize(
    ("text", "made"),
    [("a | b", r"a \| b"), ("`a|b` | c", r"`a|b` \| c"), ("one\n\ntwo\n", "one two")],
)
def test_a_cell_is_one_line_and_ends_at_no_bar_of_its_text(text: str, made: str):
    assert cell(text) == made


def test_empty_lines_in_code_are_kept():
    code = "    ```python\n    a = 1\n\n\n    b = 2\n    ```"

    assert tidy(f"One.\n\n\n\n{code}\n\n\nTwo.\n") == f"One.\n\n{code}\n\nTwo.\n"


def test_a_page_that_moved_leaves_one_behind_that_leads_to_it(copy: Path):
    (copy / "spec/guide/moved.yaml").write_text("guide/old: methods/session-prompt\nkeys: overview\n")

    files = emit(load(copy))

    for old, to in (("guide/old", "../../methods/session-prompt/"), ("keys", "../overview/")):
        page = files[f"site/docs/{old}/index.html"]
        assert f'<meta http-equiv="refresh" content="0; url={to}">' in page
        assert f'<link rel="canonical" href="{to}">' in page
        assert f'<a href="{to}">' in page


def test_a_page_that_moves_is_not_forgotten(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memo, "HOME", tmp_path / "memory")
    moved = copy / "spec/guide/moved.yaml"
    moved.write_text("keys: overview\n")
    emit(load(copy))
    moved.write_text("keys: transports\n")

    assert 'href="../transports/"' in emit(load(copy))["site/docs/keys/index.html"]


def test_the_text_for_language_models_names_pages_that_are_there(files: dict[str, str]):
    links = re.findall(r"\]\(([^)]+)\)", files["site/docs/llms.txt"])

    assert len(links) > 60
    pages = {path.removesuffix(".md").removesuffix("/index") for path in files}
    assert [link for link in links if f"site/docs/{posixpath.dirname(link)}" not in pages] == []


def test_a_registry_without_a_guide_gives_no_pages(registry: Path):
    assert emit(load(registry)) == {}


def test_the_same_registry_gives_the_same_bytes():
    program = (
        "import hashlib, json, pathlib;"
        "from generator.load import load; from generator.emit.docs import _Site;"
        "made = _Site(load(pathlib.Path('.'))).files();"
        "print(json.dumps({name: hashlib.sha256(text.encode()).hexdigest() for name, text in made.items()}))"
    )

    def made(seed: str) -> dict[str, Any]:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return json.loads(subprocess.check_output([sys.executable, "-c", program], cwd=REPOSITORY, env=environment))

    first, second = made("1"), made("2")
    assert len(first) > 70
    assert first == second
