"""Lays the emitters' output on disk, or compares it with what lies there. Nothing else writes generated files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from generator.model import Protocol

OWNED = ("acp_v2/models", "acp_v2/schema", "site/docs")
"""Folders that hold nothing but generated files: what is there and no emitter claims is removed."""

BUILT = ("site/docs/assets", "site/docs/schema")
"""Folders inside of these that the building of the site fills; they are not committed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A generated file that is not what the registry gives. `line` is the first that differs, from 1."""

    path: str
    kind: Literal["differs", "missing", "not generated"]
    line: int = 1
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "differs":
                return f"{self.path}:{self.line}: differs\n    expected: {self.expected}\n    found:    {self.found}"
            case "missing":
                return f"{self.path}:1: is missing"
            case "not generated":
                return f"{self.path}:1: is not generated from the registry; remove it or move it elsewhere"


class OutputClashError(Exception):
    """Two emitters claim the same path."""


def emit_all(protocol: Protocol, emitters: Iterable[Callable[[Protocol], Mapping[str, str]]]) -> dict[str, str]:
    """The union of the emitters' outputs, by path.

    Raises:
        OutputClashError: two emitters claim one path.
    """
    files: dict[str, str] = {}
    for emitter in emitters:
        for path, text in emitter(protocol).items():
            if path in files:
                raise OutputClashError(f"two emitters claim {path}; the second is {emitter.__module__}")
            files[path] = text
    return dict(sorted(files.items()))


def build(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write what differs and remove what is no longer generated.

    Each file is replaced in one step, so that an interrupted run leaves no half-written file.

    Returns:
        The paths that were written or removed, sorted.
    """
    changed: list[str] = []
    for path, text in files.items():
        target = root / path
        if _read(target) != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(f".{target.name}.new")
            draft.write_text(text, "utf-8", newline="\n")
            draft.replace(target)
            changed.append(path)
    for path in _strays(root, files):
        (root / path).unlink()
        changed.append(path)
    return sorted(changed)


def check(root: Path, files: Mapping[str, str]) -> list[Difference]:
    """What `build` would change, each with the first line that differs."""
    differences: list[Difference] = []
    for path, text in files.items():
        found = _read(root / path)
        if found is None:
            differences.append(Difference(path, "missing"))
        elif found != text:
            differences.append(_first_difference(path, text, found))
    differences += [Difference(path, "not generated") for path in _strays(root, files)]
    return sorted(differences, key=lambda d: d.path)


def _strays(root: Path, files: Mapping[str, str]) -> list[str]:
    found = (p for folder in OWNED for p in (root / folder).rglob("*") if p.is_file() or p.is_symlink())
    relative = (p.relative_to(root).as_posix() for p in found if "__pycache__" not in p.parts)
    return sorted(path for path in relative if path not in files and not path.startswith(BUILT))


def _read(path: Path) -> str | None:
    """A file's text with its line ends as they are; bytes that are not UTF-8 show as such instead of raising."""
    try:
        return path.read_bytes().decode("utf-8", "backslashreplace")
    except (FileNotFoundError, IsADirectoryError):
        return None


def _first_difference(path: str, expected: str, found: str) -> Difference:
    pairs = zip_longest(expected.split("\n"), found.split("\n"))
    number, (want, have) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return Difference(path, "differs", number, _shown(want), _shown(have))


def _shown(line: str | None) -> str:
    """A line as a person can tell it apart: its end, and characters that do not show."""
    if line is None:
        return "(end of file)"
    text = repr(line)[1:-1].replace("\\\\", "\\") if not line.isprintable() else line
    return text if len(text) <= 160 else f"{text[:157]}…"
