"""Two builders read one configuration, so that changing from one to the other changes one line."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from generator import site
from tests.site.serving import REPOSITORY, served
from tests.site.test_links import document, faults, files


@pytest.fixture(scope="module")
def by_zensical(checkout: Path, built: Path) -> Path:
    """The same pages as in `built`, by the other builder, which is as strict."""
    return site.build(checkout, "zensical").rename(checkout / "by_zensical")


def names(folder: Path, pattern: str) -> list[str]:
    return [name for name, _ in files(folder, pattern)]


def test_both_build_the_same_pages(built: Path, by_zensical: Path):
    assert names(by_zensical, "*.html") == names(built, "*.html")
    assert len(names(built, "*.html")) > 70


def test_both_have_the_same_files_for_programs(built: Path, by_zensical: Path):
    for pattern in ("*.md", "schema/*.json", "llms.txt"):
        found = {name: path.read_bytes() for name, path in files(by_zensical, pattern)}
        assert found == {name: path.read_bytes() for name, path in files(built, pattern)}


def test_an_address_in_one_is_an_address_in_the_other(built: Path, by_zensical: Path):
    missing = {
        name: lost
        for name, path in files(built, "index.html")
        if (lost := anchors(path) - {*document(by_zensical / name).anchors})
    }

    assert missing == {}


def anchors(path: Path) -> set[str]:
    """What a link into a page can lead to; what begins with two underscores is the theme's own."""
    return {anchor for anchor in document(path).anchors if not anchor.startswith(("__", "mermaid"))}


def test_everything_that_a_page_of_zensical_refers_to_is_there(by_zensical: Path):
    references = ((name, r) for name, path in files(by_zensical, "*.html") for r in document(path).references)

    assert faults(by_zensical, references) == []


@pytest.fixture
def page(browser: Browser, by_zensical: Path) -> Iterator[Page]:
    with served(by_zensical) as address:
        context = browser.new_context(base_url=address)
        yield context.new_page()
        context.close()


def test_what_the_pages_load_works_with_zensical_too(page: Page):
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: said.append(str(e)))

    page.goto("prompt-lifecycle/")
    page.wait_for_function("document.querySelector('div.mermaid') && !document.querySelector('pre.mermaid')")
    page.goto("checker/")
    page.wait_for_selector("#checker[data-ready]")
    page.goto("audit/")
    page.get_by_label("Class").select_option("keyed")
    assert page.locator("tbody tr:visible").count() == 1

    assert said == []
    assert [url for url in asked if not url.startswith((page.url.removesuffix("audit/"), "data:", "blob:"))] == []


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a site of two pages under the same configuration."""
    shutil.copytree(REPOSITORY / "site", tmp_path / "site", ignore=lambda *_: {"docs", "node_modules", "public"})
    config = tmp_path / "site" / "mkdocs.yml"
    config.write_text(config.read_text("utf-8").partition("\nnav:")[0])
    for folder in ("spec", "templates", "site/docs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "CHANGELOG.md").touch()
    (tmp_path / "site/docs/audit.md").write_text('# Audit\n\n```python linenums="1"\nlines = 1\n```\n')
    (tmp_path / "site/docs/index.md").write_text("# Home\n\n[Audit](audit.md#line-0-1)\n")
    monkeypatch.setattr(site, "prepare", lambda _: None)
    return tmp_path


def test_links_that_lead_somewhere_are_accepted(small: Path):
    assert (site.build(small, "mkdocs") / "audit" / "index.html").exists()


@pytest.mark.parametrize(
    "link", ["[a](nowhere.md)", "[a](audit.md#nowhere)", "[a](#nowhere)", "![a](nowhere.png)", "[a](/audit/)"]
)
def test_a_link_that_leads_nowhere_is_refused(small: Path, link: str, capfd: pytest.CaptureFixture[str]):
    (small / "site/docs/index.md").write_text(f"# Home\n\n{link}\n")

    with pytest.raises(site.SiteError):
        site.build(small, "mkdocs")

    assert f"'{link.partition('(')[2].removesuffix(')')}'" in capfd.readouterr().err


def test_the_markdown_of_a_page_is_the_page_without_markup_of_the_theme(tmp_path: Path):
    docs = tmp_path / "site" / "docs"
    (docs / "types").mkdir(parents=True)
    (tmp_path / "shown.txt").write_text("{ .kept }\n")
    (docs / "schema.md").write_text(
        """\
---
title: "Schema"
---
<!-- Generated. -->

# Schema { #schema }

<div class="filterable" markdown>

See [types](types/prompt.md#Key){ .type }, [a file](schema/schema.json) and [elsewhere](https://x.example/a.md).

</div>

```text title="kept"
--8<-- "shown.txt"


<div>[kept](types/prompt.md)</div>
```
"""
    )
    (docs / "types" / "prompt.md").write_text("# Prompts\n\n[Up](../schema.md) and [here](#Key)\n")

    pages = {path.as_posix(): text for path, text in site.markdown_pages(tmp_path)}

    assert pages["schema/index.md"] == (
        """\
# Schema

See [types](../types/prompt/index.md#Key), [a file](schema.json) and [elsewhere](https://x.example/a.md).

```text title="kept"
{ .kept }


<div>[kept](types/prompt.md)</div>
```
"""
    )
    assert pages["types/prompt/index.md"] == "# Prompts\n\n[Up](../../schema/index.md) and [here](#Key)\n"
