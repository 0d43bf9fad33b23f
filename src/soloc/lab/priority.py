"""Who waits for whom: long work yields to the questions of sliders."""

import os
import sys
import threading


def yield_to_others() -> None:
    """Give this thread the lowest share of the processor."""
    if sys.platform == "linux":  # elsewhere threads have no priority of their own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)
