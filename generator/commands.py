"""What `build`, `check`, `lint` and `site` do and say. Each takes the parsed arguments and gives the exit code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from acp_v2.cli.console import say
from generator.emit import corpus, derived_ids, docs, json_schema, meta, methods, openrpc, python, rules
from generator.findings import CODES, Finding, RegistryError
from generator.lint import lint as lint_protocol
from generator.load import load
from generator.model import Protocol
from generator.write import build as write_files
from generator.write import check as compare_files
from generator.write import emit_all

EMITTERS = (
    json_schema.emit,
    meta.emit,
    methods.emit,
    openrpc.emit,
    corpus.emit,
    derived_ids.emit,
    rules.emit,
    python.emit,
    docs.emit,
)

OK, FAULTY = 0, 1


def build(arguments: argparse.Namespace) -> int:
    """Write what differs from the registry."""
    root: Path = arguments.root
    protocol, findings = _read(root)
    if protocol is None:
        return _report(findings)
    changed = write_files(root, emit_all(protocol, EMITTERS))
    for path in changed:
        say(f"wrote {path}" if (root / path).exists() else f"removed {path}")
    say(f"{_counted(protocol)}; {len(changed) or 'no'} generated {'file' if len(changed) == 1 else 'files'} changed")
    return OK


def check(arguments: argparse.Namespace) -> int:
    """Compare what lies on disk with the registry."""
    root: Path = arguments.root
    protocol, findings = _read(root)
    if protocol is None:
        return _report(findings, as_json=arguments.json)
    differences = compare_files(root, emit_all(protocol, EMITTERS))
    if arguments.json:
        _print_json([asdict(d) for d in differences])
    else:
        for difference in differences:
            say(str(difference))
        if differences:
            count = "one generated file is" if len(differences) == 1 else f"{len(differences)} generated files are"
            say(f"{count} not what the registry gives; run `acpspec build`")
        else:
            say(f"{_counted(protocol)}; the generated files are up to date")
    return FAULTY if differences else OK


def lint(arguments: argparse.Namespace) -> int:
    """Say what is wrong with the registry."""
    if arguments.codes:
        width = max(map(len, CODES))
        for code, meaning in CODES.items():
            say(f"{code:{width}}  {meaning}")
        return OK
    protocol, findings = _read(arguments.root, release=arguments.release)
    if protocol is None or arguments.json:
        return _report(findings, as_json=arguments.json)
    say(f"{_counted(protocol)}; nothing to find fault with")
    return OK


def site(arguments: argparse.Namespace) -> int:
    """Build or serve the site."""
    from generator import site as site_builder

    code = build(arguments)
    if code != OK:
        return code
    try:
        if arguments.serve:
            site_builder.serve(arguments.root)
        else:
            public = site_builder.build(arguments.root, arguments.builder)
            folder = public.relative_to(arguments.root)
            say(f"the site is in {folder}; to look at it, run `python3 -m http.server -d {folder}` or `make serve`")
    except site_builder.SiteError as error:
        say(f"acpspec site: {error}", stderr=True)
        return FAULTY
    except KeyboardInterrupt:
        pass
    return OK


def _read(root: Path, *, release: bool = False) -> tuple[Protocol | None, Sequence[Finding]]:
    """The registry at `root` and no finding, or None and what is wrong with it."""
    try:
        protocol = load(root)
    except RegistryError as error:
        return None, error.findings
    findings = lint_protocol(protocol, release=release)
    return (None if findings else protocol), findings


def _report(findings: Sequence[Finding], *, as_json: bool = False) -> int:
    if as_json:
        _print_json(
            [
                {
                    "file": f.source.file,
                    "line": f.source.line,
                    "path": f.source.path,
                    "code": f.code,
                    "message": f.message,
                }
                for f in findings
            ]
        )
        return FAULTY if findings else OK
    for finding in findings:
        path = f" {finding.source.path}:" if finding.source.path else ""
        say(
            (f"{finding.source}:", "bold"),
            (path, "cyan"),
            f" {finding.message} ",
            (f"[{finding.code}]", "dim"),
            stderr=True,
        )
    count = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
    say(f"{count}; `acpspec lint --codes` explains the words in brackets", stderr=True)
    return FAULTY


def _print_json(value: Any) -> None:
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    print()


def _counted(protocol: Protocol) -> str:
    messages = sum(1 for _ in protocol.messages())
    return f"{len(protocol.methods)} methods, {messages} messages, {len(protocol.types)} types"
