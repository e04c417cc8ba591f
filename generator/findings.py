"""What can be wrong with a registry: one stable code per kind of fault, and the error that carries them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from generator.model import Source

CODES: dict[str, str] = {
    # Reading the files
    "stray-file": "A file below spec/types or spec/examples has a name that nothing reads.",
    "missing-file": "A file or folder that the registry cannot do without is not there.",
    "not-utf8": "The file has bytes that are not UTF-8. Save it as UTF-8.",
    "byte-order-mark": "The file begins with a byte order mark. Save it as UTF-8 without one.",
    "control-character": "A control character stands in the text. Write it as an escape in double quotes.",
    "tab": "A tab stands in the text. Indent with spaces; inside double quotes write \\t.",
    "yaml-syntax": "The file is not well-formed YAML.",
    "empty-file": "The file holds no document.",
    "multiple-documents": "The file holds more than one document. One file is one document.",
    "too-deep": "The document nests deeper than anything the notation has words for.",
    "tag": "The notation has no tags (!!python/…, !!str, !anything). Remove it.",
    "anchor": "The notation has no anchors, aliases or merge keys. Write the value out.",
    "duplicate-key": "A mapping has the same key twice; all but one would be lost.",
    "key-type": "A key is not a string. Put it in quotes.",
    "ambiguous-scalar": "YAML readers disagree on what this means (on, no, 010, 1:30, a date…). Quote it.",
    # The notation, as spec/registry.schema.json describes it
    "unknown-key": "The notation has no such key here.",
    "missing-key": "A key that the notation asks for is not there.",
    "wrong-value": "A value is not of the kind that the notation asks for.",
    "shape": "A type has none or several of the shapes that a type can have.",
    # References
    "type-expression": "A type expression cannot be read: NAME, NAME | null, list of NAME, map of NAME.",
    "type-constraint": "A limit or a policy does not fit the type that it is written beside.",
    "duplicate-type": "Two topics define a type of the same name.",
    "unknown-type": "A type is named that no topic defines and that is no built-in.",
    "alias-cycle": "A type has to hold itself, so that no value of it can ever be complete.",
    "unknown-class": "A retry class is named that the top of methods.yaml does not define.",
    "unknown-error": "An error is named that the ErrorCode type does not list.",
    "unknown-method": "An example belongs to a method that the registry does not have.",
    "unknown-message": "An example gives params or a result for a message that its method does not have.",
    "unknown-rule": "A rule is named that rules.yaml does not have.",
    "unknown-scenario": "A scenario is named that scenarios.yaml does not have.",
    "unknown-page": "A rule names a page that spec/guide does not have, or moved.yaml one that the site does not have.",
    # The guide
    "page-head": "A page of the guide begins with its title and description between two lines of ---.",
    "page-name": "A page of the guide has the name of a page that is generated.",
    "page-moved": "spec/guide/moved.yaml leads from old addresses of pages to new ones.",
    "page-expression": "A {{ … }} of a page cannot be read; CONTRIBUTING.md lists what can stand there.",
    # Lint: what the registry says as a whole
    "class-set": "The registry defines exactly the classes safe, keyed, duplicating and connection_bound.",
    "class-rule": "A message's retry class does not fit who sends it and whether it has a response.",
    "keyed-count": "Not as many methods are keyed as the class says there are (one).",
    "duplicating-count": "Not as many methods are duplicating as the class says there are (two).",
    "retry-key": "A keyed message names a field of its params that is optional, nullable and strict; no other does.",
    "key-elsewhere": "The type of the retry key is used outside the params of the keyed method.",
    "message-sides": "A message goes from one end of a connection to the other, or from either to either.",
    "message-type": "Params and results are types with named fields, or any; each belongs to one message.",
    "capability": "A method needs a capability that nobody can advertise: its path leads nowhere.",
    "unstable-leak": "Something stable leads to something unstable that is not marked so on the way.",
    "unstable-only": "A type is stable, but only something unstable leads to it.",
    "tag-field": "A union's tag that is also a field is optional and nullable, and the union has `absent`.",
    "unused-type": "Nothing refers to this type.",
    "missing-example": "A message has no example of its params or of its result.",
    "unknown-field": "An example has a field or a variant that the registry does not know. Private ones start with _.",
    "invalid-example": "An example does not match the schema generated from the registry.",
    "doc-repeats-name": "A doc says no more than the name does.",
    "doc-sentence": "A doc does not end like a sentence.",
    "binding": "The Python bindings have no word for something, or would have one name for two things.",
    "rule-quoted": "A rule is quoted once on the page that it names, and on no other.",
    "rule-unchecked": "A rule says neither what checks it, nor why nothing can, nor that a check is planned.",
    "rule-planned": "A rule's check is still planned; a release needs it done or reasoned away.",
    "unused-scenario": "No rule is checked by this scenario.",
}
"""Every code with the sentence that explains it; `acpspec explain CODE` prints it."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault: where it is, which kind, what is wrong and what to do about it."""

    source: Source
    code: str
    message: str

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"{self.code!r} is not in generator.findings.CODES")

    def __str__(self) -> str:
        path = f"{self.source.path}: " if self.source.path else ""
        return f"{self.source}: {path}{self.message} [{self.code}]"


class RegistryError(Exception):
    """The registry cannot be loaded. `findings` has every fault that was seen, in file and line order."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = sorted(set(findings))
        super().__init__("\n".join(map(str, self.findings)))
