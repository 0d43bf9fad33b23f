"""Functions to sweep over, importable by workers."""

import os
import signal
import time

import jax
import pandas as pd


def add(a, b):
    return a + b


def named(a, b=10, *, key):
    """A row with a draw."""
    return {"sum": a + b, "word": f"{a}-{b}", "draw": float(jax.random.uniform(key))}


def rows(n):
    """As many rows as `n` says."""
    return pd.DataFrame({"row": range(n), "half": [0.5 * i for i in range(n)]})


def moody(a):
    """A row, a refusal, a mistake, or a death."""
    if a == 1:
        raise ValueError("`a` must not be 1.")
    if a == 2:
        raise KeyError("oops")
    if a == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"double": 2 * a}


def slow_draw(a, b, key):
    """A draw that takes a while: something to kill."""
    time.sleep(0.02)
    return {"draw": float(jax.random.normal(key)), "sum": a + b}
