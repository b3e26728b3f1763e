"""``python -m symbias``: the command line."""

import sys

from symbias.cli import main

sys.exit(main())
