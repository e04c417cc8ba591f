"""Every kind of fault: one edit of the minimal registry, and the finding that has to come of it, with file and line."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from generator.findings import CODES, Finding, RegistryError
from generator.lint import lint
from generator.load import load

METHODS = "spec/methods.yaml"
TYPES = "spec/types/notes.yaml"
WRITE = "spec/examples/notes.yaml"
RULES = "spec/rules.yaml"
SCENARIOS = "spec/scenarios.yaml"
PAGE = "spec/guide/keys.md"
MOVED = "spec/guide/moved.yaml"

HEAD = "---\ntitle: Keys\ndescription: About keys.\n---\n"

WHOLE_FILE = ""


@dataclass(frozen=True)
class Fault:
    """In `file`, `old` becomes `new`.

    The finding is at the line where `new` has a §, which is taken out, or at the line that reads `at`.
    """

    code: str
    file: str
    old: str
    new: str
    says: str = ""
    release: bool = False
    at: str = ""


FAULTS = {
    # Reading YAML
    "bytes that are not UTF-8": Fault("not-utf8", TYPES, "Like the sea.", "§Like the se\udce4.", says="byte 0xe4"),
    "byte order mark": Fault("byte-order-mark", TYPES, "title: Notes", "§\ufefftitle: Notes"),
    "control character": Fault("control-character", TYPES, "Like the sea.", "§Like the\x07 sea.", says="U+0007"),
    "tab as indentation": Fault(
        "tab",
        TYPES,
        """\
    type: any
""",
        "§\ttype: any\n",
        says="column 1",
    ),
    "tab inside a line": Fault(
        "tab",
        TYPES,
        """\
    type: any
""",
        "§    type:\tany\n",
        says="column 10",
    ),
    "unclosed bracket": Fault("yaml-syntax", WRITE, "result: {}", "§result: {]", says="column"),
    "bad indentation": Fault(
        "yaml-syntax",
        TYPES,
        """\
    type: any
""",
        """\
    type: any
§   more: any
""",
    ),
    "empty file": Fault(
        "empty-file",
        RULES,
        WHOLE_FILE,
        """\
§# nothing but a comment
""",
    ),
    "second document": Fault(
        "multiple-documents",
        SCENARIOS,
        "scenarios:",
        """\
a: b
§---
scenarios:""",
    ),
    "endless nesting": Fault(
        "too-deep",
        WRITE,
        "    result: {}",
        "§    result: " + "[" * 80 + "]" * 80,
    ),
    "tag that builds an object": Fault(
        "tag", TYPES, "    type: any", "§    type: !!python/object/apply:os.system [ls]", says="python"
    ),
    "tag on a string": Fault("tag", TYPES, "    type: any", "§    type: !!str any"),
    "private tag": Fault("tag", TYPES, "    type: any", "§    type: !anything any"),
    "anchor": Fault("anchor", TYPES, "    type: any", "§    type: &it any", says="&it"),
    "alias": Fault("anchor", TYPES, "    type: any", "§    type: *it", says="*it"),
    "alias to itself": Fault(
        "anchor",
        TYPES,
        """\
  Ext:
""",
        """\
§  Ext: &ext
    me: *ext
""",
    ),
    "merge key": Fault(
        "anchor",
        TYPES,
        "    type: any",
        """\
§    <<: {doc: no}
    type: any""",
        says="<<",
    ),
    "key twice": Fault(
        "duplicate-key",
        TYPES,
        """\
    type: any
""",
        """\
    type: any
§    type: any
""",
        says="type stands on line",
    ),
    "type twice in one file": Fault(
        "duplicate-key",
        TYPES,
        """\
  Ext:
""",
        """\
§  Error:
""",
        says="Error stands on line",
    ),
    "field twice, once optional": Fault(
        "duplicate-key",
        TYPES,
        "      writeKey?:",
        """\
§      line?: {type: string, doc: Again.}
      writeKey?:""",
        says="line stands",
    ),
    "number as a key": Fault("key-type", TYPES, "      black: Dark", "§      1: Dark", says="quotes"),
    "list as a key": Fault(
        "key-type",
        TYPES,
        "      black: Dark",
        """\
§      ? [black]
      : Dark""",
    ),
    "on": Fault("ambiguous-scalar", TYPES, "blue: Like the sea.", "§blue: on", says="on"),
    "off": Fault("ambiguous-scalar", TYPES, "blue: Like the sea.", "§blue: Off"),
    "no": Fault("ambiguous-scalar", TYPES, "blue: Like the sea.", "§blue: no"),
    "yes as a key": Fault("ambiguous-scalar", TYPES, "      blue:", "§      yes:"),
    "True": Fault("ambiguous-scalar", METHODS, "unstable: true", "§unstable: True"),
    "tilde": Fault("ambiguous-scalar", WRITE, "result: {}", "§result: ~"),
    "octal of YAML 1.1": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 010"),
    "octal of YAML 1.2": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 0o10"),
    "hexadecimal": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 0x1F"),
    "base sixty": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 1:30"),
    "digit groups": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 1_000"),
    "exponent": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 1e3"),
    "infinity": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: .inf"),
    "too large for a double": Fault("ambiguous-scalar", METHODS, "version: 1", "§version: 12345678901234567890"),
    "date": Fault("ambiguous-scalar", TYPES, "blue: Like the sea.", "§blue: 2026-11-13"),
    "file with another ending": Fault("stray-file", "spec/examples/more.yml", WHOLE_FILE, "§method: note/write\n"),
    # The notation
    "unknown key": Fault("unknown-key", TYPES, "    type: any", "§    typ: any", says="typ"),
    "unknown key of a message": Fault(
        "unknown-key",
        METHODS,
        """\
      retry:
        class: safe""",
        """\
§      retries: 3
      retry:
        class: safe""",
    ),
    "raw JSON Schema": Fault(
        "unknown-key",
        TYPES,
        "    type: any",
        """\
§    additionalProperties: false
    type: any""",
    ),
    "no doc": Fault(
        "missing-key",
        TYPES,
        """\
  Ext:
    type: any
    doc: Whatever two parties agree on.""",
        """\
§  Ext:
    type: any""",
        says="needs doc",
    ),
    "no retry class": Fault(
        "missing-key",
        METHODS,
        """\
      retry:
        class: safe
""",
        """\
§      retry:
""",
        says="needs class",
    ),
    "no reason": Fault(
        "missing-key",
        METHODS,
        """\
      retry:
        class: safe
        why: It only reads.
""",
        """\
§      retry:
        class: safe
""",
        says="needs why",
    ),
    "no message": Fault(
        "missing-key",
        METHODS,
        "  note/changed:",
        """\
§  note/gone: {summary: Gone., doc: Gone for good.}
  note/changed:""",
        says="request or notification",
    ),
    "empty doc": Fault("wrong-value", TYPES, "    doc: Whatever two parties agree on.", "§    doc:", says="empty"),
    "blank doc": Fault(
        "wrong-value", TYPES, "    doc: Whatever two parties agree on.", '§    doc: " "', says="some text"
    ),
    "number for a doc": Fault(
        "wrong-value", TYPES, "    doc: Whatever two parties agree on.", "§    doc: 5", says="text"
    ),
    "unstable: false": Fault("wrong-value", METHODS, "unstable: true", "§unstable: false", says="can only be true"),
    "unknown side": Fault("wrong-value", METHODS, "      from: agent", "§      from: server", says="client"),
    "misspelt policy": Fault(
        "wrong-value", TYPES, "        invalid_items: skip", "§        invalid_items: drop", says='"skip"'
    ),
    "lower-case type name": Fault(
        "wrong-value",
        TYPES,
        """\
  Ext:
""",
        """\
§  ext:
""",
        says="form",
    ),
    "method name with a dot": Fault("wrong-value", METHODS, "  note/list:", "§  note.list:", says="form"),
    "type and fields": Fault(
        "shape",
        TYPES,
        """\
  Ext:
""",
        """\
§  Ext:
    fields: {}
""",
        says="fields and type",
    ),
    "no shape": Fault(
        "shape",
        TYPES,
        """\
  Ext:
    type: any
""",
        """\
§  Ext:
""",
        says="none",
    ),
    "open_enum without unknown": Fault(
        "shape",
        TYPES,
        """\
  Colour:
    doc: Inks that every pen has.
    open_enum:
      black: Dark as night.
      blue: Like the sea.
    unknown: Shown as black.
""",
        """\
§  Colour:
    doc: Inks that every pen has.
    open_enum:
      black: Dark as night.
""",
    ),
    "variant with type and fields": Fault(
        "shape",
        TYPES,
        """\
        plain:
          type: PlainLine
""",
        """\
§        plain:
          type: PlainLine
          fields: {}
""",
    ),
    # References
    "type expression": Fault(
        "type-expression", TYPES, "        type: list of string", "§        type: string[]", says="list of NAME"
    ),
    "limit that does not fit": Fault(
        "type-constraint",
        TYPES,
        "    type: any",
        """\
    type: any
§    min: 3""",
        says="numbers",
    ),
    "items policy on a string": Fault(
        "type-constraint",
        TYPES,
        """\
      names:
        type: list of string""",
        """\
§      names:
        type: string""",
        says="lists",
    ),
    "default of a required field": Fault(
        "type-constraint",
        TYPES,
        """\
      line:
        type: Line
""",
        """\
§      line:
        type: Line
        default: {}
""",
    ),
    "type in two topics": Fault(
        "duplicate-type",
        "spec/types/second.yaml",
        WHOLE_FILE,
        """\
title: Second
doc: Another topic.
types:
§  Ext: {type: any, doc: Again something else.}
""",
        says="notes.yaml",
    ),
    "unknown type of a field": Fault(
        "unknown-type",
        TYPES,
        "      colour?:\n        type: Colour | null",
        "§      colour?:\n        type: Color | null",
        says="did you mean Colour?",
    ),
    "unknown type of params": Fault(
        "unknown-type",
        METHODS,
        "      params: ListRequest",
        "§      params: ListReqest",
        says="did you mean ListRequest?",
    ),
    "unknown type in the envelope": Fault("unknown-type", METHODS, "    id: RequestId", "§    id: Id"),
    "alias of itself": Fault(
        "alias-cycle",
        TYPES,
        """\
  Ext:
    type: any""",
        """\
§  Ext:
    type: Ext""",
        says="Ext → Ext",
    ),
    "cycle of two aliases": Fault(
        "alias-cycle",
        TYPES,
        """\
  Ext:
    type: any""",
        """\
  Ink:
    doc: Leads back.
    type: Ext
§  Ext:
    type: Ink""",
        says="Ext → Ink → Ext",
    ),
    "cycle of required fields": Fault(
        "alias-cycle",
        TYPES,
        """\
  PlainLine:
    doc: A line of letters.
    fields:
""",
        """\
§  PlainLine:
    doc: A line of letters.
    fields:
      next: {type: PlainLine, doc: What follows.}
""",
    ),
    "unknown class": Fault(
        "unknown-class",
        METHODS,
        "        class: safe",
        "§        class: saved",
        says="safe, keyed, duplicating and connection_bound",
    ),
    "unknown error": Fault(
        "unknown-error",
        METHODS,
        "        invalid_params: The line",
        "§        invalid_param: The line",
        says="did you mean invalid_params?",
    ),
    "example of an unknown method": Fault(
        "unknown-method",
        WRITE,
        """\
method: note/write
examples:
""",
        """\
method: note/wrote
examples:
§""",
        says="did you mean note/write?",
    ),
    "result for a notification": Fault(
        "unknown-message",
        "spec/examples/changed.yaml",
        """\
  changed:
""",
        """\
§  changed:
    result: {}
""",
    ),
    "request without result": Fault(
        "unknown-message",
        WRITE,
        WHOLE_FILE,
        """\
method: note/write
examples:
§  write-plain:
    title: A line
    params: {line: {kind: ruled}}
""",
    ),
    "unknown rule": Fault(
        "unknown-rule",
        METHODS,
        """\
  note/list:
""",
        """\
§  note/list:
    rules: [KEY-99]
""",
        says="KEY-99",
    ),
    "unknown scenario": Fault(
        "unknown-scenario",
        RULES,
        WHOLE_FILE,
        """\
rules:
§  KEY-01:
    level: must
    who: agent
    text: Look the key up.
    page: keys
    checked_by: [write-thrice]
""",
        says="did you mean write-twice?",
    ),
    # The guide; test_read_guide.py has more
    "rule on a page that nobody wrote": Fault("unknown-page", "spec/guide/other.md", WHOLE_FILE, HEAD, says="keys"),
    "page without a head": Fault("page-head", PAGE, WHOLE_FILE, "§# Keys\n"),
    "page of a generated name": Fault("page-name", "spec/guide/audit.md", WHOLE_FILE, f"§{HEAD}"),
    "statement in a page": Fault("page-expression", PAGE, WHOLE_FILE, f"{HEAD}\n§{{% if rule %}}{{% endif %}}\n"),
    "old address that is none": Fault("page-moved", MOVED, WHOLE_FILE, "§old.html: keys\n"),
    "rule that its page does not quote": Fault("rule-quoted", PAGE, WHOLE_FILE, HEAD, says="does not quote it"),
    # The registry as a whole
    "a fifth class": Fault(
        "class-set",
        METHODS,
        """\
retry_classes:
""",
        """\
retry_classes:
§  perhaps: {title: Perhaps, meaning: Who knows., after_lost_response: Toss a coin.}
""",
    ),
    "notification that is safe": Fault(
        "class-rule",
        METHODS,
        """\
        class: connection_bound
        why: There is no""",
        """\
§        class: safe
        why: There is no""",
    ),
    "initialize that is safe": Fault(
        "class-rule",
        METHODS,
        """\
        class: connection_bound
        why: It neg""",
        """\
§        class: safe
        why: It neg""",
    ),
    "client's request that is bound": Fault(
        "class-rule", METHODS, "        class: safe", "§        class: connection_bound"
    ),
    "second keyed method": Fault(
        "keyed-count",
        METHODS,
        """\
  note/list:
    summary: Show all notebooks.
    doc: Nothing changes by it.
    request:
      from: client
      to: agent
      params: ListRequest
      result: ListResponse
      retry:
        class: safe
""",
        """\
  note/list:
    summary: Show all notebooks.
    doc: Nothing changes by it.
    request:
      from: client
      to: agent
      params: ListRequest
      result: ListResponse
      retry:
        class: keyed
        key: writeKey
""",
        at="  keyed:",
        says="says that 1 methods are keyed, but 2 are: note/write, note/list",
    ),
    "third duplicating method": Fault(
        "duplicating-count",
        METHODS,
        """\
  note/list:
    summary: Show all notebooks.
    doc: Nothing changes by it.
    request:
      from: client
      to: agent
      params: ListRequest
      result: ListResponse
      retry:
        class: safe
""",
        """\
  note/list:
    summary: Show all notebooks.
    doc: Nothing changes by it.
    request:
      from: client
      to: agent
      params: ListRequest
      result: ListResponse
      retry:
        class: duplicating
""",
        at="  duplicating:",
        says="but 3 are",
    ),
    "keyed without a key": Fault(
        "retry-key",
        METHODS,
        """\
        class: keyed
        key: writeKey
""",
        """\
§        class: keyed
""",
    ),
    "key that is no field": Fault(
        "retry-key",
        METHODS,
        """\
        class: keyed
        key: writeKey
""",
        """\
§        class: keyed
        key: wroteKey
""",
        says="no field wroteKey",
    ),
    "key of a safe method": Fault(
        "retry-key",
        METHODS,
        """\
        class: safe
""",
        """\
§        class: safe
        key: names
""",
    ),
    "required key": Fault("retry-key", TYPES, "      writeKey?:", "§      writeKey:", says="optional"),
    "key that is not nullable": Fault(
        "retry-key",
        TYPES,
        """\
      writeKey?:
        type: WriteKey | null""",
        """\
§      writeKey?:
        type: WriteKey""",
        says="nullable",
    ),
    "lenient key": Fault(
        "retry-key",
        TYPES,
        """\
      writeKey?:
        type: WriteKey | null""",
        """\
§      writeKey?:
        type: WriteKey | null
        invalid: default""",
        says="strict",
    ),
    "key of the same name elsewhere": Fault(
        "key-elsewhere",
        TYPES,
        """\
  ListRequest:
    doc: Asks for all there is.
    fields: {}""",
        """\
  ListRequest:
    doc: Asks for all there is.
    fields:
§      writeKey?: {type: string, doc: Another one.}""",
    ),
    "key of the same type elsewhere": Fault(
        "key-elsewhere",
        TYPES,
        """\
  ListRequest:
    doc: Asks for all there is.
    fields: {}""",
        """\
  ListRequest:
    doc: Asks for all there is.
    fields:
§      other?: {type: WriteKey, doc: Another one.}""",
    ),
    "message to its own sender": Fault(
        "message-sides",
        METHODS,
        "    notification:\n      from: agent\n      to: client",
        "§    notification:\n      from: agent\n      to: agent",
    ),
    "length of nothing": Fault("type-constraint", TYPES, "    length: 1..10", "§    length: 10..1", says="nothing"),
    "length in octal": Fault("wrong-value", TYPES, "    length: 1..10", "§    length: 01..10"),
    "params of two methods": Fault(
        "message-type",
        METHODS,
        """\
    request:
      from: client
      to: agent
      params: ListRequest""",
        """\
§    request:
      from: client
      to: agent
      params: NewRequest""",
        says="belongs to note/new",
    ),
    "params without fields": Fault(
        "message-type",
        METHODS,
        """\
    request:
      from: client
      to: agent
      params: ListRequest""",
        """\
§    request:
      from: client
      to: agent
      params: RequestId""",
        says="no named fields",
    ),
    "capability that does not exist": Fault(
        "capability",
        METHODS,
        """\
  note/write:
    summary: Add a line to the notebook.
    doc: The line is kept once per key.
    needs: agent.notes""",
        """\
§  note/write:
    summary: Add a line to the notebook.
    doc: The line is kept once per key.
    needs: agent.notes.fast""",
        says="agent.notes has no fast",
    ),
    "stable method, unstable capability": Fault(
        "unstable-leak",
        METHODS,
        """\
  note/copy:
    summary: Duplicate a notebook.
    doc: Each request makes another copy.
    unstable: true
    request:""",
        """\
  note/copy:
    summary: Duplicate a notebook.
    doc: Each request makes another copy.
§    request:""",
        says="CopyRe",
    ),
    "stable field, unstable type": Fault(
        "unstable-leak",
        TYPES,
        """\
      colour?:
        type: Colour | null
        invalid: default
        doc: The ink; black if nothing else is said.
  Colour:
""",
        """\
§      colour?:
        type: Colour | null
        invalid: default
        doc: The ink; black if nothing else is said.
  Colour:
    unstable: true
""",
        says="Colour",
    ),
    "stable type behind unstable ones": Fault(
        "unstable-only",
        TYPES,
        """\
  CopyRequest:
    unstable: true
    doc: Asks for a copy.
    fields: {}
""",
        """\
  CopyRequest:
    unstable: true
    doc: Asks for a copy.
    fields:
      how?: {type: Way, doc: By hand or not.}
§  Way:
    doc: How to copy.
    type: string
""",
    ),
    "tag as a required field": Fault("tag-field", TYPES, "      mood?:", "§      mood:"),
    "optional tag without absent": Fault(
        "tag-field",
        TYPES,
        """\
      mood?:
        type: string | null
        doc: Chooses the variant.
    union:
      tag: mood
      of:
        open:
          doc: People write in it.
      unknown:
        doc: Taken for open.
      absent:
        doc: Nobody knows.
""",
        """\
§      mood?:
        type: string | null
        doc: Chooses the variant.
    union:
      tag: mood
      of:
        open:
          doc: People write in it.
      unknown:
        doc: Taken for open.
""",
    ),
    "unused type": Fault(
        "unused-type",
        TYPES,
        """\
  Ext:
""",
        """\
§  Lost:
    doc: Nobody asks for it.
    type: string
  Ext:
""",
        says="Lost",
    ),
    "message without example": Fault(
        "missing-example",
        "spec/examples/changed.yaml",
        WHOLE_FILE,
        """\
method: note/write
examples:
  again:
    title: Again
    params: {line: {kind: ruled}}
    result: {}
""",
        says="note/changed",
    ),
    "example with a malformed param": Fault(
        "invalid-example",
        WRITE,
        """\
  write-plain:
    title: A line
    params: {line: {kind: plain, text: Hello}""",
        """\
§  write-plain:
    title: A line
    params: {line: {kind: plain, text: 5}""",
        says="params/line/text",
    ),
    "example with a misspelt field": Fault(
        "unknown-field",
        WRITE,
        "  write-plain:\n    title: A line\n    params: {line: {kind: plain, text: Hello}",
        "§  write-plain:\n    title: A line\n    params: {line: {kind: plain, text: Hello, color: blue}",
        says="params/line has the field color, which v2 does not know; did you mean colour?",
    ),
    "example with a misspelt variant": Fault(
        "unknown-field",
        WRITE,
        "  write-plain:\n    title: A line\n    params: {line: {kind: plain, text: Hello}",
        "§  write-plain:\n    title: A line\n    params: {line: {kind: plane, text: Hello}",
        says="has 'plane' as its kind, which v2 does not know; did you mean plain?",
    ),
    "example with a long key": Fault(
        "invalid-example",
        WRITE,
        """\
  write-plain:
    title: A line
    params: {line: {kind: plain, text: Hello}, writeKey: k1}""",
        """\
§  write-plain:
    title: A line
    params: {line: {kind: plain, text: Hello}, writeKey: 01234567890a}""",
        says="1 to 10 characters",
    ),
    "valid instance that is not": Fault(
        "invalid-example",
        "spec/examples/corpus.yaml",
        WHOLE_FILE,
        """\
instances:
§  key:
    type: WriteKey
    valid: true
    why: It is short.
    repeat: {text: a, times: 11}
""",
        says="should be valid",
    ),
    "invalid instance that is valid": Fault(
        "invalid-example",
        "spec/examples/corpus.yaml",
        WHOLE_FILE,
        """\
instances:
§  key:
    type: WriteKey
    valid: false
    why: It is long.
    value: a
""",
        says="should be invalid",
    ),
    "namespace that is no UUID in lower case": Fault(
        "wrong-value",
        "spec/derived-ids.yaml",
        WHOLE_FILE,
        """\
§namespace: 2970153D-FE74-4A75-B22D-1D1B12AA6996
pairs:
  plain: {session: s, key: k, why: Letters alone.}
""",
        says="has to have the form",
    ),
    "vector without a key": Fault(
        "wrong-value",
        "spec/derived-ids.yaml",
        WHOLE_FILE,
        """\
namespace: 2970153d-fe74-4a75-b22d-1d1b12aa6996
pairs:
§  plain: {session: s, key: "", why: No key.}
""",
        says="has to have at least 1 character,",
    ),
    "doc that repeats the name": Fault(
        "doc-repeats-name",
        TYPES,
        """\
  WriteResponse:
    doc: The line is there.""",
        """\
§  WriteResponse:
    doc: The write response.""",
        says="WriteResponse",
    ),
    "doc that trails off": Fault(
        "doc-sentence",
        TYPES,
        """\
  WriteResponse:
    doc: The line is there.""",
        """\
§  WriteResponse:
    doc: The line is there""",
    ),
    "class of a name that is taken": Fault(
        "binding",
        TYPES,
        "      tag: kind\n      of:\n",
        "      tag: kind\n      of:\n        more: {name: Colour, doc: Another one.}\n",
        at="  Line:",
        says="two classes would be called",
    ),
    "optional field without a default": Fault(
        "binding",
        TYPES,
        "        type: Capabilities\n        default: {}\n        doc: What the agent can do.",
        "        type: string\n        doc: What the agent can do.",
    ),
    "rule that nothing checks": Fault(
        "rule-unchecked",
        RULES,
        """\
rules:
""",
        """\
rules:
§  KEY-02:
    level: holds
    who: agent
    text: A key stays private.
    page: keys
""",
        says="KEY-02",
    ),
    "rule that is planned": Fault(
        "rule-planned",
        RULES,
        """\
rules:
""",
        """\
rules:
§  KEY-02:
    level: holds
    who: agent
    text: A key stays private.
    page: keys
    planned: a scenario
""",
        release=True,
    ),
    "scenario of no rule": Fault(
        "unused-scenario",
        SCENARIOS,
        """\
scenarios:
""",
        """\
scenarios:
§  write-once:
    side: agent
    title: A line
    doc: Sends a line.
""",
    ),
}


def findings(root: Path, *, release: bool = False) -> list[Finding]:
    try:
        return lint(load(root), release=release)
    except RegistryError as error:
        return error.findings


def edit(root: Path, fault: Fault) -> int | None:
    """Make the edit and return the line of the mark, if there is one."""
    path = root / fault.file
    path.parent.mkdir(exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    if fault.old == WHOLE_FILE:
        text = fault.new
    else:
        assert text.count(fault.old) == 1, f"stands {text.count(fault.old)} times in {fault.file}: {fault.old}"
        text = text.replace(fault.old, fault.new)
    before, mark, _ = text.partition("§")
    text = text.replace("§", "")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    if fault.at:
        return text.split("\n").index(fault.at) + 1
    return before.count("\n") + 1 if mark else None


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_with_its_code_file_and_line(name: str, registry: Path):
    fault = FAULTS[name]
    line = edit(registry, fault)

    found = [f for f in findings(registry, release=fault.release) if f.code == fault.code]

    assert found, "nothing was found"
    assert found[0].source.file == fault.file or line is None
    assert line is None or found[0].source.line == line
    assert fault.says in str(found[0])


def test_the_minimal_registry_has_no_fault(registry: Path):
    assert findings(registry, release=True) == []


def test_every_code_has_a_fault_here_that_provokes_it():
    assert set(CODES) - {f.code for f in FAULTS.values()} == {"missing-file"}


def test_a_missing_file_is_a_finding(registry: Path):
    (registry / "spec/methods.yaml").unlink()

    (found,) = findings(registry)

    assert str(found) == "spec/methods.yaml:1: cannot be read: No such file or directory [missing-file]"


def test_faults_in_several_files_are_all_reported_at_once(registry: Path):
    for name in ("tab as indentation", "no reason", "empty file", "unclosed bracket"):
        edit(registry, FAULTS[name])

    assert [f.code for f in findings(registry)] == ["yaml-syntax", "missing-key", "empty-file", "tab"]


def test_faults_in_one_file_are_all_reported_at_once(registry: Path):
    for name in ("unknown type of a field", "alias of itself", "type expression"):
        edit(registry, FAULTS[name])

    assert [f.code for f in findings(registry)] == ["unknown-type", "type-constraint", "type-expression", "alias-cycle"]


def test_a_hundred_thousand_brackets_are_a_finding_and_no_crash(registry: Path):
    (registry / "spec/rules.yaml").write_text("rules: " + "[" * 100_000)

    assert [f.code for f in findings(registry)] == ["yaml-syntax"]
