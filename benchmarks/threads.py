"""One thread per library, so that CPU seconds of a measurement mean the same on every machine."""

import os
import sys


def alone():
    """Start this script again with one thread per library, said before they are loaded."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    if any(os.environ.get(name) != "1" for name in threads):
        os.environ.update(dict.fromkeys(threads, "1"))
        os.execv(sys.executable, [sys.executable, *sys.argv])
