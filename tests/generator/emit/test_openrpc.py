"""The OpenRPC files are valid OpenRPC and say what each side serves."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

SCHEMA_DIR = Path(__file__).parents[3] / "acp_v2" / "schema"

META_SCHEMA = (
    "@open-rpc/meta-schema",
    "1.14.9",
    "sha512-2/CbDzOVpcaSnMs28TsRv8MKJwJi0TTYFlQ6q6qobAH26oIuhYgcZooKf4l71emgntU6MMcFQCA0h4mJ4dBCdA==",
)
JSON_SCHEMA_META = (
    "@json-schema-tools/meta-schema",
    "1.8.0",
    "sha512-pbRAbHidPTf96LhmHXA6bl4D4tz4HrwjZ7A5ConcLFPdCj+93GhsCCFsq+AWti4VOs+9QTezX5l0zLNA+TZv1g==",
)


@pytest.fixture(scope="module", params=["agent", "client"])
def side(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def document(side: str) -> dict[str, Any]:
    return json.loads((SCHEMA_DIR / f"openrpc.{side}.json").read_text("utf-8"))


def exported(package: Path) -> Any:
    """What a package's main module exports by default, as JSON."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    program = "const m = require(process.argv[1]); console.log(JSON.stringify(m.default ?? m))"
    return json.loads(subprocess.check_output(["node", "-e", program, str(package)]))


def test_it_is_valid_openrpc(document: dict[str, Any], npm_package: Callable[[str, str, str], Path]):
    meta_schema = exported(npm_package(*META_SCHEMA))
    json_schema_meta = exported(npm_package(*JSON_SCHEMA_META))
    # Both are written in draft 7 but name a meta-schema of their own.
    meta_schema["$schema"] = json_schema_meta["$schema"] = "http://json-schema.org/draft-07/schema#"
    registry = jsonschema_rs.Registry(
        [("https://meta.json-schema.tools/", json_schema_meta), ("https://meta.json-schema.tools", json_schema_meta)]
    )
    validator = jsonschema_rs.Draft7Validator(meta_schema, registry=registry)

    assert [f"{list(e.instance_path)}: {e.message[:200]}" for e in validator.iter_errors(document)] == []


def test_it_lists_what_the_side_serves(side: str, document: dict[str, Any]):
    meta = json.loads((SCHEMA_DIR / "meta.unstable.json").read_text("utf-8"))
    served = {*meta[f"{side}Methods"].values(), *meta["protocolMethods"].values()}

    assert {m["name"] for m in document["methods"]} == served


def test_every_method_has_its_retry_class(document: dict[str, Any]):
    classes = json.loads((SCHEMA_DIR / "meta.unstable.json").read_text("utf-8"))["retryClasses"]

    assert {m["name"]: m["x-retry-class"] for m in document["methods"]} == {
        m["name"]: classes[m["name"]] for m in document["methods"]
    }


def test_params_go_by_name_and_notifications_have_no_result(document: dict[str, Any]):
    methods = json.loads((SCHEMA_DIR / "methods.json").read_text("utf-8"))["methods"]

    for method in document["methods"]:
        kinds = {m["kind"] for m in methods[method["name"]]["messages"]}
        assert method["paramStructure"] == "by-name"
        if len(kinds) == 1:
            assert ("result" in method) == (kinds == {"request"})


def test_params_that_are_a_union_have_the_shared_fields_and_the_whole_type():
    document = json.loads((SCHEMA_DIR / "openrpc.agent.json").read_text("utf-8"))
    method = next(m for m in document["methods"] if m["name"] == "session/set_config_option")

    assert [p["name"] for p in method["params"]] == ["sessionId", "configId"]
    assert method["x-params"] == {"$ref": "#/components/schemas/SetSessionConfigOptionRequest"}


def test_every_reference_leads_somewhere(document: dict[str, Any]):
    text = json.dumps(document)
    names = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}

    assert names - document["components"]["schemas"].keys() == set()
    assert text.count("#/$defs/") == 0
