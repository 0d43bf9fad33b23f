"""Experiments small enough to test plumbing with: a cell's rows depend on its own values alone."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Config:
    sizes: tuple[int, ...] = tuple(range(12))
    rows: int = 50
    seed: int = 0
    pause: float = 0.0
    tombs: str = ""  #: a folder that remembers who has died


def noise(config: Config) -> pd.DataFrame:
    """Gaussian numbers, one block for every size."""
    blocks = []
    for size in config.sizes:
        time.sleep(config.pause)
        numbers = np.random.default_rng([config.seed, size]).normal(size=config.rows)
        blocks.append(pd.DataFrame({"size": size, "word": f"w{size}", "number": numbers}))
    return pd.concat(blocks, ignore_index=True)


def refuses(config: Config) -> pd.DataFrame:
    raise ValueError(f"`rows` must be odd, got {config.rows}.")


def breaks(config: Config) -> pd.DataFrame:
    raise KeyError("a mistake of ours")


def dies(config: Config) -> pd.DataFrame:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def dies_twice(config: Config) -> pd.DataFrame:
    """Kills its first two workers."""
    tombs = Path(config.tombs)
    if len([*tombs.iterdir()]) < 2:
        (tombs / f"{time.time_ns()}").touch()
        dies(config)
    return noise(config)


def poison_at_three(config: Config) -> pd.DataFrame:
    """Size 3 kills whoever computes it."""
    return dies(config) if 3 in config.sizes else noise(config)
