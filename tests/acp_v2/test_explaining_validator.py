"""Following tags changes what an error says, never whether there is one."""

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_v2.explaining_validator import ExplainingValidator, Problem
from acp_v2.schema_files import load_schema_file

SCHEMA = load_schema_file("schema.unstable.json")
EXAMPLES = load_schema_file("examples.json")["examples"]
METHODS = load_schema_file("methods.json")["methods"]
VALIDATOR = ExplainingValidator(SCHEMA)
PLAIN: dict[str, Any] = {}


def plain(definition: str) -> Any:
    """A validator that follows no tags, by other people."""
    if definition not in PLAIN:
        PLAIN[definition] = jsonschema_rs.Draft202012Validator(
            {"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]}
        )
    return PLAIN[definition]


def values() -> list[tuple[str, Any]]:
    """Every params and result of the examples, with its definition."""
    found: list[tuple[str, Any]] = []
    for example in EXAMPLES:
        message = next(m for m in METHODS[example["method"]]["messages"] if m["kind"] == example["kind"])
        found.append((message["params"], example["params"]))
        if "result" in example:
            found.append((message["result"], example["result"]))
    return found


VALUES = values()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


REPLACEMENTS = [None, True, 0, -1, 1.5, "", "x", "y" * 300, [], {}, [None], {"type": "text"}, {"type": "_x"}, {"x": 1}]


@st.composite
def mutants(draw: st.DrawFn) -> tuple[str, Any]:
    """An example with one place changed or removed."""
    definition, value = draw(st.sampled_from(VALUES))
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(places(value)))
        if not place:
            continue
        parent = value
        for key in place[:-1]:
            parent = parent[key]
        if draw(st.booleans()) and isinstance(parent, dict):
            del parent[place[-1]]
        else:
            parent[place[-1]] = copy.deepcopy(draw(st.sampled_from(REPLACEMENTS)))
    return definition, value


@pytest.mark.parametrize(("definition", "value"), VALUES, ids=[d for d, _ in VALUES])
def test_examples_have_no_problem(definition: str, value: Any):
    assert VALIDATOR.problems(definition, value) == []


@settings(max_examples=1500, deadline=None)
@given(mutants())
def test_the_verdict_is_that_of_a_plain_validator(mutant: tuple[str, Any]):
    definition, value = mutant

    assert (VALIDATOR.problems(definition, value) == []) == plain(definition).is_valid(value), json.dumps(value)


@pytest.mark.parametrize("entry", load_schema_file("corpus.json")["instances"], ids=lambda e: e["id"])
def test_the_corpus_is_judged_as_it_says(entry: dict[str, Any]):
    assert (VALIDATOR.problems(entry["type"], entry["value"]) == []) == entry["valid"]
    assert plain(entry["type"]).is_valid(entry["value"]) == entry["valid"]


def prompt(*blocks: Any) -> dict[str, Any]:
    return {"sessionId": "s", "prompt": list(blocks)}


def update(**fields: Any) -> dict[str, Any]:
    return {"sessionId": "s", "update": fields}


ELICITATION = {"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}}

SENTENCES = {
    "a malformed known variant is judged by its own fields": (
        "PromptRequest",
        prompt({"type": "text"}),
        [Problem("/prompt/0", "needs the field text")],
    ),
    "a union's object without tag": (
        "PromptRequest",
        prompt({"text": "Hi"}),
        [Problem("/prompt/0", "needs the field type, which says what it is (text, image, audio, resource_link, …)")],
    ),
    "a tag that is no string": (
        "PromptRequest",
        prompt({"type": 5}),
        [Problem("/prompt/0/type", "has to be a string, but is a number")],
    ),
    "something else than an object": (
        "PromptRequest",
        prompt("Hi"),
        [Problem("/prompt/0", "has to be an object, but is a string")],
    ),
    "an empty list": ("PromptRequest", prompt(), [Problem("/prompt", "has no items; it needs at least 1")]),
    "an empty key": (
        "PromptRequest",
        {**prompt({"type": "text", "text": "Hi"}), "idempotencyKey": ""},
        [Problem("/idempotencyKey", "is empty; 1 to 255 characters are allowed")],
    ),
    "a key that is too long, which is not repeated": (
        "PromptRequest",
        {**prompt({"type": "text", "text": "Hi"}), "idempotencyKey": "\U0001f511" * 256},
        [Problem("/idempotencyKey", "has 256 characters; 1 to 255 characters are allowed")],
    ),
    "a lenient field": (
        "PromptRequest",
        prompt({"type": "text", "text": "Hi", "annotations": {"priority": 2}}),
        [
            Problem(
                "/prompt/0/annotations/priority",
                "is 2; the largest number allowed is 1",
                "receivers take the field as absent",
            )
        ],
    ),
    "a lenient item": (
        "UpdateSessionNotification",
        update(
            sessionUpdate="plan_update",
            plan={"type": "items", "planId": "p", "entries": [{"content": "c", "priority": "high"}]},
        ),
        [Problem("/update/plan/entries/0", "needs the field status", "receivers drop this item")],
    ),
    "a tag two unions deep": (
        "UpdateSessionNotification",
        update(sessionUpdate="state_update", state="idle", stopReason=5),
        [
            Problem(
                "/update/stopReason",
                "has to be a string or null, but is a number",
                "receivers take the field as absent",
            ),
            Problem("/update/stopReason", "has to be a string, but is a number"),
        ],
    ),
    "neither of two scopes": (
        "CreateElicitationRequest",
        ELICITATION,
        [Problem("", "needs the field sessionId or requestId")],
    ),
    "both of two scopes": (
        "CreateElicitationRequest",
        {**ELICITATION, "sessionId": "s", "requestId": 1},
        [Problem("", "has sessionId and requestId; only one of them may be there")],
    ),
    "a scope that is malformed": (
        "CreateElicitationRequest",
        {**ELICITATION, "sessionId": 1},
        [Problem("/sessionId", "has to be a string, but is a number")],
    ),
    "a closed enum": (
        "CreateElicitationRequest",
        {**ELICITATION, "sessionId": "s", "requestedSchema": {"type": "array", "properties": {}}},
        [Problem("/requestedSchema/type", "has to be 'object'")],
    ),
    "a choice by kind of value": (
        "CancelRequestNotification",
        {"requestId": True},
        [Problem("/requestId", "has to be an integer or a string, but is a boolean")],
    ),
    "a choice by fields": (
        "PromptRequest",
        prompt({"type": "resource", "resource": {"uri": "file:///a"}}),
        [Problem("/prompt/0/resource", "needs the fields text and uri or blob and uri")],
    ),
    "a choice that one field decides": (
        "PromptRequest",
        prompt({"type": "resource", "resource": {"uri": 5, "text": "Hi"}}),
        [Problem("/prompt/0/resource/uri", "has to be a string, but is a number")],
    ),
    "a number with a fraction": (
        "UpdateSessionNotification",
        update(sessionUpdate="usage_update", used=1.5, size=10),
        [Problem("/update/used", "has to be an integer, but is a number with a fraction")],
    ),
    "a field name with a slash and a tilde": (
        "SetProviderRequest",
        {"providerId": "p", "apiType": "openai", "baseUrl": "https://example.org", "headers": {"a/b~c": 1}},
        [Problem("/headers/a~1b~0c", "has to be a string, but is a number")],
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_an_error_is_one_sentence_about_one_place(case: str):
    definition, value, expected = SENTENCES[case]

    assert VALIDATOR.problems(definition, value) == expected


def test_an_integral_float_is_an_integer():
    assert (
        VALIDATOR.problems("UpdateSessionNotification", update(sessionUpdate="usage_update", used=1.0, size=2.0)) == []
    )


def test_values_never_show_in_a_problem():
    secret = "correct horse battery staple" * 20
    for definition, value in VALUES:
        if isinstance(value, dict):
            for name in value:
                for problem in VALIDATOR.problems(definition, {**value, name: secret}):
                    assert "horse" not in problem.text


def test_problems_below_additional_properties_stand_in_the_objects_order():
    properties = {f"field{n}": {"type": 5} for n in range(20)}

    found = VALIDATOR.problems("ElicitationSchema", {"type": "object", "properties": properties})

    assert [p.pointer for p in found] == [f"/properties/field{n}/type" for n in range(20)]
