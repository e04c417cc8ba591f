"""Where the registry defines a name: for `acpspec explain` in a checkout."""

from __future__ import annotations

from pathlib import Path

from generator.read_yaml import read_yaml


def locate(root: Path, path: tuple[str, ...]) -> str | None:
    """`spec/FILE.yaml:LINE` of a path of keys inside one of the registry's files, or None where it is nowhere.

    The last key may be optional in the registry: `idempotencyKey` finds `idempotencyKey?`.
    """
    for file in (root / "spec" / "methods.yaml", *sorted((root / "spec" / "types").glob("*.yaml"))):
        document, _ = read_yaml(file, file.relative_to(root).as_posix())
        if document is not None:
            for candidate in (path, (*path[:-1], f"{path[-1]}?")):
                if candidate in document.lines:
                    return str(document.source(candidate))
    return None
