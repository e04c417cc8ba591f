"""An agent that streams for a long time uses no more memory than it did at first."""

import asyncio
import statistics
import sys
import time
from pathlib import Path

import pytest

from tests.acp_v2.agent.load import load, resident_bytes

WARM_UP_SECONDS = 120.0
SECONDS = 600.0
SAMPLE_SECONDS = 1.0
MOST_GROWTH = 1024 * 1024
"""What an allocator may yet hand out; a leak of 100 bytes for each prompt comes to more in these minutes."""


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_flat_under_streaming(tmp_path: Path):
    """The median of the last quarter is that of the first quarter after the warm-up."""

    async def samples() -> list[int]:
        taken: list[int] = []
        async with load(f"sqlite:///{tmp_path / 'store.db'}", " ".join(["word"] * 20), sessions=100) as busy:
            began = time.monotonic()
            while time.monotonic() < began + WARM_UP_SECONDS + SECONDS:
                await busy.retry()
                await asyncio.sleep(SAMPLE_SECONDS)
                if time.monotonic() > began + WARM_UP_SECONDS:
                    taken.append(resident_bytes(busy.process_id))
            print(f"{busy.prompts} prompts and {busy.messages} messages")  # shown where the test fails
        return taken

    taken = asyncio.run(samples())
    quarter = len(taken) // 4
    first, last = statistics.median(taken[:quarter]), statistics.median(taken[-quarter:])
    print(f"{first / 2**20:.1f} MiB at first, {last / 2**20:.1f} MiB at last, {max(taken) / 2**20:.1f} MiB at most")
    assert last - first <= MOST_GROWTH
