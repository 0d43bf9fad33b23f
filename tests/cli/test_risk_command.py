"""`soloc risk`: a small table, JSON, and one sentence for every mistake."""

import json

import pytest

from soloc import Erf, Overlaps, SingleLocation, population_risk
from soloc.cli import main
from soloc.predictors.catalogue import WEIGHTS

EXAMPLE = [
    "risk",
    "--attention",
    "erf",
    "--lam",
    ".1",
    "--d",
    "400",
    "--length",
    "10",
    "--gamma",
    "1",
    "--eps",
    ".5",
]
EXPECTED = float(population_risk(SingleLocation(400, 10, 1.0, 0.5), Erf(0.1), Overlaps(1.0, 1.0)))


def test_table_has_one_aligned_line_per_quantity(capsys):
    assert main(EXAMPLE) == 0
    rows = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert list(rows) == ["risk", "excess", "bayes", "linear", "null"]
    assert float(rows["risk"]) == pytest.approx(EXPECTED, rel=1e-9)
    assert float(rows["null"]) == pytest.approx(1.25)


def test_json_holds_the_numbers_in_full(capsys):
    assert main([*EXAMPLE, "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["risk"] == pytest.approx(EXPECTED, rel=1e-14)
    assert numbers["excess"] == pytest.approx(EXPECTED - 0.25, rel=1e-12)
    assert numbers["log_bayes_excess"] < -40


def test_a_simulated_risk_carries_its_error(capsys):
    simulated = [
        "risk",
        "--attention",
        "sparsemax",
        "--d",
        "8",
        "--gamma",
        "1",
        "--samples",
        "2000",
        "--seed",
        "3",
    ]
    assert main(simulated) == 0
    table = capsys.readouterr().out.splitlines()
    assert "±" in table[0] and "±" in table[1] and "±" not in table[2]
    assert main([*simulated, "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["risk_error"] > 0 and "bayes_error" not in numbers


def test_every_name_is_the_class_it_says():
    for name, entry in WEIGHTS.items():
        assert name.replace("-", "") == entry.kind.__name__.lower()


@pytest.mark.parametrize("name", WEIGHTS)
def test_every_weight_of_the_catalogue_has_a_risk(name, capsys):
    few = [] if WEIGHTS[name].exact else ["--samples", "50"]
    assert main(["risk", "--attention", name, "--lam", ".2", "--d", "8", "--json", *few]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["risk"] >= numbers["bayes"] and ("risk_error" in numbers) == bool(few)


BAD = {
    "`d` must be a whole number >= 4, got 3.": ["--d", "3"],
    "`d` must be a whole number >= 4, got 'many'.": ["--d", "many"],
    "`L` must be a whole number >= 1, got 0.": ["--length", "0"],
    "`gamma` must be a positive number, got -1.": ["--gamma", "-1"],
    "`gamma` must be a positive number, got nan.": ["--gamma", "nan"],
    "`eps` must be a number >= 0, got 'x'.": ["--eps", "x"],
    "`lam` must be a finite number, got inf.": ["--lam", "inf"],
    "`kappa` must be a finite number between -1 and 1, got nan.": ["--kappa", "nan"],
    "`overlaps` must belong to unit vectors": ["--rho", ".5"],
    "`attention` must be one of softmax, erf": ["--attention", "magic"],
    "`samples` must be an integer >= 2, got 1.": ["--samples", "1"],
    "`seed` must be an integer >= 0, got -1.": ["--seed", "-1"],
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_is_one_sentence_and_exit_code_two(sentence, capsys):
    assert main(["risk", *BAD[sentence]]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.startswith(f"soloc risk: {sentence}") and captured.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["risk", "--wrong"], ["risk", "--lam"], ["unknown"], []], ids=str
)
def test_what_the_parser_refuses_is_one_sentence_too(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("soloc") and error.count("\n") == 1 and "usage" not in error


def test_the_library_says_the_same_sentence(capsys):
    with pytest.raises(ValueError) as refused:
        SingleLocation(d=3)
    assert main(["risk", "--d", "3"]) == 2
    assert capsys.readouterr().err == f"soloc risk: {refused.value}\n"


def test_a_negative_number_in_scientific_notation_is_a_number(capsys):
    assert main([*EXAMPLE, "--kappa", ".9", "--nu", ".9", "--rho", "-1e-3"]) == 0
    assert "risk" in capsys.readouterr().out
