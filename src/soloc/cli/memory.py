"""Memory that goes back to the system as soon as it is free."""

import ctypes
import os
import sys

_MMAP_THRESHOLD, _BYTES = -3, 2**18  # of mallopt (glibc): from how many bytes on


def choose_pool() -> None:
    """Have Arrow, which is not imported yet, ask the system for memory: its own pool keeps some."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def give_back_at_once() -> None:
    """Ask the allocator for large pieces that are returned when they are free.

    Left alone, glibc keeps the place of the first large array that is freed for the next ones, and
    blocks of a table that come and go leave holes: twice the memory. What imports left behind is
    returned too. Others have no such calls.
    """
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt") and hasattr(library, "malloc_trim"):
            library.mallopt(_MMAP_THRESHOLD, _BYTES)
            library.malloc_trim(0)
