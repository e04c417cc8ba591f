"""The YAML reader keeps what is written and guesses nothing."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.read_yaml import MAX_INTEGER, read_yaml


def read(tmp_path: Path, text: str):
    path = tmp_path / "file.yaml"
    path.write_text(text, "utf-8", newline="\n")
    document, findings = read_yaml(path, "file.yaml")
    assert findings == []
    assert document is not None
    return document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1", {"a": 1}),
        ("a: -1", {"a": -1}),
        ("a: 0.5", {"a": 0.5}),
        ("a: true", {"a": True}),
        ("a: null", {"a": None}),
        ("a:", {"a": None}),
        ("a: ''", {"a": ""}),
        ("a: 'no'", {"a": "no"}),
        ('a: "010"', {"a": "010"}),
        ("a: '2026-11-13'", {"a": "2026-11-13"}),
        ("a: 1..255", {"a": "1..255"}),
        ("a: nobody", {"a": "nobody"}),
        ("a: list of X | null", {"a": "list of X | null"}),
        ("a?: x", {"a?": "x"}),
        ("a: >-\n  one\n  two\n\n  three\n", {"a": "one two\nthree"}),
        ("- 1\n- [2, {b: 3}]\n", [1, [2, {"b": 3}]]),
    ],
)
def test_a_value_is_what_is_written(tmp_path: Path, text: str, value: object):
    assert read(tmp_path, text).data == value


def test_every_key_and_item_has_its_line(tmp_path: Path):
    document = read(tmp_path, "a:\n  b: 1\n\n  c:\n    - x\n    - z: 2\n")

    lines = {
        path: document.source(path).line for path in [("a",), ("a", "b"), ("a", "c"), ("a", "c", 0), ("a", "c", 1, "z")]
    }

    assert list(lines.values()) == [1, 2, 4, 5, 6]


def test_a_place_that_does_not_exist_has_the_line_of_what_is_around_it(tmp_path: Path):
    assert read(tmp_path, "a: 1\nb:\n  c: 2\n").source(("b", "nowhere", 3)).line == 2


plain_text = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xD7FF, blacklist_characters="\x7f\x85"), max_size=20
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | plain_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain_text, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_what_pyyaml_writes_with_everything_quoted_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, value: object
):
    class Quoting(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            return True

    Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))

    path = tmp_path_factory.mktemp("yaml")

    assert read(path, yaml.dump(value, Dumper=Quoting, allow_unicode=True)).data == value
