"""The written pages: what a page begins with, what it can mention, and where its faults are."""

from pathlib import Path

import pytest

from generator.findings import RegistryError
from generator.lint import lint
from generator.load import load
from generator.model import Mention, Moved, Source

HEAD = "---\ntitle: Keys\ndescription: About keys.\n---\n"
QUOTE = '\nBefore a line is added.\n\n{{ rule("KEY-01") }}\n'
PAGE = "spec/guide/keys.md"
FIRST_LINE = 9
"""The line behind `HEAD` and `QUOTE`."""


@pytest.fixture
def guide(registry: Path) -> Path:
    """A guide of two pages in the minimal registry, of which one quotes its only rule."""
    folder = registry / "spec/guide"
    folder.mkdir()
    (folder / "keys.md").write_text(HEAD + QUOTE)
    (folder / "overview.md").write_text("---\ntitle: Overview\ndescription: Of all.\n---\n")
    return folder


def findings(guide: Path) -> list[str]:
    try:
        return list(map(str, lint(load(guide.parents[1]))))
    except RegistryError as error:
        return list(map(str, error.findings))


def append(guide: Path, text: str) -> None:
    page = guide / "keys.md"
    page.write_text(page.read_text() + text)


def replace(guide: Path, old: str, new: str) -> None:
    page = guide / "keys.md"
    assert page.read_text().count(old) == 1
    page.write_text(page.read_text().replace(old, new))


def test_a_page_has_its_address_its_head_and_its_mentions(guide: Path):
    page = next(p for p in load(guide.parents[1]).pages if p.slug == "keys")

    assert (page.title, page.description, page.text) == ("Keys", "About keys.", QUOTE)
    assert page.mentions == (Mention("rule", ("KEY-01",), Source(PAGE, 8)),)
    assert findings(guide) == []


def test_a_page_in_a_folder_has_the_folder_in_its_address(guide: Path):
    (guide / "more").mkdir()
    (guide / "overview.md").rename(guide / "more" / "overview.md")

    assert [p.slug for p in load(guide.parents[1]).pages] == ["keys", "more/overview"]


@pytest.mark.parametrize(
    "text",
    [
        '{{ ref("KEY-01") }}',
        '{{ method("note/write") }}',
        '{{ type("Line") }}, {{ type("WriteRequest.line") }}',
        '{{ retry("keyed") }}',
        '{{ error("invalid_params") }}',
        '{{ count("methods") }} and {{ count("safe") }}',
        "{{ retry_classes_table() }}",
        '{% raw %}`{{ rule("NOPE") }}`{% endraw %}',
    ],
)
def test_a_page_can_mention_what_the_registry_knows(guide: Path, text: str):
    append(guide, text)

    assert findings(guide) == []


@pytest.mark.parametrize(
    ("mention", "finding"),
    [
        ('rule("KEY-02")', "no rule KEY-02; did you mean KEY-01? [unknown-rule]"),
        ('ref("KEY-1")', "no rule KEY-1; did you mean KEY-01? [unknown-rule]"),
        ('method("note/wrote")', "no method note/wrote; did you mean note/write? [unknown-method]"),
        ('type("Lines")', "no type Lines; did you mean Line? [unknown-type]"),
        (
            'type("WriteRequest.lines")',
            "no type WriteRequest.lines; did you mean WriteRequest.line? [unknown-type]",
        ),
        ('type("string")', "no type string [unknown-type]"),
        ('retry("kept")', "no retry class kept [unknown-class]"),
        ('error("bad_params")', "no error bad_params; did you mean invalid_params? [unknown-error]"),
        ('count("all")', "no count of all [page-expression]"),
    ],
)
def test_a_mention_of_what_the_registry_does_not_know_is_found_with_its_line(guide: Path, mention: str, finding: str):
    append(guide, f"\nSome text.\n\nMore, and {{{{ {mention} }}}} at the end of a line\nthat goes on.\n")

    assert findings(guide) == [f"{PAGE}:{FIRST_LINE + 3}: {finding}"]


def test_several_unknown_mentions_are_all_found(guide: Path):
    append(guide, '{{ ref("A-01") }}\n\n{{ ref("B-01") }} {{ retry("kept") }}\n')

    assert [f.split(": ")[0] for f in findings(guide)] == [f"{PAGE}:9", f"{PAGE}:11", f"{PAGE}:11"]


@pytest.mark.parametrize(
    "text",
    [
        "{% if rule %}x{% endif %}",
        "{% set x = 1 %}",
        '{% include "keys.md" %}',
        "{% for x in rule %}{{ x }}{% endfor %}",
        "{{ rule }}",
        '{{ "text" }}',
        '{{ rule("KEY-01") | upper }}',
        '{{ rule("KEY-01") ~ "x" }}',
        '{{ rule(id="KEY-01") }}',
        '{{ rule(*["KEY-01"]) }}',
        "{{ count(1) }}",
        '{{ rule.__class__("KEY-01") }}',
        '{{ cycler("KEY-01") }}',
    ],
)
def test_anything_but_a_mention_is_refused_with_its_line(guide: Path, text: str):
    append(guide, f"\n{text}\n")

    (found,) = findings(guide)
    assert found.startswith(f'{PAGE}:{FIRST_LINE + 1}: has to be a call with strings, as in rule("KEY-01"), of one of ')
    assert found.endswith("[page-expression]")


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("{{ }}", "Expected an expression, got 'end of print statement'"),
        ('{{ rule("KEY-01")', "unexpected end of template, expected 'end of print statement'."),
        ("{% endif %}", "Encountered unknown tag 'endif'."),
        ("## A heading {#anchor}", "Missing end of comment tag"),
    ],
)
def test_a_mention_that_cannot_be_read_is_found_with_its_line(guide: Path, text: str, finding: str):
    append(guide, f"\n\n{text}\n")

    assert findings(guide) == [f"{PAGE}:{FIRST_LINE + 2}: {finding} [page-expression]"]


@pytest.mark.parametrize(
    ("mention", "finding"),
    [
        ("rule()", "rule takes one id or more"),
        ("method()", "method takes one string"),
        ('ref("KEY-01", "KEY-01")', "ref takes one string"),
        ('count("safe", "keyed")', "count takes one string"),
        ('retry_classes_table("keyed")', "retry_classes_table takes no strings"),
    ],
)
def test_a_mention_with_too_few_or_too_many_strings_is_found(guide: Path, mention: str, finding: str):
    append(guide, f"{{{{ {mention} }}}}\n")

    assert findings(guide) == [f"{PAGE}:{FIRST_LINE}: {finding} [page-expression]"]


@pytest.mark.parametrize(
    "text",
    ["", "# Keys\n", "\n" + HEAD, "---\ntitle: Keys\ndescription: About keys.\n", "---\n---\n", "----\n" + HEAD],
    ids=["empty", "no head", "line before it", "unclosed", "nothing in it", "four dashes"],
)
def test_a_page_begins_with_its_head(guide: Path, text: str):
    (guide / "other.md").write_text(text)

    assert findings(guide) == [
        "spec/guide/other.md:1: has to begin with ---, title, description, --- [page-head]",
    ]


@pytest.mark.parametrize("head", ["title: Keys", "title: Keys\ndescription: About.\ntags: a", "- title", "just text"])
def test_a_head_has_a_title_and_a_description_and_nothing_else(guide: Path, head: str):
    (guide / "other.md").write_text(f"---\n{head}\n---\n")

    assert findings(guide) == [
        "spec/guide/other.md:2: its head has a title and a description, and nothing else [page-head]",
    ]


@pytest.mark.parametrize("value", ["5", '" "', "[Keys]", "null"])
def test_a_title_is_some_text(guide: Path, value: str):
    replace(guide, "title: Keys", f"title: {value}")

    assert findings(guide) == [f"{PAGE}:2: title: has to be some text [page-head]"]


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("title: Keys", "title: no", ":2: title: no is read differently by different YAML readers"),
        ("title: Keys", "title: Keys\ntitle: Locks", ":3: the key title stands on line 2 already"),
        ("description: About keys.", "description: Keys: more", ":3: column 18: mapping values are not allowed"),
    ],
)
def test_a_head_is_read_as_strictly_as_the_registry(guide: Path, old: str, new: str, finding: str):
    replace(guide, old, new)

    (found,) = findings(guide)
    assert found.startswith(f"{PAGE}{finding}")


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Some\ttext.\n", ":9: a tab in column 5; use spaces, or \\t in quotes [tab]"),
        ("Some\x07 text.\n", ":9: control character U+0007 in column 5 [control-character]"),
    ],
)
def test_characters_that_do_not_show_are_found_with_their_line(guide: Path, text: str, finding: str):
    append(guide, text)

    assert findings(guide) == [f"{PAGE}{finding}"]


def test_a_byte_order_mark_is_found(guide: Path):
    (guide / "keys.md").write_text(HEAD + QUOTE, "utf-8-sig")

    assert findings(guide) == [f"{PAGE}:1: remove the byte order mark before the first character [byte-order-mark]"]


def test_bytes_that_are_not_utf_8_are_found_with_their_line(guide: Path):
    (guide / "keys.md").write_bytes(f"{HEAD}{QUOTE}Schlüssel.\n".encode("latin-1"))

    assert findings(guide) == [f"{PAGE}:9: byte 0xfc at offset {len(HEAD + QUOTE) + 4} is not UTF-8 [not-utf8]"]


def test_a_page_that_cannot_be_read_makes_no_faults_elsewhere(guide: Path):
    (guide / "keys.md").write_text("")

    assert [f.split(" ")[-1] for f in findings(guide)] == ["[page-head]"]


def test_a_file_that_is_no_page_is_found(guide: Path):
    (guide / "more").mkdir()
    (guide / "more" / "picture.png").touch()
    (guide / "keys.txt").touch()

    assert findings(guide) == [
        "spec/guide/keys.txt:1: is not read; pages are NAME.md [stray-file]",
        "spec/guide/more/picture.png:1: is not read; pages are NAME.md [stray-file]",
    ]


@pytest.mark.parametrize("name", ["audit", "methods/note-write", "types/notes", "methods/index", "checker"])
def test_a_page_cannot_have_the_name_of_a_generated_one(guide: Path, name: str):
    (guide / name).parent.mkdir(exist_ok=True)
    (guide / f"{name}.md").write_text(HEAD)

    assert findings(guide) == [
        f"spec/guide/{name}.md:1: {name} is the name of a generated page; choose another [page-name]"
    ]


def test_a_rule_names_a_page_that_is_there(guide: Path):
    (guide / "keys.md").rename(guide / "key.md")

    assert "spec/rules.yaml:2: rules.KEY-01: no page keys; did you mean key? [unknown-page]" in findings(guide)


def test_a_rule_is_quoted_on_its_page(guide: Path):
    replace(guide, 'rule("KEY-01")', 'ref("KEY-01")')

    assert findings(guide) == ["spec/rules.yaml:2: rules.KEY-01: spec/guide/keys.md does not quote it [rule-quoted]"]


def test_a_rule_is_quoted_once(guide: Path):
    append(guide, '{{ rule("KEY-01") }}\n')

    assert findings(guide) == [f"{PAGE}:9: KEY-01 is quoted on this page already; use ref [rule-quoted]"]


def test_a_rule_is_quoted_on_no_other_page(guide: Path):
    page = guide / "overview.md"
    page.write_text(page.read_text() + '\n{{ rule("KEY-01") }}\n')

    assert findings(guide) == ["spec/guide/overview.md:6: KEY-01 is quoted on keys; use ref here [rule-quoted]"]


def test_a_page_that_moved_has_its_old_and_its_new_address(guide: Path):
    (guide / "moved.yaml").write_text("guide/the_key: keys\nold: methods/note-write\nolder: types\n")

    assert [(m.old, m.new) for m in load(guide.parents[1]).moved] == [
        ("guide/the_key", "keys"),
        ("old", "methods/note-write"),
        ("older", "types"),
    ]
    assert load(guide.parents[1]).moved[1] == Moved(
        "old", "methods/note-write", Source("spec/guide/moved.yaml", 2, "old")
    )
    assert findings(guide) == []


@pytest.mark.parametrize(
    "entry",
    ["old: 5", "old: null", "old/: keys", "/old: keys", "old.md: keys", "../old: keys", "old: https://x.example"],
)
def test_an_address_is_words_between_slashes(guide: Path, entry: str):
    (guide / "moved.yaml").write_text(f"older: keys\n{entry}\n")

    (found,) = findings(guide)
    assert found.startswith("spec/guide/moved.yaml:2: ")
    assert found.endswith("has to lead from one address to another, such as guide/keys: prompt-lifecycle [page-moved]")


@pytest.mark.parametrize("text", ["- old\n", "old\n", "{}\n"])
def test_moved_pages_are_a_mapping(guide: Path, text: str):
    (guide / "moved.yaml").write_text(text)

    assert findings(guide) == [
        "spec/guide/moved.yaml:1: has to be a mapping of old to new addresses [page-moved]",
    ]


def test_a_page_moves_to_where_one_is(guide: Path):
    (guide / "moved.yaml").write_text("older: overview\nold: key\n")

    assert findings(guide) == ["spec/guide/moved.yaml:2: old: no page key; did you mean keys? [unknown-page]"]


@pytest.mark.parametrize("old", ["keys", "audit", "methods", "types/notes"])
def test_no_page_stands_where_another_has_moved_away(guide: Path, old: str):
    (guide / "moved.yaml").write_text(f"{old}: overview\n")

    assert findings(guide) == [f"spec/guide/moved.yaml:1: {old}: a page stands at {old} [page-moved]"]
