"""The file of a user of the models: a strict type checker has nothing to say about it, and it runs."""

import subprocess
import sys
from pathlib import Path

from tests.typing import user_of_the_models

FILE = Path(user_of_the_models.__file__)


def test_a_users_file_runs():
    user_of_the_models.main()


def test_a_strict_type_checker_understands_it_from_an_installed_package(tmp_path: Path):
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "include": ["."]}')
    (tmp_path / FILE.name).write_text(FILE.read_text())
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(tmp_path)]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "0 errors, 0 warnings" in done.stdout, done.stdout
