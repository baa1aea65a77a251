"""``python -m findlib.annotate check FILE``: check an annotated data set."""

import sys

from . import main

sys.exit(main())
