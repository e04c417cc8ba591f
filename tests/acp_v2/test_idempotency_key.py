"""The key as a string of its own."""

import uuid

import pytest

from acp_v2 import IdempotencyKey


def test_a_generated_key_is_a_random_uuid():
    key = IdempotencyKey.generate()

    assert uuid.UUID(key).version == 4
    assert key != IdempotencyKey.generate()


@pytest.mark.parametrize("text", ["k", "K", " k ", "\0", "\u0065\u0301", "k" * 255, "\U0001f511" * 255])
def test_a_key_is_kept_as_it_is(text: str):
    assert str(IdempotencyKey(text)) == text


def test_case_and_composition_tell_keys_apart():
    assert IdempotencyKey("k") != IdempotencyKey("K")
    assert IdempotencyKey("\u00e9") != IdempotencyKey("e\u0301")


@pytest.mark.parametrize(
    ("text", "words"), [("", "this one has 0"), ("k" * 256, "this one has 256"), ("\ud800", "surrogates")]
)
def test_a_malformed_key_is_refused_without_being_repeated(text: str, words: str):
    with pytest.raises(ValueError, match=words) as caught:
        IdempotencyKey(text)

    assert "kk" not in str(caught.value)


@pytest.mark.parametrize("value", [5, None, b"k", True])
def test_only_a_string_is_a_key(value: object):
    with pytest.raises(TypeError, match="is a string"):
        IdempotencyKey(value)  # type: ignore[arg-type]


def test_a_key_does_not_show_in_logs():
    assert repr(IdempotencyKey("secret")) == "IdempotencyKey(…)"
    assert "secret" not in f"{[IdempotencyKey('secret')]}"
