"""`soloc samples` answers what `samples_for` does."""

import json

import pytest

from soloc.cli import main
from soloc.learning import samples_for
from soloc.tasks.single_location import SingleLocation

WORDS = ["samples", "--length", "8", "--signal", "2.5", "--eps", ".3", "--risk", ".45"]


def test_it_answers_the_ratio_and_the_number(capsys):
    assert main([*WORDS, "--d", "1000", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    ratio = samples_for(SingleLocation(L=8, gamma=1.0, eps=0.3, signal=2.5), 0.45)
    assert answer["samples_per_dimension"] == pytest.approx(ratio, rel=1e-9)
    assert answer["n"] == 1981
    assert answer["risk"] == pytest.approx(0.45, abs=1e-9)
    assert main(WORDS) == 0
    assert capsys.readouterr().out.startswith("n/d     1.98")


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--signal", "2", "--risk", "0"], "`risk` must lie between"),
        (["--signal", "2", "--risk", "nan"], "`risk` must be a finite number"),
        (["--signal", "2", "--risk", "3"], "which needs none, got 3."),
        (["--signal", "-2", "--risk", ".5"], "`signal` must be a number >= 0"),
        (["--signal", "0", "--risk", ".95"], "`signal` must be positive"),
        (["--length", "2.5", "--signal", "2", "--risk", ".5"], "`L` must be a whole number"),
        (["--signal", "strong", "--risk", ".5"], "`signal` must be a number"),
        (["--signal", "2", "--eps", ".3", "--risk", ".9", "--d", "2.5"], "`d` must be a whole"),
    ],
)
def test_refusals(capsys, words, sentence):
    assert main(["samples", *words]) == 2
    assert sentence in capsys.readouterr().err
