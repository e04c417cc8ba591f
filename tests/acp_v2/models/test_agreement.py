"""Models agree with the JSON Schema: what one accepts the other does, but for the policies, which this applies itself.

The oracle is independent of the models: `repaired` does to a value what the schema's `x-deserialize-…` annotations say,
and a validator by other people then judges it. A model has to accept exactly the values whose repair is valid, and has
to send on exactly the repair.
"""

import copy
import json
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import TypeAdapter, ValidationError

from acp_v2 import models
from acp_v2.method import read
from acp_v2.problems import problems
from acp_v2.schema_files import load_schema_file
from tests.instances import mutated, protocol, valid

DEFINITIONS = copy.deepcopy(load_schema_file("schema.unstable.json")["$defs"])
for _definition in DEFINITIONS.values():
    # A malformed required list becomes an empty one, whatever its least number of items.
    for _name in _definition.get("required", ()):
        if _definition["properties"].get(_name, {}).get("x-deserialize-default-on-error"):
            _definition["properties"][_name].pop("minItems", None)
NAMES = [name for name in protocol().types if name not in ("IdempotencyKey", "ErrorCode")]


@cache
def validator(definition: str) -> Any:
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": DEFINITIONS})


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    key = json.dumps(schema, sort_keys=True)
    if key not in _COMPILED:
        _COMPILED[key] = jsonschema_rs.Draft202012Validator({**schema, "$defs": DEFINITIONS})
    return _COMPILED[key].is_valid(value)


_COMPILED: dict[str, Any] = {}


def repaired(schema: dict[str, Any], value: Any) -> Any:
    """The value as a receiver is to take it. Only the policies change it; what they do not cover stays as it is."""
    if "$ref" in schema:
        return repaired(DEFINITIONS[schema["$ref"].rpartition("/")[2]], value)
    if isinstance(value, list) and "items" in schema:
        value = [repaired(schema["items"], item) for item in value]
        if schema.get("x-deserialize-skip-invalid-items"):
            value = [item for item in value if is_valid(schema["items"], item)]
    if isinstance(value, dict):
        value = _with_repaired_fields(schema, value)
    for part in schema.get("allOf", ()):
        value = repaired(part, value)
    for branches in (schema.get("anyOf"), schema.get("oneOf")):
        if branches:
            # The first branch that accepts the value once it is repaired; none, and it is malformed whatever is done.
            candidates = [(b, repaired(b, value)) for b in branches]
            value = next((v for b, v in candidates if is_valid(_without_not(b), v) and is_valid(b, v)), value)
    return value


def _with_repaired_fields(schema: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    value = dict(fields)
    if isinstance(schema.get("additionalProperties"), dict):
        value = {k: repaired(schema["additionalProperties"], v) for k, v in value.items()}
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            value[name] = repaired(inner, value[name])
            lenient = inner.get("x-deserialize-default-on-error") and not is_valid(inner, value[name])
            if lenient and name in schema.get("required", ()):
                value[name] = []
            elif lenient or (inner.get("x-deserialize-default-on-null") and value[name] is None):
                del value[name]
    return value


def _without_not(schema: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in schema.items() if k != "not"}


def sent_on(name: str, value: Any) -> Any:
    """What a model makes of a value and sends on; raises where it refuses it."""
    model = read(name, value)
    return TypeAdapter(getattr(models, name)).dump_python(model, mode="json", by_alias=True, exclude_unset=True)


def check(name: str, value: Any) -> None:
    expected = repaired(DEFINITIONS[name], copy.deepcopy(value))
    accepts = validator(name).is_valid(expected)
    before = copy.deepcopy(value)
    try:
        found = sent_on(name, value)
    except ValidationError:
        assert not accepts, f"refused, but valid: {json.dumps(value)}"
        assert problems(getattr(models, name), value), f"refused without a reason: {json.dumps(value)}"
    else:
        assert accepts, f"accepted, but malformed: {json.dumps(value)}"
        assert found == expected
        assert problems(getattr(models, name), value) == []
    assert value == before


COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_value_is_accepted_and_sent_on_unchanged(name: str):
    @settings(max_examples=8, **COMMON)
    @given(valid(name))
    def run(value: Any) -> None:
        assert validator(name).is_valid(value), json.dumps(value)
        check(name, value)

    run()


@pytest.mark.parametrize("name", NAMES)
def test_a_mutated_value_is_judged_as_the_schema_and_its_policies_say(name: str):
    @settings(max_examples=12, **COMMON)
    @given(mutated(valid(name)))
    def run(value: Any) -> None:
        check(name, value)

    run()


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_many_values_are_judged_as_the_schema_and_its_policies_say(name: str):
    @settings(max_examples=200, **{**COMMON, "derandomize": False})
    @given(valid(name) | mutated(valid(name)))
    def run(value: Any) -> None:
        check(name, value)

    run()


def test_there_are_as_many_types_as_definitions_without_envelopes():
    envelopes = {
        f"{side}{kind}" for side in ("Agent", "Client", "Proxy") for kind in ("Request", "Response", "Notification")
    }

    assert set(DEFINITIONS) - set(NAMES) == {*envelopes, "IdempotencyKey", "ErrorCode"}
