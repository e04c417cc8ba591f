"""A sample in Python builds just the value that it was made for, with just the names that it says it needs."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import acp_v2
from acp_v2.wire_model import WireModel
from generator.binding_view import binding_view
from generator.python_sample import Sample, sample
from tests.instances import protocol, valid

MESSAGES = sorted({name for name in protocol().message_types() if name in protocol().types} | {"Error"})


@cache
def view() -> dict[str, Any]:
    return binding_view(protocol())


def built(made: Sample) -> Any:
    return eval(made.expression, {name: getattr(acp_v2, name) for name in made.names})  # noqa: S307


def on_the_wire(value: Any) -> Any:
    """What is sent: of an object of the bindings its JSON, and any other JSON value as it is."""
    return value.to_wire() if isinstance(value, WireModel) else value


def expression(type_name: str, value: Any) -> str:
    return sample(view(), type_name, value).expression


@pytest.mark.parametrize("name", MESSAGES)
def test_the_sample_of_any_value_builds_that_value(name: str):
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(valid(name))
    def run(value: Any) -> None:
        made = sample(view(), name, value)

        assert on_the_wire(built(made)) == value, f"{json.dumps(value)}\n{made.expression}"

    run()


@pytest.mark.parametrize(
    ("name", "value", "made"),
    [
        (
            "PromptRequest",
            {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}], "idempotencyKey": "k"},
            "PromptRequest(session_id='s', prompt=[TextContent(text='Hi')], idempotency_key=IdempotencyKey('k'))",
        ),
        (
            "PromptRequest",
            {"sessionId": "s", "prompt": [], "idempotencyKey": None, "_meta": {"a": 1}},
            "PromptRequest(session_id='s', prompt=[], idempotency_key=None, meta={'a': 1})",
        ),
        ("PromptResponse", {"messageId": "m", "_private": 5}, "PromptResponse(message_id='m', **{'_private': 5})"),
        (
            "ContentBlock",
            {"type": "_chart", "of": "Jupiter"},
            "UnknownContentBlock(type='_chart', **{'of': 'Jupiter'})",
        ),
        ("Error", {"code": -32602, "message": "No."}, "Error(code=-32602, message='No.')"),
        ("CreateElicitationResponse", {"action": "decline"}, "CreateElicitationResponseDecline()"),
    ],
    ids=["variant and key", "null and _meta", "private field", "unknown variant", "error", "class of a variant"],
)
def test_a_sample_reads_as_a_person_would_write_it(name: str, value: Any, made: str):
    assert expression(name, value) == made


def test_a_sample_says_which_names_it_needs():
    made = sample(view(), "PromptRequest", {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]})

    assert made.names == {"PromptRequest", "TextContent"}
