"""The Python bindings: `datamodel-code-generator`, driven on a view of the Model in which every variant has a name."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generator.binding_view import Schema, binding_view, doc_lines, pascal
from generator.emit import NOTICE
from generator.memo import remembered
from generator.model import Protocol

TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "python"
CONFIG = TEMPLATES.parents[1] / "pyproject.toml"
MODELS_DIR = "acp_v2/models"

_ANNOTATIONS = (
    "AbsentTag",
    "ExactlyOne",
    "FirstThatFits",
    "Integral",
    "NullAsAbsent",
    "Number",
    "OpenString",
    "OpenUnion",
    "OrAbsent",
    "OrEmpty",
    "SkipInvalidItems",
    "UnlistedTag",
    "Untagged",
)
"""What `acp_v2.wire_types` has for annotations; ruff takes out of each module what it does not use."""


def emit(protocol: Protocol) -> dict[str, str]:
    """The modules of `acp_v2/models`, one for each topic and one for scalars, and the tables that stand beside them."""
    view = binding_view(protocol)
    tools = {name: version(name) for name in ("datamodel-code-generator", "ruff")}
    sources = [path.read_text("utf-8") for path in (Path(__file__), CONFIG, *sorted(TEMPLATES.rglob("*.j*2")))]
    tables = {
        "classes": [dataclasses.asdict(c) for c in protocol.retry_classes],
        "methods": [dataclasses.asdict(m) for m in protocol.methods],
        "errors": [dataclasses.asdict(e) for e in protocol.error_codes()],
    }
    return remembered("bindings", [view, tables, tools, sources], lambda: _emit(protocol, view))


def _emit(protocol: Protocol, view: dict[str, Schema]) -> dict[str, str]:
    modules = generate_modules(view)
    homes = _homes(view)
    names: dict[str, list[str]] = {}
    for name, module in homes.items():
        names.setdefault(module, []).append(name)
    return {
        **{f"{MODELS_DIR}/{name}": text for name, text in modules.items()},
        f"{MODELS_DIR}/__init__.py": _render("models.py.j2", homes=homes, modules=dict(sorted(names.items()))),
        "acp_v2/retry_class.py": _render("retry_class.py.j2", classes=protocol.retry_classes),
        "acp_v2/methods.py": _render("methods.py.j2", protocol=protocol),
        "acp_v2/errors.py": _render("errors.py.j2", errors=protocol.error_codes()),
    }


def _homes(view: dict[str, Schema]) -> dict[str, str]:
    """The module of every public name of the models, by name."""
    homes: dict[str, str] = {}
    for key, schema in view.items():
        module, name = key.split(".")
        homes[name] = module
        if schema.get("x-constants"):
            homes[f"Known{name}"] = module
    return dict(sorted(homes.items()))


def _render(template: str, **values: Any) -> str:
    """A template's text, formatted as the rest of the code is."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  # Python, not HTML
    )
    filters: dict[str, Any] = {"python": repr, "pascal": pascal, "docstring": _docstring}
    environment.filters.update(filters)
    text = environment.get_template(template).render(notice=NOTICE, **values)
    command = [sys.executable, "-m", "ruff", "format", "--config", str(CONFIG), "-"]
    return subprocess.run(  # noqa: S603  # ruff, with a fixed command
        command, input=text, capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout


def _docstring(text: str, indent: int) -> str:
    """A text as a docstring, its later lines indented."""
    pad = f"\n{' ' * indent}"
    lines = doc_lines(text)
    body = pad.join(lines).replace(f"{pad}\n", "\n\n")
    return f'"""{body}{pad if len(lines) > 1 else ""}"""'


def generate_modules(view: dict[str, Schema]) -> dict[str, str]:
    """Run datamodel-code-generator on a view, in memory. Returns the text of each module by file name."""
    # Imported late, because it takes as long as all else that a check does, and most checks need it not.
    from datamodel_code_generator import LiteralType, PythonVersion, generate
    from datamodel_code_generator.enums import AllOfClassHierarchy, DataModelType, InputFileType

    extra: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    bases: dict[str, str | list[str]] = {}
    for key, schema in view.items():
        extra[key] = {
            "doc": schema["x-doc"],
            "tags": schema.get("x-tags"),
            "annotations": schema.get("x-annotations"),
            "constants": schema.get("x-constants"),
        }
        if "x-base" in schema:
            bases[key] = f"acp_v2.wire_model.{schema['x-base']}"
    modules = generate(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {k: _plain(s) for k, s in view.items()}},
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        treat_dot_as_module=True,
        use_type_alias=True,
        use_union_operator=True,
        use_standard_collections=True,
        enum_field_as_literal=LiteralType.All,
        base_class="acp_v2.wire_model.WireModel",
        base_class_map=bases,
        custom_template_dir=TEMPLATES,
        extra_template_data=extra,
        field_extra_keys={"x-doc", "x-annotations", "x-default"},
        additional_imports=[
            "typing.Annotated",
            "typing.ClassVar",
            "typing.Final",
            "typing.TypeAlias",
            "pydantic.Field",
            *(f"acp_v2.wire_types.{name}" for name in _ANNOTATIONS),
        ],
        custom_file_header=f'# {NOTICE}\n\n"""The classes of one topic; `acp_v2` has those of all."""',
        keep_model_order=True,
        allof_class_hierarchy=AllOfClassHierarchy.Always,
        skip_root_model=True,
        disable_timestamp=True,
        use_double_quotes=True,
        formatters=[],
    )
    if not isinstance(modules, dict):
        raise TypeError("datamodel-code-generator gave one module; the names of a view have a dot")
    return _tidied({"/".join(path): text for path, text in modules.items() if path != ("__init__.py",)})


def _tidied(modules: dict[str, str]) -> dict[str, str]:
    """Modules without the imports that they do not use, formatted as the rest of the code is.

    All at once, because starting ruff takes longer than what it does.
    """
    with TemporaryDirectory() as folder:
        for name, text in modules.items():
            Path(folder, name).write_text(text, "utf-8", newline="\n")
        for command in (("check", "--fix", "--unsafe-fixes", "--exit-zero"), ("format",)):
            subprocess.run(  # noqa: S603  # ruff, with fixed commands
                [sys.executable, "-m", "ruff", *command, "--quiet", "--config", str(CONFIG), folder],
                stdout=subprocess.DEVNULL,
                check=True,
            )
        return {name: Path(folder, name).read_text("utf-8") for name in modules}


def _plain(schema: Schema) -> Schema:
    """A class that inherits stands in JSON Schema as `allOf`, its bases first."""
    own = {key: value for key, value in schema.items() if key not in ("x-bases", "x-base", "x-tags", "x-constants")}
    if "properties" in own:
        # The template gives optional fields their defaults; to the generator, no field may be left out.
        own["required"] = list(own["properties"])
    bases = [{"$ref": f"#/$defs/{base}"} for base in schema.get("x-bases", ())]
    return {"allOf": [*bases, own], "x-doc": schema["x-doc"]} if bases else own
