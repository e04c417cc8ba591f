"""The JSON Schema that comes out: what each word of the notation becomes, and the two files of the real registry."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator

from generator.definitions import Definitions
from generator.emit import json_schema
from generator.load import load

REPOSITORY = Path(__file__).parents[3]

UUID = "6f1c0f0e-52f0-4d1b-9c56-1f0a2f6f3f0a"
BEYOND_BMP = "\U0001f511"

VALID_KEYS = {
    "uuid": UUID,
    "one character": "k",
    "255 characters": "k" * 255,
    "255 characters outside the BMP": BEYOND_BMP * 255,
    "NUL": "\u0000",
    "space at both ends": " k ",
}
INVALID_KEYS = {
    "empty": "",
    "256 characters": "k" * 256,
    "256 characters outside the BMP": BEYOND_BMP * 256,
    "number": 5,
    "boolean": True,
    "array": ["k"],
    "object": {"key": "k"},
}

VALIDATORS = {
    "jsonschema": lambda schema: Draft202012Validator(schema).is_valid,
    "jsonschema_rs": lambda schema: jsonschema_rs.Draft202012Validator(schema).is_valid,
}


def prompt(**fields: Any) -> dict[str, Any]:
    return {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}], **fields}


@pytest.fixture(scope="session", params=["schema.json", "schema.unstable.json"])
def schema(request: pytest.FixtureRequest, schemas: dict[str, Any]) -> dict[str, Any]:
    return schemas[request.param]


@pytest.fixture(params=VALIDATORS)
def is_valid(request: pytest.FixtureRequest, schema: dict[str, Any]):
    def check(definition: str, value: Any) -> bool:
        wanted = {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
        return VALIDATORS[request.param](wanted)(value)

    return check


def test_the_schema_is_a_valid_one(schema: dict[str, Any]):
    Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize("case", VALID_KEYS)
def test_a_valid_key_is_accepted(is_valid, case: str):
    assert is_valid("IdempotencyKey", VALID_KEYS[case])
    assert is_valid("PromptRequest", prompt(idempotencyKey=VALID_KEYS[case]))


@pytest.mark.parametrize("case", INVALID_KEYS)
def test_a_malformed_key_is_refused(is_valid, case: str):
    assert not is_valid("IdempotencyKey", INVALID_KEYS[case])
    assert not is_valid("PromptRequest", prompt(idempotencyKey=INVALID_KEYS[case]))


def test_no_key_and_null_are_accepted_in_a_prompt(is_valid):
    assert is_valid("PromptRequest", prompt())
    assert is_valid("PromptRequest", prompt(idempotencyKey=None))


def test_null_is_no_key(is_valid):
    assert not is_valid("IdempotencyKey", None)


def test_the_key_exists_in_the_params_of_session_prompt_and_nowhere_else(schema: dict[str, Any]):
    places: list[str] = []

    def walk(node: Any, path: str) -> None:
        if isinstance(node, dict):
            if "idempotencyKey" in node or str(node.get("$ref")).endswith("/IdempotencyKey"):
                places.append(path)
            for key, value in node.items():
                walk(value, f"{path}/{key}")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                walk(value, f"{path}/{index}")

    walk(schema, "")

    assert places == [
        "/$defs/PromptRequest/properties",
        "/$defs/PromptRequest/properties/idempotencyKey/anyOf/0",
    ]


def test_every_definition_with_a_method_has_its_retry_class(schema: dict[str, Any]):
    with_method = {n: d for n, d in schema["$defs"].items() if "x-method" in d}

    assert {n for n, d in with_method.items() if "x-retry-class" not in d} == set()
    assert {n for n, d in schema["$defs"].items() if "x-retry-class" in d} == set(with_method)
    assert {n: d["x-retry-key"] for n, d in with_method.items() if "x-retry-key" in d} == {
        "PromptRequest": "idempotencyKey",
        "PromptResponse": "idempotencyKey",
    }


def test_the_audit_is_that_of_the_proposal(schemas: dict[str, Any]):
    definitions = schemas["schema.unstable.json"]["$defs"].values()
    classes = {d["x-method"]: d["x-retry-class"] for d in definitions if "x-method" in d}
    with_class = {c: {m for m, other in classes.items() if other == c} for c in classes.values()}

    assert with_class["keyed"] == {"session/prompt"}
    assert with_class["duplicating"] == {"session/new", "session/fork"}
    assert with_class["connection_bound"] == {
        "initialize",
        "session/cancel",
        "session/request_permission",
        "elicitation/create",
        "mcp/message",
        "session/update",
        "elicitation/complete",
        "auth/status_update",
        "$/cancel_request",
        "proxy/initialize",
        "proxy/successor",
    }
    assert {"session/close", "session/resume", "session/list", "session/delete"} < with_class["safe"]


def test_a_message_of_each_side_is_valid_as_a_whole(schema: dict[str, Any]):
    validator = jsonschema_rs.Draft202012Validator(schema)

    assert validator.is_valid(
        {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": prompt(idempotencyKey=UUID)}
    )
    assert validator.is_valid({"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}})
    assert validator.is_valid({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}})
    assert not validator.is_valid({"id": 1, "method": "session/prompt", "params": prompt()})


def test_definitions_are_in_the_order_of_their_names(schema: dict[str, Any]):
    assert list(schema["$defs"]) == sorted(schema["$defs"])


def test_the_file_says_that_it_is_generated(schema: dict[str, Any]):
    assert schema["$comment"] == "Generated from spec/ by `acpspec build`. Do not edit."


def test_the_bytes_do_not_depend_on_the_hash_seed():
    program = (
        "import hashlib, pathlib; from generator.commands import EMITTERS; from generator.load import load; "
        "from generator.write import emit_all; files = emit_all(load(pathlib.Path.cwd()), EMITTERS); "
        "print(hashlib.sha256(repr(files).encode()).hexdigest())"
    )
    digests = {
        subprocess.check_output(
            [sys.executable, "-c", program], cwd=REPOSITORY, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("0", "1", "4294967295")
    }

    assert len(digests) == 1


# What each word of the notation becomes


@pytest.fixture
def definitions(registry: Path) -> dict[str, Any]:
    return Definitions(load(registry)).all()


def without_descriptions(node: Any) -> Any:
    if isinstance(node, dict):
        return {k: without_descriptions(v) for k, v in node.items() if k != "description"}
    return [without_descriptions(item) for item in node] if isinstance(node, list) else node


META = {"type": ["object", "null"], "additionalProperties": True, "x-deserialize-default-on-error": True}


def test_a_string_with_a_length(definitions: dict[str, Any]):
    assert without_descriptions(definitions["WriteKey"]) == {"type": "string", "minLength": 1, "maxLength": 10}


def test_an_object_with_a_lenient_nullable_field(definitions: dict[str, Any]):
    assert without_descriptions(definitions["PlainLine"]) == {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "colour": {"anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "null"}], "x-deserialize-default-on-error": True},
            "_meta": META,
        },
        "required": ["text"],
    }


def test_an_open_enum(definitions: dict[str, Any]):
    assert without_descriptions(definitions["Colour"]) == {
        "anyOf": [
            {"type": "string", "const": "black"},
            {"type": "string", "const": "blue"},
            {"title": "other", "type": "string"},
        ]
    }


def test_an_open_enum_of_numbers(definitions: dict[str, Any]):
    assert without_descriptions(definitions["ErrorCode"]) == {
        "anyOf": [
            {"title": "Invalid params", "type": "integer", "format": "int32", "const": -32602},
            {"title": "Other", "type": "integer", "format": "int32"},
        ]
    }


def test_an_open_tagged_union(definitions: dict[str, Any]):
    def tagged(kind: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"kind": {"type": "string", "const": kind}}, "required": ["kind"]}

    assert without_descriptions(definitions["Line"]) == {
        "anyOf": [
            {**tagged("plain"), "allOf": [{"$ref": "#/$defs/PlainLine"}]},
            tagged("ruled"),
            {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "const": "drawn"},
                    "strokes": {"type": "array", "items": {"type": "number", "format": "double"}, "minItems": 1},
                },
                "required": ["kind", "strokes"],
            },
            {
                "title": "other",
                "type": "object",
                "properties": {"kind": {"type": "string"}},
                "required": ["kind"],
                "not": {"anyOf": [tagged("plain"), tagged("ruled"), tagged("drawn")]},
                "additionalProperties": True,
            },
        ]
    }


def test_a_union_beside_fields_whose_tag_may_be_absent(definitions: dict[str, Any]):
    state = without_descriptions(definitions["State"])

    assert state["properties"]["mood"] == {"type": ["string", "null"]}
    assert state["anyOf"][-1] == {"title": "none", "type": "object", "properties": {"mood": {"type": "null"}}}


def test_a_choice_without_a_tag(definitions: dict[str, Any]):
    assert without_descriptions(definitions["RequestId"]) == {
        "anyOf": [{"title": "Number", "type": "integer", "format": "int64"}, {"title": "Str", "type": "string"}]
    }


def test_a_default(definitions: dict[str, Any]):
    assert without_descriptions(definitions["InitializeRequest"])["properties"]["capabilities"] == {
        "allOf": [{"$ref": "#/$defs/Capabilities"}],
        "default": {},
        "x-deserialize-default-on-error": True,
    }


def test_a_definition_belongs_to_its_message(definitions: dict[str, Any]):
    def tie(name: str) -> dict[str, Any]:
        return {k: v for k, v in definitions[name].items() if k.startswith("x-")}

    assert tie("WriteRequest") == {
        "x-side": "agent",
        "x-method": "note/write",
        "x-retry-class": "keyed",
        "x-retry-key": "writeKey",
    }
    assert tie("ChangedNotification") == {
        "x-side": "client",
        "x-method": "note/changed",
        "x-retry-class": "connection_bound",
    }


def test_unstable_is_said_first(definitions: dict[str, Any]):
    assert definitions["CopyRequest"]["description"] == "May change.\n\nAsks for a copy."


def test_an_edited_line_of_the_registry_shows_in_the_schema(registry: Path):
    path = registry / "spec/methods.yaml"
    path.write_text(path.read_text().replace("class: safe", "class: duplicating"))

    changed = json.loads(json_schema.emit(load(registry))["acp_v2/schema/schema.json"])

    assert changed["$defs"]["ListRequest"]["x-retry-class"] == "duplicating"
