"""What the wheel carries, and that it stands alone."""

import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)], cwd=REPOSITORY, check=True
    )
    (path,) = target.glob("*.whl")
    return zipfile.ZipFile(path)


def metadata(wheel: zipfile.ZipFile):
    name = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def test_the_wheel_carries_every_generated_file_and_the_type_marker(wheel: zipfile.ZipFile):
    generated = {f"acp_v2/schema/{p.name}" for p in (REPOSITORY / "acp_v2/schema").iterdir()}

    assert {*generated, "acp_v2/py.typed", "acp_v2/cli/__init__.py"} - set(wheel.namelist()) == set()


def test_the_wheel_carries_nothing_of_the_generator(wheel: zipfile.ZipFile):
    assert {name.partition("/")[0] for name in wheel.namelist()} == {
        "acp_v2",
        f"acp_v2-{metadata(wheel)['Version']}.dist-info",
    }


def test_the_bare_wheel_needs_pydantic_alone(wheel: zipfile.ZipFile):
    needed = [r for r in metadata(wheel).get_all("Requires-Dist", []) if "extra ==" not in r]

    assert [r.partition(">")[0] for r in needed] == ["pydantic"]


def test_the_licence_is_in_the_wheel(wheel: zipfile.ZipFile):
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_a_checkout_command_in_an_installed_package_says_what_it_needs(wheel: zipfile.ZipFile, tmp_path: Path):
    wheel.extractall(tmp_path)
    command = [sys.executable, "-m", "acp_v2", "build"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == "acpspec: `build` needs a checkout of the repository; this is an installed package\n"


def test_importing_the_package_imports_neither_the_generator_nor_what_it_needs():
    program = "import sys, acp_v2; print({'generator', 'yaml', 'jsonschema', 'jinja2', 'rich'} & sys.modules.keys())"

    assert subprocess.check_output([sys.executable, "-c", program], cwd=REPOSITORY, text=True) == "set()\n"


def test_the_bare_wheel_installs_alone_and_speaks_the_protocol(wheel: zipfile.ZipFile, tmp_path: Path):
    """In a fresh environment with pydantic as the only dependency, in the lowest version that is allowed."""
    (needed,) = [r for r in metadata(wheel).get_all("Requires-Dist", []) if "extra ==" not in r]
    lowest = f"pydantic=={needed.partition('>=')[2]}.0"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, lowest, str(wheel.filename)], check=True, capture_output=True)
    program = (
        "from acp_v2 import METHODS, IdempotencyKey, PromptRequest, RetryClass, TextContent, parse_message\n"
        "request = PromptRequest(session_id='s', prompt=[TextContent(text='Hi')], idempotency_key='k')\n"
        "assert request.to_wire()['idempotencyKey'] == 'k'\n"
        "assert METHODS['session/prompt'].retry is RetryClass.KEYED\n"
        "print(METHODS['session/prompt'].after_lost_response(request).value, parse_message('[]').error.code)\n"
    )

    listed = subprocess.check_output([python, "-m", "pip", "list", "--format", "freeze"], text=True)
    said = subprocess.check_output([python, "-I", "-c", program], cwd=tmp_path, text=True)

    assert {line.partition("==")[0] for line in listed.split()} - {"pip", "setuptools"} == {
        "acp-v2",
        "annotated-types",
        "pydantic",
        "pydantic_core",
        "typing-inspection",
        "typing_extensions",
    }
    assert said == "send with the same key -32600\n"


def test_the_cli_of_the_bare_wheel_says_which_extra_it_needs(wheel: zipfile.ZipFile, tmp_path: Path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    wheel.extractall(tmp_path / "lib")
    python = tmp_path / "venv/bin/python"

    done = subprocess.run(
        [python, "-m", "acp_v2", "audit"], cwd=tmp_path / "lib", capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "pip install 'acp-v2[cli]'" in done.stderr
