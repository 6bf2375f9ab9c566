"""``python -m wayword``."""

import sys

from wayword.cli.main import main

sys.exit(main())
