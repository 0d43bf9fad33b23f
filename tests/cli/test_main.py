"""The front door: version, help, suggestions, completion, and what ends with which exit code."""

import subprocess
import sys

import pytest

from soloc import __version__
from soloc.cli import COMMANDS, main

SOLOC = [sys.executable, "-m", "soloc"]


def soloc(*words, **options):
    return subprocess.run(
        [*SOLOC, *words], capture_output=True, text=True, timeout=120, check=False, **options
    )


def test_the_version_is_told_by_python_m_soloc():
    done = soloc("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"soloc {__version__}\n", "")


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=str)
def test_help_waits_for_no_library(command):
    code = (
        "import sys; from soloc.cli import main\n"
        "try: main([*sys.argv[1:], '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'jax', 'pandas', 'scipy', 'matplotlib', 'sklearn'} & {*sys.modules}\n"
        "sys.exit(f'help imports {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "usage: soloc" in done.stdout, done.stderr


def test_help_tells_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    for meaning in ("0 done", "1 a claim fails", "3 cells failed", "4 output could not be"):
        assert meaning in said


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["reprodcue"], "soloc: 'reprodcue' is no command. Did you mean reproduce?"),
        (["xyz"], "soloc: 'xyz' is no command. See soloc --help."),
        (["run", "x", "--quik"], "soloc run: '--quik' is no option. Did you mean --quick?"),
        (["list", "one", "two"], "soloc list: 'two' is no argument. See soloc list --help."),
    ],
)
def test_a_mistyped_word_is_refused_with_what_was_meant(words, sentence, capsys):
    with pytest.raises(SystemExit) as exit:
        main(words)
    assert exit.value.code == 2 and capsys.readouterr().err.startswith(sentence)


def test_list_shows_the_settings_of_an_experiment(capsys):
    assert main(["list", "training_manifold"]) == 0
    said = capsys.readouterr().out
    assert "does training find the decisive token?" in said
    assert "steps" in said and "20000" in said and "--set" in said


def test_bash_completes_commands_options_and_experiments(tmp_path):
    script = soloc("completion", "bash").stdout
    ask = 'COMP_WORDS=(soloc {0} "{1}"); COMP_CWORD={2}; _soloc; echo "${{COMPREPLY[@]}}"'.format
    for words, expected in (
        (("repr", "", 1), "reproduce"),
        (("run", "latent_ord", 2), "latent_order"),
        (("figure", "--fi", 2), "--file"),
        (("text", "de", 2), "demo"),
    ):
        line = ask(*words).replace(' ""', "") if words[2] == 1 else ask(*words)
        done = subprocess.run(
            ["bash", "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == [expected]


def test_fish_and_zsh_get_scripts_of_their_own():
    assert "complete -c soloc" in soloc("completion", "fish").stdout
    assert soloc("completion", "zsh").stdout.startswith("autoload")


def test_a_reader_that_leaves_early_is_no_error_worth_a_word():
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m soloc list | head -1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.count("\n") == 1 and done.stderr == "" and done.returncode in (0, 4)


def test_a_full_standard_output_is_code_4():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*SOLOC, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 4 and "No space left" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
