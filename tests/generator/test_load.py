"""The Model holds what the registry says, with the place where it says so."""

from pathlib import Path

import pytest

from generator.load import load
from generator.model import Protocol, Source, Struct, TaggedUnion, TypeUse, stable


@pytest.fixture
def protocol(registry: Path) -> Protocol:
    return load(registry)


def test_a_method_has_its_messages_and_its_line(protocol: Protocol):
    method = protocol.method("note/write")

    assert method.source == Source("spec/methods.yaml", 62, "methods.note/write")
    assert method.needs == "agent.notes"
    assert method.notification is None
    assert method.request is not None
    assert (method.request.sender, method.request.receiver, method.request.side) == ("client", "agent", "agent")
    assert (method.request.retry.class_name, method.request.retry.key) == ("keyed", "writeKey")


def test_a_question_mark_makes_a_field_optional(protocol: Protocol):
    shape = protocol.types["WriteRequest"].shape

    assert isinstance(shape, Struct)
    assert [(f.name, f.required) for f in shape.fields] == [("line", True), ("writeKey", False)]


def test_a_type_expression_says_list_map_and_null(protocol: Protocol):
    fields = {f.name: f for t in protocol.types.values() if isinstance(t.shape, Struct) for f in t.shape.fields}

    assert fields["writeKey"].type == TypeUse("WriteKey", nullable=True)
    assert fields["names"].type == TypeUse("string", container="list")
    assert fields["names"].skip_invalid_items


def test_an_empty_line_in_a_doc_is_a_paragraph(registry: Path):
    path = registry / "spec/types/notes.yaml"
    path.write_text(
        path.read_text().replace("doc: Being there is all it says.", "doc: >-\n      One\n      line.\n\n      Two.")
    )

    assert load(registry).types["Marker"].doc == "One line.\n\nTwo."


def test_the_stable_part_has_nothing_that_is_marked_unstable(protocol: Protocol):
    part = stable(protocol)

    assert [m.name for m in part.methods] == ["initialize", "note/write", "note/new", "note/list", "note/changed"]
    assert {"CopyRequest", "CopyResponse"} == protocol.types.keys() - part.types.keys()
    line = part.types["Line"].shape
    assert isinstance(line, TaggedUnion)
    assert [v.name for v in line.variants] == ["plain", "ruled"]


def test_types_are_in_the_order_of_their_names(protocol: Protocol):
    assert list(protocol.types) == sorted(protocol.types)
