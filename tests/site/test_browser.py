"""The site as people use it, in Chromium: with a mouse, with the keyboard alone, on a phone, light and dark."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from acp_v2.schema_files import load_schema_file
from tests.site.serving import PACKAGES

METHODS: dict[str, Any] = load_schema_file("methods.json")["methods"]
MESSAGES = [(name, message) for name, method in METHODS.items() for message in method["messages"]]

OPEN_SHADOWS = """
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: "open" }); };
"""
"""Diagrams are drawn in closed shadow roots, which nobody can look into from outside."""

PHONE = {"width": 390, "height": 844}

TABS = 4
"""How many pages load at the same time."""


# Every page


@dataclass
class Visit:
    """What became of loading one page on a phone."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)
    wider_than_screen: int = 0


class Tab:
    """A tab of a browser, and the visit that goes on in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.visit = Visit()
        page.on("request", lambda r: self.visit.requests.append(r.url))
        page.on("response", lambda r: self.visit.errors.append(f"{r.status} {r.url}") if r.status >= 400 else None)
        page.on("console", lambda m: self.visit.errors.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: self.visit.errors.append(str(e)))

    def open(self, name: str) -> Visit:
        """Begin to load a page."""
        self.visit = Visit()
        self.page.goto(name, wait_until="commit")
        return self.visit

    def look(self) -> None:
        """See how the page turned out, once everything in it is there."""
        self.page.wait_for_load_state("load")
        self.page.wait_for_function("[...document.fonts].every(font => font.status != 'loading')")
        drawn = self.page.locator(".mermaid")
        if drawn.count():
            self.page.wait_for_function("[...document.querySelectorAll('.mermaid')].every(d => d.shadowRoot)")
            self.visit.diagrams = [d.locator("svg").text_content() or "" for d in drawn.all()]
        self.visit.wider_than_screen = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


def batched(names: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


@pytest.fixture(scope="module")
def visits(open_context: Callable[..., BrowserContext], built: Path) -> dict[str, Visit]:
    """Every page by its address below the site. 404.html stands for any address, and so has none of its own."""
    context = open_context(viewport=PHONE)
    context.add_init_script(OPEN_SHADOWS)
    tabs = [Tab(context.new_page()) for _ in range(TABS)]
    visits: dict[str, Visit] = {}
    paths = sorted(built.rglob("index.md"))
    names = [path.parent.relative_to(built).as_posix().removeprefix(".") for path in paths]
    for some in batched(names, TABS):
        opened = list(zip(tabs, some, strict=False))
        for tab, name in opened:
            visits[name] = tab.open(name)
        for tab, _ in opened:
            tab.look()
    context.close()
    return visits


def test_every_page_is_visited(visits: dict[str, Visit]):
    assert len(visits) > 70
    assert {f"methods/{name.removeprefix('$/').replace('/', '-')}" for name in METHODS} <= set(visits)


def test_no_page_says_anything_in_the_console(visits: dict[str, Visit]):
    assert {name: visit.errors for name, visit in visits.items() if visit.errors} == {}


def test_no_page_asks_anything_of_another_machine_or_of_another_site(visits: dict[str, Visit], address: str):
    own = (address, "data:", f"blob:{address.removesuffix('/some/where/')}/")
    outside = {name: [r for r in visit.requests if not r.startswith(own)] for name, visit in visits.items()}

    assert {name: requests for name, requests in outside.items() if requests} == {}


def test_no_page_scrolls_sideways_on_a_phone(visits: dict[str, Visit]):
    assert {name: v.wider_than_screen for name, v in visits.items() if v.wider_than_screen > 0} == {}


def test_every_diagram_is_drawn(visits: dict[str, Visit], built: Path):
    diagrams = {name: visit.diagrams for name, visit in visits.items() if visit.diagrams}
    wanted = {name: (built / name / "index.md").read_text("utf-8").count("```mermaid") for name in visits}

    assert {name: len(found) for name, found in diagrams.items()} == {n: w for n, w in wanted.items() if w}
    assert sum(map(len, diagrams.values())) >= 3
    assert [name for name, found in diagrams.items() if any(not d or "Syntax error" in d for d in found)] == []
    assert "recorded" in diagrams["prompt-lifecycle"][0]


def test_a_page_that_moved_leads_to_where_it_is(page: Page, address: str):
    page.goto("once/the-audit/")

    page.wait_for_url(f"{address}audit/")


# Finding something


@pytest.fixture(scope="module")
def search(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(address)
    page.keyboard.press("/")
    yield page
    page.close()


def search_for(page: Page, words: str) -> Locator:
    """The links of what is found, best first."""
    page.locator(".md-search__input").fill(words)
    page.locator(".md-search__input").press("End")
    return page.locator(".md-search-result__link")


@pytest.mark.parametrize("method", METHODS)
def test_the_search_finds_a_method_by_its_name(search: Page, method: str):
    page = f"/methods/{method.removeprefix('$/').replace('/', '-')}/"
    search_for(search, method)
    best = search.locator(".md-search-result__item:nth-child(-n + 2) > .md-search-result__link")

    expect(best.and_(search.locator(f"[href*='{page}']"))).to_have_count(1)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("idempotencyKey", "/types/prompt/"),
        ("-32602", "/errors/"),
        ("-32800", "/errors/"),
        ("32602", "/errors/"),
        ("ContentBlock", "/types/content/"),
        ("held prompts", "/prompt-lifecycle/"),
    ],
)
def test_the_search_finds_what_people_look_for(search: Page, words: str, page: str):
    expect(search_for(search, words).first).to_have_attribute("href", re.compile(page))


def test_the_search_says_when_it_finds_nothing(search: Page):
    search_for(search, "xylophone")

    expect(search.locator(".md-search-result__meta")).to_have_text("No matching documents")


def test_the_class_of_a_method_is_two_clicks_from_the_home_page(page: Page):
    page.goto("")
    page.get_by_role("link", name="Retry audit").first.click()

    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="session/fork", exact=True))
    expect(row.first).to_contain_text("duplicating")
    row.first.get_by_role("link", name="duplicating").click()
    expect(page.locator("#class-duplicating")).to_be_in_viewport()


def test_a_method_page_leads_to_the_line_that_defines_it(page: Page):
    page.goto("methods/session-prompt/")
    link = page.get_by_role("link", name="spec/methods.yaml:")
    anchor = (link.get_attribute("href") or "").partition("#")[2]
    link.click()

    line = page.locator(f"[id='{anchor}']")
    expect(line).to_have_text("session/prompt:")
    expect(line).to_be_in_viewport()


# The audit


@pytest.fixture
def audit(page: Page) -> Page:
    page.goto("audit/")
    page.wait_for_selector(".table-filter")
    return page


def column(page: Page, name: str) -> list[str]:
    """What a column has in the rows that show, over all tables."""
    heads = [head.strip(" ↕↑↓") for head in page.locator("thead").first.locator("th").all_inner_texts()]
    return [
        text.strip()
        for text in page.locator(f"tbody tr:visible td:nth-child({heads.index(name) + 1})").all_inner_texts()
    ]


def counted(page: Page) -> str:
    return page.locator(".table-filter output").inner_text()


@pytest.mark.parametrize(
    ("name", "value", "count"),
    [
        *(("Class", c, n) for c, n in Counter(m["retry"]["class"] for _, m in MESSAGES).items()),
        *(("From", c, n) for c, n in Counter(m["from"] for _, m in MESSAGES).items()),
        *(("Stability", c, n) for c, n in Counter(METHODS[name]["stability"] for name, _ in MESSAGES).items()),
    ],
)
def test_the_audit_is_filtered_by(audit: Page, name: str, value: str, count: int):
    audit.get_by_label(name).select_option(value)

    assert column(audit, name) == [value] * count
    assert counted(audit) == f"{count} of {len(MESSAGES)}"


def test_the_audit_is_filtered_by_words_in_any_column(audit: Page):
    audit.get_by_label("Find").fill("FORK second")

    assert column(audit, "Method") == ["session/fork"]


def test_filters_work_together_and_can_be_undone(audit: Page):
    audit.get_by_label("Class").select_option("duplicating")
    audit.get_by_label("Stability").select_option("stable")
    assert column(audit, "Method") == ["session/new"]

    audit.get_by_label("Find").fill("nothing like it")
    assert counted(audit) == f"0 of {len(MESSAGES)}"

    audit.get_by_label("Find").fill("")
    audit.get_by_label("Class").select_option("any")
    audit.get_by_label("Stability").select_option("any")
    assert len(column(audit, "Method")) == len(MESSAGES)


def test_a_group_of_which_nothing_is_left_goes_with_its_heading(audit: Page):
    audit.get_by_label("Class").select_option("keyed")

    expect(audit.locator(".filterable h2:visible")).to_have_text("Client to agent requests¶")
    assert audit.locator(".filterable > p:visible").count() == 1


@pytest.mark.parametrize("name", ["Method", "Class", "Stability"])
def test_a_table_is_sorted_by_a_click_on_a_head(audit: Page, name: str):
    table = audit.get_by_role("table").first
    head = table.get_by_role("columnheader", name=name)
    cells = table.locator(
        f"tbody td:nth-child({1 + [h.strip(' ↕') for h in table.locator('th').all_inner_texts()].index(name)})"
    )
    before = cells.all_inner_texts()

    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert cells.all_inner_texts() == sorted(before)

    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert cells.all_inner_texts() == sorted(before, reverse=True)


def test_a_table_is_sorted_by_one_column(audit: Page):
    table = audit.get_by_role("table").first
    table.get_by_role("button", name="Method").click()
    table.get_by_role("button", name="Class").click()

    assert table.locator("th[aria-sort]").count() == 1


# The checker

PARAMS = {"sessionId": "sess_01", "prompt": [{"type": "text", "text": "Hi"}]}


def prompt(**params: Any) -> str:
    message = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {**PARAMS, **params}}
    return json.dumps(message, indent=2)


@pytest.fixture
def checker(page: Page) -> Page:
    page.goto("checker/")
    page.wait_for_selector("#checker[data-ready]")
    return page


def check(page: Page, text: str) -> Locator:
    """The verdicts on a text that is pasted, once they are there."""
    verdicts = page.locator("#checker-verdicts section")
    page.locator("#checker-text").fill("")
    expect(verdicts).to_have_count(0)
    page.locator("#checker-text").fill(text)
    verdicts.first.wait_for()
    return verdicts


def test_the_checker_accepts_a_keyed_prompt_and_says_its_class(checker: Page):
    verdict = check(checker, prompt(idempotencyKey="7d0c4a9e"))

    expect(verdict.locator(".admonition-title")).to_have_text("request session/prompt, sent by the client — valid")
    assert verdict.locator("li").all_inner_texts() == ["retry class: keyed"]


def test_the_checker_says_what_a_prompt_without_a_key_is(checker: Page):
    verdict = check(checker, prompt())

    expect(verdict).to_contain_text("valid")
    expect(verdict).to_contain_text("without idempotencyKey, sending it again is duplicating")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "is empty; 1 to 255 characters are allowed"),
        ("k" * 256, "has 256 characters; 1 to 255 characters are allowed"),
        ("\U0001fa90" * 256, "has 256 characters; 1 to 255 characters are allowed"),
        (5, "has to be a string, but is a number"),
    ],
    ids=["empty", "256 characters", "256 characters beyond the BMP", "number"],
)
def test_the_checker_explains_a_key_that_is_none(checker: Page, key: Any, words: str):
    verdict = check(checker, prompt(idempotencyKey=key))

    expect(verdict.locator(".admonition-title")).to_have_text("request session/prompt, sent by the client — not valid")
    assert verdict.locator("li").all_inner_texts() == [f"/params/idempotencyKey {words}", "retry class: keyed"]


def test_the_checker_accepts_the_longest_key(checker: Page):
    expect(check(checker, prompt(idempotencyKey="\U0001fa90" * 255))).to_contain_text("— valid")


def test_a_click_on_a_problem_selects_its_place(checker: Page):
    verdict = check(checker, prompt(idempotencyKey=""))
    verdict.get_by_role("button", name="/params/idempotencyKey").click()

    assert checker.evaluate("getSelection().toString()") == '""'


def test_what_is_no_json_is_explained_with_its_place(checker: Page):
    verdict = check(checker, '{"jsonrpc": "2.0",\n "id": 1,}')

    expect(verdict).to_contain_text("is not JSON: ")
    expect(verdict).to_contain_text("at line 2, column 10; the answer is -32700")


def test_lines_are_one_conversation(checker: Page):
    request = '{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}'
    verdicts = check(checker, f'{request}\n\n{{"jsonrpc":"2.0","id":7,"result":{{"sessions":3}}}}')

    expect(verdicts.nth(0)).to_contain_text("line 1: request session/list")
    expect(verdicts.nth(1)).to_contain_text("line 3: response to session/list, sent by the agent")
    expect(verdicts.nth(1)).to_contain_text("/result/sessions")


def test_one_message_may_span_lines_however_it_is_broken(checker: Page):
    verdicts = check(checker, '{"jsonrpc": "2.0", "id": 1, "method": "session/list", "params":\n{}\n}')

    expect(verdicts).to_have_count(1)
    expect(verdicts).to_contain_text("— valid")


def test_the_checker_knows_who_may_send_what(checker: Page):
    checker.get_by_label("Sent by").select_option("agent")

    expect(check(checker, prompt(idempotencyKey="k"))).to_contain_text("the agent must not send")


def test_a_response_is_judged_by_the_method_that_is_chosen(checker: Page):
    checker.get_by_label("A response answers").select_option("session/prompt")

    expect(check(checker, '{"jsonrpc":"2.0","id":1,"result":{}}')).to_contain_text("needs the field messageId")


def test_a_link_can_bring_a_message_along(page: Page):
    page.goto("checker/#message=" + '{"jsonrpc":"2.0","id":1,"method":"session/nwe"}')

    expect(page.locator("#checker-verdicts")).to_contain_text("did you mean session/new?")


def test_what_is_pasted_is_sent_nowhere_and_is_no_markup(checker: Page):
    requests: list[str] = []
    checker.on("request", lambda r: requests.append(r.url))

    verdict = check(checker, '{"jsonrpc":"2.0","id":1,"method":"<img src=x onerror=alert(1)>"}')

    expect(verdict).to_contain_text("v2 has no method <img src=x onerror=alert(1)>")
    assert requests == []


def test_a_long_name_does_not_widen_the_page(checker: Page):
    checker.set_viewport_size(PHONE)

    check(checker, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m" * 3000}))
    check(checker, prompt(**{"m" * 3000: 1}, prompt=[{"type": "text", "text": "Hi", "_meta": {"m" * 3000: 5}}]))
    check(checker, prompt(mcpServers=1, prompt=[{"type": "m" * 3000}]))

    assert checker.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_of_very_many_messages_the_first_are_shown(checker: Page):
    verdicts = check(checker, '{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}\n' * 501)

    expect(verdicts).to_have_count(500)
    expect(checker.locator("#checker-verdicts")).to_contain_text("the first 500 of 501 messages")


def test_of_very_many_problems_the_first_are_shown(checker: Page):
    verdict = check(checker, prompt(prompt=[0] * 101))

    expect(verdict.locator(".checker-place")).to_have_count(100)
    expect(verdict).to_contain_text("… and 1 more")


# Keyboard


def focused(page: Page, presses: int) -> list[str]:
    """What has the focus after each press of the Tab key."""
    found: list[str] = []
    for _ in range(presses):
        page.keyboard.press("Tab")
        found.append(
            page.evaluate(
                """() => {
                    const e = document.activeElement;
                    const box = e.closest("nav, form, .md-search, .md-tabs, .tabbed-set, #checker, th, article") ?? e;
                    return [e.tagName, e.id || e.name || e.type || "", "in", box.tagName, box.className].join(" ");
                }"""
            )
        )
    return found


def test_the_keyboard_reaches_everything_on_the_audit(audit: Page):
    found = "\n".join(focused(audit, 60))

    for wanted in (
        r"^A .* in BODY|^A .* in A md-skip",
        r"^INPUT .* in (DIV md-search|FORM md-search__form)",
        r"^A .* in NAV md-tabs",
        r"^INPUT __palette",
        r"^A .* in NAV md-nav",
        r"^INPUT search in FORM table-filter",
        r"^SELECT .* in FORM table-filter",
        r"^BUTTON button in TH",
    ):
        assert re.search(wanted, found, re.MULTILINE), f"{wanted} is not in\n{found}"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_table_is_sorted_from_the_keyboard(audit: Page, key: str):
    button = audit.get_by_role("table").first.get_by_role("button", name="Method")
    button.focus()
    audit.keyboard.press(key)

    expect(audit.locator("th").first).to_have_attribute("aria-sort", "ascending")
    expect(button).to_be_focused()


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(40):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not lead to {selector}")


def test_the_checker_is_used_from_the_keyboard(checker: Page):
    tab_to(checker, "#checker-text")
    checker.keyboard.insert_text(prompt(idempotencyKey=""))
    checker.locator(".checker-place").wait_for()
    for selector in ("#checker-sender", "#checker-method", ".checker-place"):
        tab_to(checker, selector)
    checker.keyboard.press("Enter")

    assert checker.evaluate("getSelection().toString()") == '""'


def test_the_keyboard_changes_between_json_and_python(page: Page):
    page.goto("methods/session-fork/")
    tabs = page.locator(".tabbed-set").first
    tabs.locator("input").first.focus()
    page.keyboard.press("ArrowRight")

    expect(tabs.locator(".tabbed-block").nth(1)).to_be_visible()


# Reading it, whoever reads

KEY_PAGES = [
    "",
    "overview/",
    "audit/",
    "prompt-lifecycle/",
    "methods/session-prompt/",
    "types/content/",
    "traceability/",
    "checker/",
]


@pytest.fixture(scope="module", params=KEY_PAGES)
def read(request: pytest.FixtureRequest, context: BrowserContext) -> Iterator[Page]:
    """A page with what axe needs, its diagrams drawn and its tools in use."""
    page = context.new_page()
    page.goto(request.param)
    if request.param == "checker/":
        page.wait_for_selector("#checker[data-ready]")
        check(page, prompt(idempotencyKey=""))
    if request.param == "audit/":
        page.locator("th button").first.click()
    page.wait_for_function("!document.querySelector('pre.mermaid')")
    page.add_style_tag(content="* { transition: none !important; }")
    page.evaluate((PACKAGES / "axe-core" / "axe.min.js").read_text("utf-8"))
    yield page
    page.close()


@pytest.mark.parametrize(("scheme", "applied"), [("light", "default"), ("dark", "slate")])
def test_axe_has_no_serious_objection(read: Page, scheme: Literal["light", "dark"], applied: str):
    read.emulate_media(color_scheme=scheme)
    read.wait_for_function("applied => document.body.dataset.mdColorScheme == applied", arg=applied)

    found = read.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]

    serious = [f for f in found if f["impact"] in ("serious", "critical")]
    assert {f["id"]: [node["html"][:200] for node in f["nodes"]] for f in serious} == {}
