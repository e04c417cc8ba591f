"""The derived message id, held against the published vectors here and in another language."""

import json
import shutil
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from acp_v2.adapters import NAMESPACE, derived_message_id
from acp_v2.schema_files import load_schema_file

PROGRAM = Path(__file__).with_name("derived_ids.mjs")
PUBLISHED = load_schema_file("derived-ids.json")
VECTORS: list[dict[str, Any]] = PUBLISHED["vectors"]


def test_the_id_of_a_pair_never_changes():
    assert derived_message_id("sess_01", "k") == "5ef7492d-5814-5fd5-aa17-99a6a65066f2"


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_an_id_is_the_published_one(vector: dict[str, Any]):
    assert derived_message_id(vector["sessionId"], vector["key"]) == vector["messageId"]


def test_the_published_namespace_is_ours():
    assert PUBLISHED["namespace"] == str(NAMESPACE)


def test_no_two_vectors_share_an_id():
    assert len({v["messageId"] for v in VECTORS}) == len(VECTORS)


@pytest.mark.parametrize(
    ("one", "other"), [("cut-after-one", "cut-after-two"), ("nul-between", "nul-between-elsewhere")]
)
def test_pairs_that_are_the_same_one_after_the_other_have_a_vector(one: str, other: str):
    by_id = {v["id"]: v for v in VECTORS}
    separator = "\0" if one.startswith("nul") else ""
    first, second = (by_id[name]["sessionId"] + separator + by_id[name]["key"] for name in (one, other))
    assert first == second


def test_it_is_a_uuid_of_version_5():
    derived = uuid.UUID(derived_message_id("sess_01", "k"))
    assert (derived.version, derived.variant) == (5, uuid.RFC_4122)


@pytest.mark.parametrize("key", ["", "k" * 256, "\ud800"], ids=ascii)
def test_what_is_no_key_has_no_id_and_is_not_repeated(key: str):
    with pytest.raises(ValueError, match="an idempotency key has") as caught:
        derived_message_id("sess_01", key)
    assert "kk" not in str(caught.value)


def test_a_session_with_a_lone_surrogate_is_none():
    with pytest.raises(ValueError, match="a session's id has no lone surrogates"):
        derived_message_id("s\udfff", "k")


def test_another_language_computes_the_same_ids():
    if shutil.which("node") is None:
        pytest.skip("the derived ids in JavaScript: Node.js is not installed")
    pairs = json.dumps([[v["sessionId"], v["key"]] for v in VECTORS])
    done = subprocess.run(
        ["node", str(PROGRAM), PUBLISHED["namespace"]], input=pairs, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [v["messageId"] for v in VECTORS]
