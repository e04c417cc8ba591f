"""A registry small enough to break in one place at a time."""

import shutil
from pathlib import Path

import pytest

MINIMAL = Path(__file__).parent / "minimal_registry"
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """The root of a fresh copy of the minimal registry, which has nothing to find fault with."""
    root = tmp_path / "registry"
    shutil.copytree(MINIMAL, root)
    shutil.copy(REPOSITORY / "spec" / "registry.schema.json", root / "spec")
    return root
