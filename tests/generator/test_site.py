"""What the site's scripts are made of comes from npm once, and another checkout's packages are left alone."""

from pathlib import Path

import pytest

from generator import site


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that npm was run in; as npm does, it empties `node_modules`, through a link as well."""
    folders: list[Path] = []

    def run(_command: list[str], folder: Path) -> None:
        folders.append(folder)
        packages = folder / "node_modules"
        packages.mkdir(exist_ok=True)
        for path in packages.iterdir():
            path.unlink()

    monkeypatch.setattr(site, "_run", run)
    monkeypatch.setattr(site.shutil, "which", lambda name: name)
    for checkout in ("one", "other"):
        (tmp_path / checkout / "site").mkdir(parents=True)
        (tmp_path / checkout / "site/package-lock.json").write_text("{}")
    return folders


def test_packages_are_installed_once(tmp_path: Path, installed: list[Path]):
    site.install(tmp_path / "one")
    site.install(tmp_path / "one")

    assert installed == [tmp_path / "one/site"]


def test_packages_are_installed_again_when_others_are_wanted(tmp_path: Path, installed: list[Path]):
    site.install(tmp_path / "one")
    (tmp_path / "one/site/package-lock.json").write_text('{"name": "newer"}')
    site.install(tmp_path / "one")

    assert len(installed) == 2


def test_the_same_packages_of_another_checkout_are_used(tmp_path: Path, installed: list[Path]):
    site.install(tmp_path / "one")
    (tmp_path / "other/site/node_modules").symlink_to(tmp_path / "one/site/node_modules")
    (tmp_path / "other/site/package-lock.json").touch()
    site.install(tmp_path / "other")

    assert installed == [tmp_path / "one/site"]


def test_other_packages_of_another_checkout_are_left_alone(tmp_path: Path, installed: list[Path]):
    site.install(tmp_path / "one")
    (tmp_path / "one/site/node_modules/ajv").touch()
    (tmp_path / "other/site/node_modules").symlink_to(tmp_path / "one/site/node_modules")
    (tmp_path / "other/site/package-lock.json").write_text('{"name": "newer"}')
    site.install(tmp_path / "other")

    assert installed == [tmp_path / "one/site", tmp_path / "other/site"]
    assert (tmp_path / "one/site/node_modules/ajv").exists()
    assert not (tmp_path / "other/site/node_modules").is_symlink()
