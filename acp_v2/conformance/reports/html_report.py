"""A report as one page that needs nothing else. It needs the extra `conform`."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from acp_v2 import __version__
from acp_v2.conformance.catalogue import rules
from acp_v2.conformance.outcomes import Outcome, Report


def text(report: Report) -> str:
    """The page."""
    environment = Environment(
        loader=PackageLoader("acp_v2.conformance.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _code
    results = report.rule_results()
    return environment.get_template("report.html.j2").render(
        report=report,
        results=results,
        counts=Counter(result.outcome for result in results),
        outcomes=tuple(Outcome),
        rules=rules(),
        version=__version__,
    )


def _code(text_: str) -> Any:
    """A rule's text, whose `code` is marked as in Markdown."""
    from markupsafe import Markup  # noqa: PLC0415  # comes with jinja2

    parts = text_.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else part for number, part in enumerate(parts)
    )
