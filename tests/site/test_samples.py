"""What the pages show as code runs, and what they show as a message is one."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acp_v2.message_validation import MessageValidator
from acp_v2.schema_files import load_schema_file
from acp_v2.wire import read_json
from acp_v2.wire_model import WireModel

REPOSITORY = Path(__file__).parents[2]
PAGES = REPOSITORY / "site" / "docs"
EXAMPLES = load_schema_file("examples.json")["examples"]

FENCED = re.compile(r"(?ms)^(?P<indent> *)```(?P<language>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$")


@dataclass(frozen=True)
class Block:
    language: str
    options: str
    text: str


def blocks(page: str, language: str) -> list[Block]:
    """The page's blocks of code in a language, in their order."""
    return [block for block in all_blocks((PAGES / page).read_text("utf-8")) if block.language == language]


def all_blocks(text: str) -> Iterator[Block]:
    for match in FENCED.finditer(text):
        lines = match["text"].splitlines()
        yield Block(
            match["language"], match["options"].strip(), "\n".join(x.removeprefix(match["indent"]) for x in lines)
        )


def pages_with(language: str) -> list[str]:
    """The pages that show something in a language, the registry's own text aside."""
    pages = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md"))
    return [page for page in pages if blocks(page, language)]


def on_the_wire(value: Any) -> Any:
    return value.to_wire() if isinstance(value, WireModel) else value


def examples() -> Iterator[Any]:
    """Each example of each method's page: its blocks."""
    for path in sorted((PAGES / "methods").glob("*.md")):
        shown = path.read_text("utf-8").partition("\n## Examples\n")[2].partition("\n??? note")[0]
        for number, part in enumerate(shown.split("\n### ")[1:], 1):
            yield pytest.param(list(all_blocks(part)), id=f"{path.stem}-{number}")


def test_every_example_is_on_the_page_of_its_method():
    assert len(list(examples())) == len(EXAMPLES)


@pytest.mark.parametrize("shown", list(examples()))
def test_the_python_of_an_example_builds_the_json_beside_it(shown: list[Block]):
    call, *answer = [json.loads(block.text) for block in shown if block.language == "json"]
    (python,) = [block for block in shown if block.language == "python"]

    made: dict[str, Any] = {}
    exec(python.text, made)  # noqa: S102

    wanted = {"params": call["params"], **{k: a[k] for a in answer for k in ("result", "error") if k in a}}
    names = ("params", "result", "error")
    assert {name: on_the_wire(made[name]) for name in names if name in made} == wanted


@pytest.mark.parametrize("page", [page for page in pages_with("python") if "/" not in page])
def test_the_python_of_a_page_runs_from_top_to_bottom(page: str):
    names: dict[str, Any] = {"__name__": "__main__"}

    for block in blocks(page, "python"):
        exec(compile(block.text, page, "exec"), names)  # noqa: S102


def test_the_guide_shows_python():
    assert {page for page in pages_with("python") if "/" not in page} >= {"client-sdks.md", "agent-sdks.md"}


@pytest.mark.parametrize("page", pages_with("json"))
def test_the_json_of_a_page_is_valid(page: str):
    """Messages are judged as one conversation, so that an answer belongs to the request before it."""
    validator = MessageValidator()
    faults: list[str] = []
    for block in blocks(page, "json"):
        value = read_json(block.text)
        if "jsonrpc" in value:
            verdict = validator.check(value)
            if verdict.is_valid == ("rejected" in block.options):
                faults.append(f"{block.text}\n{verdict.problems}")

    assert faults == []


def test_a_message_that_is_rejected_is_shown_as_such():
    assert [block.options for block in blocks("prompt-lifecycle.md", "json")].count('title="rejected"') == 1
