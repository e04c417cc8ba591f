"""The examples that the docs show and other languages test against: complete, and told apart by id."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMA_DIR = Path(__file__).parents[1] / "acp_v2" / "schema"
EXAMPLES = json.loads((SCHEMA_DIR / "examples.json").read_text("utf-8"))["examples"]
INSTANCES = json.loads((SCHEMA_DIR / "corpus.json").read_text("utf-8"))["instances"]
METHODS = json.loads((SCHEMA_DIR / "methods.json").read_text("utf-8"))["methods"]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


def test_every_message_has_an_example():
    shown = {(e["method"], e["kind"]) for e in EXAMPLES}

    assert {(name, m["kind"]) for name, method in METHODS.items() for m in method["messages"]} - shown == set()


def test_no_id_stands_twice():
    assert [i for i, n in Counter(e["id"] for e in [*EXAMPLES, *INSTANCES]).items() if n > 1] == []


def test_every_variant_of_every_tagged_union_is_shown(schemas: dict[str, Any]):
    tags = {
        (tag, property_schema["const"])
        for definition in schemas["schema.unstable.json"]["$defs"].values()
        for branch in definition.get("anyOf", ())
        for tag, property_schema in branch.get("properties", {}).items()
        if "const" in property_schema
    }
    shown = {(k, v) for e in EXAMPLES for o in objects(e) for k, v in o.items() if isinstance(v, str)}

    assert len(tags) > 60
    assert tags - shown == set()


def test_a_prompt_is_shown_with_a_key_without_one_with_null_and_again():
    prompts = {e["id"]: e for e in EXAMPLES if e["method"] == "session/prompt"}
    keys = {i: e["params"].get("idempotencyKey", "absent") for i, e in prompts.items()}

    assert {"absent", None} < set(keys.values())
    again = [i for i, n in Counter(k for k in keys.values() if k not in ("absent", None)).items() if n > 1]
    assert again
    first, *others = [e for e in prompts.values() if e["params"].get("idempotencyKey") == again[0] and "result" in e]
    assert others
    assert all(other["result"] == first["result"] for other in others)


def test_the_corpus_has_the_key_cases_of_the_proposal():
    cases = {(i["type"], i["valid"], _kind(i["value"])) for i in INSTANCES}

    for kind in ("short", "longest", "longest beyond the BMP", "NUL"):
        assert {("IdempotencyKey", True, kind), ("PromptRequest", True, kind)} <= cases
    for kind in ("empty", "too long", "too long beyond the BMP", "int", "bool", "list", "dict"):
        assert {("IdempotencyKey", False, kind), ("PromptRequest", False, kind)} <= cases
    assert {
        ("PromptRequest", True, "null"),
        ("PromptRequest", True, "absent"),
        ("IdempotencyKey", False, "null"),
    } <= cases


def _kind(value: Any) -> str:
    """What an instance tries: its key's kind."""
    if isinstance(value, dict) and "sessionId" in value:
        if "idempotencyKey" not in value:
            return "absent"
        value = value["idempotencyKey"]
    if value is None:
        return "null"
    if not isinstance(value, str):
        return type(value).__name__
    beyond = " beyond the BMP" if any(ord(c) > 0xFFFF for c in value) else ""
    return {0: "empty", 255: f"longest{beyond}", 256: f"too long{beyond}"}.get(
        len(value), "NUL" if value == "\0" else "short"
    )
