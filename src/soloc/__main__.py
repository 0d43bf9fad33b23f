"""`python -m soloc`: the command line."""

import sys

from soloc.cli import main

if __name__ == "__main__":
    sys.exit(main())
