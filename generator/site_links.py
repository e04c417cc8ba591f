"""Where things stand on the site, and the Markdown of links to them; relative, so that the site can lie anywhere."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from generator.model import PRIMITIVES, Protocol, Rule, Struct, TypeDef, TypeUse

SITE_URL = "https://acp-v2.example/"
"""Where the site is; links from elsewhere lead there."""

AUDIT = "audit.md"
CHANGELOG = "changelog.md"
CHECKER = "checker.md"
CLASSES = "overview.md"
ERRORS = "errors.md"
METHODS = "methods/index.md"
REGISTRY = "registry.md"
SCHEMA = "schema.md"
TRACEABILITY = "traceability.md"
TYPES = "types/index.md"

_CODE = re.compile(r"`[^`\n]+`")
_MARKUP = re.compile(r"[\\`*_\[\]{}#]")
_BLOCK_START = re.compile(r"(?m)^[ \t]*(?:([-+>!])|([=?~:])|(\d+)([.)]))|^[ \t]+")
_FENCED_OR_EMPTY = re.compile(r"(?ms)^(?P<indent> *)(?P<fence>```+)[^\n]*\n.*?^(?P=indent)(?P=fence)$|\n{3,}")


def method_slug(name: str) -> str:
    """A method's name as it stands in the address of its page: `session/prompt` is `session-prompt`."""
    return name.removeprefix("$/").replace("/", "-")


def method_page(name: str) -> str:
    """The path of a method's page."""
    return f"methods/{method_slug(name)}.md"


def topic_page(name: str) -> str:
    """The path of the page with a topic's types."""
    return f"types/{name}.md"


def generated_pages(protocol: Protocol) -> set[str]:
    """The paths of all pages that nobody writes."""
    methods = {method_page(method.name) for method in protocol.methods}
    topics = {topic_page(topic.name) for topic in protocol.topics}
    return {AUDIT, CHANGELOG, CHECKER, ERRORS, METHODS, REGISTRY, SCHEMA, TRACEABILITY, TYPES, *methods, *topics}


def rule_url(rule: Rule) -> str:
    """The address of the sentence on the site that states a rule."""
    return f"{SITE_URL}{rule.page}/#{rule.id}"


@dataclass(frozen=True)
class Links:
    """The links of one page. `page` is its path below the folder of pages: `methods/session-prompt.md`."""

    protocol: Protocol
    page: str

    def to(self, path: str, anchor: str = "") -> str:
        """A relative address."""
        here = posixpath.dirname(self.page)
        relative = "" if path == self.page else posixpath.relpath(path, here or ".")
        return f"{relative}#{anchor}" if anchor else relative or posixpath.basename(path)

    def method(self, name: str) -> str:
        """A link to a method's page."""
        return f"[`{name}`]({self.to(method_page(name))})"

    def type(self, name: str) -> str:
        """A link to a type, or to a field of it: `PromptRequest.prompt`."""
        definition = self.protocol.types[name.partition(".")[0]]
        return f"[`{name}`]({self.to(topic_page(definition.topic), name)})"

    def retry(self, name: str) -> str:
        """The badge of a retry class, linked to its meaning."""
        return f"[{name}]({self.to(CLASSES, f'class-{name}')}){{ .retry .retry-{name} }}"

    def error(self, name: str) -> str:
        """A link to an error code."""
        code = next(v.value for v in self.protocol.error_codes() if v.name == name)
        return f"[`{code}`]({self.to(ERRORS, name)})"

    def rule(self, rule_id: str) -> str:
        """A link to a rule in the table of all rules."""
        return f"[{rule_id}]({self.to(TRACEABILITY, rule_id)}){{ .rule-id }}"

    def quoted_rule(self, rule_id: str) -> str:
        """A link to a rule where the guide quotes it."""
        page = next(r.page for r in self.protocol.rules if r.id == rule_id)
        return f"[{rule_id}]({self.to(f'{page}.md', rule_id)}){{ .rule-id }}"

    def source(self, line: int) -> str:
        """The address of a line of `spec/methods.yaml`."""
        return self.to(REGISTRY, f"line-0-{line}")

    def use(self, use: TypeUse) -> str:
        """A type expression with its types linked, and its limits in words."""
        name = f"`{use.name}`" if use.name in PRIMITIVES else self.type(use.name)
        text = f"{use.container} of {name}" if use.container else name
        if use.nullable:
            text += " or `null`"
        return text + "".join(f", {limit}" for limit in _limits(use))

    def text(self, doc: str, *, but: str = "") -> str:
        """A doc as Markdown: code is its only markup, and names of methods and types in it are links, except `but`."""

        def linked(match: re.Match[str]) -> str:
            name = match[0].strip("`")
            if name == but:
                return match[0]
            return self._link(name) or match[0]

        pieces: list[str] = []
        end = 0
        for match in _CODE.finditer(doc):
            pieces += [_escaped(doc[end : match.start()]), linked(match)]
            end = match.end()
        return _BLOCK_START.sub(_no_block, "".join([*pieces, _escaped(doc[end:])]))

    def _link(self, name: str) -> str | None:
        """The link to whatever a name in code is the name of."""
        head, _, rest = name.partition(".")
        definition = self.protocol.types.get(head)
        if definition is not None and (not rest or _has_field(definition, rest)):
            return self.type(name)
        if any(method.name == name for method in self.protocol.methods):
            return self.method(name)
        error = next((v.name for v in self.protocol.error_codes() if str(v.value) == name), None)
        return self.error(error) if error else None


def _has_field(definition: TypeDef, name: str) -> bool:
    return isinstance(definition.shape, Struct) and any(item.name == name for item in definition.shape.fields)


def cell(text: str) -> str:
    """Markdown as it stands in a cell of a table. In code a bar ends no cell, and a backslash would show."""
    line = re.sub(r"\n+", " ", text.strip())
    return re.sub(rf"{_CODE.pattern}|(?P<bar>\|)", lambda match: "\\|" if match["bar"] else match[0], line)


def tidy(text: str) -> str:
    """Markdown with no more than one empty line in a row, code aside."""
    return _FENCED_OR_EMPTY.sub(lambda match: match[0] if match["fence"] else "\n\n", text)


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;"))


def _no_block(match: re.Match[str]) -> str:
    """The start of a line that would make it a list, a quote, code, an admonition, a tab or an underlined heading."""
    if match[1]:
        return f"\\{match[1]}"
    if match[2]:
        return f"&#{ord(match[2])};"
    return f"{match[3]}\\{match[4]}" if match[3] else ""


def _limits(use: TypeUse) -> list[str]:
    limits: list[str] = []
    if use.min_length is not None:
        upto = f" to {use.max_length}" if use.max_length is not None else " or more"
        limits.append(f"{use.min_length}{upto} characters")
    if use.minimum is not None:
        limits.append(f"at least {use.minimum}")
    if use.maximum is not None:
        limits.append(f"at most {use.maximum}")
    if use.min_items:
        limits.append(f"at least {use.min_items} item{'' if use.min_items == 1 else 's'}")
    return limits
