"""Odd environments: long TMPDIR, closed streams, no HOME, few letters, strange paths, Ctrl-C."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOYS = """
import sys
sys.path.insert(0, sys.argv[1])
import toy_catalogue
from soloc.cli import main
from soloc.experiments import registry
registry.EXPERIMENTS = {"toy_good": toy_catalogue.GOOD}
sys.exit(main(sys.argv[2:]))
"""
COMMAND = [sys.executable, "-c", TOYS, str(Path(__file__).parent)]
REPRODUCE = [*COMMAND, "reproduce", "--quick", "--jobs", "1"]


def quiet(said):
    for noise in ("Traceback", "Exception ignored", "Warning:", "leaked", "matplotlib"):
        assert noise not in said, said


def reproduced(folder, environment=None, **options):
    done = subprocess.run(
        REPRODUCE,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=not options,
        check=False,
        timeout=240,
        **options,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "results/report/index.html").is_file()
    return done


@pytest.mark.slow
def test_a_temporary_folder_with_a_long_name(tmp_path):
    deep = tmp_path / ("t" * max(115 - len(str(tmp_path)) - 1, 20))
    deep.mkdir()
    assert len(str(deep)) >= 115
    quiet(reproduced(tmp_path, {"TMPDIR": str(deep)}).stderr.decode())


@pytest.mark.parametrize(
    "closed",
    [
        "<&- >&- 2>&-",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("<&-", "2>&-", "<&- 2>&-")),
    ],
)
def test_closed_streams(tmp_path, closed):
    words = " ".join(f"'{word}'" for word in REPRODUCE)
    done = subprocess.run(["bash", "-c", f"{words} {closed}"], cwd=tmp_path, check=False)
    assert done.returncode == 0
    page = (tmp_path / "results/report/index.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")


def test_no_home(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        REPRODUCE, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    quiet(done.stderr)


@pytest.mark.parametrize(
    "encoding",
    [
        pytest.param({"LANG": "C", "LC_ALL": "C"}),
        pytest.param({"PYTHONIOENCODING": "ascii"}, marks=pytest.mark.slow),
    ],
)
def test_few_letters(tmp_path, encoding):
    quiet(reproduced(tmp_path, encoding).stderr.decode())


@pytest.mark.slow
def test_a_path_that_is_not_text(tmp_path):
    strange = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.mkdir(strange)
    folder = Path(os.fsdecode(strange))
    done = reproduced(folder)
    quiet(done.stderr.decode(errors="replace"))
    done = subprocess.run([*REPRODUCE, "--out", strange], capture_output=True, check=False)
    assert done.returncode == 0 and strange + b"/report/index.html" in done.stdout


INTERRUPTED = """
import os, signal, threading, time
from multiprocessing import forkserver

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it

def interrupt():
    while forkserver._forkserver._forkserver_pid is None:
        time.sleep(0.002)
    time.sleep(float(os.environ["AFTER"]))
    os.killpg(0, signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
"""


@pytest.mark.parametrize(
    "after", ["0.1", *(pytest.param(after, marks=pytest.mark.slow) for after in ("0", "0.5"))]
)
def test_an_interrupt_while_workers_start_is_one_sentence(tmp_path, after):
    words = [sys.executable, "-c", INTERRUPTED + TOYS, *COMMAND[3:], "reproduce", "--jobs", "2"]
    for attempt in range(3):
        (tmp_path / str(attempt)).mkdir()
        done = subprocess.run(
            words,
            cwd=tmp_path / str(attempt),
            env={**os.environ, "AFTER": after},
            capture_output=True,
            text=True,
            start_new_session=True,
            check=False,
        )
        if "_xla_gc_callback" not in done.stderr:  # JAX swallows what reaches it in there
            break
    assert done.returncode == 130, done.stderr
    assert "soloc reproduce: interrupted; what was finished is kept." in done.stderr
    quiet(done.stderr)


LOCKED = """
import multiprocessing
from soloc.runs.engines.calls import Call
from soloc.runs.engines.local import Local

def lock(number):
    global kept
    kept = multiprocessing.get_context("spawn").Lock()  # as the bars of tqdm do
    return number

print([outcome.value for outcome in Local(2).run([Call(lock, (1,)), Call(lock, (2,))]) if outcome])
"""


def test_idle_workers_clear_up_what_their_libraries_left():
    done = subprocess.run(
        [sys.executable, "-c", LOCKED], capture_output=True, text=True, check=True
    )
    assert sorted(eval(done.stdout)) == [1, 2] and done.stderr == ""
