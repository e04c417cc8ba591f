"""The bindings that a registry gives: names, texts, and that they are a function of the registry alone."""

import argparse
import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from pydantic import BaseModel

from acp_v2.wire_model import WireModel
from generator import memo
from generator.binding_view import BindingError, attribute, binding_view
from generator.commands import build, check
from generator.emit.python import emit, generate_modules
from generator.load import load
from generator.model import Protocol

REPOSITORY = Path(__file__).parents[3]


def with_fields(registry: Path, **fields: object) -> Protocol:
    """The minimal registry with other fields in `ListRequest`."""
    path = registry / "spec/types/notes.yaml"
    notes = yaml.safe_load(path.read_text())
    notes["types"]["ListRequest"]["fields"] = fields
    path.write_text(yaml.safe_dump(notes))
    return load(registry)


def text(doc: str = "A text.") -> dict[str, str]:
    return {"type": "string | null", "doc": doc}


def module_of(protocol: Protocol, name: str) -> ModuleType:
    """The generated module of one topic, imported."""
    modules = generate_modules(binding_view(protocol))
    scalars = ModuleType("generated.scalars")
    package = ModuleType("generated")
    package.__path__ = []
    made = {"generated": package, "generated.scalars": scalars, f"generated.{name}": ModuleType(f"generated.{name}")}
    sys.modules.update(made)
    try:
        for part in ("scalars", name):
            module = made[f"generated.{part}"]
            module.__package__ = "generated"
            exec(compile(modules[f"{part}.py"], f"{part}.py", "exec"), module.__dict__)  # noqa: S102
            setattr(package, part, module)
        for value in vars(made[f"generated.{name}"]).values():
            if isinstance(value, type) and issubclass(value, BaseModel):
                value.model_rebuild()
        return made[f"generated.{name}"]
    finally:
        for key in made:
            del sys.modules[key]


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("sessionId", "session_id"),
        ("class", "class_"),
        ("copy", "copy_"),
        ("list", "list_"),
        ("meta", "meta_"),
        ("modelDump", "model_dump_"),
        ("fooURL", "foo_url"),
        ("utf8text", "utf8text"),
        ("v2", "v2"),
    ],
)
def test_a_field_of_any_name_has_an_attribute_and_keeps_its_name_on_the_wire(registry: Path, field: str, name: str):
    model = module_of(with_fields(registry, **{f"{field}?": text()}), "notes").ListRequest

    assert list(model.model_fields) == ["meta", name]
    assert model(**{name: "x"}).to_wire() == {field: "x"}
    assert model.from_wire({field: "x"}).model_fields_set == {name}


def test_no_attribute_hides_one_of_every_model():
    inherited = {name for name in dir(WireModel) if not name.startswith("_")}

    assert [name for name in sorted(inherited) if attribute(name) in inherited and name != "meta"] == []


@pytest.mark.parametrize(
    "doc", ['Says """three""" quotes.', 'Ends with "one"', "A \\ and a \\n as two characters.", '"""', "Ends with \\"]
)
def test_a_doc_is_a_docstring_whatever_it_says(registry: Path, doc: str):
    path = registry / "spec/types/notes.yaml"
    notes = yaml.safe_load(path.read_text())
    notes["types"]["Marker"]["doc"] = doc
    path.write_text(yaml.safe_dump(notes))

    tree = ast.parse(generate_modules(binding_view(load(registry)))["notes.py"])

    (marker,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Marker"]
    assert ast.get_docstring(marker) == doc


def test_two_classes_of_one_name_are_refused_with_their_place(registry: Path):
    path = registry / "spec/types/notes.yaml"
    notes = yaml.safe_load(path.read_text())
    notes["types"]["LineRuled"] = {"doc": "Another.", "fields": {}}
    path.write_text(yaml.safe_dump(notes))

    with pytest.raises(BindingError, match="two classes would be called LineRuled"):
        binding_view(load(registry))


def test_the_bindings_do_not_depend_on_hash_order():
    program = (
        "import hashlib, json, pathlib; from generator.load import load;"
        "from generator.binding_view import binding_view;"
        "from generator.emit.python import generate_modules;"
        "made = generate_modules(binding_view(load(pathlib.Path('.'))));"
        "print(json.dumps({name: hashlib.sha256(text.encode()).hexdigest() for name, text in made.items()}))"
    )
    committed = {p.name for p in (REPOSITORY / "acp_v2/models").glob("*.py")}

    def made(seed: str) -> dict[str, str]:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return json.loads(subprocess.check_output([sys.executable, "-c", program], cwd=REPOSITORY, env=environment))

    first, second = made("1"), made("2")
    assert set(first) == committed - {"__init__.py"}
    assert first == second


def test_no_time_and_no_version_stand_in_a_generated_file():
    for path in (REPOSITORY / "acp_v2/models").glob("*.py"):
        first, *_ = path.read_text().splitlines()
        assert first == "# Generated from spec/ by `acpspec build`. Do not edit."


def test_what_was_generated_before_is_not_generated_again(
    registry: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(memo, "HOME", tmp_path / "cache")
    protocol = load(registry)
    made = emit(protocol)
    monkeypatch.setattr("generator.emit.python.generate_modules", lambda _: pytest.fail("generated again"))

    assert emit(protocol) == made


def test_an_edited_model_is_found_although_its_text_is_remembered(registry: Path, capsys: pytest.CaptureFixture[str]):
    arguments = argparse.Namespace(root=registry, json=False)
    build(arguments)
    edited = registry / "acp_v2/models/notes.py"
    edited.write_text(f"{edited.read_text()}\nLine = str\n")

    assert check(arguments) == 1
    assert "acp_v2/models/notes.py" in capsys.readouterr().out


def test_a_damaged_memory_is_made_anew(registry: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(memo, "HOME", tmp_path / "cache")
    protocol = load(registry)
    made = emit(protocol)
    (remembered,) = (tmp_path / "cache/bindings").iterdir()
    remembered.write_text(remembered.read_text()[:100])

    assert emit(protocol) == made


def test_the_emitter_stays_small():
    assert len((REPOSITORY / "generator/emit/python.py").read_text().splitlines()) < 400
