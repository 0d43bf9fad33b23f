"""Compiled programs are kept between commands, within bounds, and never make one fail."""

import os
import subprocess
import sys
import zlib

import pytest

from soloc.cli import main
from soloc.runs.compiled import clear, default_folder, holds, keep_compiled, tidy

HOUR = 3600.0
# a program whose compilation JAX keeps, and what it gives
PROGRAM = "import jax; print(float(jax.jit(lambda x: jax.numpy.sin(3 * x) ** 2)(1.0)))"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A cache folder of its own, and an environment in which nobody has set JAX's variables."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("JAX_")]:
        monkeypatch.delenv(name)
    return tmp_path


def entry(folder, name, content, age):
    path = folder / f"{name}-cache"
    path.write_bytes(content)
    written = path.stat().st_mtime - age
    os.utime(path, (written, written))
    return path


def test_jax_is_told_where_to_keep_programs_unless_somebody_has_said_so(home):
    found = {}
    folder = keep_compiled(found)
    assert found["JAX_COMPILATION_CACHE_DIR"] == str(folder) and folder.is_relative_to(home)
    assert folder.stat().st_mode & 0o077 == 0
    for own in ({"JAX_COMPILATION_CACHE_DIR": "x"}, {"JAX_ENABLE_COMPILATION_CACHE": "0"}):
        left = dict(own)
        assert keep_compiled(left) is None and left == own


def test_a_folder_that_cannot_be_used_is_no_error(home, monkeypatch):
    nothing = {}
    folder = default_folder()
    folder.mkdir(parents=True)
    folder.chmod(0o777)  # others could put programs there
    assert keep_compiled(nothing) is None
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "file"))
    (home / "file").write_text("not a folder")
    assert keep_compiled(nothing) is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError("none")))
    assert keep_compiled(nothing) is None and nothing == {}


def test_the_oldest_programs_go_when_there_are_too_many(tmp_path):
    whole = zlib.compress(os.urandom(1000))
    paths = [entry(tmp_path, i, whole, age) for i, age in enumerate((5.0, 1.0, 3.0))]
    tidy(tmp_path, most=2 * len(whole))
    assert [path.exists() for path in paths] == [False, True, True]
    assert holds(tmp_path) == (2, 2 * len(whole))


def test_programs_that_were_not_written_whole_go_once_nobody_can_be_writing_them(tmp_path):
    whole = zlib.compress(b"a program")
    good, cut, empty = (
        entry(tmp_path, name, content, 0.0)
        for name, content in (("good", whole), ("cut", whole[:-5]), ("empty", b""))
    )
    tidy(tmp_path, now=good.stat().st_mtime + 1.0)
    assert cut.exists() and empty.exists()
    tidy(tmp_path, now=good.stat().st_mtime + HOUR)
    assert good.exists() and not cut.exists() and not empty.exists()


def test_a_second_process_reads_the_program_and_one_that_is_damaged_is_compiled_again(home):
    environment = dict(os.environ)
    folder = keep_compiled(environment)
    environment["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    said = []
    for damage in (False, True):
        if damage:
            for path in folder.glob("*-cache"):
                path.write_bytes(path.read_bytes()[:-9])
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        said.append((done.stdout, done.stderr))
        assert holds(folder).programs > 0
    assert said[0] == said[1] and said[0][1] == ""


def test_the_command_says_where_they_are_and_throws_them_away(home, capsys):
    keep_compiled({})
    folder = default_folder()
    entry(folder, "one", zlib.compress(b"a program"), 0.0)
    assert main(["cache"]) == 0
    assert capsys.readouterr().out.startswith(f"{folder}: 1 compiled programs")
    assert main(["cache", "--clear"]) == 0 and "thrown away" in capsys.readouterr().out
    assert holds(folder).programs == 0 and clear(folder).programs == 0
