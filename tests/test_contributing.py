"""What CONTRIBUTING.md tells people to do works as written."""

import re
import shutil
import textwrap
from pathlib import Path

from generator.commands import EMITTERS
from generator.lint import lint
from generator.load import load
from generator.write import emit_all

REPOSITORY = Path(__file__).parents[1]


def test_adding_a_method_as_described_gives_a_registry_without_fault(tmp_path: Path):
    shutil.copytree(REPOSITORY / "spec", tmp_path / "spec")
    before = lint(load(tmp_path))
    blocks = [
        textwrap.dedent(b)
        for b in re.findall(r"```yaml\n(.*?)```", (REPOSITORY / "CONTRIBUTING.md").read_text(), re.DOTALL)
    ]
    types, method, example = (textwrap.indent(blocks[0], "  "), textwrap.indent(blocks[1], "  "), blocks[2])
    session = tmp_path / "spec/types/session.yaml"
    session.write_text(session.read_text() + "\n" + types)
    methods = tmp_path / "spec/methods.yaml"
    methods.write_text(methods.read_text() + "\n" + method)
    (tmp_path / "spec/examples/session/rename_branch.yaml").write_text(example)

    protocol = load(tmp_path)

    assert lint(protocol) == before
    files = emit_all(protocol, EMITTERS)
    assert "session/rename_branch" in files["acp_v2/schema/meta.unstable.json"]
    assert "session/rename_branch" not in files["acp_v2/schema/meta.json"]
