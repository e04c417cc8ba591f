"""JSON Schema validation that follows the tags of unions, so that an error is about the variant that was meant.

A plain validator tries every branch of an `anyOf` and reports all of them, or none in particular. Here the keywords
`anyOf` and `oneOf` look at what their branches ask for, pick the one that the instance claims to be, and descend
into that alone. The verdict stays that of JSON Schema; the errors get short, and it gets faster.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

Schema = dict[str, Any]
Errors = Iterator[ValidationError]

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value is not what the schema asks for.

    `pointer` is a JSON pointer (RFC 6901) to the place, `text` a sentence without the offending value itself.
    `lenient` says what a receiver makes of it where the schema tells it to carry on: None where it must reject.
    """

    pointer: str
    text: str
    lenient: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What is allowed but may not be meant: a field or a variant that the schema does not know.

    `pointer` is a JSON pointer to the object that has it, `name` the field or the tag's value.
    """

    pointer: str
    name: str
    text: str


class ExplainingValidator:
    """Validates against the definitions of one generated schema file (`$defs`, referred to as `#/$defs/NAME`).

    One validator is for one thread at a time.
    """

    def __init__(self, schema: Schema) -> None:
        self._definitions: dict[str, Schema] = schema["$defs"]
        self._keywords = keywords = _Keywords(self._definitions)
        self._validator_class: Any = validators.extend(  # pyright: ignore[reportUnknownMemberType]
            Draft202012Validator,
            {
                "$ref": local_ref(self._definitions),
                "properties": keywords.properties,
                "additionalProperties": keywords.additional_properties,
                "required": keywords.required,
                "anyOf": keywords.any_of,
                "oneOf": keywords.one_of,
                "unevaluatedProperties": keywords.unevaluated_properties,
            },
        )
        self._validators: dict[str, Any] = {}

    def problems(self, definition: str, value: Any, at: str = "") -> list[Problem]:
        """What is wrong with `value` as a `definition`; pointers begin with `at`.

        Raises:
            KeyError: the schema has no such definition.
        """
        validator = self._validators.get(definition)
        if validator is None:
            validator = self._validators[definition] = self._validator_class(self._definitions[definition])
        self._keywords.forget()
        errors = cast("Errors", validator.iter_errors(value))
        return [Problem(at + pointer(e.absolute_path), _sentence(e), getattr(e, "lenient", None)) for e in errors]

    def notes(self, value: Any, at: str = "") -> list[Note]:
        """What `value`, on which `problems` was called last, has that the schema allows but does not know."""
        unknown = self._keywords.unknown()
        if not unknown:
            return []
        return [
            Note(at + where, name, text) for where, item in _objects(value) for name, text in unknown.get(id(item), ())
        ]


def pointer(path: Iterable[str | int]) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _objects(value: Any) -> Iterator[tuple[str, Any]]:
    """Every object inside a value, with its pointer."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, dict):
            yield pointer(path), item
            waiting += [((*path, key), inner) for key, inner in cast("dict[str, Any]", item).items()]
        elif isinstance(item, list):
            waiting += [((*path, index), inner) for index, inner in enumerate(cast("list[Any]", item))]


# Sentences


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


_KINDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _sentence(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    value: Any = error.instance
    match error.validator:
        case "type":
            types: list[str] = [wanted] if isinstance(wanted, str) else wanted
            found = "a number with a fraction" if types[0] == "integer" and isinstance(value, float) else kind_of(value)
            return f"has to be {_either([_KINDS[t] for t in types])}, but is {found}"
        case "minLength" | "maxLength":
            most = error.schema.get("maxLength") if isinstance(error.schema, dict) else None
            least = error.schema.get("minLength", 0) if isinstance(error.schema, dict) else 0
            allowed = f"{least} to {most}" if most is not None else f"at least {least}"
            found = "is empty" if not value else f"has {len(value)} characters"
            return f"{found}; {allowed} characters are allowed" if most is not None else f"{found}; it needs {allowed}"
        case "minItems":
            return f"has {len(value) or 'no'} items; it needs at least {wanted}"
        case "minimum":
            return f"is {value}; the smallest number allowed is {wanted}"
        case "maximum":
            return f"is {value}; the largest number allowed is {wanted}"
        case "const":
            return f"has to be {wanted!r}"
        case _:
            return error.message


# Keywords


def local_ref(definitions: dict[str, Schema]) -> Callable[[Any, str, Any, Schema], Errors]:
    """The keyword `$ref` for schemas that refer to nothing but `#/$defs/NAME` of their own file.

    Looking a name up in a dict takes a fraction of what resolving a URI reference does.
    """

    def ref(validator: Any, reference: str, instance: Any, _schema: Schema) -> Errors:
        yield from _descend(validator, instance, definitions[reference.rpartition("/")[2]])

    return ref


_additional_properties: Any = Draft202012Validator.VALIDATORS["additionalProperties"]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportAttributeAccessIssue]

Plan = Callable[[Any, Any], Errors]
"""What to do at one `anyOf`: takes the validator and the instance."""


class _Keywords:
    """The keywords that differ from jsonschema's. Each is given the validator, the keyword's value, the instance and
    the schema around it, and yields errors.
    """

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions
        self._plans: dict[int, tuple[list[Schema], Plan]] = {}
        self._fields: dict[int, tuple[dict[str, Any], set[str]]] = {}
        self._tags: dict[int, tuple[str, str]] = {}
        self._open: set[int] = set()

    def forget(self) -> None:
        """Begin with another value."""
        self._fields.clear()
        self._tags.clear()
        self._open.clear()

    def unknown(self) -> dict[int, list[tuple[str, str]]]:
        """For objects (by identity) the fields and tags that no schema asked for, each with a sentence."""
        found = {key: [entry] for key, entry in self._tags.items()}
        for key, (fields, known) in self._fields.items():
            if key not in self._open and (extra := fields.keys() - known):
                names = sorted(known)
                found[key] = [
                    (name, f"has the field {name}, which v2 does not know{_meant(name, names)}")
                    for name in sorted(extra)
                    if not name.startswith("_")
                ]
        return found

    def properties(self, validator: Any, properties: dict[str, Schema], instance: Any, _schema: Schema) -> Errors:
        if not isinstance(instance, dict):
            return
        fields = cast("dict[str, Any]", instance)
        self._fields.setdefault(id(fields), (fields, set()))[1].update(properties)
        for name, schema in properties.items():
            if name in fields:
                for error in _descend(validator, fields[name], schema, path=name):
                    _note_leniency(error, schema, fields[name])
                    yield error

    def additional_properties(self, validator: Any, allowed: bool | Schema, instance: Any, schema: Schema) -> Errors:  # noqa: FBT001
        """`true`, as on an unknown variant, says that whatever else there is belongs to the object."""
        if allowed is True:
            self._open.add(id(instance))
        elif isinstance(instance, dict) and allowed is not False:
            # In the object's order; jsonschema's own goes through a set.
            fields = cast("dict[str, Any]", instance)
            for name in (n for n in fields if n not in schema.get("properties", {})):
                yield from validator.descend(fields[name], allowed, path=name)
        else:
            yield from _additional_properties(validator, allowed, instance, schema)

    def unevaluated_properties(self, _validator: Any, _allowed: bool, instance: Any, _schema: Schema) -> Errors:  # noqa: FBT001
        """Only ever `true` in the generated schemas."""
        self._open.add(id(instance))
        yield from ()

    def required(self, _validator: Any, names: list[str], instance: Any, _schema: Schema) -> Errors:
        if isinstance(instance, dict):
            for name in names:
                if name not in instance:
                    yield ValidationError(f"needs the field {name}")

    def any_of(self, validator: Any, branches: list[Schema], instance: Any, _schema: Schema) -> Errors:
        known = self._plans.get(id(branches))
        if known is None:
            # The branches are kept too, so that their identity is not given to another list.
            known = self._plans[id(branches)] = (branches, self._plan(branches))
        yield from known[1](validator, instance)

    def one_of(self, validator: Any, branches: list[Schema], instance: Any, _schema: Schema) -> Errors:
        if all("const" in b for b in branches):
            yield from self._listed(branches)(validator, instance)
            return
        fitting = [b for b in branches if _is_valid(validator, instance, b)]
        if len(fitting) == 1:
            return
        marks = [self._required(b) for b in branches]
        fields = cast("dict[str, Any]", instance) if isinstance(instance, dict) else {}
        claimed = [b for b, mark in zip(branches, marks, strict=True) if all(name in fields for name in mark)]
        if fitting:
            yield ValidationError(f"has {' and '.join(mark[0] for mark in marks)}; only one of them may be there")
        elif len(claimed) == 1:
            yield from _descend(validator, instance, claimed[0])
        else:
            yield ValidationError(f"needs the field {_either([mark[0] for mark in marks])}")

    def _plan(self, branches: list[Schema]) -> Plan:
        others = [b for b in branches if b != {"type": "null"}]
        if len(others) < len(branches):
            return self._nullable(others[0] if len(others) == 1 else {"anyOf": others})
        if any("const" in b for b in branches):
            return self._listed(branches)
        tag = _tag(branches)
        return self._tagged(tag, branches) if tag else self._untagged(branches)

    def _nullable(self, schema: Schema) -> Plan:
        def check(validator: Any, instance: Any) -> Errors:
            if instance is not None:
                yield from _descend(validator, instance, schema)

        return check

    def _listed(self, branches: list[Schema]) -> Plan:
        """Listed values, and perhaps any other of the same type."""
        base = {"type": branches[0]["type"]}
        values = [b["const"] for b in branches if "const" in b]
        is_open = len(values) < len(branches)

        def check(validator: Any, instance: Any) -> Errors:
            if is_open:
                yield from _descend(validator, instance, base)
            elif instance not in values:
                yield ValidationError(f"has to be {_either([repr(v) for v in values])}")

        return check

    def _tagged(self, tag: str, branches: list[Schema]) -> Plan:
        known: dict[str, Schema] = {}
        fallback: Schema | None = None
        absent: Schema | None = None
        others: list[Schema] = []
        for branch in branches:
            schema: Schema = branch.get("properties", {}).get(tag, {})
            if "const" in schema:
                known[schema["const"]] = branch
            elif "not" in branch:
                # Taken only when the tag is not a listed one, where `not` holds by itself.
                fallback = {k: v for k, v in branch.items() if k != "not"}
            elif schema == {"type": "null"}:
                absent = branch
            else:
                others.append(branch)
        untagged = self._untagged(others) if others else None

        def check(validator: Any, instance: Any) -> Errors:
            if not isinstance(instance, dict):
                yield from _descend(validator, instance, {"type": "object"})
                return
            value: Any = cast("dict[str, Any]", instance).get(tag, _ABSENT)
            if isinstance(value, str) and value not in known:
                self._note_tag(cast("object", instance), tag, value, known)
            if isinstance(value, str) and (branch := known.get(value, fallback)) is not None:
                errors = _descend(validator, instance, branch)
                if untagged is None:
                    yield from errors
                elif (found := list(errors)) and list(untagged(validator, instance)):
                    yield from found
            elif absent is not None and (value is _ABSENT or value is None):
                return
            elif untagged is not None:
                yield from untagged(validator, instance)
            elif value is _ABSENT:
                some = ", ".join(list(known)[:4]) + (", …" if len(known) > 4 else "")
                yield ValidationError(f"needs the field {tag}, which says what it is ({some})")
            elif isinstance(value, str):
                error = ValidationError(f"has to be {_either([repr(v) for v in known])}")
                error.path.appendleft(tag)
                yield error
            else:
                yield from _descend(validator, value, {"type": "string"}, path=tag)

        return check

    def _note_tag(self, instance: object, tag: str, value: str, known: dict[str, Schema]) -> None:
        """An unknown variant is the sender's own if its name begins with `_`; else it may be a slip."""
        if not value.startswith("_"):
            meant = _meant(value, list(known))
            self._tags[id(instance)] = (value, f"has {value[:60]!r} as its {tag}, which v2 does not know{meant}")

    def _untagged(self, branches: list[Schema]) -> Plan:
        """Branches told apart by the kind of value, or by the fields they need."""

        def check(validator: Any, instance: Any) -> Errors:
            failures: list[list[ValidationError]] = []
            for branch in branches:
                errors = list(_descend(validator, instance, branch))
                if not errors:
                    if "properties" not in self._resolved(branch):
                        self._open.add(id(instance))
                    return
                failures.append(errors)
            fitting = [e for e in failures if not any(x.validator == "type" and not x.path for x in e)]
            complete = [e for e in fitting if not any(x.validator == "required" and not x.path for x in e)]
            if not fitting:
                kinds = [_KINDS[self._type(b)] for b in branches]
                yield ValidationError(f"has to be {_either(list(dict.fromkeys(kinds)))}, but is {kind_of(instance)}")
            elif len(fitting) > 1 and not complete:
                names = [" and ".join(self._required(b)) for b in branches]
                yield ValidationError(f"needs the fields {_either(names)}")
            else:
                yield from min(complete or fitting, key=len)

        return check

    def _target(self, reference: str) -> Schema:
        return self._definitions[reference.rpartition("/")[2]]

    def _resolved(self, schema: Schema) -> Schema:
        while reference := schema.get("$ref") or (schema["allOf"][0].get("$ref") if "allOf" in schema else None):
            schema = self._target(reference)
        return schema

    def _type(self, schema: Schema) -> str:
        declared: Any = self._resolved(schema).get("type", "object")
        return declared if isinstance(declared, str) else declared[0]

    def _required(self, schema: Schema) -> list[str]:
        return self._resolved(schema).get("required", [])


def _descend(validator: Any, instance: Any, schema: Schema, path: str | None = None) -> Errors:
    return cast("Errors", validator.descend(instance, schema, path=path))


def _is_valid(validator: Any, instance: Any, schema: Schema) -> bool:
    return next(_descend(validator, instance, schema), None) is None


def _meant(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _tag(branches: list[Schema]) -> str | None:
    """The field whose constant tells the branches apart, if they have one."""
    for branch in branches:
        for name, schema in branch.get("properties", {}).items():
            if "const" in schema and name in branch.get("required", ()):
                return name
    return None


def _note_leniency(error: ValidationError, schema: Schema, value: Any) -> None:
    """The innermost policy that covers an error decides what becomes of the value."""
    if hasattr(error, "lenient"):
        return
    is_inside_item = len(error.path) > 1
    if schema.get("x-deserialize-skip-invalid-items") and is_inside_item:
        error.lenient = "receivers drop this item"  # pyright: ignore[reportAttributeAccessIssue]
    elif schema.get("x-deserialize-default-on-error") or (
        schema.get("x-deserialize-default-on-null") and value is None
    ):
        error.lenient = "receivers take the field as absent"  # pyright: ignore[reportAttributeAccessIssue]
