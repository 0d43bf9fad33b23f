"""What a fresh clone installs: seconds and megabytes for the demo and for development.

python benchmarks/check_footprint.py [--without-uv]

Downloads what the installer's cache lacks. Numbers depend on the machine, its load and its network.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def megabytes(folder: Path) -> float:
    """Disk that the files of a folder take, in units of 2^20 bytes."""
    inside = (path.lstat() for path in folder.rglob("*"))
    return sum(512 * status.st_blocks for status in inside) / 2**20


def largest(folder: Path, count: int = 8) -> str:
    """The packages that take most."""
    packages = next(folder.glob("lib/python*/site-packages"))
    sizes = {path.name: megabytes(path) for path in packages.iterdir() if path.is_dir()}
    names = sorted(sizes, key=sizes.__getitem__, reverse=True)[:count]
    return ", ".join(f"{name} {sizes[name]:.0f}" for name in names)


def without_uv() -> dict[str, str]:
    """The environment with a PATH on which there is no uv; Python is named by its own path."""
    there = [f for f in os.environ["PATH"].split(os.pathsep) if not shutil.which("uv", path=f)]
    return os.environ | {"PATH": os.pathsep.join(there), "PYTHON": sys.executable}


def main() -> None:
    """Clone, install one environment after the other, tell what each took."""
    environment = without_uv() if "--without-uv" in sys.argv else dict(os.environ)
    for stamp in (".demo", ".installed"):
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "soloc"
            subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
            started = time.monotonic()
            subprocess.run(["make", "-s", f".venv/{stamp}"], cwd=clone, env=environment, check=True)
            seconds, venv = time.monotonic() - started, clone / ".venv"
            print(f"{stamp}: {seconds:.1f} s, {megabytes(venv):.0f} MB ({largest(venv)})")


if __name__ == "__main__":
    main()
