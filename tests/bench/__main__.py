"""`make bench`: measures everything that has a limit, and says which limits hold."""

import sys

from tests.bench import registry
from tests.bench.measure import report

sys.exit(report(registry.figures()))
