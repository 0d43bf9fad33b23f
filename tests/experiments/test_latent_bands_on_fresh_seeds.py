"""Every band of the specification, on five seeds that nobody tuned."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "check_latent_bands.py"


@pytest.mark.slow
def test_every_band_holds_on_five_fresh_seeds():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--seeds", "5"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
