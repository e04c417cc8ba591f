"""YAML without surprises: one document of plain mappings, lists and scalars, each with the line it stands on.

PyYAML's parser supplies the events; what they mean is decided here, because YAML 1.1 guesses: `no` is false, `010`
is eight, `1:30` is ninety and the second of two equal keys wins. Here each of these is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

from generator.findings import Finding
from generator.model import Source

PathKey = tuple[str | int, ...]
"""Where a value stands inside its document: keys and list indexes from the root."""

MAX_DEPTH = 60
MAX_INTEGER = 2**53 - 1
"""The largest number up to which a reader with doubles, such as JavaScript's, keeps every integer apart."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_WORDS = {"null": None, "true": True, "false": False}
_TRUTHS = ("y", "n", "yes", "no", "on", "off", "true", "false")
_AMBIGUOUS = re.compile(
    r"""
      (?i:y|n|yes|no|on|off)                             # booleans of YAML 1.1
    | ~ | Null | NULL | True | TRUE | False | FALSE      # other spellings of null, true and false
    | [-+]?0[0-9_]+ | [-+]?0[bBoOxX][0-9a-fA-F_]+        # octal, binary, hexadecimal
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?       # base sixty
    | [-+]?[0-9]+(_[0-9_]*)                              # digit groups
    | \+[0-9.]+ | [-+]?\.[0-9]+ | [-+]?[0-9]+\.          # numbers with a sign or a bare dot
    | [-+]?[0-9.]+[eE][-+]?[0-9]+                        # exponents, which YAML 1.1 and 1.2 read differently
    | [-+]?\.(?i:inf|nan)
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt\ ].*)?          # dates
    """,
    re.VERBOSE,
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")


def dotted(path: PathKey) -> str:
    """A path as people read it: `types.PromptRequest.fields.prompt`."""
    return ".".join(map(str, path))


@dataclass(slots=True)
class Document:
    """A file's value, and the line of every key, item and scalar in it.

    `data` is built of dict, list, str, int, float, bool and None.
    """

    file: str
    data: Any = None
    lines: dict[PathKey, int] = field(default_factory=dict[PathKey, int])

    def source(self, path: PathKey = ()) -> Source:
        """Where `path` stands; where it does not exist, the nearest thing around it that does."""
        while path and path not in self.lines:
            path = path[:-1]
        return Source(self.file, self.lines.get(path, 1), dotted(path))


_REMEDIES = {
    "mapping values are not allowed in this context": "; a text with a colon stands in quotes or below >-",
    "found unexpected end of stream": "; a quote or bracket that was opened further up is not closed",
}
"""What to do about the parser's most frequent complaints."""


def read_yaml(path: Path, name: str) -> tuple[Document | None, list[Finding]]:
    """Read one file.

    Args:
        path: the file.
        name: what findings call it.

    Returns:
        The document, or None where the file is not YAML at all, and what is wrong with it. A document that comes
        with findings is what could be read despite them.
    """
    text, findings = read_text(path, name)
    if text is None or findings:
        return None, findings
    return parse_yaml(text, name)


def parse_yaml(text: str, name: str) -> tuple[Document | None, list[Finding]]:
    """As `read_yaml`, from a text that begins on the first line of its file."""
    reader = _Reader(Document(name))
    try:
        events = cast("Iterator[Any]", yaml.parse(text, Loader=_Loader))  # pyright: ignore[reportUnknownMemberType]
        for event in events:
            if not reader.take(event):
                return None, reader.findings
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        problem: str = getattr(error, "problem", None) or str(error)
        line: int = mark.line + 1 if mark else 1
        at = f"column {mark.column + 1}: " if mark else ""
        problem += _REMEDIES.get(problem, "")
        return None, [*reader.findings, Finding(Source(name, line), "yaml-syntax", f"{at}{problem}")]
    if not reader.documents:
        reader.findings.append(Finding(Source(name, 1), "empty-file", "there is nothing in this file"))
        return None, reader.findings
    return reader.document, reader.findings


def read_text(path: Path, name: str) -> tuple[str | None, list[Finding]]:
    """A file's text, or None where it has none, and what in it no text should have: tabs and control characters."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        return None, [Finding(Source(name, 1), "missing-file", f"cannot be read: {error.strerror}")]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{raw[error.start]:02x} at offset {error.start} is not UTF-8"
        return None, [Finding(Source(name, line), "not-utf8", what)]
    if text.startswith("\ufeff"):
        return None, [
            Finding(Source(name, 1), "byte-order-mark", "remove the byte order mark before the first character")
        ]
    findings: list[Finding] = []
    if "\t" in text or _CONTROL.search(text):
        for number, line in enumerate(text.split("\n"), 1):
            if "\t" in line:
                column = line.index("\t") + 1
                findings.append(
                    Finding(Source(name, number), "tab", f"a tab in column {column}; use spaces, or \\t in quotes")
                )
            if match := _CONTROL.search(line):
                what = f"control character U+{ord(match[0]):04X} in column {match.start() + 1}"
                findings.append(Finding(Source(name, number), "control-character", what))
    return text, findings


@dataclass(slots=True)
class _Frame:
    """A mapping or a list that is still open."""

    value: dict[str, Any] | list[Any]
    path: PathKey
    key: str | None = None
    key_lines: dict[str, int] = field(default_factory=dict[str, int])


class _Reader:
    """Takes the parser's events one by one, so that no depth of nesting can exhaust the stack."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.findings: list[Finding] = []
        self.documents = 0
        self._frames: list[_Frame] = []

    def take(self, event: Any) -> bool:
        """Take one event; False where reading cannot go on."""
        line: int = event.start_mark.line + 1
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    self._find(line, "multiple-documents", "a second document begins here; one file holds one")
                    return False
            case yaml.ScalarEvent():
                self._refuse_decoration(event, line)
                return self._put(self._scalar(event, line), line, plain_key=event.value)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._refuse_decoration(event, line)
                value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                if len(self._frames) >= MAX_DEPTH:
                    self._find(line, "too-deep", f"nested deeper than {MAX_DEPTH} levels")
                    return False
                path = self._next_path()
                if not self._put(value, line, plain_key=None):
                    return False
                self._frames.append(_Frame(value, path))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._frames.pop()
            case yaml.AliasEvent():
                self._find(line, "anchor", f"*{event.anchor} refers to a value elsewhere; write the value out")
                return self._put(None, line, plain_key=event.anchor)
            case _:
                pass
        return True

    def _find(self, line: int, code: str, message: str) -> None:
        source = Source(self.document.file, line, dotted(self._next_path()))
        self.findings.append(Finding(source, code, message))

    def _refuse_decoration(self, event: Any, line: int) -> None:
        if event.anchor is not None:
            self._find(line, "anchor", f"&{event.anchor} names a value for use elsewhere; remove it")
        if event.tag is not None:
            self._find(line, "tag", f"the tag {event.tag} would have a loader build something; remove it")

    def _next_path(self) -> PathKey:
        if not self._frames:
            return ()
        frame = self._frames[-1]
        if isinstance(frame.value, list):
            return (*frame.path, len(frame.value))
        return frame.path if frame.key is None else (*frame.path, frame.key)

    def _put(self, value: Any, line: int, plain_key: str | None) -> bool:
        """Place a value in the innermost open mapping or list; in a mapping, keys and values take turns."""
        if not self._frames:
            self.document.data = value
            self.document.lines[()] = line
            return True
        frame = self._frames[-1]
        if isinstance(frame.value, list):
            self.document.lines[(*frame.path, len(frame.value))] = line
            frame.value.append(value)
        elif frame.key is None:
            return self._put_key(frame, value, line, plain_key)
        else:
            frame.value[frame.key] = value
            frame.key = None
        return True

    def _put_key(self, frame: _Frame, value: Any, line: int, plain_key: str | None) -> bool:
        if plain_key is None:
            self._find(line, "key-type", "a key is a mapping or a list; keys are strings")
            return False
        if not isinstance(value, str):
            self._find(line, "key-type", f"the key {plain_key} is not a string; put it in quotes")
        elif value == "<<":
            self._find(line, "anchor", "<< merges a mapping from elsewhere; write its keys out")
        key = plain_key
        if key in frame.key_lines:
            self._find(line, "duplicate-key", f"the key {key} stands on line {frame.key_lines[key]} already")
        frame.key = key
        frame.key_lines[key] = line
        self.document.lines[(*frame.path, key)] = line
        return True

    def _scalar(self, event: Any, line: int) -> Any:
        text: str = event.value
        is_plain: bool = event.implicit[0]
        if not is_plain or event.tag is not None:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if text == "":
            return None
        if _INTEGER.fullmatch(text):
            if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
                self._find(
                    line, "ambiguous-scalar", f"{text} is too large a number for every YAML reader; put it in quotes"
                )
                return text
            return int(text)
        if _DECIMAL.fullmatch(text):
            return float(text)
        if _AMBIGUOUS.fullmatch(text):
            meant = {True: "write true or false, or ", False: ""}[text.lower() in _TRUTHS]
            what = f"{text} is read differently by different YAML readers; {meant}put it in quotes"
            self._find(line, "ambiguous-scalar", what)
        return text
