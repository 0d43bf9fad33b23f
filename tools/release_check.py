"""Wheel and sdist outside the checkout: installed alone, they answer or name what is missing.

make release-check                    both
python tools/release_check.py sdist   one of them

The wheel recomputes every claim at quick settings. What the sdist builds must be the wheel, file by
file; then one experiment is enough.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = """
import numpy as np
rng = np.random.default_rng(0)
rows = ["bag,x,y,label"]
for bag in range(80):
    tokens = rng.normal(size=(4, 2)) + np.array([3.0, 0.0]) * (np.arange(4) == bag % 4)[:, None]
    rows += [f"{bag},{x:.6f},{y:.6f},{tokens[bag % 4, 1]:.6f}" for x, y in tokens]
print("\\n".join(rows))
"""


def run(*words: object, where: Path, code: int = 0) -> str:
    """What a command says, outside the checkout; another exit code ends the check."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=where, env=clean, capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    if done.returncode != code or "Traceback" in said:
        raise SystemExit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{said}")
    return said


def check(archive: Path, where: Path, *only: str) -> None:
    """Install one archive with the core's dependencies alone, and use every kind of command.

    With names, only these experiments are reproduced.
    """
    venv.create(where / "env", with_pip=True)
    python, soloc = where / "env/bin/python", where / "env/bin/soloc"
    install = ["-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run(python, *install, "-c", ROOT / "constraints.txt", archive, where=where)
    assert __version__() in run(soloc, "--version", where=where)
    risk = json.loads(run(soloc, "risk", "--lam", ".1", "--json", where=where))
    assert abs(risk["risk"] - 0.113498083) < 1e-9, risk
    (where / "bags.csv").write_text(run(python, "-c", TABLE, where=where))
    fit = ["fit", "bags.csv", "--bag", "bag", "--label", "label", "--out", "model.soloc"]
    assert "wrote" in run(soloc, *fit, where=where)
    assert "decisive" in run(soloc, "predict", "model.soloc", "bags.csv", where=where)
    assert "contribution" in run(soloc, "explain", "model.soloc", "bags.csv", where=where)
    assert "held-out score" in run(soloc, "describe", "model.soloc", where=where)
    assert "soloc[lab]" in run(soloc, "lab", where=where, code=2)
    assert "soloc[text]" in run(soloc, "text", "demo", where=where, code=2)
    chosen = ["--only", *only] if only else []
    said = run(soloc, "reproduce", "--quick", *chosen, "--out", "results", where=where)
    assert (where / "results/report/index.html").exists()
    claims = next(line for line in said.splitlines() if "claims hold" in line)
    print(f"{archive.name}: installed and used; {claims}")


def __version__() -> str:
    names: dict[str, str] = {}
    exec((ROOT / "src/soloc/version.py").read_text(), names)
    return names["__version__"]


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel but the record of their checksums, which is in their order."""
    with zipfile.ZipFile(wheel) as archive:
        names = (name for name in archive.namelist() if not name.endswith("/RECORD"))
        return {name: archive.read(name) for name in names}


def check_sdist(sdist: Path, wheel: Path, where: Path) -> None:
    """It holds what a packager needs, builds the same wheel, and can be installed and used."""
    with tarfile.open(sdist) as content:
        names = content.getnames()
    assert any(name.endswith("CHANGELOG.md") for name in names), names[:20]
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check"]
    run(*build, "--wheel-dir", where / "again", sdist, where=where)
    again = contents(next((where / "again").glob("*.whl")))
    made = contents(wheel)
    differ = [name for name in {*again, *made} if again.get(name) != made.get(name)]
    assert not differ, f"the wheels of checkout and sdist differ in {sorted(differ)[:20]}"
    check(sdist, where, "problem")


def main() -> None:
    """The archives that were asked for, each in an environment of its own."""
    asked = sys.argv[1:] or ["wheel", "sdist"]
    if not {*asked} <= {"wheel", "sdist"}:
        raise SystemExit(f"`archives` must be wheel or sdist, got {' '.join(asked)}.")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "dist"
        run(sys.executable, "-m", "build", "--outdir", made, ROOT, where=Path(folder))
        wheel, sdist = next(made.glob("*.whl")), next(made.glob("*.tar.gz"))
        for archive in asked:
            with tempfile.TemporaryDirectory() as where:
                if archive == "wheel":
                    check(wheel, Path(where))
                else:
                    check_sdist(sdist, wheel, Path(where))
    print(f"Can be released: {', '.join(asked)}.")


if __name__ == "__main__":
    main()
