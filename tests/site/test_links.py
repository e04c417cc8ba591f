"""Whatever the built site refers to is there: pages, anchors, scripts, styles, fonts, files for programs."""

import json
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from acp_v2.schema_files import load_schema_file
from tests.site.serving import REPOSITORY

SITE_URL = re.search(r"^site_url: (\S+)$", (REPOSITORY / "site/mkdocs.yml").read_text("utf-8"), re.MULTILINE)[1]
BINARY = (".png", ".woff2", ".gz", ".map", ".svg", ".ico")


class Document(HTMLParser):
    """What an HTML file refers to, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.references: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.anchors.append(given["id"])
        self.references += [given[name] for name in ("href", "src", "action", "poster", "data") if name in given]
        self.references += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]
        self.references += urls(given.get("style", ""))
        if tag == "meta" and given.get("property") in ("og:url", "og:image"):
            self.references.append(given["content"])
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.references.append(given["content"].partition("url=")[2])


def urls(css: str) -> list[str]:
    return [match.strip("'\"") for match in re.findall(r"url\(([^)]*)\)", css)]


@cache
def document(path: Path) -> Document:
    return Document(path.read_text("utf-8"))


def fault(built: Path, page: str, reference: str) -> str | None:
    """Why a reference of a file leads nowhere, if it does. Other sites are not asked."""
    address = urlsplit(urljoin(urljoin(SITE_URL, page), reference))
    if address.scheme in ("data", "mailto") or reference.startswith("data:"):
        return None
    if not address.geturl().startswith(SITE_URL):
        return None if address.scheme == "https" else "leads outside the site"
    path = built / unquote(address.geturl().removeprefix(SITE_URL).partition("#")[0].partition("?")[0])
    if path.is_dir():
        if not address.path.endswith("/"):
            return "has no slash at its end"
        path /= "index.html"
    if not path.is_file():
        return "is not there"
    anchors = path.with_suffix(".html") if path.suffix == ".md" else path
    if address.fragment and unquote(address.fragment) not in [*document(anchors).anchors, "__"]:
        return "is no anchor of that page"
    return None


def faults(built: Path, references: Iterator[tuple[str, str]]) -> list[str]:
    return sorted(
        {f"{page}: {reference} {text}" for page, reference in references if (text := fault(built, page, reference))}
    )


def files(built: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(built.rglob(pattern)):
        yield path.relative_to(built).as_posix(), path


def test_everything_that_a_page_refers_to_is_there(built: Path):
    references = [(name, r) for name, path in files(built, "*.html") for r in document(path).references]

    assert len(references) > 5000
    assert faults(built, iter(references)) == []


def test_everything_that_a_style_refers_to_is_there(built: Path):
    references = [(name, r) for name, path in files(built, "*.css") for r in urls(path.read_text("utf-8"))]

    assert any(r.endswith(".woff2") for _, r in references)
    assert faults(built, iter(references)) == []


def test_everything_that_a_script_of_ours_imports_is_there(built: Path):
    references = [
        (name, r)
        for name, path in files(built / "assets" / "built", "*.js")
        for r in re.findall(r'(?:from|import)\s*\(?"(\.[^"]+)"', path.read_text("utf-8"))
    ]

    assert any("checker" in r for _, r in references)
    assert faults(built, ((f"assets/built/{name}", r) for name, r in references)) == []


def test_everything_that_the_search_leads_to_is_there(built: Path):
    index = json.loads((built / "search/search_index.json").read_text("utf-8"))

    assert faults(built, (("", entry["location"]) for entry in index["docs"])) == []


def test_no_anchor_stands_twice_on_a_page(built: Path):
    twice = {
        name: sorted({a for a in found if found.count(a) > 1})
        for name, path in files(built, "*.html")
        if len(found := document(path).anchors) != len(set(found))
    }

    assert twice == {}


def test_the_sitemap_has_every_page_and_nothing_else(built: Path):
    locations = re.findall(r"<loc>(.*?)</loc>", (built / "sitemap.xml").read_text("utf-8"))
    pages = [posixpath.dirname(name) for name, _ in files(built, "index.md")]

    assert sorted(locations) == sorted(f"{SITE_URL}{page}/" if page else SITE_URL for page in pages)


@pytest.mark.parametrize("name", ["index.html", "audit/index.html", "methods/session-prompt/index.html"])
def test_a_page_says_its_title_and_its_own_address_to_those_who_link_to_it(built: Path, name: str):
    text = (built / name).read_text("utf-8")
    address = SITE_URL + name.removesuffix("index.html")

    assert f'<meta property="og:url" content="{address}">' in text
    assert f'<link rel="canonical" href="{address}">' in text
    assert re.search(r'<meta property="og:title" content="[^"<>]+">', text)
    assert re.search(r'<meta property="og:description" content="[^"<>]{20,}">', text)


def test_beside_every_page_is_its_markdown(built: Path):
    missing = [name for name, path in files(built, "index.html") if not path.with_suffix(".md").is_file()]

    assert missing == ["once/the-audit/index.html"]


def test_every_link_of_the_markdown_leads_to_markdown_or_a_file(built: Path):
    references = [(name, r) for name, path in files(built, "*.md") for r in markdown_links(path.read_text("utf-8"))]

    assert len(references) > 1000
    assert faults(built, iter(references)) == []
    inside = [r for _, r in references if not urlsplit(r).scheme and not r.startswith("#")]
    assert [r for r in inside if not urlsplit(r).path.endswith((".md", ".json", ".txt"))] == []


def test_every_link_of_the_text_for_language_models_leads_to_markdown(built: Path):
    links = markdown_links((built / "llms.txt").read_text("utf-8"))

    assert len(links) > 60
    assert faults(built, (("llms.txt", link) for link in links)) == []


def markdown_links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?ms)^( *)(```+).*?^\1\2$|`[^`\n]*`(?!\])", "", text))


def test_the_markdown_has_no_markup_of_the_theme(built: Path):
    leftovers = {
        name: found
        for name, path in files(built, "*.md")
        if (found := re.findall(r"(?m)^---$|<div.*|\{ [.#].*?\}|^--8<--.*|\{\{.*?\}\}", prose(path.read_text("utf-8"))))
    }

    assert leftovers == {}


def prose(text: str) -> str:
    return re.sub(r"(?ms)^( *)(```+).*?^\1\2$|`[^`\n]*`", "", text)


def test_the_schema_files_are_at_addresses_of_their_own(built: Path):
    for path in (REPOSITORY / "acp_v2/schema").glob("*.json"):
        assert (built / "schema" / path.name).read_bytes() == path.read_bytes()
    assert load_schema_file("methods.json")


def test_the_audit_weighs_no_more_than_150_kilobytes(built: Path):
    assert (built / "audit/index.html").stat().st_size <= 150_000


def test_no_page_of_types_weighs_more_than_400_kilobytes(built: Path):
    heavy = {name: path.stat().st_size for name, path in files(built / "types", "*.html")}

    assert {name: size for name, size in heavy.items() if size > 400_000} == {}


def test_nothing_of_the_site_is_fetched_from_elsewhere(built: Path):
    """A link leads elsewhere only when it is clicked."""
    fetched = re.compile(r'<(?:script|img|iframe|source|video)\b[^>]*\bsrc="https?:|<link\b[^>]*\bhref="https?:[^>]*>')

    found = {
        name: [m for m in fetched.findall(path.read_text("utf-8")) if 'rel="canonical"' not in m]
        for name, path in files(built, "*.html")
    }
    assert {name: matches for name, matches in found.items() if matches} == {}
