"""``python -m generator``: the commands that need a checkout, without installing anything."""

import sys

from generator.cli import main

sys.exit(main())
