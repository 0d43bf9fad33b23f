"""Tests compile as the workers of the runs do, and keep programs as commands do.

Thousands of tests compile the same few hundred programs, most of which run for milliseconds: half
of their time was the compiler's.
"""

import os

from soloc.runs.compiled import keep_compiled
from soloc.runs.processes import QUICK_COMPILER

# before JAX is imported
os.environ.setdefault("XLA_FLAGS", f"{QUICK_COMPILER} --xla_backend_optimization_level=1")
keep_compiled()
