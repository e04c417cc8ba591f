"""`python -m acp_v2.cli`, the same as `acpspec`."""

import sys

from acp_v2.cli import main

sys.exit(main())
