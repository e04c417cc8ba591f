"""The schema equals the official one, structure by structure, plus the proposal and the retry classes."""

import json
from pathlib import Path
from typing import Any

import pytest

OURS = {"$comment", "x-retry-class", "x-retry-key"}


def structure(node: Any, *, is_name_table: bool = False) -> Any:
    """A schema without its sentences and our annotations. What a `not` lists stands in no particular order."""
    if isinstance(node, dict):
        kept = {
            key: structure(value, is_name_table=key in ("properties", "$defs") and not is_name_table)
            for key, value in node.items()
            if is_name_table or key not in {"description", *OURS}
        }
        if not is_name_table and "not" in kept:
            kept["not"]["anyOf"].sort(key=json.dumps)
        return kept
    return [structure(item) for item in node] if isinstance(node, list) else node


@pytest.fixture(params=[("schema.json", 197), ("schema.unstable.json", 262)], ids=["stable", "unstable"])
def pair(request: pytest.FixtureRequest, official: Path, schemas: dict[str, Any]) -> tuple[Any, Any]:
    name, count = request.param
    theirs = json.loads((official / "schema" / "v2" / name).read_text("utf-8"))
    assert len(theirs["$defs"]) == count
    return structure(schemas[name]), structure(theirs)


def test_the_only_definition_more_is_the_key(pair: tuple[Any, Any]):
    ours, theirs = pair

    assert ours["$defs"].keys() ^ theirs["$defs"].keys() == {"IdempotencyKey"}
    assert ours["$defs"]["IdempotencyKey"] == {"type": "string", "minLength": 1, "maxLength": 255}


def test_the_only_field_more_is_the_key_of_a_prompt(pair: tuple[Any, Any]):
    ours, theirs = pair
    key = ours["$defs"]["PromptRequest"]["properties"].pop("idempotencyKey")

    assert key == {"anyOf": [{"$ref": "#/$defs/IdempotencyKey"}, {"type": "null"}]}
    assert ours["$defs"]["PromptRequest"] == theirs["$defs"]["PromptRequest"]


def test_every_other_definition_is_equal(pair: tuple[Any, Any]):
    ours, theirs = pair
    different = [
        name for name, schema in theirs["$defs"].items() if name != "PromptRequest" and ours["$defs"][name] != schema
    ]

    assert different == []


def test_the_root_and_its_envelopes_are_equal(pair: tuple[Any, Any]):
    ours, theirs = pair

    assert {k: v for k, v in ours.items() if k != "$defs"} == {k: v for k, v in theirs.items() if k != "$defs"}


def test_the_method_names_are_those_of_the_official_sdk(official: Path):
    meta = json.loads((Path(__file__).parents[3] / "acp_v2/schema/meta.unstable.json").read_text("utf-8"))
    source = (official / "dist/v2/unstable/schema/index.js").read_text("utf-8")

    for group, table in {
        "agentMethods": "AGENT_METHODS",
        "clientMethods": "CLIENT_METHODS",
        "protocolMethods": "PROTOCOL_METHODS",
        "proxyMethods": "PROXY_METHODS",
    }.items():
        body = source.split(f"export const {table} = {{")[1].split("}")[0]
        theirs = dict(line.strip().rstrip(",").split(": ") for line in body.strip().splitlines())
        assert meta[group] == {key: json.loads(value) for key, value in theirs.items()}
