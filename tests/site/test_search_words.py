"""The search of the built site knows which words there are."""

import json
import subprocess
from pathlib import Path


def test_the_search_finds_the_words_that_are_there_and_no_others(built: Path):
    (worker,) = (built / "assets/javascripts/workers").glob("search.*.min.js")
    script = Path(__file__).with_name("search_words.mjs")

    done = subprocess.run(["node", str(script), str(worker)], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == []
