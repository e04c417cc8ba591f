"""Speed of the registry's commands."""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from acp_v2.schema_files import load_schema_file
from tests.bench.measure import Figure, command_seconds, seconds

REPOSITORY = Path(__file__).parents[2]
ACPSPEC = str(Path(sys.executable).with_name("acpspec"))


def figures() -> Iterator[Figure]:
    """Each with the limit that it has to keep to."""
    yield Figure("acpspec --help", command_seconds([ACPSPEC, "--help"]), "s", 0.2)
    yield Figure("acpspec check", command_seconds([ACPSPEC, "check"]), "s", 1.0, _parts_of_check())
    one = conversation(1)
    yield Figure("acpspec validate, one message", command_seconds([ACPSPEC, "validate", "-"], stdin=one), "s", 0.4)
    with tempfile.NamedTemporaryFile(suffix=".ndjson") as file:
        file.write(conversation(10_000))
        file.flush()
        yield Figure(
            "acpspec validate, 10,000 mixed messages", command_seconds([ACPSPEC, "validate", file.name]), "s", 5.0
        )


def conversation(count: int) -> bytes:
    """That many valid messages of every method, newline-delimited: each example in turn, and the answers."""
    lines: list[str] = []
    examples = load_schema_file("examples.json")["examples"]
    number = 0
    while len(lines) < count:
        example = examples[number % len(examples)]
        number += 1
        identity = {"id": number} if example["kind"] == "request" else {}
        lines.append(
            json.dumps({"jsonrpc": "2.0", **identity, "method": example["method"], "params": example["params"]})
        )
        if answer := {k: example[k] for k in ("result", "error") if k in example}:
            lines.append(json.dumps({"jsonrpc": "2.0", **identity, **answer}))
    return "\n".join(lines[:count]).encode()


def _parts_of_check() -> dict[str, float]:
    """Where `acpspec check` spends its time, in seconds."""
    from generator.commands import EMITTERS
    from generator.lint import lint
    from generator.load import load
    from generator.write import check, emit_all

    protocol = load(REPOSITORY)
    files = emit_all(protocol, EMITTERS)
    return {
        "starting Python and importing": command_seconds([sys.executable, "-c", "import generator.commands"]),
        "reading and checking the registry": seconds(lambda: load(REPOSITORY)),
        "lint": seconds(lambda: lint(protocol)),
        "emitting": seconds(lambda: emit_all(protocol, EMITTERS)),
        "comparing": seconds(lambda: check(REPOSITORY, files)),
    }
