"""A registry small enough to break in one place at a time."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator import memo

MINIMAL = Path(__file__).parent / "minimal_registry"
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """The root of a fresh copy of the minimal registry, which has nothing to find fault with."""
    root = tmp_path / "registry"
    shutil.copytree(MINIMAL, root)
    shutil.copy(REPOSITORY / "spec" / "registry.schema.json", root / "spec")
    return root


@pytest.fixture(autouse=True, scope="session")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The generator's memory is the tests' own, so that they neither use nor crowd out what a checkout has made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memo, "HOME", tmp_path_factory.mktemp("memory"))
        yield
