"""Outputs are checked before anything is computed, and a disk that is full loses nothing."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest
import toy_catalogue

from soloc.cli import main
from soloc.experiments import registry


@pytest.fixture(autouse=True)
def toys(monkeypatch, tmp_path):
    def forbidden(*cells, **options):
        raise AssertionError("nothing may be computed")

    experiment = toy_catalogue.GOOD
    monkeypatch.setattr(registry, "EXPERIMENTS", {experiment.name: experiment})
    monkeypatch.setattr("soloc.report.answers.fill", forbidden)
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("I am a file")
    Path("folder.svg").mkdir()


@pytest.mark.parametrize(
    "words",
    [
        ["reproduce", "--out", "file"],
        ["reproduce", "--out", "file/below"],
        ["run", "toy_good", "--out", "file"],
        ["figure", "toy_good", "--file", "file/a.svg"],
        ["figure", "toy_good", "--file", "folder.svg"],
        ["figure", "toy_good", "--out", "file"],
        ["reproduce", "--out", "/proc/nowhere"],
    ],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written_is_code_4_before_computing(words, capsys):
    assert main(words) == 4
    said = capsys.readouterr().err
    assert "cannot be written" in said and said.count("\n") == 1 and ".part" not in said
    assert Path("file").read_text() == "I am a file"


FULL = """
import resource, signal, sys
sys.path.insert(0, sys.argv[1])
import toy_catalogue
from soloc.cli import main
from soloc.experiments import registry
registry.EXPERIMENTS = {"toy_good": toy_catalogue.GOOD}
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
sys.exit(main(["reproduce", "--jobs", "1", "--out", "out"]))
"""


@pytest.mark.slow
def test_a_disk_that_fills_up_is_one_sentence_and_what_was_finished_is_kept(tmp_path):
    def attempt(room):
        return subprocess.run(
            [sys.executable, "-c", FULL, str(Path(__file__).parent), str(room)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )

    done = attempt(24_000)  # the cells fit, the figure does not
    assert done.returncode == 4, done.stderr
    assert "cannot be written (File too large)" in done.stderr and "Traceback" not in done.stderr
    stored = {path: path.read_bytes() for path in (tmp_path / "out/cache").rglob("*.parquet")}
    assert stored and not list((tmp_path / "out").rglob("*.part"))
    assert attempt(resource.RLIM_INFINITY).returncode == 0
    assert (
        stored.items()
        <= {path: path.read_bytes() for path in (tmp_path / "out/cache").rglob("*.parquet")}.items()
    )
