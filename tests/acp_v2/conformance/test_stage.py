"""The small programs that lead from what is tested back to the suite."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from acp_v2.conformance.stage import Stage


def test_the_interpreter_may_have_spaces_in_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "my programs"
    folder.mkdir()
    python = folder / "python"
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))

    async def lead() -> str | bytes | None:
        async with Stage("agent") as stage:
            process = await asyncio.create_subprocess_exec(stage.program, stdin=subprocess.PIPE)
            assert process.stdin is not None
            process.stdin.write(b"{}\n")
            try:
                return await (await stage.connection(60)).receive()
            finally:
                process.stdin.close()
                await process.wait()

    assert asyncio.run(lead()) == b"{}"
