"""`make bench`: measures everything that has a limit, and says which limits hold.

`python -m tests.bench registry`, or another group's name, measures that group alone.
"""

import argparse
import sys
from itertools import chain

from tests.bench import adapters, agent, bindings, client, conformance, registry, site
from tests.bench.measure import report

GROUPS = {
    "adapters": adapters.figures,
    "agent": agent.figures,
    "registry": registry.figures,
    "bindings": bindings.figures,
    "client": client.figures,
    "conformance": conformance.figures,
    "site": site.figures,
}

parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure what has a limit.")
parser.add_argument("group", nargs="*", choices=GROUPS, default=GROUPS)
sys.exit(report(chain.from_iterable(GROUPS[name]() for name in parser.parse_args().group)))
